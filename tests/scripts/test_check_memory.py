# SPDX-License-Identifier: Apache-2.0
"""scripts/check-memory with programs and checkers that only write down how they were called."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LISTED = """contenders:
  contender:fatvec/format:csr/kernel:csr-row
  contender:fatvec/format:csr/kernel:csr-row/policy:team   (with --sweep policy)
  contender:raw-serial/backend:serial/format:csr
  contender:raw-openmp/backend:openmp/format:bsr/kernel:tiles
  contender:raw-cuda/backend:cuda/format:csr/kernel:tuned
contenders of the suite vectors:
  operation:dot/contender:fatvec
"""
PROGRAMS = {
    "fatvec": """echo '{"kernels": [{"name": "csr-row"}, {"name": "hll-row"}]}'""",
    "fatvec-bench": f"cat <<'END'\n{LISTED}END",
    "fatvec-test-threads": 'echo threads >> "$CALLS"; [ "$BROKEN" != threads ]',
    "fatvec-test-conformance": r"printf 'Csr_double.\n  small\n  large\n'",
}
CHECKER = """#!/bin/sh
echo "$@" >> "$CALLS"
case "$*" in *"$BROKEN"*) echo "lost 8 bytes"; exit 9 ;; esac
"""


MADE = """#!/bin/bash
# A cmake that knows half-written folders, and makes the programs of what $VERSION is then.
folder=build/openmp-valgrind
echo "$*" >> "$CALLS"
case $1 in
  --preset)
    if grep -q half $folder/CMakeCache.txt 2> /dev/null; then exit 1; fi
    mkdir -p $folder/bin
    echo whole > $folder/CMakeCache.txt ;;
  --build)
    for program in "$PROGRAMS"/*; do
      made=$folder/bin/$(basename "$program")
      { cat "$program"; echo "# $VERSION"; } > "$made"
      chmod 755 "$made"
    done ;;
esac
"""


class BuildForValgrind(unittest.TestCase):
    """In a tree of the script alone."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)
        for name in ("scripts", "tools", "programs"):
            (self.tree / name).mkdir()
        for name in ("check-memory", "lib.sh"):
            shutil.copy2(ROOT / "scripts" / name, self.tree / "scripts")
        texts = {f"programs/{name}": f"#!/bin/bash\n{text}\n" for name, text in PROGRAMS.items()}
        texts |= {
            "scripts/bootstrap": '#!/bin/sh\necho "bootstrap in $FATVEC_DEPS" >> "$CALLS"\n',
            "tools/cmake": MADE,
            "tools/valgrind": "#!/bin/sh\n",
        }
        for name, text in texts.items():
            (self.tree / name).write_text(text)
            (self.tree / name).chmod(0o755)
        self.bin = self.tree / "build" / "openmp-valgrind" / "bin"

    def check(self, version):
        """The calls of bootstrap and cmake."""
        calls = self.tree / "calls"
        calls.write_text("")
        done = subprocess.run(
            [self.tree / "scripts" / "check-memory", "cpu", "--no-tests"],
            env={
                **os.environ,
                "PATH": f"{self.tree}/tools:{os.environ['PATH']}",
                "CALLS": str(calls),
                "PROGRAMS": str(self.tree / "programs"),
                "VERSION": version,
            },
            capture_output=True,
            text=True,
            timeout=100,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for name in PROGRAMS:
            self.assertIn(f"# {version}\n", (self.bin / name).read_text())
        return calls.read_text().splitlines()

    def test_programs_are_renewed(self):
        self.check("first")
        calls = self.check("second")
        self.assertEqual(calls[0], f"bootstrap in {self.tree}/.deps/valgrind")

    def test_what_was_interrupted_is_made_anew(self):
        self.bin.mkdir(parents=True)
        (self.bin.parent / "CMakeCache.txt").write_text("half")
        (self.bin / "fatvec").write_text("#!/bin/sh\nexit 1\n")
        (self.bin / "fatvec").chmod(0o755)
        self.check("first")


class DependenciesForValgrind(unittest.TestCase):
    """scripts/bootstrap with a cmake that an interrupted run leaves half-written folders of."""

    CMAKE = """#!/bin/sh
case $1 in -S) ;; *) exit 0 ;; esac
while [ "$1" != -B ]; do shift; done
if grep -q half "$2/CMakeCache.txt" 2> /dev/null; then exit 1; fi
mkdir -p "$2"
if [ -n "$INTERRUPTED" ]; then echo half > "$2/CMakeCache.txt"; exit 1; fi
echo whole > "$2/CMakeCache.txt"
"""

    def test_what_was_interrupted_is_made_anew(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in ("tools", "kokkos", "kernels"):
                (root / name).mkdir()
                (root / name / "CMakeLists.txt").touch()
            for name, text in (("cmake", self.CMAKE), ("ninja", "#!/bin/sh\n")):
                (root / "tools" / name).write_text(text)
                (root / "tools" / name).chmod(0o755)
            for interrupted, status in (("yes", 2), ("", 0)):
                done = subprocess.run(
                    [ROOT / "scripts" / "bootstrap", "--force-build", "openmp"],
                    env={
                        **os.environ,
                        "PATH": f"{root}/tools:{os.environ['PATH']}",
                        "FATVEC_DEPS": str(root / "deps"),
                        "FATVEC_KOKKOS_SOURCE": str(root / "kokkos"),
                        "FATVEC_KOKKOS_KERNELS_SOURCE": str(root / "kernels"),
                        "INTERRUPTED": interrupted,
                    },
                    capture_output=True,
                    text=True,
                    timeout=100,
                )
                self.assertEqual(done.returncode, status, done.stdout + done.stderr)
            self.assertTrue((root / "deps" / "openmp" / ".complete").exists())


class CheckMemory(unittest.TestCase):
    def check(self, side, checker, *arguments, broken="nothing of that name"):
        """Exit status, output and the calls of the checker."""
        with tempfile.TemporaryDirectory() as folder:
            bin_folder = pathlib.Path(folder, "bin")
            tools = pathlib.Path(folder, "tools")
            for place, programs in (
                (bin_folder, {name: f"#!/bin/bash\n{text}\n" for name, text in PROGRAMS.items()}),
                (tools, {checker: CHECKER}),
            ):
                place.mkdir()
                for name, text in programs.items():
                    (place / name).write_text(text)
                    (place / name).chmod(0o755)
            calls = pathlib.Path(folder, "calls")
            calls.touch()
            environment = {
                **os.environ,
                "PATH": f"{tools}:{os.environ['PATH']}",
                "CALLS": str(calls),
                "BROKEN": broken,
            }
            done = subprocess.run(
                [ROOT / "scripts" / "check-memory", side, *arguments, bin_folder],
                env=environment,
                capture_output=True,
                text=True,
                timeout=100,
            )
            return done.returncode, done.stdout + done.stderr, calls.read_text().splitlines()

    def test_cpu_runs_products_contenders_and_tests_under_valgrind(self):
        status, output, calls = self.check("cpu", "valgrind")
        self.assertEqual(status, 0, output)
        self.assertIn("32 products, 3 contenders, 2 tests", output)
        self.assertEqual(len(calls), 37)
        self.assertTrue(all(call.startswith("--tool=memcheck ") for call in calls))
        self.assertEqual(sum("--backend openmp -k" in call for call in calls), 32)
        self.assertEqual(
            sum("--contender raw-serial --backend serial --format csr" in call for call in calls), 1
        )
        self.assertEqual(sum("raw-cuda" in call for call in calls), 0)
        self.assertEqual(sum("gtest_filter=Csr_double.large" in call for call in calls), 1)

    def test_gpu_runs_four_tools_over_its_own(self):
        status, output, calls = self.check("gpu", "compute-sanitizer", "--no-tests")
        self.assertEqual(status, 0, output)
        for tool in ("racecheck", "memcheck", "synccheck", "initcheck"):
            mine = [call for call in calls if call.startswith(f"--tool={tool} ")]
            self.assertEqual(sum("multiply" in call for call in mine), 32, tool)
            self.assertEqual(sum("--contender raw-cuda" in call for call in mine), 1, tool)
            self.assertFalse(any("raw-openmp" in call or "gtest" in call for call in mine), tool)

    def test_an_error_fails_and_names_the_command(self):
        status, output, _ = self.check(
            "cpu", "valgrind", "--no-tests", broken="--contender raw-openmp"
        )
        self.assertEqual(status, 2)
        self.assertRegex(
            output, r"FAILED: valgrind memcheck .*--contender raw-openmp.*\nlost 8 bytes"
        )

    def test_threads_run_one_test_program(self):
        status, output, calls = self.check("threads", "valgrind")
        self.assertEqual((status, calls), (0, ["threads"]), output)
        self.assertIn("no error", output)
        status, output, _ = self.check("threads", "valgrind", broken="threads")
        self.assertEqual(status, 2, output)

    def test_wrong_arguments_are_named(self):
        for arguments, said in (
            (("tpu",), "not 'tpu'"),
            (("cpu", "--tools", "racecheck"), "no tool"),
            (("threads", "/no-such-folder"), "no program"),
        ):
            done = subprocess.run(
                [ROOT / "scripts" / "check-memory", *arguments], text=True, capture_output=True
            )
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
