# SPDX-License-Identifier: Apache-2.0
"""What starts .ci/run knows its phases: the workflow, the container, the hooks. Standard library
only."""

import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def ci(*arguments):
    return subprocess.run(
        ["bash", str(ROOT / ".ci" / "run"), *arguments], capture_output=True, text=True, timeout=100
    )


class Phases(unittest.TestCase):
    def test_the_workflow_calls_every_phase_once(self):
        workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
        called = [
            name
            for line in re.findall(r"run: \.ci/run (.+)", workflow)
            for name in line.split("#")[0].split()
        ]
        self.assertEqual(sorted(called), sorted(ci("--list").stdout.split()))
        self.assertEqual(called[0], "setup")

    def test_a_phase_runs_alone(self):
        done = ci("executors")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(
            re.findall(r"^==== ci: (.+) ====$", done.stdout, re.MULTILINE)[0], "executors apart"
        )
        self.assertIn("passed in", done.stdout)

    def test_an_unknown_phase_is_refused_before_anything_runs(self):
        done = ci("executors", "tests")
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn("====", done.stdout)
        self.assertIn("unknown phase 'tests'; there are: setup format ", done.stderr)


class Commands(unittest.TestCase):
    def test_the_container_tries_the_commands_of_the_readme(self):
        commands = re.findall(
            r"^(\./scripts/(?:run|test))\b", (ROOT / "README.md").read_text(), re.MULTILINE
        )
        self.assertGreaterEqual(len(set(commands)), 1)
        tried = re.findall(r"^RUN (\S+)$", (ROOT / "Containerfile").read_text(), re.MULTILINE)
        self.assertLessEqual(set(commands), set(tried))

    def test_versions_agree(self):
        version = re.search(
            r"^project\(fatvec VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE
        )[1]
        self.assertIn(f"\nversion: {version}\n", (ROOT / "CITATION.cff").read_text())
        self.assertIn(f"\n## [{version}]\n", (ROOT / "CHANGELOG.md").read_text())


if __name__ == "__main__":
    unittest.main()
