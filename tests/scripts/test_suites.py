# SPDX-License-Identifier: Apache-2.0
"""The benchmark's suites, their twins, the download table and the published tables agree.
usage: test_suites.py FATVEC_BENCH FATVEC (standard library only)"""

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCH, FATVEC = sys.argv[1:3]
ROOT = pathlib.Path(__file__).resolve().parents[2]
COLLECTIONS = {"balayre": 30, "calzetta": 30, "stec": 25}


def run(program, *arguments, **environment):
    done = subprocess.run(
        [program, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=250,
    )
    return done.returncode, done.stdout, done.stderr


def listed(folder=""):
    """{suite: lines of its matrices} as --list shows them."""
    suites, suite = {}, None
    for line in run(BENCH, "--list", FATVEC_MATRICES=str(folder))[1].splitlines():
        if line.startswith("suite "):
            suite = line.removeprefix("suite ").removesuffix(":")
            suites[suite] = []
        elif suite is not None:
            suites[suite].append(line.strip())
    return suites


def names(lines):
    return [line.split()[0].removeprefix("gen:twin:") for line in lines]


def published(suite):
    with open(ROOT / "bench" / "suites" / "published" / f"{suite}_matrices.csv") as file:
        return {row["matrix"]: row for row in csv.DictReader(file)}


class Suites(unittest.TestCase):
    def test_names_agree_with_the_published_and_the_download_table(self):
        suites = listed()
        self.assertEqual(
            list(suites),
            [
                "demo",
                "balayre",
                "stec",
                "calzetta",
                "gollmann",
                "scaling",
                "floor",
                "vectors",
                "weak",
                "strong",
            ],
        )
        table = [
            line.split("\t")
            for line in (ROOT / "scripts" / "matrices.tsv").read_text().splitlines()
            if line[0] != "#"
        ][1:]
        for suite, count in COLLECTIONS.items():
            self.assertEqual(len(set(names(suites[suite]))), count)
            self.assertEqual(
                set(names(suites[suite])), {row[0] for row in table if suite in row[3].split(",")}
            )
        for suite in "balayre", "stec":
            self.assertEqual(names(suites[suite]), list(published(suite)))
            for path in (ROOT / "bench" / "suites" / "published").glob(f"{suite}_*.csv"):
                with open(path) as file:
                    self.assertEqual(
                        {row["matrix"] for row in csv.DictReader(file)},
                        set(names(suites[suite])),
                        path,
                    )

    def test_list_tells_twins_from_real_matrices(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "cage4.mtx").write_text(
                "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n"
            )
            lines = listed(folder)["balayre"]
        self.assertIn(f"cage4   ({folder}/cage4.mtx)", lines)
        self.assertIn("gen:twin:cavity10   (twin)", lines)
        self.assertIn("gen:twin:cant   (twin, spread estimated)", lines)

    def test_twins_have_the_published_sizes(self):
        """Of the small ones; the unit tests look at all."""
        for suite in "balayre", "stec":
            for name, row in published(suite).items():
                if int(row["nnz"]) > 1_000_000:
                    continue
                told = json.loads(run(FATVEC, "info", f"gen:twin:{name}", "--json")[1])
                longest = (
                    1310 if name == "adder_dcop_32" else int(row["max_row"])
                )  # see published/README.md
                self.assertEqual(
                    (told["rows"], told["nnz"], told["entries_per_row"]["max"]),
                    (int(row["rows"]), int(row["nnz"]), longest),
                    name,
                )
                if "symmetric" in row:
                    self.assertEqual(
                        told["symmetry"] == "numerical", row["symmetric"] == "True", name
                    )


class DryRuns(unittest.TestCase):
    def test_every_suite(self):
        for suite in "balayre", "stec", "calzetta", "gollmann", "scaling":
            status, out, error = run(
                BENCH, "--suite", suite, "--dry-run", "--contender", "fatvec", "--format", "csr"
            )
            self.assertEqual(status, 0, out + error)
            self.assertRegex(error, r"\d\d+ verified, 0 skipped, 0 failed")

    def test_real_file_goes_before_the_twin(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("cage4", "olm1000"):
                pathlib.Path(folder, f"{name}.mtx").write_text(
                    "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n"
                )
            shown = run(
                BENCH, "--suite", "balayre", "--benchmark_list_tests", FATVEC_MATRICES=folder
            )[1]
        matrices = {line.split("/")[0].removeprefix("matrix:") for line in shown.splitlines()}
        self.assertEqual(len(matrices), 30)
        self.assertEqual(
            {matrix for matrix in matrices if not matrix.startswith("gen:twin:")},
            {"cage4", "olm1000"},
        )

    def test_matrix_too_large_for_the_machine_is_skipped(self):
        status, out, error = run(
            BENCH,
            *"--matrix gen:twin:cage15:100000000 --contender raw-serial --format csr".split(),
            *"--k 256 --layout row --max-seconds 0.1".split(),
        )
        self.assertEqual(status, 0, out + error)
        self.assertRegex(
            out,
            r"skipped: gen:twin:cage15:100000000 needs about \d+\.\d .B for \d+ entries and k = "
            r"256",
        )
        self.assertRegex(error, r"0 verified, \d+ skipped, 0 failed")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
