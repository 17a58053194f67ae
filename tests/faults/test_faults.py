# SPDX-License-Identifier: Apache-2.0
"""Files of both programs while the n-th open, write, fsync or rename fails, for every n until none
is left to fail: the old file or the whole new one is there, no temporary, and the exit status and
the message say what happened."""

import itertools
import json
import os
import resource
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

FATVEC, BENCH, FAULTS = (
    os.environ[name] for name in ("FATVEC_PROGRAM", "FATVEC_BENCH", "FATVEC_FAULTS")
)
NO_MPI = "built without MPI"
REASONS = {
    "open": "No space left",
    "write": "No space left",
    "fsync": "Input/output error",
    "rename": "Permission denied",
}
SIGNALS = (
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGPIPE,
    signal.SIGXCPU,
)
TUNE = (
    FATVEC,
    *"tune gen:stencil5:4 --seconds 0.0001 --default-policies --time-limit 100000".split(),
    *"--force --k".split(),
)
CASES = (
    *"--dry-run --matrix gen:stencil7:6 --contender fatvec,raw-serial --format csr".split(),
    *"--layout row".split(),
)


def default_signals():
    """What a shell's background jobs, or nohup, ignore would be ignored by the programs, too."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


class FaultTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="fatvec-faults-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_program(self, command, most_memory=None, **environment):
        def prepare():
            default_signals()
            if most_memory is not None:
                resource.setrlimit(resource.RLIMIT_AS, (most_memory, most_memory))

        variables = {
            **os.environ,
            "OMP_NUM_THREADS": "1",
            "FATVEC_CACHE": str(self.folder / "tune.json"),
            **environment,
        }
        return subprocess.run(
            list(map(str, command)),
            cwd=self.folder,
            env=variables,
            capture_output=True,
            text=True,
            timeout=600,
            preexec_fn=prepare,
        )

    def succeed(self, command):
        done = self.run_program(command)
        self.assertEqual(done.returncode, 0, done.stderr)

    def each_fault(self, command, prepare, **environment):
        """Runs the command with its n-th call failing, for all n; yields the call and the finished
        process. prepare() comes before each run; the last one, without a fault, must succeed."""
        reached = set()
        for n in range(1, 200):
            prepare()
            done = self.run_program(command, LD_PRELOAD=FAULTS, FATVEC_FAULT=str(n), **environment)
            faults = [line for line in done.stderr.splitlines() if line.startswith("fault: ")]
            if not faults:
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(reached, set(REASONS))
                return
            call = faults[0].removeprefix("fault: ")
            reached.add(call)
            yield call, done
        self.fail("no end of faults")

    def check_told(self, call, done, statuses):
        self.assertIn(done.returncode, statuses, done.stderr)
        self.assertIn(REASONS[call], done.stderr)

    def check_folder(self, *allowed):
        self.assertLessEqual({path.name for path in self.folder.iterdir()}, set(allowed))

    def text(self, name):
        return (self.folder / name).read_text()


class Files(FaultTest):
    def check_file(self, command, name):
        old, path = "old", self.folder / name
        path.write_text(old)
        self.succeed(command)
        new = path.read_bytes()
        for stays in "0", "1":
            for call, done in self.each_fault(
                command, lambda: path.write_text(old), FATVEC_FAULT_STAYS=stays
            ):
                self.check_told(call, done, (2,))
                self.check_folder(name)
                self.assertIn(path.read_bytes(), (old.encode(), new))
                if path.read_bytes() == new:
                    self.assertIn("was written, but its folder", done.stderr)

    def test_generate(self):
        self.check_file((FATVEC, "generate", "stencil5:4", "-o", "a.mtx"), "a.mtx")

    def test_generate_compressed(self):
        self.check_file((FATVEC, "generate", "stencil5:4", "-o", "a.mtx.gz"), "a.mtx.gz")

    def test_multiply(self):
        self.check_file((FATVEC, "multiply", "gen:stencil5:4", "-o", "y.mtx"), "y.mtx")

    def test_nothing_is_left_where_nothing_was(self):
        command = (FATVEC, "generate", "stencil5:4", "-o", "a.mtx")
        for _, done in self.each_fault(
            command, lambda: (self.folder / "a.mtx").unlink(missing_ok=True)
        ):
            self.check_folder(*(["a.mtx"] if "was written" in done.stderr else []))

    def test_a_signal_leaves_nothing(self):
        command, path = (FATVEC, "generate", "stencil5:4", "-o", "a.mtx"), self.folder / "a.mtx"
        for number in SIGNALS:
            for _, done in self.each_fault(
                command, lambda: path.write_text("old"), FATVEC_FAULT_SIGNAL=str(int(number))
            ):
                self.assertEqual(done.returncode, -number)
                self.check_folder("a.mtx")

    def test_a_limit_of_file_sizes_is_a_failed_write(self):
        path = self.folder / "a.mtx"
        path.write_text("old")
        done = subprocess.run(
            [FATVEC, "generate", "stencil5:40", "-o", "a.mtx"],
            cwd=self.folder,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)),
        )
        self.assertEqual((done.returncode, path.read_text()), (2, "old"))
        self.assertIn("File too large", done.stderr)
        self.check_folder("a.mtx")

    def test_a_failed_allocation_is_told_and_leaves_nothing(self):
        self.check_allocations(FATVEC, "generate", "stencil5:4", "-o", "a.mtx")
        self.check_allocations(FATVEC, "multiply", "gen:stencil5:4", "-o", "a.mtx")

    def test_a_failed_allocation_on_a_rank_is_told(self):
        self.succeed((FATVEC, "generate", "stencil5:4", "-o", "from.mtx"))
        for matrix in "gen:stencil5:4", "from.mtx":
            command = (FATVEC, "multiply", matrix, "--distributed", "--verify", "--beta", "1")
            if NO_MPI in self.run_program(command).stderr:
                self.skipTest(NO_MPI)
            self.check_allocations(*command, beside=["from.mtx"])

    def check_allocations(self, *command, beside=()):
        path = self.folder / "a.mtx"
        failed = 0
        for n in range(1, 200):
            path.write_text("old")
            done = self.run_program(command, LD_PRELOAD=FAULTS, FATVEC_FAULT_ALLOCATION=str(n))
            if "fault: allocation" not in done.stderr:
                break
            self.check_folder("a.mtx", *beside)
            if done.returncode == 0:  # Kokkos does without
                continue
            self.assertEqual(path.read_text(), "old")
            failed += 1
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("out of memory", done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(failed, 0)

    def test_a_failed_allocation_of_tune_is_told_and_keeps_the_cache(self):
        self.succeed((*TUNE, "1"))
        old = self.text("tune.json")
        statuses = []
        first = 40  # all of these, a sample of the later ones, which lie in products alike
        for n in itertools.chain(range(1, first), range(first, 3000, 7)):
            (self.folder / "tune.json").write_text(old)
            done = self.run_program(
                (*TUNE, "2"),
                most_memory=3 << 30,  # what is free sets how much of memory is measured
                LD_PRELOAD=FAULTS,
                FATVEC_FAULT_ALLOCATION=str(n),
            )
            if "fault: allocation" not in done.stderr:
                break
            statuses.append(done.returncode)
            self.check_folder("tune.json", "tune.json.lock", "machine.json")
            with self.subTest(n=n):
                if done.returncode == 0:  # without the choice that lacked it, or Kokkos did
                    self.assertLess(
                        json.loads(old)["entries"].items(),
                        json.loads(self.text("tune.json"))["entries"].items(),
                    )
                else:
                    self.assertEqual(
                        (done.returncode, self.text("tune.json")), (2, old), done.stderr
                    )
                    self.assertIn("out of memory", done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(set(statuses), {0, 2})

    def test_the_cache_keeps_its_entries(self):
        self.succeed((*TUNE, "1"))
        old = self.text("tune.json")
        entries = json.loads(old)["entries"]
        for call, done in self.each_fault(
            (*TUNE, "2"), lambda: (self.folder / "tune.json").write_text(old)
        ):
            if call != "open" or done.returncode != 0:  # the lock's file: the cache does without it
                self.check_told(call, done, (2,))
            self.check_folder("tune.json", "tune.json.lock", "machine.json")
            self.assertLessEqual(
                entries.items(), json.loads(self.text("tune.json"))["entries"].items()
            )


class Benchmark(FaultTest):
    """FILE.part only grows; what a failed run leaves, --resume completes."""

    def setUp(self):
        super().setUp()
        self.file, self.part = self.folder / "out.json", self.folder / "out.json.part"
        self.command = (BENCH, *CASES, "--output", "out.json", "--k")

    def names(self):
        return sorted(row["name"] for row in json.loads(self.file.read_text())["benchmarks"])

    def check_fault(self, call, done, all_names, k="1,2"):
        self.check_told(call, done, (1, 2))
        self.check_folder("out.json", "out.json.part")
        self.succeed((*self.command, k, "--resume"))
        self.check_folder("out.json")
        self.assertEqual(self.names(), all_names)

    def results(self, k):
        self.succeed((*self.command, k))
        return self.file.read_text()

    def set_files(self, file, part=None):
        for path, text in ((self.file, file), (self.part, part)):
            path.unlink(missing_ok=True)
            if text is not None:
                path.write_text(text)

    def test_output(self):
        self.results("1,2")
        names = self.names()
        for call, done in self.each_fault((*self.command, "1,2"), lambda: self.set_files(None)):
            self.check_fault(call, done, names)

    def test_an_old_file_stays(self):
        old = self.results("1")
        for _, done in self.each_fault((*self.command, "2"), lambda: self.set_files(old)):
            self.assertTrue(self.file.read_text() == old or "was written" in done.stderr)

    def test_resume_of_a_complete_file(self):
        old = self.results("1")
        self.results("1,2")
        names = self.names()
        for call, done in self.each_fault(
            (*self.command, "2", "--resume"), lambda: self.set_files(old)
        ):
            self.assertTrue(self.file.read_text() == old or self.names() == names)
            self.check_fault(call, done, names, "2")

    def test_resume_of_an_interrupted_run(self):
        document = json.loads(self.results("1,2"))
        names = self.names()
        lines = [json.dumps(part) for part in (document["context"], *document["benchmarks"])]
        part = "\n".join(lines[:3]) + "\n" + lines[3][:40]
        for call, done in self.each_fault(
            (*self.command, "1,2", "--resume"), lambda: self.set_files(None, part)
        ):
            if not self.file.exists():
                self.assertTrue(self.part.read_text().startswith(part))
            self.check_fault(call, done, names)

    def test_a_signal_leaves_the_rows_only(self):
        for _, done in self.each_fault(
            (*self.command, "1"),
            lambda: self.set_files(None),
            FATVEC_FAULT_SIGNAL=str(int(signal.SIGTERM)),
        ):
            self.assertEqual(done.returncode, -signal.SIGTERM)
            self.check_folder("out.json", "out.json.part")

    def test_a_contender_without_memory_is_a_row_with_its_reason(self):
        told = 0
        for n in range(1, 400):
            self.set_files(None)
            done = self.run_program(
                (*self.command, "1"), LD_PRELOAD=FAULTS, FATVEC_FAULT_ALLOCATION=str(n)
            )
            if "fault: allocation" not in done.stderr:
                break
            if not self.file.exists():
                continue
            errors = [
                row["error_message"]
                for row in json.loads(self.file.read_text())["benchmarks"]
                if row.get("error_occurred")
            ]
            with self.subTest(n=n):
                self.assertEqual(
                    done.returncode != 0,
                    any(not error.startswith("skipped: ") for error in errors),
                    done.stderr,
                )
            told += any(error.startswith("skipped: out of memory") for error in errors)
        self.assertGreater(told, 0)
