# SPDX-License-Identifier: Apache-2.0
"""fatvec multiply --distributed and the suites weak and strong of fatvec-bench, on several ranks.
usage: test_programs.py FATVEC FATVEC_BENCH FAULTS RUN...
FAULTS: the library of tests/faults, or none; RUN: mpirun with its option for the number of ranks
(standard library only)"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

FATVEC, BENCH, FAULTS = sys.argv[1:4]
RUN = sys.argv[4:]
GRID = "gen:stencil27:6x6x8"
METIS = "--distributed --partition metis".split()


class Programs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def finished(self, ranks, *command, timeout=120):
        """The finished process; 0 ranks: without mpirun."""
        return subprocess.run(
            [*([*RUN, str(ranks)] if ranks else []), *map(str, command)],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=timeout,
            env={**os.environ, "NO_COLOR": "1"},  # some mpirun give ranks a terminal
        )

    def run_on(self, ranks, *command, status=0):
        done = self.finished(ranks, *command)
        self.assertEqual(done.returncode, status, f"{command}\n{done.stdout}\n{done.stderr}")
        return done

    def run_with(self, rank, before, *command, ranks=2):
        """The finished process, of whose ranks one does something before the command."""
        script = self.folder / "one_rank.sh"
        script.write_text(
            "#!/bin/sh\n"
            f'if [ "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" = {rank} ]; then {before}; fi\n'
            'exec "$@"\n'
        )
        script.chmod(0o755)
        return self.finished(ranks, script, *command, timeout=60)

    def multiply(self, ranks, matrix, *arguments):
        options = "--distributed --verify --repeat 2 --json"
        done = self.run_on(ranks, FATVEC, "multiply", matrix, *options.split(), *arguments)
        return json.loads(done.stdout)

    def refused(self, ranks, program, *arguments):
        """The one message; mpirun adds its own about the exit status."""
        done = self.run_on(ranks, program, *arguments, status=2)
        name = pathlib.Path(program).name
        said = [line for line in done.stderr.splitlines() if line.startswith(name)]
        self.assertEqual(len(said), 1, done.stderr)
        return said[0]

    def refuses(self, words, ranks, program, *arguments):
        self.assertIn(words, self.refused(ranks, program, *arguments))

    def skip_without_metis(self):
        """What the programs say where there is no METIS is one message."""
        multiply = [FATVEC, "multiply", GRID, *METIS]
        if subprocess.run(multiply, capture_output=True).returncode == 0:
            return
        for command in multiply, [BENCH, "--suite", "strong", "--dry-run", *METIS[1:]]:
            self.refuses("built without METIS", 2, *command)
        self.skipTest("built without METIS")


class OneRankFails(Programs):
    """The others do not wait for it, in a collective operation or in MPI_Finalize."""

    def test_the_first_rank_cannot_print(self):
        command = (FATVEC, "multiply", GRID, "--distributed", "--repeat", 0)
        done = self.run_with(0, "exec > /dev/full", *command, ranks=3)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("cannot write to the standard output"), 1, done.stderr)
        self.assertNotIn("MPI_ABORT", done.stderr)

    def each_allocation(self, *command):
        """The finished processes in which an allocation of the second rank fails."""
        if FAULTS == "none":
            self.skipTest("AddressSanitizer wants to be loaded first")
        for n in range(1, 500, 7):
            before = f"export LD_PRELOAD={FAULTS} FATVEC_FAULT_ALLOCATION={n}"
            done = self.run_with(1, before, *command)
            if "fault: allocation" not in done.stderr:
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertGreater(n, 10)
                return
            yield done
        self.fail("more allocations than are tried")

    def test_a_product_for_which_one_rank_has_no_memory(self):
        statuses = set()
        for done in self.each_allocation(
            FATVEC, "multiply", "gen:stencil7:3x3x4", "--distributed", "--verify", "--k", 2
        ):
            statuses.add(done.returncode)
            if done.returncode != 0:  # Kokkos did without
                self.assertRegex(done.stderr, "(?i)out of memory|no memory|allocat")
        self.assertEqual(statuses | {0}, {0, 2})

    def test_a_benchmark_for_which_one_rank_has_no_memory(self):
        told = 0
        for done in self.each_allocation(
            BENCH, *"--suite strong --matrix gen:stencil7:3x3x4 --k 1 --dry-run".split()
        ):
            self.assertIn(done.returncode, (0, 1, 2), done.stderr)
            told += "memory" in done.stdout + done.stderr
        self.assertGreater(told, 0)


class Multiply(Programs):
    def test_all_numbers_of_ranks_form_the_product_of_one(self):
        product = (GRID, *"--k 3 --alpha=-2 --beta 0.5".split())
        alone = self.run_on(0, FATVEC, "multiply", *product, "--repeat", 0, "--json")
        serial = json.loads(alone.stdout)
        for ranks in (0, 1, 2, 3):
            with self.subTest(ranks=ranks):
                told = self.multiply(ranks, *product)
                self.assertEqual(
                    (told["ranks"], told["matrix"]["nnz"], told["k"]),
                    (max(1, ranks), serial["matrix"]["nnz"], 3),
                )
                self.assertTrue(told["verified"]["passed"])
                for vector in "x", "y":
                    for norm, columns in serial[vector].items():
                        for mine, other in zip(told[vector][norm], columns):
                            self.assertAlmostEqual(mine, other, delta=1e-12 * other, msg=norm)

    def test_the_report_counts_what_ranks_have_and_exchange(self):
        told = self.multiply(2, GRID, "--k", 5)
        plane = 36  # rows of the other half that a rank lacks
        share = told["per_rank"]
        self.assertEqual(share["rows"], {"min": 144, "max": 144})
        self.assertEqual(
            (share["sent_rows"], share["received_rows"]), ({"min": plane, "max": plane},) * 2
        )
        self.assertEqual(share["neighbours"], {"min": 1, "max": 1})
        self.assertEqual(told["exchanged_bytes"], 2 * plane * 5 * 8)
        self.assertEqual(sum(share["nnz"].values()), told["matrix"]["nnz"])
        self.assertGreater(share["memory_bytes"]["min"], 8 * 5 * 2 * 144)
        alone = self.multiply(1, GRID)
        self.assertEqual((alone["exchanged_bytes"], alone["per_rank"]["neighbours"]["max"]), (0, 0))

    def test_formats_layouts_and_partitions(self):
        for format_name in "hll", "bsr", "ellpack":
            options = "--layout column --partition nonzeros --k 4 --format"
            told = self.multiply(2, "gen:powerlaw:300:6", *options.split(), format_name)
            self.assertEqual(
                (told["format"], told["partition"], told["verified"]["passed"]),
                (format_name, "nonzeros", True),
            )
            share = told["per_rank"]["nnz"]
            self.assertLess(share["max"] / share["min"], 1.5)

    def test_parts_by_metis(self):
        self.skip_without_metis()
        product = ("gen:stencil5:18x20", *"--k 3 --beta 0.5".split())
        alone = self.run_on(0, FATVEC, "multiply", *product, "--repeat", 0, "--json")
        serial = json.loads(alone.stdout)
        for ranks in (1, 3):
            told = self.multiply(ranks, *product, *METIS[1:], "--format", "hll")
            self.assertEqual((told["partition"], told["verified"]["passed"]), ("metis", True))
            share = told["per_rank"]["nnz"]
            self.assertLess(share["max"] / share["min"], 1.1)
            for vector in "x", "y":  # the same elements, whatever their ranks
                for mine, other in zip(told[vector]["norm2"], serial[vector]["norm2"]):
                    self.assertAlmostEqual(mine, other, delta=1e-12 * other)
        self.refuses(
            "METIS cuts the graph of a square matrix",
            *(2, FATVEC, "multiply", "gen:uniform:20x30:3", *METIS),
        )

    def test_a_file_is_read_in_parts_and_its_duplicates_are_counted(self):
        matrix = self.folder / "a.mtx"
        matrix.write_text(
            "%%MatrixMarket matrix coordinate real symmetric\n5 5 6\n"
            "1 1 2\n2 1 -1\n5 3 4\n4 4 1\n4 4 2\n5 5 1\n"
        )
        for ranks in (1, 3):
            told = self.multiply(ranks, matrix, "--k", 2)
            self.assertEqual(
                (
                    told["matrix"]["rows"],
                    told["matrix"]["nnz"],
                    told["matrix"]["duplicates_merged"],
                ),
                (5, 7, 1),
            )
            self.assertTrue(told["verified"]["passed"])

    def test_text_comes_from_one_rank(self):
        text = " ".join(
            self.run_on(3, FATVEC, "multiply", GRID, "--distributed", "--verify").stdout.split()
        )
        self.assertEqual(text.count("GFLOPS"), 1)
        for line in (
            r"ranks +3 on ",
            r"exchange +\S+",
            r"memory +.* a rank",
            r"time +.* on the slowest rank \(\d\)",
            r"verified +passed",
        ):
            self.assertRegex(text, line)

    def test_an_error_is_one_message(self):
        broken = self.folder / "broken.mtx"
        broken.write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n3 1 1\n")
        os.mkfifo(self.folder / "pipe")
        for ranks in (0, 2, 3):
            with self.subTest(ranks=ranks):
                self.refuses("parts of a file", ranks, FATVEC, "multiply", "pipe", "--distributed")
                self.refuses("broken.mtx:4", ranks, FATVEC, "multiply", broken, "--distributed")
                self.refuses(
                    "cannot be opened", ranks, FATVEC, "multiply", "none.mtx", "--distributed"
                )
                self.refuses(
                    "--output is not for --distributed",
                    *(ranks, FATVEC, "multiply", GRID, "--distributed", "-o", "y.mtx"),
                )
                self.refuses(
                    "--nonsense", ranks, FATVEC, "multiply", GRID, "--distributed", "--nonsense"
                )
        self.assertFalse((self.folder / "y.mtx").exists())


class Suites(Programs):
    def results(self, ranks, *arguments):
        path = self.folder / "out.json"
        done = self.run_on(ranks, BENCH, *arguments, "--output", path)
        self.assertRegex(done.stderr, r"\d+ verified, 0 skipped, 0 failed")
        self.assertEqual(done.stderr.count("verified, "), 1)
        return json.loads(path.read_text())

    def test_weak_grows_with_the_ranks_and_strong_stays(self):
        for suite, grid, rows in (
            ("weak", GRID, {1: 288, 2: 576, 3: 864}),
            ("strong", "gen:stencil27:6x6x12", {1: 432, 2: 432, 3: 432}),
        ):
            document = self.results(
                3, "--suite", suite, "--matrix", grid, "--k", "2", "--repetitions", 3
            )
            self.assertEqual(
                (document["context"]["suite"], document["context"]["ranks"]), (suite, "3")
            )
            found = {}
            for row in document["benchmarks"]:
                fields = dict(part.split(":", 1) for part in row["name"].split("/"))
                ranks = int(fields["ranks"])
                found[ranks] = row
                self.assertEqual(
                    (row["verified"], row["rows"], fields["exchange"]), (1, rows[ranks], "mpi")
                )
                self.assertEqual(row["exchanged_bytes"], (ranks - 1) * 2 * 36 * 2 * 8)
            self.assertEqual(sorted(found), [1, 2, 3])
            self.assertAlmostEqual(found[1]["efficiency"], 1)
            self.assertNotIn("overlap", found[1])
            for ranks in 2, 3:
                ratio = (
                    found[1]["median_seconds"]
                    / found[ranks]["median_seconds"]
                    / (1 if suite == "weak" else ranks)
                )
                self.assertAlmostEqual(found[ranks]["efficiency"], ratio, delta=1e-6 * ratio)
                self.assertTrue(0 <= found[ranks]["overlap"] <= 1)
                self.assertGreater(
                    min(found[ranks]["local_seconds"], found[ranks]["halo_seconds"]), 0
                )

    def test_a_dry_run_takes_the_small_matrices_of_the_suite(self):
        for suite in "weak", "strong":
            rows = self.results(2, "--suite", suite, "--dry-run")["benchmarks"]
            self.assertEqual(len(rows), 2 * 3)
            self.assertLess(max(row["rows"] for row in rows), 1000)

    def test_resuming_measures_what_is_missing(self):
        path = self.folder / "out.json"
        measure = (BENCH, *f"--suite strong --matrix {GRID} --k 1 --dry-run --output".split(), path)
        self.run_on(1, *measure)
        done = self.run_on(2, *measure, "--resume")
        self.assertIn("1 rows are there, 1 are left", done.stderr)
        self.assertEqual(len(json.loads(path.read_text())["benchmarks"]), 2)

    def test_a_file_cut_by_nonzeros(self):
        source = self.folder / "mesh.mtx"
        self.run_on(0, FATVEC, "generate", "powerlaw:200:6", "-o", source)
        options = "--suite strong --partition nonzeros --format hll --k 2 --dry-run"
        (_, row) = self.results(2, *options.split(), "--matrix", source)["benchmarks"]
        self.assertIn("/partition:nonzeros/", row["name"])
        self.assertLess(row["most_rank_nnz"] / row["nnz"], 0.6)

    def test_a_file_cut_by_metis(self):
        self.skip_without_metis()
        source = self.folder / "mesh.mtx"
        self.run_on(0, FATVEC, "generate", "stencil5:20x20", "-o", source)
        options = "--suite strong --partition metis --k 2 --dry-run"
        (_, row) = self.results(2, *options.split(), "--matrix", source)["benchmarks"]
        self.assertIn("/partition:metis/", row["name"])
        self.assertLess(row["most_rank_nnz"] / row["nnz"], 0.55)
        self.assertLess(row["exchanged_bytes"], 2 * 40 * 2 * 8)

    def test_an_error_is_one_message(self):
        for ranks in (0, 2):
            self.refuses(
                "--suite weak wants a grid",
                *(ranks, BENCH, "--suite", "weak", "--matrix", "gen:uniform:20:3"),
            )
            self.refuses("unknown argument", ranks, BENCH, "--suite=strong", "--nonsense")
            self.refuses("no contenders", ranks, BENCH, "--suite", "strong", "--contender", "mkl")
            self.refuses(
                "--suite strong: --benchmark_enable_random_interleaving is not for suites of ranks",
                ranks,
                BENCH,
                "--suite",
                "strong",
                "--dry-run",
                "--benchmark_enable_random_interleaving=true",
            )


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
