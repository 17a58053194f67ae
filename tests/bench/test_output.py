# SPDX-License-Identifier: Apache-2.0
"""The result file of fatvec-bench: --output and --resume.
usage: test_output.py PROGRAM TEST_DATA"""

import fcntl
import gzip
import json
import os
import pathlib
import sys
import tempfile
import threading
import unittest

from program import DATA, run, unique_keys


class Output(unittest.TestCase):
    """--output keeps what is done; --resume goes on with it."""

    ARGUMENTS = (
        *"--dry-run --matrix gen:stencil7:6 --contender fatvec,raw-serial --format csr".split(),
        *"--k 1,2 --layout row".split(),
    )

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name) / "out.json"
        self.part = pathlib.Path(f"{self.path}.part")

    def bench(self, *more, status=0):
        done = run(*self.ARGUMENTS, "--output", str(self.path), *more)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def names(self):
        return [
            row["name"]
            for row in json.loads(self.path.read_text(), object_pairs_hook=unique_keys)[
                "benchmarks"
            ]
        ]

    def interrupt(self):
        """A complete result, cut to what an interrupted run leaves: some rows and a torn one."""
        self.bench()
        document = json.loads(self.path.read_text())
        lines = [json.dumps(part) for part in (document["context"], *document["benchmarks"])]
        self.path.unlink()
        self.part.write_text("\n".join(lines[:3]) + "\n" + lines[3][:40])
        return [row["name"] for row in document["benchmarks"]]

    def test_resume_completes_the_rows(self):
        names = self.interrupt()
        done = self.bench("--resume")
        self.assertIn(f"2 rows are there, {len(names) - 2} are left", done.stderr)
        self.assertEqual(sorted(self.names()), sorted(names))
        self.assertFalse(self.part.exists())

    def test_a_finished_file_leaves_nothing_to_do(self):
        self.assertNotIn("kept", self.bench().stderr)
        before = self.path.read_text()
        told = self.bench("--resume").stderr
        self.assertIn("0 are left", told)
        self.assertRegex(told, r"[1-9]\d* rows kept from the run before; in this one 0 verified")
        self.assertEqual(json.loads(self.path.read_text()), json.loads(before))

    def test_an_interrupted_run_is_not_overwritten(self):
        self.interrupt()
        before = self.part.read_text()
        self.assertIn("--resume", self.bench(status=2).stderr)
        self.assertEqual(self.part.read_text(), before)

    def test_rows_of_another_build_are_refused(self):
        self.bench()
        self.path.write_text(self.path.read_text().replace('"git_hash":"', '"git_hash":"0'))
        self.assertIn("git_hash", self.bench("--resume", status=2).stderr)

    def test_resume_wants_an_output(self):
        self.assertEqual(run("--dry-run", "--resume").returncode, 2)

    def test_an_output_that_cannot_be_written(self):
        done = run(*self.ARGUMENTS, "--output", "/nowhere/out.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("/nowhere/out.json", done.stderr)

    def test_outputs_that_are_no_files(self):
        self.assertIn("it is a folder", run(*self.ARGUMENTS, "--output", "/").stderr)
        self.assertEqual(run(*self.ARGUMENTS, "--output", "/").returncode, 2)
        self.assertEqual(run(*self.ARGUMENTS, "--output", "").returncode, 2)
        self.assertEqual(run(*self.ARGUMENTS, "--output", "/dev/null").returncode, 0)
        self.assertTrue(pathlib.Path("/dev/null").is_char_device())
        self.assertFalse(pathlib.Path("/dev/null.part").exists())
        self.assertEqual(run(*self.ARGUMENTS, "--output", "/dev/null", "--resume").returncode, 2)
        self.assertIn('"benchmarks"', run(*self.ARGUMENTS, "--output", "/dev/stdout").stdout)

    def test_a_link_keeps_pointing_to_its_file(self):
        target = pathlib.Path(self.folder.name) / "target.json"
        self.path.symlink_to("target.json")
        self.bench()
        self.assertTrue(self.path.is_symlink())
        self.assertTrue(json.loads(target.read_text())["benchmarks"])

    def test_planted_links_are_not_followed(self):
        victim = pathlib.Path(self.folder.name) / "victim"
        victim.write_text("precious")
        for name in ".part", ".tmp":
            pathlib.Path(f"{self.path}{name}").symlink_to(victim)
        self.assertIn("is no plain file", self.bench(status=2).stderr)
        self.part.unlink()
        self.bench()
        self.assertEqual(victim.read_text(), "precious")

    def test_a_pipe_in_the_way_does_not_block(self):
        os.mkfifo(self.part)
        self.assertIn("is no plain file", self.bench(status=2).stderr)

    def test_one_run_at_a_time(self):
        self.interrupt()
        with open(self.part) as part:
            fcntl.flock(part, fcntl.LOCK_EX)
            self.assertIn("another run", self.bench("--resume", status=2).stderr)
        self.bench("--resume")

    def test_resume_does_not_replace_what_is_no_result(self):
        for text in (
            "precious",
            "{}",
            '{"benchmarks": [{"no": "name"}]}',
            '{"context": 3, "benchmarks": [{"name": 3}]}',
            '{"context": {"threads": 2}, "benchmarks": [{"name": "x"}]}',
            '{"context": {}, "benchmarks": ' + "[" * 200000 + "]" * 200000 + "}",
        ):
            self.path.write_text(text)
            self.assertIn("it holds no results", self.bench("--resume", status=2).stderr)
            self.assertEqual(self.path.read_text(), text)
            self.assertFalse(self.part.exists())

    def test_the_context_of_a_run_without_rows_is_not_kept(self):
        self.bench()
        context = json.loads(self.path.read_text())["context"]
        self.path.unlink()
        self.part.write_text(json.dumps({**context, "git_hash": "another"}) + "\n")
        self.bench("--resume")
        self.assertEqual(
            json.loads(self.path.read_text())["context"]["git_hash"], context["git_hash"]
        )

    def test_lines_of_no_sense_are_set_aside(self):
        names = self.interrupt()
        odd = [
            "[1, 2]",
            '{"name": 3}',
            '{"name": "x", "error_occurred": "no"}',
            "text",
            "[" * 1000000,
        ]
        kept = self.part.read_text()
        torn = kept.rsplit("\n", 1)[1]
        self.part.write_text("\n".join([*odd, kept.removesuffix(torn), torn]))
        done = self.bench("--resume")
        self.assertIn(f"{len(odd)} lines of {self.part} make no sense", done.stderr)
        self.assertEqual(sorted(self.names()), sorted(names))
        self.assertFalse(self.part.exists())
        self.assertEqual(
            pathlib.Path(f"{self.part}.damaged").read_text().split("\n")[: len(odd)], odd
        )

    def test_rows_of_another_alpha_are_refused(self):
        self.bench("--alpha", "1.01")
        self.assertIn("alpha", self.bench("--alpha", "1.02", "--resume", status=2).stderr)

    def test_failed_rows_are_measured_again(self):
        self.bench()
        document = json.loads(self.path.read_text())
        document["benchmarks"][1].update(error_occurred=True, error_message="failed: for a test")
        self.path.write_text(json.dumps(document))
        self.assertIn("3 rows are there, 1 are left", self.bench("--resume").stderr)
        self.assertEqual(
            [
                row
                for row in json.loads(self.path.read_text())["benchmarks"]
                if "error_occurred" in row
            ],
            [],
        )
        self.assertEqual(self.names(), [row["name"] for row in document["benchmarks"]])

    def test_a_filter_selects_cases(self):
        self.bench("--benchmark_filter=k:2$")
        self.assertTrue(self.names())
        self.assertTrue(all(name.endswith("k:2") for name in self.names()))


class Pipes(unittest.TestCase):
    """A matrix is read from its begin to its end, once."""

    ARGUMENTS = ("--dry-run", "--contender", "fatvec", "--format", "csr", "--k", "1,2", "--matrix")
    TEXT = gzip.decompress((DATA / "cage4.mtx.gz").read_bytes()).decode()

    def check(self, path, name, **options):
        done = run(*self.ARGUMENTS, path, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"\n[1-9]\d* verified, 0 skipped, 0 failed")
        self.assertIn(
            f"matrix:{name}/",
            run(*self.ARGUMENTS, path, "--benchmark_list_tests", **options).stdout,
        )

    def test_standard_input(self):
        for path in "-", "/dev/stdin":
            self.check(path, "stdin", input=self.TEXT)

    def test_named_pipe(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = pathlib.Path(folder) / "pipe"
            os.mkfifo(pipe)
            threading.Thread(target=lambda: pipe.write_text(self.TEXT), daemon=True).start()
            self.check(str(pipe), "pipe")

    def test_what_is_no_matrix(self):
        done = run(
            *self.ARGUMENTS,
            "-",
            input="%%MatrixMarket matrix coordinate real general\n2 2 1\n1 x 1\n",
        )
        self.assertEqual(done.returncode, 2)
        self.assertIn("/dev/stdin:3: ", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
