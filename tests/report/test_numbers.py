# SPDX-License-Identifier: Apache-2.0
"""The report's arithmetic, on examples small enough to do by hand."""

import pathlib
import tempfile
import unittest

from cases import case, cases, made, seen
from fatvec_report import analysis, published, scaling, settings, summary
from fatvec_report.page import Heading, Picture, Table, flat
from fatvec_report.views import commit, views

RAW_GUIDED = "raw-openmp csr dynamic chunk 2"


class Ratios(unittest.TestCase):
    def run_of(self, text):
        (run,) = made(({}, cases(text)))
        return run

    def test_fatvec_over_raw_is_of_one_format_and_backend(self):
        run = self.run_of("fatvec 4 | team 3 | hll 1 | raw 2.4 | raw64 6 | raw-hll 2 | serial 0.5")
        table = analysis.fatvec_over_raw(run).set_index("format")
        # the serial kernel is faster, but on another backend
        self.assertAlmostEqual(table.ratio["csr"], 2.4 / 3)
        self.assertEqual((table.how["csr"], table.other_what["csr"]), ("csr-team", RAW_GUIDED))
        self.assertAlmostEqual(table.ratio["hll"], 2)

    def test_the_portable_kernel_is_neither_fatvec_nor_a_library(self):
        run = self.run_of("fatvec 4 | raw 2 | mkl 8 | hll 16 | portable 1")
        table, same = analysis.compare(run), analysis.fatvec_over_raw(run)
        (row,) = table.itertuples()
        found = (row.vs_raw, row.vs_peer, row.peer_what, row.fatvec_what)
        self.assertEqual(found, (0.5, 2, "mkl csr", "csr-row"))
        self.assertEqual((table["fatvec-portable"].item(), row.fatvec), (2, 0.5))
        self.assertEqual(list(same.ratio), [0.5])
        against = set(analysis.worst(run, table, same).other_what)
        self.assertEqual(against, {RAW_GUIDED, "mkl csr"})
        self.assertEqual(list(analysis.formats(run).over_csr), [1, 0.25])
        self.assertEqual(analysis.contenders(run, "peer"), ["mkl"])

    def test_the_worst_cell_comes_first_whoever_is_ahead(self):
        run = self.run_of("fatvec 4 | raw 2 | mkl 1 | fatvec 1 k=2 | mkl 3 k=2")
        table = analysis.worst(run, analysis.compare(run), analysis.fatvec_over_raw(run))
        order = [("mkl csr", 1, 0.25), (RAW_GUIDED, 1, 0.5), ("mkl csr", 2, 3)]
        self.assertEqual(list(zip(table.other_what, table.k, table.ratio)), order)

    def test_break_even_is_setup_over_gain_and_never_where_there_is_no_gain(self):
        run = self.run_of("fatvec 4 | team 3 | hll 1 setup=10 | fatvec 2 k=8 | hll 2.5 k=8 setup=9")
        table = analysis.formats(run).set_index(["format", "k"])
        self.assertAlmostEqual(table.break_even["hll", 1], 10 / (3 - 1))
        self.assertAlmostEqual(table.over_csr["hll", 1], 3)
        self.assertTrue(table.break_even.isna()["hll", 8] and table.break_even.isna()["csr", 1])

    def test_sweeps_are_relative_to_the_best_setting_of_the_same_problem(self):
        raw16 = "raw-openmp/backend:openmp/format:csr/schedule:dynamic/chunk:16"
        each = " | ".join(f"raw 4 {at} | {raw16} 2 {at} | raw64 8 {at}" for at in "mn")
        run = self.run_of(f"{each} | fatvec 1 | team 2")
        self.assertEqual(settings.swept(run), {"chunk": "numeric"})
        ((title, table),) = settings.sweeps(run, "chunk")
        self.assertEqual(title, "raw-openmp csr dynamic")
        means = table.groupby("value").relative.apply(analysis.geometric_mean)
        self.assertEqual(means.round(9).to_dict(), {2: 0.5, 16: 1, 64: 0.25})
        ((title, table),) = settings.choices(run)
        variants = dict(zip(table.value, table.relative))
        self.assertEqual((title, variants), ("fatvec, csr", {"csr-row": 1, "csr-team": 0.5}))


