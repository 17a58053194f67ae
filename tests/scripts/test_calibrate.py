# SPDX-License-Identifier: Apache-2.0
"""scripts/calibrate on made-up measurements. Wants numpy and scipy: the tree's .venv has them."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv" / "bin" / "python"
LINE = re.compile(r'CostFactors\{false, Layout::row, "([\w-]+)", \{([^}]*)\}.*off by (\d+)%')
MEMORY = [1e-6 * 1.5**n for n in range(12)]  # seconds that matrices take from memory
LAUNCH = 5e-6


def tuned(number, times, predicted=None):
    """What `fatvec tune --json` writes of a matrix: format -> (terms, seconds), and format ->
    predicted seconds."""
    kernels = {format: f"{format}-row" for format in times}
    return {
        "name": f"matrix {number}",
        "layout": "row",
        "machine": {"device": "made up", "backend": "Cuda"},
        "workloads": [
            {
                "k": 1,
                "predicted": [
                    {
                        "kernel": kernels[format],
                        "packed": False,
                        "format": format,
                        "seconds": predicted[format] if predicted else 0,
                        "terms": terms,
                        "setup_terms": [LAUNCH, terms[1]],
                    }
                    for format, (terms, _) in times.items()
                ],
                "measured": [
                    {
                        "kernel": kernels[format],
                        "policy": "",
                        "packed": False,
                        "seconds": seconds,
                        "median_seconds": seconds,
                        "setup_seconds": 3 * LAUNCH + terms[1],
                    }
                    for format, (terms, seconds) in times.items()
                ],
            }
        ],
    }


def terms_of(memory):
    return [LAUNCH, memory] + 9 * [0]


@unittest.skipUnless(
    PYTHON.exists() and subprocess.run([PYTHON, "-c", "import scipy"]).returncode == 0,
    "no .venv with scipy: scripts/setup --dev",
)
class Calibrate(unittest.TestCase):
    def run_it(self, text, *options):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(text)
            file.flush()
            return subprocess.run(
                [PYTHON, "-B", ROOT / "scripts" / "calibrate", *options, file.name],
                capture_output=True,
                text=True,
            )

    def table(self, runs):
        """format -> its factors, and by how many per cent they are off."""
        done = self.run_it("\n".join(map(json.dumps, runs)))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        return {
            name: ([float(factor) for factor in factors.split(", ")], int(off))
            for name, factors, off in LINE.findall(done.stdout)
        }

    def test_finds_the_factors_that_times_were_made_of(self):
        runs = []
        for n, memory in enumerate(MEMORY):
            terms = terms_of(memory)
            times = {"csr": (terms, 0.8 * LAUNCH + 1.4 * memory)}
            if n % 3:  # a format that does not fit every matrix
                times["jad"] = (terms, 2.5 * LAUNCH + 0.9 * memory)
            runs.append(tuned(n, times))
        table = self.table(runs)
        for format, launch, memory in (("csr", 0.8, 1.4), ("jad", 2.5, 0.9)):
            factors, off = table[format]
            self.assertEqual(len(factors), 11)
            self.assertAlmostEqual(factors[0], launch, delta=0.05)
            self.assertAlmostEqual(factors[1], memory, delta=0.05)
            self.assertEqual(off, 0)

    def test_chooses_where_no_factors_explain_the_times(self):
        # CSR's time bends, and a straight line through it crosses SELL's elsewhere.
        def bent(memory):
            return LAUNCH * (1 + 4 * (memory / MEMORY[-1]) ** 0.5)

        runs, fastest = [], []
        for n, memory in enumerate(MEMORY):
            seconds = {"csr": bent(memory), "sell": 2 * LAUNCH + 0.1 * memory}
            fastest.append(min(seconds, key=seconds.get))
            runs.append(tuned(n, {f: (terms_of(memory), s) for f, s in seconds.items()}))
        self.assertEqual(set(fastest), {"csr", "sell"})
        table = self.table(runs)
        for memory, format in zip(MEMORY, fastest):
            expected = {
                name: sum(f * t for f, t in zip(factors, terms_of(memory)))
                for name, (factors, _) in table.items()
            }
            self.assertEqual(min(expected, key=expected.get), format, f"memory {memory}")

    def test_runs_of_one_matrix_are_cases_of_their_own(self):
        # 3 and 1 ms of CSR, each time beside 2 ms of sliced diagonals.
        runs = []
        for milliseconds in (3, 1):
            times = {"csr": milliseconds * 1e-3, "sliced-dia": 2e-3}
            measured = {f: (terms_of(s), s) for f, s in times.items()}
            runs.append(tuned(0, measured, predicted={"csr": 1.5e-3, "sliced-dia": 2e-3}))
        done = self.run_it("".join(map(json.dumps, runs)), "--check")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        mean = 1.5**0.5
        self.assertIn(f"2 cases: the model's choice takes {mean:.3f} times as long", done.stdout)
        self.assertIn(
            " 1.50  matrix 0, k = 1, row: csr instead of sliced-dia (made up)\n", done.stdout
        )
        self.assertIn(" 1.00  matrix 0, k = 1, row: csr instead of csr (made up)\n", done.stdout)
        table = self.table(runs)
        self.assertAlmostEqual(table["csr"][0][1], 1, delta=0.05)

    def test_refuses_what_it_cannot_read(self):
        of_another = tuned(0, {"csr": ([LAUNCH] * 10, LAUNCH)})
        for text, says in (("{", "not what"), (json.dumps(of_another), "10 terms, not 11")):
            done = self.run_it(text)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, rf"^calibrate: .*\.json: {says}")


if __name__ == "__main__":
    sys.exit(unittest.main())
