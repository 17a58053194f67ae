# SPDX-License-Identifier: Apache-2.0
"""scripts/fatvec_docs/findings.py on made-up results small enough to do by hand."""

import csv
import json
import pathlib
import tempfile
import unittest

from cases import cases
import findings

TEXTBOOK = "raw-openmp/backend:openmp/format:{}/kernel:textbook/schedule:static{}"
BSR = "/backend:openmp/format:bsr/block_size:"
CONTEXT = {
    "cpu": "Made-up CPU",
    "threads": "2",
    "date": "2026-11-21T10:40:00",
    "git_hash": "0" * 40,
    "compiler": "GNU 12.2.0",
}


class Findings(unittest.TestCase):
    def found(self, systems, **context):
        """Exit status, {(system, finding): (published, this run)} and the origin."""
        with tempfile.TemporaryDirectory() as folder:
            for name, entries in systems.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                document = {"context": {**CONTEXT, **context}, "benchmarks": entries}
                path.write_text(json.dumps(document))
            target = pathlib.Path(folder, "out", "x.csv")
            status = findings.main(pathlib.Path(folder), target)
            if status != 0:
                return status, {}, {}
            rows = list(csv.DictReader(target.read_text().splitlines()))
            lines = {
                (row["system"], row["finding"]): (row["published"], row["this_run"]) for row in rows
            }
            return status, lines, json.loads(target.with_suffix(".json").read_text())

    def test_structures_and_padding(self):
        csr, ellpack = TEXTBOOK.format("csr", ""), TEXTBOOK.format("ellpack", "/storage:row-major")
        text = f"{csr} 2 a | {csr} 6 a k=6 | {ellpack} 8 a | {csr} 4 b | {ellpack} 2 b | serial 9 b"
        _, lines, about = self.found({"balayre/balayre.json": cases(text)})
        published, shown = lines["balayre", "CRS, not ELLPACK, is the best structure"]
        self.assertRegex(published, r"^\d+ of 30 matrices")
        self.assertEqual(shown, "1 of 2 matrices")
        name = "openmp: speed of CRS over ELLPACK, kernels as printed"
        # a: the best CRS is at k = 6, 2 against 0.25 GFLOPS; b: 0.5 against 1
        self.assertEqual(lines["balayre", name][1], "2.00 (0.50 to 8.00, 2 cases)")
        self.assertEqual(about["machine"], "Made-up CPU, 2 threads")
        self.assertEqual((about["date"], about["commit"]), ("2026-11-21", "0000000"))

    def test_blocks(self):
        text = f"mkl{BSR}2 2 | mkl{BSR}4 1 | raw-openmp{BSR}4 4 | raw64 2"
        _, lines, _ = self.found({"stec/stec.json": cases(text, matrix="gen:twin:ldoor")})
        shown = {finding: this_run for (_, finding), (_, this_run) in lines.items()}
        self.assertEqual(shown["csr is the best of CSR, ELL, JAD, pJAD, BSR"], "1 of 1 matrices")
        self.assertEqual(
            shown["mkl's BSR at its best block size over the best of these"],
            "2.00 (2.00 to 2.00, 1 cases)",
        )
        self.assertEqual(
            shown["mkl's BSR at its best block size over the hand-written BSR"],
            "4.00 (4.00 to 4.00, 1 cases)",
        )

    def test_padding_by_deviation(self):
        csr, ellpack = TEXTBOOK.format("csr", ""), TEXTBOOK.format("ellpack", "/storage:row-major")
        even = cases(f"{csr} 1 | {ellpack} 1", matrix="even", row_deviation=0.0)
        uneven = cases(f"{csr} 1 | {ellpack} 4", matrix="uneven", row_deviation=60.0)
        _, lines, _ = self.found({"fraga/fraga.json": even + uneven})
        self.assertEqual(
            [shown for _, shown in lines.values()],
            ["1.00 (1.00 to 1.00, 1 cases)", "0.25 (0.25 to 0.25, 1 cases)"],
        )

    def test_dry_runs_and_empty_folders_are_refused(self):
        self.assertEqual(self.found({})[0], 2)
        self.assertEqual(self.found({"fraga/fraga.json": cases("serial 1")}, dry_run="true")[0], 2)


if __name__ == "__main__":
    unittest.main()
