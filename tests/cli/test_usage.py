# SPDX-License-Identifier: Apache-2.0
"""Help, versions, wrong usage and malformed files: exit status 2 and one clear paragraph."""

import gzip
import os
import re
import subprocess
import unittest

from program import BAD_INPUT, DATA, PROGRAM, CliTest, matrices


class Help(CliTest):
    def test_exit_states_are_told(self):
        self.assertIn("3 verification failed", self.fatvec("--help").stdout)

    def test_version(self):
        self.assertIn(f"fatvec {os.environ['FATVEC_VERSION']}", self.fatvec("--version").stdout)


class WrongUsage(CliTest):
    def test_wrong_options(self):
        cases = {
            ("--format", "csc"): "unknown name 'csc'; this build has csr, ",
            ("--kernel", "warp"): "unknown name 'warp'; this build has csr-row, ",
            ("--backend", "gpu"): "unknown name 'gpu'; this build has ",
            ("--layout", "diagonal"): "unknown name 'diagonal'; this build has row, column",
            ("--k", "0"): "at least 1",
            ("--k", "-1"): "at least 1",
            ("--k", "2.5"): "whole number",
            ("--k", "nan"): "whole number",
            ("--k", "99999999999999999999"): "whole number",
            ("--hack-size", "0"): "at least 1",
            ("--slice-size", "-1"): "at least 0",
            ("--sort-window", "0"): "at least 1",
            ("--block-size", "-1"): "at least 0",
            ("--alpha", "nan"): "finite",
            ("--beta", "inf"): "finite",
            ("--seed", "-1"): "at least 0",
            ("--repeat", "-1"): "0 to 1000000",
            ("--repeat", "1000001"): "0 to 1000000",
            ("--output", ""): "the name of a file",
            ("--memory-limit", "-4GB"): "such as 500MB",
            ("--memory-limit", "4 cows"): "such as 500MB",
            ("--expect", "e.mtx", "--tolerance", "-1"): "at least 0",
            ("--tolerance", "1"): "requires --expect",
            ("--x", "x.mtx", "--k", "2"): "excludes",
            ("--frobnicate",): "--frobnicate",
        }
        for options, words in cases.items():
            with self.subTest(options=options):
                error = self.error("multiply", "gen:diagonal:5", *options)
                self.assertIn(words, error)
                self.assertIn("fatvec multiply --help", error)
                self.assertLessEqual(len(error.splitlines()), 2)

    def test_subcommands(self):
        self.refuses(
            "no subcommand is given; there are: info print multiply analyse tune generate reorder "
            "convert list completion help."
        )
        self.refuses("unknown subcommand 'mutliply'", "mutliply", "a.mtx")
        self.refuses("MATRIX is required", "multiply")
        self.refuses("--output is required", "generate", "stencil5:4")

    def test_spec_without_prefix(self):
        self.refuses("write gen:stencil5:4", "info", "stencil5:4")


FORMAT = "--hack-size --slice-size --sort-window --block-size --storage --memory-limit --json"
CHOICE = "-k --k --backend --layout --products --memory-limit --json"
OPTIONS_OF_0_1 = {  # but for those that have another name now
    "info": FORMAT,
    "print": f"-f --format {FORMAT} --limit --force --stars",
    "multiply": f"--x -k --k --y --seed --alpha --beta -f --format --kernel --backend --layout "
    f"{FORMAT} --repeat -o --output --expect --tolerance --verify",
    "analyse": CHOICE,
    "tune": f"{CHOICE} --time-limit --seconds --all --default-policies --no-cache",
    "generate": "--twin -o --output --memory-limit --json",
    "reorder": "-o --output --permutation --memory-limit --json",
    "list": "--json",
}


