# SPDX-License-Identifier: Apache-2.0
"""fatvec print: the arrays of the papers' small matrices."""

from program import CliTest

# Calzetta and Lori 2025: 4 x 4, a ... g as 1 ... 7; its HLL example has hacks of 2 rows.
CALZETTA_CSR = [(0, 0, 1), (0, 2, 2), (0, 3, 3), (1, 1, 4), (2, 2, 5), (2, 3, 6), (3, 3, 7)]
CALZETTA_HLL = [(0, 0, 3), (0, 2, 1), (2, 1, 2), (2, 2, 4), (2, 3, 1), (3, 0, 1), (3, 3, 1)]
# Fraga 2018: 5 x 5.
FRAGA = [
    (0, 0, 3),
    (0, 1, 4),
    (1, 1, 5),
    (1, 2, 1),
    (2, 1, 1),
    (2, 2, 2),
    (3, 2, 2),
    (3, 3, 3),
    (4, 3, 1),
    (4, 4, 6),
]
# Stec and Stpiczyński: 4 x 4.
STEC = [(0, 0, 7), (0, 2, 1), (1, 1, 4), (1, 2, 2), (1, 3, 3), (2, 0, 1), (2, 1, 8), (3, 1, 9)]


class PapersMatrices(CliTest):
    def arrays(self, matrix, *options):
        return self.json("print", matrix, *options)["arrays"]

    def test_csr_stores_the_example_of_calzetta_and_lori(self):
        arrays = self.arrays(self.matrix("a.mtx", 4, 4, CALZETTA_CSR), "--format", "csr")
        expected = {
            "row_map": [0, 3, 4, 6, 7],
            "entries": [0, 2, 3, 1, 2, 3, 3],
            "values": [1, 2, 3, 4, 5, 6, 7],
        }
        self.assertEqual(arrays, expected)

    def test_hll_stores_the_example_of_calzetta_and_lori(self):
        matrix = self.matrix("a.mtx", 4, 4, CALZETTA_HLL)
        by_rows = self.arrays(matrix, "--format", "hll", "--hack-size", 2, "--storage", "row-major")
        self.assertEqual(by_rows["hack_offsets"], [0, 4, 10])
        self.assertEqual(by_rows["row_lengths"], [2, 0, 3, 2])
        self.assertEqual(by_rows["entries"], [0, 2, -1, -1, 1, 2, 3, 0, 3, -1])
        self.assertEqual(by_rows["values"], [3, 1, 0, 0, 2, 4, 1, 1, 1, 0])
        by_columns = self.arrays(
            matrix, "--format", "hll", "--hack-size", 2, "--storage", "column-major"
        )
        self.assertEqual(by_columns["entries"], [0, -1, 2, -1, 1, 0, 2, 3, 3, -1])
        self.assertEqual(by_columns["values"], [3, 0, 1, 0, 2, 1, 4, 1, 1, 0])

    def test_last_hack_has_the_rows_that_are_left(self):
        arrays = self.arrays(
            self.matrix("a.mtx", 4, 4, CALZETTA_HLL), "--format", "hll", "--hack-size", 3
        )
        self.assertEqual(arrays["hack_offsets"], [0, 9, 11])
        self.assertEqual(arrays["entries"][9:], [0, 3])

    def test_csr_stores_the_example_of_fraga(self):
        arrays = self.arrays(self.matrix("a.mtx", 5, 5, FRAGA))
        self.assertEqual(
            arrays["row_map"], [0, 2, 4, 6, 8, 10]
        )  # the text's last one, 11, is a slip
        self.assertEqual(arrays["entries"], [0, 1, 1, 2, 1, 2, 2, 3, 3, 4])
        self.assertEqual(arrays["values"], [3, 4, 5, 1, 1, 2, 2, 3, 1, 6])

    def test_ellpack_stores_the_example_of_fraga(self):
        arrays = self.arrays(
            self.matrix("a.mtx", 5, 5, FRAGA), "--format", "ellpack", "--storage", "row-major"
        )
        self.assertEqual(arrays["row_lengths"], [2] * 5)
        self.assertEqual(arrays["entries"], [0, 1, 1, 2, 1, 2, 2, 3, 3, 4])
        self.assertEqual(arrays["values"], [3, 4, 5, 1, 1, 2, 2, 3, 1, 6])

    def test_ellpack_stores_the_example_of_stec_and_stpiczynski(self):
        matrix = self.matrix("a.mtx", 4, 4, STEC)
        by_rows = self.arrays(matrix, "--format", "ellpack", "--storage", "row-major")
        self.assertEqual(by_rows["entries"], [0, 2, -1, 1, 2, 3, 0, 1, -1, 1, -1, -1])
        self.assertEqual(by_rows["values"], [7, 1, 0, 4, 2, 3, 1, 8, 0, 9, 0, 0])
        by_columns = self.arrays(matrix, "--format", "ellpack")
        self.assertEqual(by_columns["entries"], [0, 1, 0, 1, 2, 2, 1, -1, -1, 3, -1, -1])

    def test_jad_stores_the_example_of_stec_and_stpiczynski(self):
        """Its figures 2 and 3; they draw ja and a by rows, which is not how ia and the algorithms
        read them."""
        matrix = self.matrix("a.mtx", 4, 4, STEC)
        jad = self.arrays(matrix, "--format", "jad")
        self.assertEqual(
            jad,
            {
                "permutation": [1, 0, 2, 3],
                "diagonal_offsets": [0, 4, 7, 8],
                "row_lengths": [3, 2, 2, 1],
                "entries": [1, 0, 0, 1, 2, 2, 1, 3],
                "values": [4, 7, 1, 9, 2, 1, 8, 3],
            },
        )
        pjad = self.arrays(matrix, "--format", "pjad", "--slice-size", 2)
        self.assertEqual(
            pjad,
            {
                "permutation": [1, 0, 2, 3],
                "diagonal_offsets": [0, 4, 8, 10],
                "row_lengths": [3, 2, 2, 1],
                "entries": [1, 0, 0, 1, 2, 2, 1, -1, 3, -1],
                "values": [4, 7, 1, 9, 2, 1, 8, 0, 3, 0],
            },
        )

    def test_sell_stores_the_example_of_stec_and_stpiczynski(self):
        matrix = self.matrix("a.mtx", 4, 4, STEC)
        sell = self.arrays(matrix, "--format", "sell", "--slice-size", 2, "--sort-window", 4)
        self.assertEqual(
            sell,
            {
                "permutation": [1, 0, 2, 3],
                "slice_offsets": [0, 6, 10],
                "row_lengths": [3, 2, 2, 1],
                "entries": [1, 0, 2, 2, 3, -1, 0, 1, 1, -1],
                "values": [4, 7, 2, 1, 3, 0, 1, 9, 8, 0],
            },
        )
        hll = self.arrays(matrix, "--format", "hll", "--hack-size", 2)
        unsorted = self.arrays(matrix, "--format", "sell", "--slice-size", 2, "--sort-window", 1)
        self.assertEqual(unsorted["permutation"], [0, 1, 2, 3])
        for array in "row_lengths", "entries", "values":
            self.assertEqual(unsorted[array], hll[array])

    def test_bsr_stores_the_example_of_stec_and_stpiczynski(self):
        matrix = self.matrix("a.mtx", 4, 4, STEC)
        printed = self.json("print", matrix, "--format", "bsr", "--block-size", 2)
        self.assertEqual((printed["block_size"], printed["storage"]), (2, "column-major"))
        self.assertEqual(printed["arrays"]["row_map"], [0, 2, 3])
        self.assertEqual(printed["arrays"]["entries"], [0, 1, 0])
        self.assertEqual(printed["arrays"]["values"], [7, 0, 0, 4, 1, 2, 0, 3, 1, 0, 8, 9])
        by_rows = self.arrays(
            matrix, "--format", "bsr", "--block-size", 2, "--storage", "row-major"
        )
        self.assertEqual(by_rows["values"], [7, 0, 0, 4, 1, 0, 2, 3, 1, 8, 0, 9])
        text = self.fatvec("print", matrix, "--format", "bsr", "--block-size", 2, "--stars").stdout
        self.assertIn(
            "values (AS)   [12] 7 0 0 4 1 2 0 3 1 0 8 9\n", text
        )  # fill is not told from zeros

    def test_bittcf_stores_the_example_of_stec_and_stpiczynski(self):
        matrix = self.matrix("a.mtx", 4, 4, STEC)
        printed = self.arrays(
            matrix, "--format", "bittcf"
        )  # one window, one tile of all four columns: values by rows
        self.assertEqual(
            printed,
            {
                "window_offsets": [0, 1],
                "value_offsets": [0, 8],
                "permutation": [0, 1, 2, 3, -1, -1, -1, -1],
                "masks": [0b0010_0011_1110_0101],
                "entries": [0, 1, 2, 3],
                "values": [7, 1, 4, 2, 3, 1, 8, 9],
            },
        )

    def test_dia_stores_the_example_of_stec_and_stpiczynski(self):
        matrix = self.matrix("a.mtx", 4, 4, STEC)
        self.assertEqual(
            self.arrays(matrix, "--format", "dia"),  # row by row, as on every host
            {
                "offsets": [-2, -1, 0, 1, 2],
                "masks": [0b10100, 0b11100, 0b00011, 0b00001],
                "values": [0, 0, 7, 0, 1, 0, 0, 4, 2, 3, 1, 8, 0, 0, 0, 9, 0, 0, 0, 0],
            },
        )

    def test_bsr_finds_its_block_size(self):
        printed = self.json("print", "gen:stencil9:3:dof=2", "--format", "bsr")
        self.assertEqual((printed["block_size"], len(printed["arrays"]["row_map"])), (2, 10))

    def test_text(self):
        matrix = self.matrix("a.mtx", 4, 4, STEC)
        text = self.fatvec("print", matrix, "--format", "ellpack", "--storage", "row-major").stdout
        self.assertIn("entries (JA)  [12] 0 2 -1 1 2 3 0 1 -1 1 -1 -1\n", text)
        self.assertIn("values (AS)   [12] 7 1 0 4 2 3 1 8 0 9 0 0\n", text)

    def test_stars(self):
        matrix = self.matrix("a.mtx", 4, 4, STEC)
        text = self.fatvec(
            "print", matrix, "--format", "ellpack", "--storage", "row-major", "--stars"
        ).stdout
        self.assertIn("row_lengths   [4] 2 3 2 1\n", text)
        self.assertIn("entries (JA)  [12] 0 2 * 1 2 3 0 1 * 1 * *\n", text)
        self.assertIn("values (AS)   [12] 7 1 * 4 2 3 1 8 * 9 * *\n", text)
        text = self.fatvec("print", matrix, "--format", "pjad", "--slice-size", 2, "--stars").stdout
        self.assertIn("diagonal_offsets (IA) [4] 0 4 8 10\n", text)
        self.assertIn("entries (JA)          [10] 1 0 0 1 2 2 1 * 3 *\n", text)


class Limits(CliTest):
    def test_large_matrix_is_refused(self):
        error = self.error("print", "gen:stencil5:20")
        self.assertRegex(error, r"400 rows and 1920 slots .* --limit.*--force")

    def test_limit_and_force(self):
        self.fatvec("print", "gen:stencil5:20", "--limit", 2320)
        self.error("print", "gen:stencil5:20", "--limit", 2319)
        self.fatvec("print", "gen:stencil5:20", "--force")

    def test_padding_counts(self):
        self.fatvec("print", "gen:arrow:100", "--format", "csr")
        self.error("print", "gen:arrow:100", "--format", "ellpack")

    def test_force_does_not_lift_the_memory_limit(self):
        error = self.error(
            "print", "gen:arrow:120000", "--format", "ellpack", "--force", "--memory-limit", "4GB"
        )
        self.assertIn("172.8 GB", error)

    def test_no_rows_and_no_entries(self):
        for format_name in self.json("list")["formats"]:
            for matrix in ("gen:empty:0", "gen:empty:3"):
                arrays = self.json("print", matrix, "--format", format_name)["arrays"]
                self.assertEqual((arrays["values"], arrays.get("entries", [])), ([], []))
