# SPDX-License-Identifier: Apache-2.0
"""Every shell line of docs/reproduce.md runs as it stands, but for a dry run of one contender
behind what measures and --list behind what downloads.
usage: test_reproduce.py FATVEC_BENCH SECONDS
SECONDS: what all of it may take, less than whoever runs it allows"""

import json
import os
import pathlib
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

SMALL = "--dry-run --contender raw-serial --k 1"
TRIED = {
    "scripts/reproduce": SMALL,
    "scripts/sweep-threads": SMALL,
    "scripts/fetch-matrices": "--list",
}
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
        "FATVEC_THREADS": "2",
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

    def test_every_line_runs(self):
        for number, command in lines():
            with (
                self.subTest(line=number, command=command),
                tempfile.TemporaryDirectory() as folder,
            ):
                tried = TRIED.get(command.split()[0].removeprefix("./"), "")
                done = run(f"{command} {tried}", folder)
                self.assertEqual(
                    done.returncode,
                    0,
                    f"docs/reproduce.md:{number}: "
                    f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}",
                )
                for path in pathlib.Path(folder).glob("*.json"):
                    rows = json.loads(path.read_text())["benchmarks"]
                    self.assertTrue(rows)
                    self.assertEqual(
                        [
                            row["name"]
                            for row in rows
                            if row.get("verified") != 1
                            and not row.get("error_message", "").startswith("skipped: ")
                        ],
                        [],
                    )

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