class OldNames(CliTest):
    CALL = "print", "gen:stencil5:2", "--format", "ellpack", "--json"
    NOTE = "fatvec: note: --layout is now --storage; the old name goes with the next version.\n"

    def test_options_of_0_1_are_there(self):
        for command, options in OPTIONS_OF_0_1.items():
            shown = re.split(r"[\s,]+", self.fatvec(command, "--help").stdout)
            self.assertEqual(set(options.split()) - set(shown), set(), command)

    def test_print_takes_layout_for_storage_with_a_note(self):
        for order in "row-major", "column-major":
            old = self.fatvec(*self.CALL, "--layout", order)
            self.assertEqual(old.stdout, self.fatvec(*self.CALL, "--storage", order).stdout)
            self.assertEqual(old.stderr, self.NOTE)

    def test_an_old_name_has_the_values_of_the_new_one_and_excludes_it(self):
        self.refuses(
            "--storage: unknown name 'row'; this build has column-major, row-major",
            *(*self.CALL, "--layout=row"),
        )
        for last in "row-major", "column-major":
            both = "--storage", "row-major", "--layout", last
            self.refuses("--storage", *self.CALL, *both)

    def test_help_and_completion_show_no_old_name(self):
        self.assertNotIn("--layout", self.fatvec("print", "--help").stdout)
        for shell in "bash", "zsh":
            script = self.fatvec("completion", shell).stdout
            options = re.search(r"^ +print\) (.*?);;", script, re.MULTILINE | re.DOTALL).group(1)
            self.assertIn("--storage", options)
            self.assertNotIn("--layout", options)


class MalformedFiles(CliTest):
    def test_file_and_line(self):
        header = "%%MatrixMarket matrix coordinate real general\n"
        cases = {
            "2 2 2\n1 1 1\n": r"bad\.mtx:\d: ",
            "2 2 1\n1 3 1\n": r"bad\.mtx:3: ",
            "2 2 1\n1 x 1\n": r"bad\.mtx:3: ",
            "2 2 1\n0 1 1\n": r"bad\.mtx:3: ",
            "2 2 1\n1 1 1\n2 2 2\n": r"bad\.mtx:4: ",
            "2 2\n": r"bad\.mtx:2: ",
        }
        for body, pattern in cases.items():
            path = self.write("bad.mtx", header + body)
            for command in "info", "print", "multiply", "analyse", "tune":
                with self.subTest(body=body, command=command):
                    self.assertRegex(self.error(command, path), pattern)

    def test_not_a_matrix(self):
        self.assertRegex(self.error("info", self.write("a.mtx", "hello\n")), r"a\.mtx:1: ")
        self.assertRegex(self.error("info", self.write("a.mtx", "")), r"a\.mtx:1: ")
        self.refuses("missing.mtx", "info", "missing.mtx")
        self.refuses("folder", "info", self.folder)

    def test_complex(self):
        path = self.write(
            "c.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 2\n"
        )
        self.assertRegex(self.error("multiply", path), r"c\.mtx:1: the matrix is complex")

    def test_malformed_operands(self):
        x = self.write("x.mtx", "%%MatrixMarket matrix array real general\n5 1\n1\n2\n3\nfour\n5\n")
        self.assertRegex(self.error("multiply", "gen:diagonal:5", "--x", x), r"x\.mtx:6: ")

    def test_truncated(self):
        sources = [DATA / "mhda416.mtx.gz"] + (
            [matrices() / "cavity10.mtx.gz"] if matrices() else []
        )
        for source in sources:
            path = self.folder / "truncated.mtx.gz"
            path.write_bytes(source.read_bytes()[:-20000])
            self.assertRegex(self.error("multiply", path), r"truncated\.mtx\.gz:\d+: ")

    def test_memory_is_not_allocated_on_the_word_of_a_header(self):
        path = self.write(
            "a.mtx", "%%MatrixMarket matrix coordinate real general\n9 9 9000000000000\n1 1 1\n"
        )
        self.error("info", path)


