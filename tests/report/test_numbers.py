# SPDX-License-Identifier: Apache-2.0
"""The report's arithmetic, on examples small enough to do by hand."""

import pathlib
import tempfile
import unittest

from cases import FATVEC, HLL, OPENMP, PORTABLE, SERIAL, TEAM, case, made
from fatvec_report import analysis, papers, published, ranks, settings, threads
from fatvec_report.page import Picture
from fatvec_report.views import commit, views


class Ratios(unittest.TestCase):
    def test_fatvec_over_raw_is_of_one_format_and_backend(self):
        (run,) = made(
            (
                {},
                [
                    case(FATVEC, 4),
                    case(TEAM, 3),
                    case(HLL, 1),
                    case(OPENMP + "2", 2.4),
                    case(OPENMP + "64", 6),
                    case("raw-openmp/backend:openmp/format:hll/schedule:guided", 2),
                    case(SERIAL, 0.5),
                ],
            )
        )
        table = analysis.fatvec_over_raw(run).set_index("format")
        self.assertAlmostEqual(
            table.ratio["csr"], 2.4 / 3
        )  # the serial kernel is faster, but on another backend
        self.assertEqual(
            (table.what["csr"], table.raw_what["csr"]),
            ("csr-team", "raw-openmp csr dynamic chunk 2"),
        )
        self.assertAlmostEqual(table.ratio["hll"], 2)

    def test_the_portable_kernel_is_neither_fatvec_nor_a_peer(self):
        mkl = "mkl/backend:openmp/format:csr"
        cases = [case(FATVEC, 4), case(OPENMP + "2", 2), case(mkl, 8), case(HLL, 16)]
        (run,) = made(({}, [*cases, case(PORTABLE, 1)]))
        row = analysis.compare(run).iloc[0]
        self.assertEqual(
            (row.vs_raw, row.vs_peer, row.peer_what, row.fatvec_what),
            (0.5, 2, "mkl csr", "csr-row"),
        )
        self.assertEqual((row["fatvec-portable"], row.fatvec), (2, 0.5))
        self.assertEqual(list(analysis.fatvec_over_raw(run).ratio), [0.5])
        worst = analysis.worst(run, analysis.compare(run), analysis.fatvec_over_raw(run))
        self.assertEqual(set(worst.against), {"raw-openmp csr dynamic chunk 2", "mkl csr"})
        self.assertEqual(list(analysis.formats(run).over_csr), [1, 0.25])
        self.assertEqual(analysis.contenders(run, "peer"), ["mkl"])

    def test_the_worst_cell_comes_first_whoever_is_ahead(self):
        (run,) = made(
            (
                {},
                [
                    case(FATVEC, 4),
                    case(OPENMP + "2", 2),
                    case("mkl/backend:openmp/format:csr", 1),
                    case(FATVEC, 1, k=2),
                    case("mkl/backend:openmp/format:csr", 3, k=2),
                ],
            )
        )
        table = analysis.worst(run, analysis.compare(run), analysis.fatvec_over_raw(run))
        self.assertEqual(
            [(row.against, row.k) for row in table.itertuples()],
            [("mkl csr", 1), ("raw-openmp csr dynamic chunk 2", 1), ("mkl csr", 2)],
        )
        self.assertEqual(list(table.ratio), [0.25, 0.5, 3])

    def test_break_even_is_setup_over_gain_and_never_where_there_is_no_gain(self):
        (run,) = made(
            (
                {},
                [
                    case(FATVEC, 4),
                    case(TEAM, 3),
                    case(HLL, 1, setup=10),
                    case(FATVEC, 2, k=8),
                    case(HLL, 2.5, k=8, setup=10),
                ],
            )
        )
        table = analysis.formats(run).set_index(["format", "k"])
        self.assertAlmostEqual(table.break_even["hll", 1], 10 / (3 - 1))
        self.assertAlmostEqual(table.over_csr["hll", 1], 3)
        self.assertTrue(table.break_even.isna()["hll", 8] and table.break_even.isna()["csr", 1])

    def test_sweeps_are_relative_to_the_best_setting_of_the_same_problem(self):
        (run,) = made(
            (
                {},
                [
                    case(OPENMP + chunk, seconds, matrix)
                    for matrix in ("m", "n")
                    for chunk, seconds in (("2", 4), ("16", 2), ("128", 8))
                ]
                + [case(FATVEC, 1), case(TEAM, 2)],
            )
        )
        self.assertEqual(settings.swept(run), {"chunk": "numeric"})
        ((title, table),) = settings.sweeps(run, "chunk")
        self.assertEqual(title, "raw-openmp csr dynamic")
        self.assertEqual(
            table.groupby("value").relative.apply(analysis.geometric_mean).round(9).to_dict(),
            {2: 0.5, 16: 1, 128: 0.25},
        )
        ((title, table),) = settings.choices(run)
        self.assertEqual(
            (title, dict(zip(table.value, table.relative))),
            ("fatvec, csr", {"csr-row": 1, "csr-team": 0.5}),
        )


