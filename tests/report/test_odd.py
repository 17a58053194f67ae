# SPDX-License-Identifier: Apache-2.0
"""Results that nobody's run wrote: texts are shown as they are, numbers that cannot be computed
with are refused."""

import json
import os
import re
import unittest

from cases import FATVEC, ReportTest, case, program
import synthetic
import matplotlib.pyplot as plt
from fatvec_report import page, sections
from fatvec_report.page import Picture, Table, flat
from fatvec_report.load import COUNTERS, BadInput, load
from fatvec_report.style import RC
from fatvec_report.views import views

ODD = ("$x^{$", "<script>alert(1)</script>", "a|b\\|c", "`x` *y* [z](u) ![w](v)", "\ud800\x01\n# x")
HUGE = 10**400


def document(matrix="gen:twin:cant"):
    """With every kind of picture of a CPU."""
    result = synthetic.cpu(["gen:twin:cant"], (1, 4), threads=4)
    for row in result["benchmarks"]:
        row["name"] = row["run_name"] = row["name"].replace("gen:twin:cant", matrix)
    return result


class Texts(ReportTest):
    def test_names_in_pages(self):
        odd = document("/".join(ODD))
        odd["context"] |= {"compiler": ODD[1], "git_hash": "$_{", ODD[2]: ODD[3], "cpu": ODD[4]}
        failed = case(FATVEC, 1, matrix=ODD[1], reason=f"failed: {'; '.join(ODD)}")
        odd["benchmarks"].append(failed)
        names = ["$x^{$ <script>|.json", os.fsdecode(b"\xff\n.json")]
        files = [self.write(odd, name) for name in names]
        self.assertEqual(self.report(*files, draw_all=program.draw_all)[1], "")
        self.assertNotIn("<script", self.text())
        self.assertIn("&lt;script>alert(1)&lt;/script>", self.text())
        self.assertIn(r"\\ud800\\x01\\n", self.text())
        self.assertEqual(self.text("report.html").count("<script"), 1)

    def test_names_that_look_like_columns(self):
        odd, gpu = document(), synthetic.gpu(["gen:twin:cant"], (1, 4))
        odd["context"]["cpu"] = "Xeon | <- E5"
        odd["benchmarks"].append(case("raw|x <- y", 1))
        self.assertEqual(self.report(self.write(odd), self.write(gpu, "gpu.json"))[1], "")
        self.assertIn(r"Xeon \| &lt;- E5", self.text())

    def test_names_in_pictures(self):
        (view,) = views([load(self.write(document(ODD[0])))])
        pictures = [block for block in flat(sections.write([view])) if isinstance(block, Picture)]
        found = set()
        with plt.rc_context(RC):
            for picture in pictures:
                figure = picture.draw()
                figure.canvas.draw()
                texts = figure.findobj(plt.Text)
                self.assertFalse(any(text.get_parse_math() for text in texts), picture.name)
                found |= {text.get_text() for text in texts}
                plt.close(figure)
        self.assertIn(ODD[0], found)
        self.assertFalse([text for text in found if "math" in text])

    def test_markdown_shows_a_text_as_it_is(self):
        for text, expected in {
            "snake_case k = 4, 1.5× -3": "snake_case k = 4, 1.5× -3",
            "a|b\\|c": r"a\|b\\\|c",
            "`x` *y* _z_ ~~u~~ $v$": r"\`x\` \*y\* \_z\_ \~\~u\~\~ \$v\$",
            "![w](v)": r"!\[w\](v)",
            "<b>&lt;& ": "&lt;b>&amp;lt;&",
            "a\n\n# b\r\n    c #": r"a \# b c \#",
            "# a": r"\# a",
            "- a": r"\- a",
            "1. a": r"1\. a",
            "> a": r"\> a",
            "---": r"\---",
            "https://a www.b c@d": r"https\://a www\.b c\@d",
        }.items():
            self.assertEqual(page.markdown(text), expected)

    def test_a_table_keeps_its_columns(self):
        text = Table([ODD[2], "k"], [[ODD[2], "1"], [ODD[4], "|"]], 1, (1,)).markdown
        for line in text.split("\n"):
            self.assertEqual(len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)), 3, line)


class Numbers(ReportTest):
    def test_what_cannot_be_computed_with_is_refused(self):
        for key in ("real_time", "repetitions", *COUNTERS):
            for value in (float("inf"), float("nan"), 1e308, -1e300, HUGE, "1", True, [1], {}):
                result = {"benchmarks": [case(FATVEC, 1), case(FATVEC, 1, k=7) | {key: value}]}
                with self.assertRaisesRegex(
                    BadInput, rf"odd.json: matrix.*k:7: {key} is ", msg=key
                ):
                    load(self.write(result))
        _, err = self.report(self.write(result), status=2)
        self.assertRegex(err, "^report: .*odd.json: matrix")

    def test_the_ends_of_what_is_taken(self):
        for value in (10**18, 5e-324, -1, None):
            result = document()
            for at, row in enumerate(result["benchmarks"]):
                for key in [key for key in COUNTERS if key in row and (at % 3 or value is None)]:
                    row[key] = value if key != "verified" else row[key]
                row["real_time"] = value if at % 2 and value is not None else row["real_time"]
            with self.subTest(value):
                self.assertEqual(self.report(self.write(result))[1], "")

    def test_numbers_in_names_and_in_the_context(self):
        for threads in ("9" * 400, "²", "٣", "-1", "0"):
            result = document()
            result["context"]["threads"] = threads
            self.assertEqual([view.threads for view in views([load(self.write(result))])], [[0]])
            for row in result["benchmarks"]:
                row["name"] = row["run_name"] = row["name"].replace(
                    "/layout", f"/threads:{threads}/layout"
                )
            with self.assertRaisesRegex(BadInput, "the number of threads"):
                load(self.write(result))
        odd = {"8": "9" * 400, "32": "²", "128": "9" * 400 + "x1"}
        result = document()
        for row in result["benchmarks"]:
            row["name"] = row["run_name"] = re.sub(
                "(?<=/chunk:)(8|32|128)(?=/)", lambda found: odd[found.group()], row["name"]
            )
        self.assertIn("9" * 400, json.dumps(result))
        self.assertEqual(self.report(self.write(result))[1], "")


if __name__ == "__main__":
    unittest.main()