class Doubts(unittest.TestCase):
    TEXT = "fatvec 2 spread=0.3 | mkl 4 bytes_per_cache=0.5 | fatvec 2 n | mkl 1 n | hll 1 n k=4"

    def test_marks_stand_beside_what_rests_on_noise_and_on_the_cache(self):
        view = seen(cases(self.TEXT))
        table = view.table.set_index(["matrix", "k"])
        self.assertEqual((table.fatvec_mark["m", 1], table.peer_mark["m", 1]), ("†", "‡"))
        self.assertEqual((table.vs_peer_mark["m", 1], table.vs_peer_mark["n", 1]), ("†‡", ""))
        per_k = next(block for block in summary.summary([view]) if isinstance(block, Table))
        self.assertEqual(per_k.rows[0][4:6], ["1.00×†‡ (2)", "0.50×"])

    def test_a_run_within_the_cache_says_so(self):
        for share, said in (("0.5", True), ("2", False)):
            view = seen(cases(f"fatvec 2 bytes_per_cache=0.2 | mkl 4 bytes_per_cache={share}"))
            view.run.context["last_level_cache_bytes"] = "3e8"
            texts = [getattr(block, "text", "") for block in summary.summary([view])]
            told = any("exceeds the host's last-level cache (300 MB)" in text for text in texts)
            self.assertEqual(told, said)

    def uses(self, text):
        return summary.what_to_use(seen(cases(text))).rows

    def test_what_to_use_is_nearest_to_the_fastest(self):
        self.assertEqual(
            self.uses(self.TEXT)[0], ["1", "fatvec csr", "2 of 2", "71%†", "50%", "16%†"]
        )

    def test_what_to_use_says_over_how_many_cases(self):
        text = "fatvec 2 a | mkl 1 a | fatvec 2 b | mkl 1 b | fatvec 1 c"
        self.assertEqual(self.uses(text)[0][:5], ["1", "fatvec csr", "3 of 3", "63%", "50%"])
        text += " | fatvec 9 d | mkl 1 d"
        self.assertEqual(self.uses(text)[0][:5], ["1", "mkl csr", "3 of 4", "100%", "100%"])

    def test_neighbours_with_one_answer_are_one_row_over_all_their_cases(self):
        text = " | ".join(f"fatvec 1 {name}" for name in "abcd")
        text += " | fatvec 1 a k=2 | fatvec 4 b k=2 | mkl 1 b k=2"
        row = ["1 to 2", "fatvec csr", "6 of 6", "79%", "25%"]
        self.assertEqual(self.uses(text)[0][:5], row)
        text += " | mkl 1 a k=4 | fatvec 1 a k=16 | fatvec 1 b k=16"  # few matrices have k = 4
        self.assertEqual([row[0] for row in self.uses(text)], ["1 to 2", "16"])

    def test_the_faster_one_is_doubted_too(self):
        rows = self.uses("fatvec 2 m | mkl 1 m spread=0.9 | fatvec 1 n | mkl 8 n")
        self.assertEqual(rows[0][3:5], ["71%†", "50%†"])


class Threads(unittest.TestCase):
    def speedups(self, text):
        files = [
            ({"cpu": "c", "threads": str(count)}, cases(f"fatvec {seconds}{text}"))
            for count, seconds in ((1, 5), (4, 2))
        ]
        (view,) = views(made(*files))
        table = scaling.speedups(view.runs, view.threads)
        return list(table.speedup), list(table.efficiency)

    def test_speedup_is_over_the_same_contender_on_one_thread(self):
        self.assertEqual(self.speedups(" | serial 6"), ([1, 2.5], [1, 0.625]))


