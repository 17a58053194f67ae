# SPDX-License-Identifier: Apache-2.0
"""scripts/profile: folding and drawing of made-up samples, and a real run where perf is allowed."""

import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

PROFILE = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "profile"
loader = importlib.machinery.SourceFileLoader("profile_script", str(PROFILE))
sys.dont_write_bytecode = True
profile = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(profile)

SAMPLES = """bench
\t    55d0 void fatvec::detail::launch<Csr, std::vector<int>>(int, double)
\t    55d1 main

bench
\t    55d0 fatvec::detail::launch<Csr, std::vector<int>>(int, double)
\t    55d1 main

bench
\t    7f00 [unknown]
\t    55d2 main
"""


class Folding(unittest.TestCase):
    def test_stacks_are_counted_outermost_first(self):
        self.assertEqual(
            profile.fold(SAMPLES),
            {("bench", "main", "fatvec::detail::launch"): 2, ("bench", "main", "[unknown]"): 1},
        )

    def test_names_lose_their_arguments_only(self):
        for name, expected in (
            ("a<b<c>, d>::e(f<g>)", "a::e"),
            ("main", "main"),
            ("a::(anonymous namespace)::b(int)", "a::b"),
            ("x::operator()(int) const", "x::operator call const"),
            ("y::operator<<(int)", "y::operator shift"),
        ):
            self.assertEqual(profile.short(name), expected)

    def test_bars_are_as_wide_as_their_samples(self):
        bars = profile.rectangles(profile.fold(SAMPLES))
        self.assertEqual(
            bars,
            [
                (0, 0, 3, "bench"),
                (1, 0, 3, "main"),
                (2, 0, 1, "[unknown]"),
                (2, 1, 2, "fatvec::detail::launch"),
            ],
        )
        picture = xml.etree.ElementTree.fromstring(profile.draw(profile.fold(SAMPLES), "a < b"))
        widths = [float(bar.get("width")) for bar in picture.iter() if bar.get("fill") == "#7fb2e5"]
        self.assertEqual(widths, [800])


class Program(unittest.TestCase):
    def run_it(self, *arguments):
        return subprocess.run(
            [sys.executable, "-B", PROFILE, *arguments], text=True, timeout=200, capture_output=True
        )

    def test_a_run(self):
        with tempfile.TemporaryDirectory() as folder:
            data = pathlib.Path(folder, "data")
            try:
                subprocess.run(
                    ["perf", "record", "-q", "-o", data, "true"], check=True, capture_output=True
                )
            except (OSError, subprocess.CalledProcessError):
                self.skipTest("perf is not there or not allowed")
            out = pathlib.Path(folder, "out.svg")
            done = self.run_it("-o", str(out), sys.executable, "-c", "sum(range(20_000_000))")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"out.svg: \d+ samples of \d+ call stacks")
            xml.etree.ElementTree.parse(out)
            self.assertRegex(out.with_suffix(".folded").read_text(), r"(?m)^[^;\n]+;.+ \d+$")

    def test_wrong_arguments(self):
        self.assertEqual(self.run_it().returncode, 2)
        done = self.run_it("no-such-program-anywhere")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no program", done.stderr)


if __name__ == "__main__":
    unittest.main()
