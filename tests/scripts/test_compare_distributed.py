# SPDX-License-Identifier: Apache-2.0
"""scripts/compare-distributed with made-up programs in place of mpirun, fatvec and the peers."""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "compare-distributed"
# Prints what a program would, fatvec its rows of one rank, too. Round n takes 1/n of the time.
MPIRUN = """#!{python}
import json, pathlib, sys
program = pathlib.Path(sys.argv[3])
calls = pathlib.Path("{folder}", program.name + ".calls")
calls.write_text((calls.read_text() if calls.exists() else "") + " ".join(sys.argv[4:]) + "\\n")
seconds = 1 / calls.read_text().count("\\n")
if program.name == "fatvec":
    name = "matrix:gen:stencil27:4x4x4/ranks:{{}}/contender:fatvec/format:csr/k:8/manual_time"
    more = {{"rows": 64, "verified": 1}}
    rows = [
        {{"name": name.format(1), "median_seconds": 0.5 * seconds, "exchanged_bytes": 0, **more}},
        {{"name": name.format(2), "median_seconds": 0.4 * seconds, "exchanged_bytes": 128, **more}},
    ]
    if "{verdict}" == "fatvec's":
        message = "verification failed: row 3"
        rows[1] = {{"name": name.format(2), "error_occurred": True, "error_message": message}}
        print(message)
    output = sys.argv[sys.argv.index("--output") + 1]
    pathlib.Path(output).write_text(json.dumps({{"benchmarks": rows}}))
    sys.exit(3 if "{verdict}" == "fatvec's" else 0)
elif program.name == "peer-petsc":
    print(f"PETSc 3.18.5,64,2,8,{{seconds}},right")
else:
    print(f"Tpetra 13.2,64,2,8,{{0.8 * seconds}},{peer_verdict}")
    sys.exit("{peer_verdict}" == "WRONG")
"""


class Compare(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        for peer in ("peer-petsc", "peer-tpetra"):
            (self.folder / peer).touch()

    def run_script(self, *arguments, verdict="right"):
        mpirun = self.folder / "mpirun"
        mpirun.write_text(
            MPIRUN.format(
                python=sys.executable,
                folder=self.folder,
                verdict=verdict,
                peer_verdict="right" if verdict == "fatvec's" else verdict,
            )
        )
        mpirun.chmod(0o755)
        command = [
            sys.executable,
            "-B",
            SCRIPT,
            "--mpirun",
            mpirun,
            "--peers",
            self.folder,
            "--fatvec",
            self.folder / "fatvec",
            "--size",
            "4x4x4",
            "--rounds",
            "2",
            "--k",
            "8",
            *arguments,
        ]
        return subprocess.run(command, capture_output=True, text=True)

    def calls(self, program):
        return (self.folder / f"{program}.calls").read_text().splitlines()

    def test_the_least_round_counts_and_the_fastest_peer(self):
        output = self.folder / "rows.csv"
        done = self.run_script("--output", output)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| 2 | 8 | 200 | 500 | 400 | 2.00 |", done.stdout)
        with output.open() as file:
            rows = {row["contender"]: row for row in csv.DictReader(file)}
        self.assertEqual(set(rows), {"fatvec", "PETSc", "Tpetra"})
        shown = [rows["fatvec"][name] for name in ("ranks", "seconds", "slowest_round", "rounds")]
        self.assertEqual(shown, ["2", "0.2", "0.4", "2"])
        self.assertEqual([rows[name]["bytes"] for name in ("fatvec", "PETSc")], ["128", ""])
        self.assertEqual(rows["PETSc"]["version"], "PETSc 3.18.5")
        about = json.loads(output.with_suffix(".json").read_text())
        self.assertLessEqual({"machine", "date", "commit", "compiler", "run"}, set(about))

    def test_peers_get_the_grid_of_all_ranks(self):
        self.run_script("--suite", "weak", "--batch", "5")
        self.assertEqual(self.calls("peer-petsc"), ["4 4 8 11 5 8"] * 2)
        self.assertIn("--suite weak --matrix gen:stencil27:4x4x4", self.calls("fatvec")[0])

    def test_a_wrong_product_is_told_and_ends_with_1(self):
        done = self.run_script(verdict="WRONG")
        self.assertEqual(done.returncode, 1)
        self.assertIn("a wrong product of Tpetra, k = 8, 2 ranks", done.stderr)

    def test_a_wrong_product_of_fatvec_ends_with_1(self):
        done = self.run_script(verdict="fatvec's")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("a wrong product of fatvec, k = 8, 2 ranks", done.stderr)

    def test_a_missing_peer_is_named_with_its_packages(self):
        (self.folder / "peer-tpetra").unlink()
        done = self.run_script()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no Tpetra; on Debian: apt-get install libtrilinos-tpetra-dev", done.stderr)
        self.assertIn("| 2 | 8 | 200 | 500 | 2.50 |", done.stdout)
        (self.folder / "peer-petsc").unlink()
        self.assertEqual(self.run_script().returncode, 2)

    def test_bad_input_ends_with_2(self):
        for wrong in (
            ("--size", "64"),
            ("--k", "0"),
            ("--rounds", "0"),
            ("--peers", "nowhere"),
            ("--mpirun", "no-such-mpirun"),
            ("--output", "no-such-folder/rows.csv"),
        ):
            done = self.run_script(*wrong)
            self.assertEqual(done.returncode, 2, wrong)
            self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()
