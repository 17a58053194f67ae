# SPDX-License-Identifier: Apache-2.0
"""What fatvec multiply --distributed and fatvec-bench refuse on all ranks before they begin: other
arguments on one rank, and more memory than a host has for its ranks.
usage: as test_programs.py (standard library only)"""

import json
import sys
import unittest

import test_programs
from test_programs import BENCH, FATVEC, GRID


class OtherArguments(test_programs.Programs):
    def refused_where(self, rank, before, *command, ranks=2):
        """The one message where a rank changes its arguments."""
        done = self.run_with(rank, before, *command, ranks=ranks)
        self.assertEqual(done.returncode, 2, f"{before}\n{done.stdout}\n{done.stderr}")
        said = [line for line in done.stderr.splitlines() if line.startswith("fatvec")]
        self.assertEqual(len(said), 1, done.stderr)
        self.assertIn("different arguments", said[0])
        self.assertEqual(done.stdout, "")
        self.assertNotIn("MPI_ABORT", done.stderr)
        return said[0]

    def test_of_one_rank_are_refused_by_name(self):
        command = (FATVEC, "multiply", GRID, "--distributed")
        for more in (
            "--alpha -2",
            "--repeat 3",
            "--partition nonzeros",
            "--verify",
            "--help",
            "--no",
        ):
            self.assertIn(
                f"'{more}' on rank 1", self.refused_where(1, f'set -- "$@" {more}', *command)
            )

    def test_are_refused_on_any_rank(self):
        command = (FATVEC, "multiply", GRID, "--distributed")
        for rank, told in enumerate(("nothing more on rank 1", "on rank 1", "on rank 2")):
            said = self.refused_where(rank, 'set -- "$@" -k 2', *command, ranks=3)
            self.assertIn("'-k 2' on rank", said)
            self.assertIn(told, said)

    def test_values_are_told_beside_each_other(self):
        command = (FATVEC, "multiply", GRID, "--distributed", "--alpha=2")
        other = f'set -- "$1" multiply {GRID} --distributed --alpha=3'
        said = self.refused_where(1, other, *command)
        self.assertIn("'--alpha=2' on rank 0, '--alpha=3' on rank 1", said)

    def test_of_a_benchmark_are_refused(self):
        command = (BENCH, "--suite", "strong", "--matrix", GRID, "--dry-run")
        for more in "--k 3", "--help", "--list":
            self.assertIn(
                f"'{more}' on rank 1", self.refused_where(1, f'set -- "$@" {more}', *command)
            )


class HostMemory(test_programs.Programs):
    def write(self, name, rows, *entries):
        path = self.folder / name
        header = f"%%MatrixMarket matrix coordinate real general\n{rows} {rows} {len(entries)}\n"
        path.write_text(header + "".join(entries))
        return path

    def test_many_rows_of_a_small_file_are_refused(self):
        matrix = self.write("many.mtx", 2**31 - 1, "1 1 1\n")
        for ranks, spread in (1, "even"), (3, "even"), (3, "nonzeros"):
            said = self.refused(
                *(ranks, FATVEC, "multiply", "--distributed", matrix, "-k", 2),
                *("--memory-limit", "1GB", "--partition", spread),
            )
            self.assertRegex(said, r"needs \d+\.\d GB.* rows, .* more than the 1\.0 GB")

    def test_a_limit_is_taken_for_each_step(self):
        matrix = self.write("small.mtx", 6, *(f"{n} {n} 1\n" for n in range(1, 7)))
        told = self.multiply(2, matrix, "--memory-limit", "1GB")
        self.assertTrue(told["verified"]["passed"])
        limited = (FATVEC, "multiply", "--distributed", "--memory-limit")
        for limit, arguments, what in (
            ("10", (matrix,), "Matrix Market file needs"),
            ("500", (matrix, "-k", 1000), "the product needs .*3 rows of X, 0 that travel"),
            ("2kB", (GRID,), "csr needs"),
            ("1MB", (GRID, "-k", 1000), "the product needs .* that travel"),
        ):
            said = self.refused(2, *limited, limit, *arguments)
            self.assertRegex(said, what + ".*the memory limit allows")

    def test_ranks_of_a_host_are_counted_together(self):
        matrix = self.write("square.mtx", 300, "1 1 1\n", "300 1 2\n")
        info = self.run_on(0, FATVEC, "info", "gen:stencil5:3", "--json")
        free = json.loads(info.stdout)["memory_limit"]
        columns = int(1.5 * free / (300 * 2 * 8))  # of X and Y; a rank has a third of them
        for source in matrix, "gen:stencil5:15x20":
            said = self.refused(3, FATVEC, "multiply", "--distributed", source, "-k", columns)
            self.assertRegex(said, r"the product needs .* rows of X.* 3 ranks of its host together")
            self.assertIn("nothing was allocated. Take fewer columns", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