class Threads(unittest.TestCase):
    def files(self, serial=True):
        return [
            (
                {"cpu": "c", "threads": str(count)},
                [case(FATVEC, seconds), *([case(SERIAL, 6)] if serial else [])],
            )
            for count, seconds in ((1, 5), (4, 2))
        ]

    def test_speedup_is_against_the_serial_kernel_of_the_same_run(self):
        (view,) = views(made(*self.files()))
        table = threads.speedups(view.runs, view.threads)
        self.assertEqual(set(table.reference), {"raw-serial"})
        self.assertEqual(list(table.speedup), [6 / 5, 3])
        self.assertEqual(list(table.efficiency), [6 / 5, 0.75])

    def test_or_else_against_one_thread(self):
        (view,) = views(made(*self.files(serial=False)))
        table = threads.speedups(view.runs, view.threads)
        self.assertEqual(set(table.reference), {"1 thread"})
        self.assertEqual(list(table.speedup), [1, 2.5])
        self.assertEqual(list(table.efficiency), [1, 0.625])


class Published(unittest.TestCase):
    def test_real_matrices_and_twins_stand_beside_what_was_published(self):
        found = views(
            made(
                (
                    {"cpu": "c"},
                    [
                        case(FATVEC, 1, "gen:twin:cage4", k=2),
                        case(HLL, 4, "gen:twin:cage4", k=3),
                        case(FATVEC, 1, "x/cant.mtx", k=6),
                        case(FATVEC, 1e-3, "x/cant.mtx", k=128),
                    ],
                )
            )
        )
        before = published.FOLDER
        with tempfile.TemporaryDirectory() as folder:
            published.FOLDER = pathlib.Path(folder)
            self.assertEqual(published.beside_published(found), [])
            (published.FOLDER / "balayre_openmp_gflops.csv").write_text(
                "matrix,crs,ellpack\ncage4,0.385164,0.334653\ncant,29.7794,27.6956\n"
            )
            (published.FOLDER / "stec_gflops.csv").write_text("something else\n")
            table = published.beside_published(found)[-1]
            (published.FOLDER / "stec_gflops.csv").write_text(
                "matrix,openacc_cpu_csr,mkl_bsr\nldoor,9.42,25.91\n"
            )
            ldoor = views(
                made(
                    (
                        {"cpu": "c"},
                        [
                            case(FATVEC, 1, "gen:twin:ldoor", k=1),
                            case(HLL, 0.5, "gen:twin:ldoor", k=1),
                            case("mkl/backend:openmp/format:bsr", 2, "gen:twin:ldoor", k=1),
                        ],
                    )
                )
            )
            stec = published.beside_published(ldoor)[-1]
        published.FOLDER = before
        row = dict(zip(stec.columns, stec.rows[0]))
        self.assertEqual(
            [
                row[name]
                for name in (
                    "published: CSR",
                    "published: JAD",
                    "published: MKL BSR",
                    "[1] BSR",
                    "[1] MKL BSR",
                )
            ],
            ["9.42", "–", "25.9", "–", "1.00"],
        )
        self.assertEqual(row["[1] best"], "4.00")  # in HLL, which the table has not
        self.assertEqual(
            table.rows,
            [
                ["cage4 (twin)", "0.39", "0.33", "4.00", "–", "4.00", "csr-row, k = 2"],
                ["x/cant.mtx", "29.8", "27.7", "12.0", "–", "12.0", "csr-row, k = 6"],
            ],
        )  # k = 128 was not published