class Published(unittest.TestCase):
    def last(self, text):
        return published.beside_published([seen(cases(text), gpu="")])[-1]

    def test_real_matrices_and_twins_stand_beside_what_was_published(self):
        real = published.FOLDER
        self.addCleanup(setattr, published, "FOLDER", real)
        text = (
            "fatvec 1 gen:twin:cage4 k=2 | hll 4 gen:twin:cage4 k=3 | fatvec 1 x/cant.mtx k=6 | "
            "fatvec 1e-3 x/cant.mtx k=128"  # which was not published
        )
        with tempfile.TemporaryDirectory() as folder:
            published.FOLDER = pathlib.Path(folder)
            self.assertEqual(published.beside_published([seen(cases(text))]), [])
            table = "matrix,crs,ellpack\ncage4,0.385164,0.334653\ncant,29.7794,27.6956\n"
            (published.FOLDER / "balayre_openmp_gflops.csv").write_text(table)
            (published.FOLDER / "stec_gflops.csv").write_text("something else\n")
            rows = [
                ["cage4 (twin)", "0.39", "0.33", "4.00", "–", "4.00", "csr-row, k = 2"],
                ["x/cant.mtx", "29.8", "27.7", "12.0", "–", "12.0", "csr-row, k = 6"],
            ]
            self.assertEqual(self.last(text).rows, rows)
            table = "matrix,openacc_cpu_csr,mkl_bsr\nldoor,9.42,25.91\n"
            (published.FOLDER / "stec_gflops.csv").write_text(table)
            bsr = "mkl/backend:openmp/format:bsr 2 gen:twin:ldoor"
            stec = self.last(f"fatvec 1 gen:twin:ldoor | hll 0.5 gen:twin:ldoor | {bsr}")
        row = dict(zip(stec.columns, stec.rows[0]))
        names = ["CSR", "JAD", "MKL BSR"]
        shown = [row[f"published: {name}"] for name in names]
        self.assertEqual(shown, ["9.42", "–", "25.9"])
        self.assertEqual((row["[1] BSR"], row["[1] MKL BSR"]), ("–", "1.00"))
        self.assertEqual(row["[1] best"], "4.00")  # in HLL, which the table has not


class Models(unittest.TestCase):
    def tables(self, *files):
        """By the first words of their headings."""
        title, found = "", {}
        for block in flat(published.side_by_side(views(made(*files)))):
            title = block.text.partition(" (")[0] if isinstance(block, Heading) else title
            found |= {title: block} if isinstance(block, Table) else {}
        return found

    def test_cpu_and_gpu_files_are_one_table(self):
        ellpack = "raw-openmp/backend:openmp/format:ellpack/schedule:static"
        cpu = (
            "serial 4 gen:twin:cant | serial 4 gen:twin:cant k=2 | raw64 2 gen:twin:cant k=6 | "
            f"{ellpack} 0.5 gen:twin:cant k=3 mean_seconds=0.6 | serial 1 x/cage4.mtx | "
            "raw64 5 x/cage4.mtx | fatvec 1e-3 gen:twin:cant | serial 1e-3 gen:twin:cant k=128"
        )
        gpu = "raw-cuda/backend:cuda/format:csr/kernel:thread 0.25 gen:twin:cant k=2"
        alone = self.tables(({"cpu": "c"}, cases(cpu)))
        both = self.tables(({"cpu": "c"}, cases(cpu)), ({"gpu": "g"}, cases(gpu)))
        cant = "cant (twin, spread estimated)|ELLPACK|CUDA|{}|110|17.15×|{}"
        cage = "x/cage4.mtx|CRS|Serial|CRS|Serial|0.87|1.00×|2.00|–|1.00×"
        name = "Best structure and method"
        here = cant.format("ELLPACK|OpenMP", "12.0|10.0|12.00×")
        self.assertEqual(alone[name].rows, [here.split("|"), cage.split("|")])
        here = cant.format("CRS|CUDA", "16.0|–|16.00×")
        self.assertEqual(both[name].rows, [here.split("|"), cage.split("|")])
        cant = "cant (twin, spread estimated)|CRS|ELLPACK|29.8|6.00|–|27.7|12.0|10.0|{}|12.00×"
        cant = cant.format(both["Hand-written OpenMP"].rows[0][9]).split("|")
        self.assertEqual(both["Hand-written OpenMP"].rows[0], cant)
        self.assertEqual(both["Hand-written CUDA"].rows[0][2], "CRS")
        self.assertEqual(
            both["Serial, OpenMP and CUDA"].columns[3::2], ["Serial", "OpenMP", "CUDA"]
        )
        row = ["cant (twin, spread estimated)", "CRS", "2", "1.00", "–", "–", "–", "16.0", "–"]
        self.assertIn(row, both["Serial, OpenMP and CUDA"].rows)

    def test_float_is_not_put_beside_their_double(self):
        one = ({"cpu": "c"}, cases("serial 4 gen:twin:cant | raw64 2 gen:twin:cant k=6"))
        serial = "raw-serial/backend:serial/format:csr/scalar:float 1 gen:twin:cant"
        openmp = "raw-openmp/backend:openmp/format:csr/scalar:float 1 gen:twin:cant k=6"
        quick = cases(f"{serial} | {openmp}")
        name = "Best structure and method"
        other = ({"cpu": "c", "scalar": "float"}, quick)
        self.assertEqual(self.tables(one, other)[name].rows, self.tables(one)[name].rows)

    def test_threads_of_other_products_are_not_put_together(self):
        rows = cases("fatvec 4")
        for other, count in ({}, 1), ({"beta": "2"}, 2), ({"transfers": "all"}, 2):
            two = ({"cpu": "c", "threads": "2", **other}, rows)
            self.assertEqual(len(views(made(({"cpu": "c", "threads": "1"}, rows), two))), count)

    def test_other_matrices_are_not_compared(self):
        self.assertEqual(published.side_by_side([seen(cases("serial 4 | fatvec 4"))]), [])


