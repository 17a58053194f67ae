# SPDX-License-Identifier: Apache-2.0
"""What is for people: help, words, terminals, completion, pictures."""

import json
import os
import pty
import re
import shutil
import subprocess
import unittest
import xml.etree.ElementTree as xml

from program import BAD_INPUT, OK, PROGRAM, CliTest, edit_entry

SVG = "{http://www.w3.org/2000/svg}"


def on_a_terminal(*arguments, stream="stdout", expect=OK, **environment):
    """What the program writes to a stream that is a terminal; the other one goes nowhere."""
    reader, writer = pty.openpty()
    variables = {"OMP_NUM_THREADS": "2", **os.environ, "TERM": "xterm", **environment}
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: writer}
    process = subprocess.Popen([PROGRAM, *map(str, arguments)], env=variables, **streams)
    os.close(writer)
    text = b""
    try:
        while part := os.read(reader, 65536):
            text += part
    except OSError:  # the other end is closed
        pass
    os.close(reader)
    assert process.wait(timeout=100) == expect
    return text.decode().replace("\r\n", "\n")


class Help(CliTest):
    def test_generators_stand_in_their_own_help_only(self):
        text = self.fatvec("help", "generators").stdout
        self.assertIn("gen:stencil27:NX[xNYxNZ]", text)
        self.assertIn("webbase-1M", text)
        self.assertIn(text.strip(), self.fatvec("generate", "--help").stdout)
        for command in "info", "multiply", "print", "analyse", "tune":
            help_text = self.fatvec(command, "--help").stdout
            self.assertNotIn("gen:powerlaw", help_text)
            self.assertIn("fatvec help generators", help_text)

    def test_help_is_everywhere_in_lines_of_80_characters(self):
        commands = self.subcommands()
        self.assertIn("multiply", commands)
        for arguments in ((), *((command,) for command in commands)):
            text = self.fatvec(*arguments, "--help").stdout
            self.assertIn("Usage: fatvec", text)
            for line in text.splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_help_of_a_subcommand_is_its_help(self):
        self.assertEqual(self.fatvec("help", "info").stdout, self.fatvec("info", "--help").stdout)
        self.assertEqual(self.fatvec("help").stdout, self.fatvec("--help").stdout)
        self.refuses("unknown name 'colours'", "help", "colours")


