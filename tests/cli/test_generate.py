# SPDX-License-Identifier: Apache-2.0
"""fatvec generate: files that read back as the matrix of the spec."""

import gzip

from program import CliTest


class Generate(CliTest):
    def test_same_matrix_as_the_spec(self):
        for spec in (
            "gen:stencil27:5",
            "gen:powerlaw:300:3.1:seed=7",
            "gen:uniform:20x30:4",
            "gen:empty:3",
        ):
            self.fatvec("generate", spec, "-o", "a.mtx")
            from_file = self.json("print", "a.mtx", "--force")["arrays"]
            self.assertEqual(from_file, self.json("print", spec, "--force")["arrays"])

    def test_three_spellings(self):
        self.fatvec("generate", "gen:powerlaw:100:3:seed=7", "-o", "a.mtx")
        self.fatvec("generate", "powerlaw:100:3:seed=7", "-o", "b.mtx")
        self.fatvec("generate", "powerlaw", 100, 3, "seed=7", "-o", "c.mtx")
        texts = {(self.folder / name).read_text() for name in ("a.mtx", "b.mtx", "c.mtx")}
        self.assertEqual(len(texts), 1)
        self.assertIn("% gen:powerlaw:100:3:seed=7\n", texts.pop())

    def test_gzip(self):
        self.fatvec("generate", "stencil5:4", "-o", "a.mtx.gz")
        with gzip.open(self.folder / "a.mtx.gz", "rt") as file:
            self.assertTrue(
                file.readline().startswith("%%MatrixMarket matrix coordinate real general")
            )
        self.assertEqual(self.json("info", "a.mtx.gz")["nnz"], 64)

    def test_json(self):
        told = self.json("generate", "arrow", 5, "-o", "a.mtx")
        sizes = {"rows": 5, "cols": 5, "nnz": 13}
        expected = {"json_version": 1, "matrix": "gen:arrow:5", **sizes, "output": "a.mtx"}
        self.assertEqual(told, expected)

    def test_existing_file_is_replaced_only_by_a_whole_one(self):
        old = self.write("a.mtx", "old")
        self.error("generate", "uniform:3:9", "-o", "a.mtx")  # more entries per row than columns
        self.assertRegex(
            self.error("generate", "diagonal:2000000000", "-o", "a.mtx", "--memory-limit", "1GB"),
            r"16\.0 GB .*more than \d+ entries",
        )
        self.assertEqual(old.read_text(), "old")
        self.fatvec("generate", "arrow:5", "-o", "a.mtx")
        self.assertTrue(old.read_text().startswith("%%MatrixMarket"))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["a.mtx"])

    def test_twin(self):
        told = self.json("generate", "--twin", "cage4", "-o", "a.mtx")
        self.assertEqual((told["matrix"], told["rows"], told["nnz"]), ("gen:twin:cage4", 9, 49))
        self.fatvec("generate", "twin", "cage4", "-o", "b.mtx")
        self.assertEqual((self.folder / "a.mtx").read_text(), (self.folder / "b.mtx").read_text())
        self.assertIn("% gen:twin:cage4\n", (self.folder / "a.mtx").read_text())
        self.assertEqual(
            self.json("generate", "--twin", "thermal2:500", "-o", "a.mtx")["rows"], 500
        )

    def test_wrong_twin(self):
        self.refuses("similar: cavity10", "generate", "--twin", "cavity", "-o", "a.mtx")
        self.refuses("either KIND or --twin", "generate", "-o", "a.mtx")
        self.refuses(
            "either KIND or --twin", "generate", "arrow:5", "--twin", "cage4", "-o", "a.mtx"
        )
        self.assertIn("webbase-1M", self.fatvec("generate", "--help").stdout)

    def test_wrong_spec(self):
        error = self.error("generate", "stencil6:4", "-o", "a.mtx")
        self.assertIn('unknown kind of matrix "stencil6"', error)
        self.assertIn("gen:stencil27:", error)
        twice = self.error("generate", "powerlaw:10:2:seed=1:seed=2", "-o", "a.mtx")
        self.assertIn("seed is given twice", twice)

    def test_twins_heed_the_limit_before_they_are_ordered(self):
        told = self.error("info", "gen:twin:thermal2:3000000", "--memory-limit", "1MB")
        self.assertIn("the order of the twin's rows needs", told)

    def test_help_lists_every_kind(self):
        self.assertIn("gen:stencil27:NX[xNYxNZ]", self.fatvec("generate", "--help").stdout)