class Ranks(unittest.TestCase):
    def run_of(self, suite, *counts):
        entries = []
        for count, seconds, efficiency in counts:
            name = "fatvec/format:csr/exchange:mpi/partition:even"
            more = {"exchanged_bytes": 1e6 * (count - 1), "rank_memory_bytes": 5e6}
            more |= {"efficiency": efficiency, "slowest_rank": 0, "most_rank_nnz": 1e9 / count}
            more |= {"overlap": 0.25} if count > 1 else {}
            entries.append(case(name, seconds, f"g/ranks:{count}", 8) | more)
        (run,) = made(({"suite": suite}, entries))
        return run

    def test_speed_up_is_efficiency_times_ranks(self):
        run = self.run_of("strong", (1, 4, 1.0), (2, 2.5, 0.8), (4, 2, 0.5))
        self.assertEqual((run.kind, list(run.rows.ranks)), ("ranks", [1, 2, 4]))
        self.assertEqual(
            [round(one, 6) for one in scaling.with_speed_up(run).speed_up], [1, 1.6, 2]
        )
        self.assertEqual(scaling.claims(run)[0][0], "0.500")
        (view,) = views([run])
        (table,) = scaling.all_ranks(view)
        for name, shown in (
            ("ranks", ["1", "2", "4"]),
            ("hidden", ["–", "25%", "25%"]),
            ("MB exchanged", ["0.000", "1.000", "3.000"]),
            ("speed-up", ["1.00×", "1.60×", "2.00×"]),
        ):
            self.assertEqual([row[table.columns.index(name)] for row in table.rows], shown)
        self.assertIn("0.500 is the least efficiency on 4 ranks", summary.headline(view)[0])

    def test_a_dry_run_has_no_pictures(self):
        run = self.run_of("weak", (1, 4, 1.0), (2, 2.5, 0.8))
        (view,) = views([run])
        drawn = [block for block in scaling.over_ranks(view) if isinstance(block, Picture)]
        self.assertEqual(len(drawn), 5)
        run.context["dry_run"] = "true"
        self.assertEqual(scaling.over_ranks(view), [])


class Commit(unittest.TestCase):
    def test_changes_that_are_in_no_commit_show(self):
        for dirty, shown in (("false", "0123456789"), ("true", "0123456789+")):
            self.assertEqual(commit({"git_hash": "0123456789abcdef", "git_dirty": dirty}), shown)


if __name__ == "__main__":
    unittest.main()