class Terminal(CliTest):
    def test_labels_are_bold_on_a_terminal_only(self):
        self.assertIn("\033[1mmatrix", on_a_terminal("info", "gen:stencil5:9", NO_COLOR=""))
        self.assertNotIn("\033", on_a_terminal("info", "gen:stencil5:9", NO_COLOR="1"))
        self.assertNotIn("\033", on_a_terminal("info", "gen:stencil5:9", NO_COLOR="", TERM="dumb"))
        of_mpirun = {"NO_COLOR": "", "OMPI_COMM_WORLD_RANK": "0"}
        self.assertNotIn("\033", on_a_terminal("info", "gen:stencil5:9", **of_mpirun))
        self.assertNotIn("\033", self.fatvec("info", "gen:stencil5:9", TERM="xterm").stdout)

    def test_long_work_has_a_bar_on_a_terminal_only(self):
        matrix = self.matrix("a.mtx", 3, 3, [(0, 0, 1), (2, 1, 2)])
        tune = ("tune", "--k", 2, "--seconds", 0, "--default-policies", "--no-cache")
        for arguments, *steps in (
            (("info", matrix), "reading", "counting blocks"),
            (("analyse", matrix, "--k", 2), "reading", "analysing the structure"),
            ((*tune, matrix), "measuring the machine", "k 2, csr-row"),
            (("multiply", matrix, "--format", "hll"), "converting to hll", "multiplying"),
            (("print", matrix), "reading"),
            (("generate", "stencil5", 9, "-o", self.folder / "b.mtx"), "generating", "writing"),
        ):
            with self.subTest(arguments[0]):
                drawn = on_a_terminal(*arguments, stream="stderr").split("\r")
                self.assertTrue(all(len(line) <= 80 for line in drawn), drawn)
                self.assertNotIn("\033", "".join(drawn))
                for step in steps:
                    self.assertRegex("\n".join(drawn), rf"(?m)^\[#* *\] {step}")
                self.assertEqual(drawn[-2:], [" " * 79, ""], "the bar stays")
                self.assertNotIn("\r", self.fatvec(*arguments).stderr)

    def test_the_bar_grows_while_a_matrix_is_generated_and_written(self):
        file = ("generate", "uniform", 200000, 9, "-o", self.folder / "a.mtx.gz")
        for step, arguments, status in (
            ("generating", ("print", "gen:uniform:2000000:9"), BAD_INPUT),  # too large to print
            ("writing", file, OK),
        ):
            drawn = on_a_terminal(*arguments, stream="stderr", expect=status, OMP_NUM_THREADS="1")
            bars = re.findall(rf"\[(#*) *\] {step}", drawn)
            self.assertGreater(len(set(bars)), 2, drawn)
            self.assertEqual(bars, sorted(bars))

    def test_lines_end_at_80_characters(self):
        for command in ("info",), ("analyse", "--k", "8"), ("multiply", "--k", "8"):
            for line in on_a_terminal(
                command[0], "gen:stencil5:9", *command[1:], NO_COLOR="1"
            ).splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_values_stand_under_their_headings(self):
        head, *rows = (
            self.fatvec("analyse", "gen:stencil5:9", "--k", 8).stdout.split("\n", 4)[4].splitlines()
        )
        for column in "a product", "its traffic", "size of A", "set-up", "pays after":
            end = head.index(column) + len(column)
            for row in rows:
                self.assertRegex(row[:end], r"\S$", f"{column}: {row}")
                self.assertRegex(row[end:], r"^( |$)", f"{column}: {row}")

    def test_policies_are_said_in_words_and_kept_as_they_were(self):
        cache = self.folder / "tune.json"

        def run(*arguments):
            matrix = ("gen:stencil5:9", "--k", 4)
            return self.fatvec(*arguments, *matrix, FATVEC_CACHE=str(cache)).stdout

        run("tune", "--seconds", 0.001, "--default-policies", "--force")
        tiles = "width:4/threads_per_row:0"
        for kernel, policy, words in (
            ("csr-portable", f"form:range/{tiles}", "row by row, tiles of 4 columns"),
            ("csr-portable", "form:range/width:1/threads_per_row:0", "row by row, single columns"),
            ("csr-portable", f"form:team/{tiles}", "a team for each row, tiles of 4 columns"),
            ("csr-row", "blocks_per_thread:16", "16 blocks of rows a thread"),
            ("csr-row", "", ""),
        ):
            edit_entry(cache, kernel=kernel, policy=policy)
            self.assertRegex(
                run("analyse"),
                rf"\ntuned +{', '.join(filter(None, [kernel, words]))}, [\d.]+ \w+ a product",
            )

    def test_the_table_of_tune_fits_80_characters(self):
        done = self.fatvec(
            *("tune", "gen:stencil5:9", "--k", 4, "--seconds", 0, "--time-limit", 60),
            FATVEC_CACHE=str(self.folder / "c.json"),
        )
        self.assertNotRegex(done.stdout, r"form:|width:|threads_per_row:|blocks_per_thread:")
        for line in done.stdout.splitlines():
            if not line.startswith(("structure", "cache", "machine")) and ": " not in line:
                self.assertLessEqual(len(line), 80, line)


class Json(CliTest):
    def test_every_object_says_its_version_first_and_keys_hold_no_prose(self):
        def check(value):
            if isinstance(value, dict):
                for key, inner in value.items():
                    self.assertRegex(key, r"^[a-z][a-z0-9_]*$")
                    check(inner)
            elif isinstance(value, list):
                for inner in value:
                    check(inner)

        for command in (
            ("list",),
            ("info", "gen:arrow:9"),
            ("analyse", "gen:arrow:9", "--k", 2),
            ("multiply", "gen:arrow:9", "--verify"),
        ):
            text = self.fatvec(*command, "--json").stdout
            self.assertRegex(text, r'^{\n  "json_version": 1,\n')
            check(json.loads(text))


