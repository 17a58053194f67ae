# SPDX-License-Identifier: Apache-2.0
"""Every picture of a large made-up report, for a page and for a phone: no label lies on another,
none is cut off by the picture's edge, none is too small."""

import unittest

from cases import cases, made, seen
import matplotlib.pyplot as plt
from matplotlib.text import Text
import synthetic
from fatvec_report import sections, settings, speed, style
from fatvec_report.page import Picture, flat
from fatvec_report.style import NARROW, PHONE, RC, WIDTH
from fatvec_report.views import views

NAMES = [*synthetic.NAMES[:3], "gen:twin:a-matrix-whose-name-is-longer-than-there-is-room"]
TOUCH = 1.5  # pixels of 100 per inch: the boxes hold some air


def drawn(figure):
    """All texts that are."""
    hidden = set()  # matplotlib keeps labels beyond an axis' ends, and does not draw them
    for axis in (axis for panel in figure.axes for axis in (panel.xaxis, panel.yaxis)):
        ticks = (*axis.get_ticklabels(), *axis.get_ticklabels(minor=True))
        drawn = [label for tick in axis._update_ticks() for label in (tick.label1, tick.label2)]
        hidden |= set(map(id, ticks)) - set(map(id, drawn))
    return [
        text
        for text in figure.findobj(Text)
        if text.get_text().strip()
        and text.get_visible()
        and (text.axes is None or text.axes.get_visible())
        and id(text) not in hidden
    ]


def labels(figure):
    """With their boxes."""
    renderer = figure.canvas.get_renderer()
    return [(text.get_text(), text.get_window_extent(renderer)) for text in drawn(figure)]


def overlap(one, other):
    wide = min(one.x1, other.x1) - max(one.x0, other.x0)
    return wide > TOUCH and min(one.y1, other.y1) - max(one.y0, other.y0) > TOUCH


class Pictures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        documents = [synthetic.cpu(NAMES, (1, 4, 16), threads=count) for count in (1, 4)]
        documents += [synthetic.gpu(NAMES, (1, 2, 3, 4, 16)), synthetic.vectors()]
        documents += [synthetic.ranks("weak"), synthetic.ranks("strong", (1, 2, 4, 8, 16))]
        compiler = "a compiler with a version, flags and a vendor, all of which it says in a line"
        for document in documents:
            document["context"]["compiler"] = compiler
        runs = made(*((document["context"], document["benchmarks"]) for document in documents))
        cls.figures = {}
        blocks = list(flat(sections.write(views(runs))))
        for width, looks in ((WIDTH, RC), (PHONE, NARROW)):
            plt.rcParams.update({**looks, "figure.max_open_warning": 0})
            for picture in (block for block in blocks if isinstance(block, Picture)):
                cls.figures[picture.name, width] = picture.draw()
                cls.figures[picture.name, width].canvas.draw()
        plt.rcParams.update(RC)

    @classmethod
    def tearDownClass(cls):
        plt.close("all")

    def test_no_label_lies_on_another_or_leaves_the_picture(self):
        self.assertGreater(len(self.figures), 20)
        for name, figure in self.figures.items():
            with self.subTest(name):
                found = labels(figure)
                self.assertGreater(len(found), 5)
                edge = figure.bbox.padded(1)
                for at, (label, box) in enumerate(found):
                    inside = edge.contains(*box.p0) and edge.contains(*box.p1)
                    self.assertTrue(inside, f"'{label}' is cut off")
                    for other, there in found[at + 1 :]:
                        self.assertFalse(overlap(box, there), f"'{label}' and '{other}'")

    def test_a_legend_hides_no_curve(self):
        for name, figure in self.figures.items():
            with self.subTest(name):
                panels = [axes for axes in figure.axes if axes.get_visible()]
                beside = [axes.get_legend() for axes in panels]
                for legend in filter(None, [*figure.legends, *beside]):
                    box = legend.get_window_extent()
                    hidden = [axes for axes in panels if overlap(box, axes.get_window_extent())]
                    self.assertEqual(hidden, [], legend.get_texts()[0].get_text())

    def test_type_is_large_enough_and_a_phone_has_one_column(self):
        for name, figure in self.figures.items():
            with self.subTest(name):
                sizes = {text.get_fontsize() for text in drawn(figure)}
                self.assertGreaterEqual(min(sizes), style.SMALL)
                self.assertEqual(figure.get_size_inches()[0], name[1])
                if name[1] == PHONE:
                    left = {axes.get_subplotspec().colspan.start for axes in figure.axes}
                    self.assertEqual(left, {0})

    def test_bars_are_hatched_where_an_earlier_one_has_their_colour(self):
        for figure in self.figures.values():
            bars = figure.findobj(lambda artist: getattr(artist, "get_hatch", None))
            self.assertFalse([bar for bar in bars if bar.get_hatch()])
        names = ["fatvec", "raw-openmp", "mkl", "raw-cuda", "raw-cuda"]
        self.assertEqual(style.hatches(names), ["", "", "", "////", "////////"])
        other = next(name for name in map(str, range(99)) if style.look(name)[0] == style.INK)
        text = f"fatvec 1 | portable 2 | {other}/backend:openmp/format:csr 3"
        (picture,) = speed.bars(seen(cases(text)))
        (axes,) = picture.draw().axes
        self.assertEqual([bar.get_hatch() or "" for bar in axes.patches], ["", "", "////"])


class WhatIsDrawn(unittest.TestCase):
    def setUp(self):
        self.view = seen(
            cases(
                "fatvec 1 | fatvec 4 k=4 | fatvec 4 k=4 layout=column | hll 2 setup=3 | "
                "hll 3 k=4 setup=3 | hll 5 k=4 layout=column setup=3"
            )
        )

    def test_a_layout_of_one_k_has_no_picture_over_k(self):
        (picture,) = speed.over_k(self.view)
        self.assertIn("layout row", picture.alt)

    def test_a_step_is_the_share_of_the_bound_that_one_column_more_loses(self):
        of_k = "1 k=1 | fatvec 1 k=2 | fatvec 2 k=3 bound=0.25 | fatvec 2 k=4 bound=0.25"
        picture, count, steep = speed.steps(seen(cases(f"fatvec {of_k} | fatvec 9 k=6")))
        self.assertIn("1 of 3 steps are steeper than 1.15", count.text)
        self.assertEqual([row[-2:] for row in steep.rows], [["3", "2.00×"]])
        (axes,) = picture.draw().axes
        self.assertEqual([list(line.get_ydata()) for line in axes.lines][0], [1, 2, 1])
        self.assertEqual(speed.steps(self.view), [])

    def test_captions_speak_of_panels_where_there_are_several(self):
        row, column = speed.bars(self.view)
        self.assertEqual((row.caption, column.caption), ("Scales differ from panel to panel.", ""))

    def test_conversions_that_never_pay_are_folded(self):
        *_, row_title, row, column_title, column = settings.formats(self.view)
        self.assertEqual((row_title.text, column_title.text), ("layout row", "layout column"))
        self.assertEqual([line[4:] for line in row.rows], [["–", "3.0"]])
        self.assertEqual(column.summary, "1 that never pay")
        (table,) = column.blocks
        self.assertEqual(table.rows[0][1], "hll")


if __name__ == "__main__":
    unittest.main()
