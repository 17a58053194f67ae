# SPDX-License-Identifier: Apache-2.0
"""fatvec info and fatvec list."""

import gzip
import os
import re
import threading
import unittest

from program import BAD_INPUT, DATA, CliTest, matrices


class Info(CliTest):
    def test_cage4(self):
        info = self.json("info", DATA / "cage4.mtx.gz")
        self.assertEqual((info["rows"], info["cols"], info["nnz"]), (9, 9, 49))
        self.assertEqual(info["source"], "coordinate real general")
        rows = info["entries_per_row"]
        self.assertEqual((rows["min"], rows["max"], rows["median"]), (5, 6, 5))
        self.assertAlmostEqual(rows["mean"], 49 / 9)
        self.assertAlmostEqual(rows["standard_deviation"], (20 / 81) ** 0.5)
        self.assertAlmostEqual(rows["average_deviation"], 40 / 81)
        self.assertAlmostEqual(rows["percent_average_deviation"], 100 * (40 / 81) / (49 / 9))
        self.assertEqual(
            (info["empty_rows"], info["symmetry"], info["duplicates_merged"]), (0, "structural", 0)
        )

    def test_sizes_per_format(self):
        formats = {
            line["name"]: line
            for line in self.json("info", "gen:arrow:100", "--hack-size", 10)["formats"]
        }
        entries = 3 * 100 - 2
        self.assertEqual(formats["csr"]["bytes"], entries * 12 + 101 * 4)
        self.assertEqual(formats["csr"]["padding_entries"], 0)
        self.assertEqual(formats["ellpack"]["stored_entries"], 100 * 100)
        self.assertEqual(formats["ellpack"]["bytes"], 100 * 100 * 12 + 100 * 4)
        self.assertEqual(formats["hll"]["stored_entries"], 10 * 100 + 90 * 2)
        self.assertEqual(formats["hll"]["bytes"], (10 * 100 + 90 * 2) * 12 + 100 * 4 + 11 * 4)
        self.assertAlmostEqual(formats["hll"]["padding_percent"], 100 * (1180 - entries) / entries)
        # pJAD: blocks of 32 rows, as wide as 100, 2, 2, 2; SELL: the first slice is as wide as 100
        self.assertEqual(formats["pjad"]["stored_entries"], 32 * 100 + 68 * 2)
        self.assertEqual(formats["pjad"]["bytes"], (32 * 100 + 68 * 2) * 12 + (2 * 100 + 101) * 4)
        slots = formats["sell"]["stored_entries"]
        rows = (slots - 2 * 100) // 98
        self.assertIn(rows, (4, 8))
        self.assertEqual(slots, rows * 100 + (100 - rows) * 2)
        slices = -(-100 // rows)
        self.assertEqual(formats["sell"]["bytes"], slots * 12 + (2 * 100 + slices + 1) * 4)
        self.assertEqual(formats["jad"]["stored_entries"], entries)
        self.assertEqual(formats["jad"]["bytes"], entries * 12 + (2 * 100 + 101) * 4)
        # 13 windows of 8 rows: the first has 100 columns, the others 8 and the common one, the
        # last, of 4 rows, 4 and it
        tiles = 25 + 11 * 3 + 2
        self.assertEqual(formats["bittcf"]["stored_entries"], entries)
        self.assertEqual(
            formats["bittcf"]["bytes"], entries * 8 + tiles * 20 + 2 * 14 * 4 + 13 * 8 * 4
        )

        diagonals = 2 * 100 - 1
        self.assertEqual(formats["dia"]["stored_entries"], 100 * diagonals)
        masks = 100 * -(-diagonals // 32)
        self.assertEqual(formats["dia"]["bytes"], 100 * diagonals * 8 + masks * 4 + diagonals * 4)

    def test_block_sizes(self):
        info = self.json("info", "gen:stencil27:6:dof=3")
        nnz, block_rows = info["nnz"], 6**3
        self.assertEqual([blocks["size"] for blocks in info["blocks"]], list(range(1, 17)))
        self.assertEqual((info["best_block_size"], info["blocks"][2]["fill_ratio"]), (3, 1))
        self.assertEqual(info["blocks"][2]["bytes"], nnz * 8 + nnz // 9 * 4 + (block_rows + 1) * 4)
        bsr = next(line for line in info["formats"] if line["name"] == "bsr")
        self.assertEqual((bsr["bytes"], bsr["padding_entries"]), (info["blocks"][2]["bytes"], 0))
        given = self.json("info", "gen:stencil27:6:dof=3", "--block-size", 4)
        bsr = next(line for line in given["formats"] if line["name"] == "bsr")
        self.assertEqual(bsr["bytes"], given["blocks"][3]["bytes"])
        text = self.fatvec("info", "gen:stencil27:6:dof=3").stdout
        self.assertRegex(text, r"block fill +1: 1.00 +2: \d.\d\d +3: 1.00 ")
        self.assertRegex(text, r"best blocks +3 x 3, ")
        self.refuses("block size of 1 to 16", "info", "gen:diagonal:5", "--block-size", 17)

    def test_entries_on_diagonals(self):
        grid = self.json("info", "gen:stencil5:32")
        self.assertGreater(grid["percent_on_diagonals"], 90)
        text = self.fatvec("info", "gen:stencil5:32").stdout  # slices are as high as a register
        self.assertRegex(text, rf"diagonals +{grid['percent_on_diagonals']:.1f} %")
        scattered = self.json("info", "gen:uniform:2000:5")
        self.assertLess(scattered["percent_on_diagonals"], 10)
        self.assertEqual(self.json("info", "gen:diagonal:0")["percent_on_diagonals"], 0)

    def test_which_formats_fit(self):
        info = self.json("info", "gen:arrow:120000", "--memory-limit", "1GB")
        self.assertEqual(info["memory_limit"], 10**9)
        fits = {line["name"]: line["fits"] for line in info["formats"]}
        for name in ("csr", "hll", "sell", "pjad", "jad", "bsr", "bittcf"):
            self.assertTrue(fits[name], name)
        self.assertFalse(fits["ellpack"])
        self.assertFalse(fits["dia"])
        ellpack = next(line for line in info["formats"] if line["name"] == "ellpack")
        self.assertEqual(ellpack["bytes"], 120000 * 120000 * 12 + 120000 * 4)

    def test_bandwidth_symmetry_and_empty_rows(self):
        info = self.json("info", self.matrix("a.mtx", 4, 4, [(0, 3, 1.5), (2, 0, 2.5), (2, 2, 0)]))
        self.assertEqual(info["bandwidth"], {"lower": 2, "upper": 3})
        self.assertEqual(
            (info["empty_rows"], info["empty_columns"], info["explicit_zeros"]), (2, 1, 1)
        )
        self.assertEqual(info["symmetry"], "none")
        self.assertEqual(self.json("info", "gen:stencil5:4")["symmetry"], "numerical")
        self.assertEqual(self.json("info", "gen:uniform:3x4:2")["symmetry"], "not square")

    def test_values(self):
        values = self.json(
            "info", self.matrix("a.mtx", 3, 3, [(0, 0, -3), (1, 2, -4), (2, 1, -0.5)])
        )["values"]
        self.assertEqual(
            (values["sum"], values["absolute_sum"], values["max_norm"]), (-7.5, 7.5, 4)
        )
        self.assertEqual((values["min"], values["max"]), (-4, -0.5))
        self.assertAlmostEqual(values["frobenius_norm"], 25.25**0.5)
        self.assertEqual(self.json("info", "gen:empty:5")["values"]["frobenius_norm"], 0)
        self.assertIn(
            "Frobenius norm 5; as floats off by 0\n",
            self.fatvec("info", self.matrix("b.mtx", 1, 2, [(0, 0, 3), (0, 1, 4)])).stdout,
        )

    def test_symmetric_file_is_expanded(self):
        self.write("a.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n")
        info = self.json("info", "a.mtx")
        self.assertEqual((info["nnz"], info["source"]), (3, "coordinate pattern symmetric"))

    def test_duplicates_are_counted(self):
        matrix = self.matrix("a.mtx", 2, 2, [(0, 0, 1), (0, 0, 2), (1, 1, 1), (0, 0, 4)])
        info = self.json("info", matrix)
        self.assertEqual((info["nnz"], info["duplicates_merged"]), (2, 2))
        self.assertRegex(
            self.fatvec("info", matrix).stderr,
            r"^fatvec: note: .*a\.mtx: 2 duplicate entries .*\n$",
        )

    def test_no_rows(self):
        info = self.json("info", "gen:empty:0")
        self.assertEqual((info["rows"], info["nnz"], info["entries_per_row"]["mean"]), (0, 0, 0))

    def test_text_is_short(self):
        text = self.fatvec("info", DATA / "cage4.mtx.gz").stdout
        self.assertLessEqual(len(text.splitlines()), 24)
        self.assertIn("9 x 9, 49 entries", text)
        self.assertIn("(9.07 % of the mean)", text)

    @unittest.skipUnless(matrices(), "FATVEC_MATRICES is not set")
    def test_real_matrices(self):
        lines = (matrices() / "MANIFEST.tsv").read_text().splitlines()
        for fields in (line.split("\t") for line in lines[1:]):
            with self.subTest(matrix=fields[0]):
                info = self.json("info", matrices() / f"{fields[0]}.mtx.gz")
                self.assertEqual(
                    [info["rows"], info["cols"], info["nnz"]],
                    [int(fields[1]), int(fields[2]), int(fields[4])],
                )
                self.assertEqual(info["entries_per_row"]["max"], int(fields[6]))


class Pipes(CliTest):
    """A matrix is read from its begin to its end, once."""

    def test_standard_input(self):
        packed = (DATA / "cage4.mtx.gz").read_bytes()
        for data in packed, gzip.decompress(packed):
            for name in "-", "/dev/stdin":
                self.assertEqual(self.json("info", name, stdin=data)["nnz"], 49)

    def test_named_pipe(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        writer = threading.Thread(
            target=lambda: pipe.write_bytes((DATA / "cage4.mtx.gz").read_bytes())
        )
        writer.start()
        self.assertEqual(self.json("info", "pipe")["nnz"], 49)
        writer.join()

    def test_a_size_line_that_lies(self):
        """Of a pipe the size is unknown, and 2^62 entries take no bytes in 64 bits."""
        for entries in (9 * 10**18, 2**62 + 1, 2**63 - 1):
            for symmetry in ("general", "symmetric"):
                head = f"%%MatrixMarket matrix coordinate real {symmetry}\n3 3 {entries}\n"
                data = head + "1 1 1\n" * 300_000
                self.refuses("nothing was allocated", "info", "-", stdin=data)

    def test_errors_have_lines(self):
        data = "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 x 1\n"
        self.refuses("/dev/stdin:3: ", "info", "-", stdin=data)


class Names(CliTest):
    """What cannot be looked up is bad input, wherever a program takes a file's name."""

    def test_a_link_to_itself_and_a_name_too_long(self):
        (self.folder / "loop").symlink_to("loop")
        cage = DATA / "cage4.mtx.gz"
        for name in "loop", 300 * "n", f"{'/'.join(20 * [250 * 'd'])}", "loop/within":
            for command in (
                *((word, name) for word in ("info", "print", "analyse", "tune", "multiply")),
                ("multiply", cage, "--x", name),
                ("multiply", cage, "--y", name, "--beta", 1),
                ("multiply", cage, "--output", name),
                ("info", cage, "--picture", name),
                ("generate", "stencil5:4", "--output", name),
            ):
                with self.subTest(command):
                    self.assertNotIn("internal", self.error(*command))

    def test_a_cache_that_cannot_be_looked_up(self):
        (self.folder / "loop").symlink_to("loop")
        for name in "loop", 300 * "n", "loop/within":
            with self.subTest(name):
                self.fatvec("tune", "gen:diagonal:4", expect=BAD_INPUT, FATVEC_CACHE=name)
                self.fatvec("analyse", "gen:diagonal:4", FATVEC_CACHE=name)


class List(CliTest):
    def test_json_and_text_agree(self):
        build = self.json("list")
        text = self.fatvec("list").stdout
        self.assertEqual(len(build["formats"]), len(set(build["formats"])))
        self.assertIn(build["default_backend"], build["backends"])
        for kernel in build["kernels"]:
            self.assertIn(kernel["format"], build["formats"])
            self.assertRegex(text, rf"\b{kernel['name']} +{kernel['format']}\b")
        for name in build["formats"] + build["backends"]:
            self.assertIn(name, text)

    def test_help_lists_the_same(self):
        build = self.json("list")
        text = self.fatvec("multiply", "--help").stdout
        for names in (
            build["formats"],
            build["backends"],
            [kernel["name"] for kernel in build["kernels"]],
        ):
            self.assertIn("|".join(names), re.sub(r"\|\n +", "|", text))