class Completion(CliTest):
    def complete(self, *words):
        script = self.fatvec("completion", "bash").stdout
        ask = (
            f"COMP_WORDS=(fatvec {' '.join(words)} ''); COMP_CWORD={len(words)}; _fatvec; "
            f"printf '%s\\n' \"${{COMPREPLY[@]}}\""
        )
        if words and words[-1].endswith("="):
            ask = ask.replace(f"{words[-1]} ''", words[-1][:-1])
        return subprocess.run(
            ["bash", "-c", script + ask],
            capture_output=True,
            text=True,
            check=True,
            cwd=self.folder,
        ).stdout.split()

    def test_bash_completes_subcommands_options_and_values(self):
        self.assertEqual(self.complete("an="), ["analyse"])
        self.assertLessEqual(set(self.subcommands()), set(self.complete("=")))
        self.assertIn("--hack-size", self.complete("info", "--h="))
        self.assertEqual(self.complete("info", "--storage", "row="), ["row-major"])
        self.write("a.mtx", "")
        self.assertEqual(self.complete("info", "a="), ["a.mtx"])

    def test_the_scripts_have_no_errors(self):
        for shell in "bash", "zsh":
            if shutil.which(shell):
                script = self.write(f"completion.{shell}", self.fatvec("completion", shell).stdout)
                subprocess.run([shell, "-n", str(script)], check=True)
        self.assertIn("--hack-size[Rows per hack (hll)]", self.fatvec("completion", "zsh").stdout)
        self.refuses("unknown name 'fish'", "completion", "fish")


class Picture(CliTest):
    def rectangles(self, *arguments):
        self.fatvec("info", *arguments, "--picture", "a.svg")
        root = xml.parse(self.folder / "a.svg").getroot()
        texts = [text.text for text in root.iter(f"{SVG}text")]
        return [
            {
                key: float(value)
                for key, value in rect.attrib.items()
                if re.fullmatch(r"[\d.]+", value)
            }
            for rect in root.iter(f"{SVG}rect")
            if "fill-opacity" in rect.attrib
        ], texts

    def test_a_diagonal_matrix_is_a_diagonal(self):
        cells, texts = self.rectangles("gen:diagonal:7")
        self.assertEqual(len(cells), 7)
        for cell in cells:
            self.assertAlmostEqual(cell["x"] - 20, cell["y"] - 60, places=1)
        self.assertEqual(texts[-4:], ["0", "0", "1", "7"])  # of 0 entries no row, of 1 entry 7

    def test_long_rows_have_classes_of_their_own(self):
        cells, texts = self.rectangles("gen:arrow:100")
        self.assertEqual(texts[-2:], ["65 - 128", "1"])
        self.assertIn("gen:arrow:100, 100 x 100, 298 entries", texts)

    def test_a_large_matrix_keeps_its_shape_and_a_small_file(self):
        self.rectangles("gen:uniform:40000x20000:3")
        self.assertLess((self.folder / "a.svg").stat().st_size, 4_000_000)

    def test_in_the_terminal(self):
        text = self.fatvec("info", "gen:diagonal:8", "--picture", "-").stdout.splitlines()
        self.assertIn("\u2811\u2884\u2800\u2800", text)
        self.assertTrue(any(re.match(r" +1  █+ 8$", line) for line in text), text)
        for matrix in "gen:stencil5:300", "gen:empty:0", "gen:empty:3x400":
            for line in (
                self.fatvec("info", matrix, "--picture", "-")
                .stdout.split("bittcf", 1)[1]
                .splitlines()
            ):
                self.assertLessEqual(len(line), 80)

    def test_wrong_names(self):
        self.refuses(
            "give a name that ends in .svg", "info", "gen:diagonal:5", "--picture", "a.png"
        )
        self.refuses(
            "--json both write to the standard output",
            *("info", "gen:diagonal:5", "--picture", "-", "--json"),
        )
        self.refuses("nowhere", "info", "gen:diagonal:5", "--picture", "nowhere/a.svg")
        self.assertFalse((self.folder / "a.png").exists())


if __name__ == "__main__":
    unittest.main()
