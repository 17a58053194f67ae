# SPDX-License-Identifier: Apache-2.0
"""Every shell line of docs/reproduce.md runs as it stands, but on tiny matrices where it measures,
and with --list where it downloads; the systems by one scripts/reproduce all, to its findings.
usage: test_reproduce.py FATVEC_BENCH SECONDS
SECONDS: what all of it may take, less than whoever runs it allows"""

import csv
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BENCH = pathlib.Path(sys.argv[1]).resolve()
LIMIT = float(sys.argv[2])
END = time.monotonic() + LIMIT
sys.path.insert(0, str(ROOT / "scripts" / "fatvec_docs"))
from markdown import code_blocks

SMALL = (
    "--matrix gen:twin:cage4,gen:twin:mhda416,gen:twin:mcfe --contender raw-serial,raw-openmp "
    "--k 1,6 --repetitions 2 --max-seconds 0.001"
)
THREADS = ("balayre", "calzetta", "fraga")  # which varied their number
SYSTEMS = ("balayre", "calzetta", "fraga", "stec", "gollmann")


def lines() -> list[tuple[int, str]]:
    """The commands of the page's shell blocks with the lines where they stand."""
    found = []
    for first, code in code_blocks((ROOT / "docs" / "reproduce.md").read_text(), "sh"):
        for number, line in enumerate(code.splitlines(), first):
            command = line.partition("#")[0].strip()
            if command:
                found.append((number, command))
    return found


def run(command: str, folder: str, end: float = END) -> subprocess.CompletedProcess:
    """In the root of the tree, with this build, the results in `folder`; AssertionError where it
    has not ended at `end`."""
    environment = {
        **os.environ,
        "FATVEC_PRESET": BENCH.parents[1].name,
        "FATVEC_REPORT": folder,
        "FATVEC_THREADS": "1 2",
        "OMP_PROC_BIND": "false",
    }
    with subprocess.Popen(
        ["bash", "-euc", command],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            output, errors = process.communicate(timeout=max(0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # what the shell started, too
            output, errors = process.communicate()
            raise AssertionError(
                f"'{command}' has not ended in the {LIMIT:.0f} s of this test; it was ended after\n"
                f"{output[-3000:]}\n{errors[-3000:]}"
            ) from None
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


class Reproduce(unittest.TestCase):
    def setUp(self):
        if BENCH.parents[2] != ROOT / "build":
            self.skipTest(
                f"{BENCH} is not in the build folder of a preset, where the scripts look for it"
            )
        if not (ROOT / ".venv" / "bin" / "python").exists():
            self.skipTest("the report's Python packages are not there: scripts/report --prepare")

    def succeeded(self, command, folder):
        done = run(command, folder)
        told = f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        self.assertEqual(done.returncode, 0, told)

    def test_other_lines_run(self):
        for number, command in lines():
            if command.startswith("scripts/reproduce "):
                continue
            more = " --list" if command.startswith("scripts/fetch-matrices") else ""
            with self.subTest(line=number), tempfile.TemporaryDirectory() as folder:
                self.succeeded(command + more, folder)

    def test_all_systems_to_their_findings(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            self.succeeded(f"scripts/reproduce all {SMALL}", name)
            for path in folder.rglob("*.json"):
                rows = json.loads(path.read_text()).get("benchmarks", [])
                self.assertEqual(
                    [
                        row["name"]
                        for row in rows
                        if row.get("verified") != 1
                        and not row.get("error_message", "").startswith("skipped: ")
                    ],
                    [],
                )
            with open(folder / "findings.csv", newline="") as file:
                findings = list(csv.DictReader(file))
            for system in SYSTEMS:
                self.assertTrue((folder / system / "report.html").is_file(), system)
                self.assertIn(system, {row["system"] for row in findings})
                threads = folder / system / "threads" / "report.md"
                openmp = BENCH.parents[1].name == "openmp"  # other presets do not vary threads
                self.assertEqual(threads.is_file(), openmp and system in THREADS)
                if threads.is_file():
                    pattern = r"^\| (csr|hll) .*\| +1\.00×[ †‡]*\|"
                    alone = re.findall(pattern, threads.read_text(), re.M)
                    self.assertGreater(len(alone), 2, system)

    def test_what_takes_too_long_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(
                AssertionError, r"'echo begun; .* has not ended(?s:.*)begun"
            ):
                run("echo begun; sleep 600 & wait", folder, time.monotonic() + 0.5)

    def test_every_system_has_its_line(self):
        self.assertEqual(
            [command for _, command in lines() if command.startswith("scripts/reproduce ")],
            [f"scripts/reproduce {system}" for system in SYSTEMS],
        )

    def test_an_unknown_system_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("scripts/reproduce nonsense", folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("unknown system 'nonsense'", done.stderr)
        self.assertIn("balayre", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
