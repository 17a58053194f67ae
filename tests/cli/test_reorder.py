# SPDX-License-Identifier: Apache-2.0
"""fatvec reorder: the same matrix with its rows and columns in another order."""

from program import CliTest


class Reorder(CliTest):
    def test_every_entry_is_in_its_place(self):
        self.fatvec("reorder", "gen:powerlaw:40:3", "-o", "b.mtx", "--permutation", "p.txt")
        place = [int(line) for line in (self.folder / "p.txt").read_text().split()]
        self.assertEqual(sorted(place), list(range(1, 41)))
        before = self.json("print", "gen:powerlaw:40:3", "--force")["arrays"]
        after = self.json("print", "b.mtx", "--force")["arrays"]

        def entries(arrays):
            for i in range(40):
                for n in range(arrays["row_map"][i], arrays["row_map"][i + 1]):
                    yield (i, arrays["entries"][n]), arrays["values"][n]

        moved = {(place[i] - 1, place[j] - 1): value for (i, j), value in entries(before)}
        self.assertEqual(dict(entries(after)), moved)

    def test_the_bandwidth_is_told(self):
        told = self.json("reorder", "gen:uniform:300:2", "-o", "b.mtx.gz")
        self.assertLess(told["bandwidth"], told["bandwidth_before"])
        info = self.json("info", "b.mtx.gz")["bandwidth"]
        self.assertEqual(told["bandwidth"], max(info["lower"], info["upper"]))
        text = self.fatvec("reorder", "gen:uniform:300:2", "-o", "b.mtx").stdout
        self.assertIn(f"bandwidth {told['bandwidth']}, before {told['bandwidth_before']}", text)

    def test_refusals_leave_old_files(self):
        old = self.write("b.mtx", "old")
        self.refuses("square", "reorder", "gen:uniform:9x8:2", "-o", "b.mtx")
        self.refuses("nowhere", "reorder", "gen:arrow:4", "-o", "nowhere/b.mtx")
        self.error("reorder", "gen:arrow:4", "-o", "b.mtx", "--permutation", "nowhere/p.txt")
        self.refuses(
            "both b.mtx", *"reorder gen:arrow:4 -o b.mtx".split(), "--permutation", "b.mtx"
        )
        self.refuses(
            "memory limit", "reorder", "gen:stencil7:20", "-o", "b.mtx", "--memory-limit", "1MB"
        )
        self.assertEqual(old.read_text(), "old")

    def test_neither_file_replaces_the_other_or_the_input(self):
        reorder = ("reorder", "in.mtx", "-o")
        matrix = self.matrix("in.mtx", 2, 2, [(0, 0, 1), (1, 0, 2)])
        before = matrix.read_text()
        self.refuses("both b.mtx", *reorder, "b.mtx", "--permutation", "./b.mtx")
        (self.folder / "to_b.mtx").symlink_to("b.mtx")
        self.refuses("both b.mtx", *reorder, "b.mtx", "--permutation", "to_b.mtx")
        (self.folder / "link.mtx").symlink_to("in.mtx")
        for output in ("b.mtx", "link.mtx"):
            told = self.error(*reorder, output, "--permutation", "in.mtx")
            self.assertRegex(told, "both link.mtx|would replace the input in.mtx")
        self.error(*reorder, "b.mtx", "--permutation", "/dev/full")
        self.refuses("ending", *reorder, "b.npz")
        self.assertEqual(matrix.read_text(), before)
        self.assertFalse((self.folder / "b.mtx").exists())
        self.fatvec(*reorder, "in.mtx")  # itself it may replace