class Papers(unittest.TestCase):
    def test_best_structure_method_and_speedup_stand_beside_the_published(self):
        ellpack = "raw-openmp/backend:openmp/format:ellpack/schedule:static"
        (view,) = views(
            made(
                (
                    {"cpu": "c"},
                    [
                        case(SERIAL, 4, "gen:twin:cant", k=1),
                        case(SERIAL, 4, "gen:twin:cant", k=2),
                        case(OPENMP + "64", 2, "gen:twin:cant", k=6),
                        case(ellpack, 0.5, "gen:twin:cant", k=3),
                        case(SERIAL, 1, "x/cage4.mtx", k=1),
                        case(OPENMP + "64", 5, "x/cage4.mtx", k=1),
                        case(FATVEC, 1e-3, "gen:twin:cant", k=1),
                        case(SERIAL, 1e-3, "gen:twin:cant", k=128),
                    ],
                )
            )
        )
        _, _, overall, _, openmp = papers.balayre(view)
        self.assertEqual(
            overall.rows,
            [
                [
                    "cant (twin)",
                    "ELLPACK",
                    "CUDA",
                    "ELLPACK",
                    "OpenMP",
                    "110",
                    "17.15×",
                    "12.0",
                    "12.00×",
                ],
                ["x/cage4.mtx", "CRS", "Serial", "CRS", "Serial", "0.87", "1.00×", "2.00", "1.00×"],
            ],
        )
        self.assertEqual(
            openmp.rows,
            [
                ["cant (twin)", "29.8", "27.7", "6.00", "12.0"],
                ["x/cage4.mtx", "0.39", "0.33", "0.40", "–"],
            ],
        )

    def test_other_matrices_are_not_compared(self):
        (view,) = views(made(({"cpu": "c"}, [case(SERIAL, 4), case(FATVEC, 4)])))
        self.assertEqual(papers.balayre(view), [])


class Ranks(unittest.TestCase):
    def cases(self, counts, suite):
        made_up = []
        for count, seconds, efficiency in counts:
            row = case(
                "fatvec/format:csr/exchange:mpi/partition:even",
                seconds,
                matrix=f"g/ranks:{count}",
                k=8,
            )
            made_up.append(
                {
                    **row,
                    "efficiency": efficiency,
                    "exchanged_bytes": 1e6 * (count - 1),
                    "rank_memory_bytes": 5e6,
                    "slowest_rank": 0,
                    "most_rank_nnz": 1e9 / count,
                    **({"overlap": 0.25} if count > 1 else {}),
                }
            )
        return made(({"suite": suite}, made_up))

    def test_speed_up_is_efficiency_times_ranks(self):
        (run,) = self.cases([(1, 4, 1.0), (2, 2.5, 0.8), (4, 2, 0.5)], "strong")
        self.assertEqual((run.kind, list(run.rows.ranks)), ("ranks", [1, 2, 4]))
        self.assertEqual(
            [round(value, 6) for value in ranks.with_speed_up(run).speed_up], [1, 1.6, 2]
        )
        self.assertEqual(ranks.claims(run)[0][0], "0.500")
        (view,) = views([run])
        (table,) = ranks.all_ranks(view)
        self.assertEqual([row[3] for row in table.rows], ["1", "2", "4"])
        column = table.columns.index
        self.assertEqual([row[column("hidden")] for row in table.rows], ["–", "25%", "25%"])
        self.assertEqual(
            [row[column("MB exchanged")] for row in table.rows], ["0.000", "1.000", "3.000"]
        )
        self.assertIn("0.500 is the least efficiency on 4 ranks", view.headline()[0])

    def test_a_dry_run_has_no_pictures(self):
        (run,) = self.cases([(1, 4, 1.0), (2, 2.5, 0.8)], "weak")
        (view,) = views([run])
        self.assertEqual(
            sum(isinstance(block, Picture) for block in ranks.over_ranks(view)), 5
        )
        run.context["dry_run"] = "true"
        self.assertEqual(ranks.over_ranks(view), [])


class Commit(unittest.TestCase):
    def test_changes_that_are_in_no_commit_show(self):
        self.assertEqual(
            commit({"git_hash": "0123456789abcdef", "git_dirty": "false"}), "0123456789"
        )
        self.assertEqual(
            commit({"git_hash": "0123456789abcdef", "git_dirty": "true"}), "0123456789+"
        )


if __name__ == "__main__":
    unittest.main()
