# SPDX-License-Identifier: Apache-2.0
"""scripts/profile: folding and drawing of made-up samples; a whole run with a perf that answers
with what another one recorded of `fatvec multiply`; and a real run where perf is allowed."""

import importlib.machinery
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

RECORDED = pathlib.Path(__file__).resolve().with_name("perf_script.txt")
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
    def run_it(self, *arguments, path=os.environ["PATH"]):
        return subprocess.run(
            [sys.executable, "-B", PROFILE, *arguments],
            text=True,
            timeout=200,
            capture_output=True,
            env={**os.environ, "PATH": path},
        )

    def run_with(self, perf):
        """The finished process and its folded stacks; perf: the text of a program by that name."""
        with tempfile.TemporaryDirectory() as folder:
            program, out = pathlib.Path(folder, "perf"), pathlib.Path(folder, "out.svg")
            program.write_text(f"#!/bin/sh\n{perf}\n")
            program.chmod(0o755)
            done = self.run_it(
                "-o", str(out), "echo", "of the command", path=f"{folder}:{os.environ['PATH']}"
            )
            if done.returncode != 0:
                self.assertFalse(out.exists())
                return done, ""
            xml.etree.ElementTree.parse(out)
            return done, out.with_suffix(".folded").read_text()

    def test_what_perf_recorded_is_drawn(self):
        done, folded = self.run_with(
            f"""case $1 in
                record)
                  while [ "$1" != -- ]; do [ "$1" != --output ] || out=$2; shift; done
                  shift; "$@"; touch "$out" ;;
                script) shift; case "$*" in *"-F comm,ip,sym"*) cat '{RECORDED}' ;; esac ;;
                esac"""
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("of the command", done.stdout)
        samples = RECORDED.read_text().count("fatvec \n")
        self.assertRegex(done.stdout, rf"out.svg: {samples} samples of \d+ call stacks")
        self.assertEqual(sum(int(line.split()[-1]) for line in folded.splitlines()), samples)
        self.assertIn(
            "fatvec;_start;__libc_start_main@@GLIBC_2.34;__libc_start_call_main;main;"
            "std::_Function_handler::_M_invoke;fatvec::cli::multiply;Kokkos::initialize;",
            folded,
        )
        self.assertIn(";clone3;start_thread;[unknown];Kokkos::Impl::ParallelFor::", folded)

    def test_a_perf_that_is_refused_has_its_remedy(self):
        done, _ = self.run_with("exit 255")
        self.assertEqual(done.returncode, 2)
        self.assertIn("ended with exit status 255", done.stderr)
        self.assertIn("perf_event_paranoid must be at most 2", done.stderr)

    def test_no_samples_are_no_picture(self):
        record = '[ $1 = script ] || { while [ "$1" != --output ]; do shift; done; touch "$2"; }'
        done, _ = self.run_with(record)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no sample was taken", done.stderr)
        done, _ = self.run_with(f"{record}; [ $1 != script ] || {{ echo no data >&2; exit 3; }}")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "'perf script .* ended with exit status 3: no data")

    def test_no_perf_is_told(self):
        done = self.run_it("echo", path="/nowhere")
        self.assertEqual(done.returncode, 2)
        self.assertIn("install linux-perf (Debian)", done.stderr)

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