class Bombs(CliTest):
    """Small files that announce large matrices cost next to nothing."""

    ARRAY = b"%%MatrixMarket matrix array real general\n20000 20000\n1\n"

    def refuse(self, *arguments, stdin=b""):
        """The message; the program must end with 2 and in little memory."""
        pipe = subprocess.PIPE
        with subprocess.Popen(
            [PROGRAM, *map(str, arguments)],
            cwd=self.folder,
            stdin=pipe,
            stdout=subprocess.DEVNULL,
            stderr=pipe,
        ) as program:
            program.stdin.write(stdin)
            program.stdin.close()
            error = program.stderr.read().decode()
            _, status, usage = os.wait4(program.pid, 0)
            program.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(program.returncode, BAD_INPUT, error)
        self.assertLess(usage.ru_maxrss, 1 << 20, "kilobytes")
        return error

    def file(self, name, data):
        (self.folder / name).write_bytes(data)
        return name

    def test_array_files(self):
        for path in (
            self.file("a.mtx", self.ARRAY),
            self.file("a.mtx.gz", gzip.compress(self.ARRAY)),
        ):
            for command in (
                ("info", path),
                ("info", path, "--memory-limit", "1MB"),
                ("multiply", "gen:diagonal:20000", "--x", path),
            ):
                self.assertIn(
                    f"{path}:3: the file ends after 1 of the 400000000 entries",
                    self.refuse(*command),
                )

    def test_array_files_from_a_pipe(self):
        for command in ("info", "-"), ("multiply", "gen:diagonal:20000", "--x", "/dev/stdin"):
            self.refuse(*command, stdin=self.ARRAY)
            error = self.refuse(*command, "--memory-limit", "1GB", stdin=self.ARRAY)
            self.assertRegex(
                error, r"needs \d.* GB \(20000 x 20000, .* the 1\.0 GB that the memory limit allows"
            )

    def test_operands_of_another_shape(self):
        path = self.file(
            "x.mtx", b"%%MatrixMarket matrix coordinate real general\n40000 40000 1\n1 1 1\n"
        )
        self.assertIn(
            "--x holds a 40000 x 40000 multivector",
            self.refuse("multiply", "gen:diagonal:5", "--x", path),
        )

    def test_rows_without_entries(self):
        path = self.file(
            "a.mtx", b"%%MatrixMarket matrix coordinate real general\n2000000000 2000000000 0\n"
        )
        self.assertIn("CSR needs 16.0 GB", self.refuse("info", path, "--memory-limit", "1GB"))

    def test_generated_matrices_are_counted_no_further_than_needed(self):
        for text in "gen:powerlaw:2000000000:5", "gen:stencil27:1200":
            self.assertRegex(
                self.refuse("info", text, "--memory-limit", "1GB"), r"more than \d+ entries"
            )


class Streams(CliTest):
    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_full_disk(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [PROGRAM, "info", "gen:diagonal:5"], stdout=full, stderr=subprocess.PIPE, text=True
            )
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assertIn("standard output", done.stderr)

    def check_closed(self, *arguments, reason, **options):
        done = subprocess.run(
            [PROGRAM, *map(str, arguments)], stderr=subprocess.PIPE, text=True, **options
        )
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assertRegex(done.stderr, f"^fatvec: cannot write to the standard output: {reason}")

    def test_closed_standard_output(self):
        for arguments in ("info", "gen:diagonal:5"), ("list",), ("--help",), ("multiply", "--help"):
            self.check_closed(
                *arguments, reason="Bad file descriptor", preexec_fn=lambda: os.close(1)
            )

    def test_closed_pipe(self):
        reader, writer = os.pipe()
        os.close(reader)
        self.check_closed(
            "info", "gen:diagonal:5", reason="Broken pipe", stdout=writer, restore_signals=False
        )  # SIGPIPE is ignored
        os.close(writer)

    def test_a_closed_standard_output_does_not_lend_its_number_to_the_file(self):
        path = self.folder / "a.mtx"
        self.check_closed(
            "generate",
            "diagonal:3",
            "-o",
            path,
            reason="Bad file descriptor",
            preexec_fn=lambda: os.close(1),
        )
        self.assertNotIn("written to", path.read_text())

    def test_closed_standard_error(self):
        done = subprocess.run(
            [PROGRAM, "info", "missing.mtx"], stdout=subprocess.PIPE, preexec_fn=lambda: os.close(2)
        )
        self.assertEqual((done.returncode, done.stdout), (BAD_INPUT, b""))

    def test_a_file_that_is_the_standard_output_gets_both(self):
        path = self.folder / "a.mtx"
        with open(path, "w") as file:
            done = subprocess.run(
                [PROGRAM, "generate", "diagonal:3", "-o", "/dev/stdout"],
                stdout=file,
                stderr=subprocess.PIPE,
                text=True,
            )
            file.write("% and what comes after\n")
        self.assertEqual(done.returncode, 0)
        self.assertIn("written to", done.stderr)
        self.assertTrue(path.read_text().startswith("%%MatrixMarket"))
        self.assertTrue(path.read_text().endswith("% and what comes after\n"))

    def test_the_output_is_tried_before_the_work(self):
        self.refuses(
            "nowhere",
            *("generate", "diagonal:2000000000", "--memory-limit", "1MB", "-o", "nowhere/a.mtx"),
        )
        self.refuses("nowhere", "multiply", "missing.mtx", "-o", "nowhere/y.mtx")
