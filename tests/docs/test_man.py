# SPDX-License-Identifier: Apache-2.0
"""The man pages hold every subcommand and option of the help, and man reads them. test_man.py
FATVEC FATVEC_BENCH"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = sys.argv[1:3]
SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "fatvec_docs"


class ManPages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.store = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.store.name)
        subprocess.run(
            [
                sys.executable,
                "-B",
                str(SCRIPTS / "man_page.py"),
                str(cls.folder),
                "1.2.3",
                *PROGRAMS,
            ],
            check=True,
        )

    @classmethod
    def tearDownClass(cls):
        cls.store.cleanup()

    def options(self, *command):
        text = subprocess.run(
            [*command, "--help"], capture_output=True, text=True, check=True
        ).stdout
        return re.findall(r"^  (?:-\w,)?(--[\w-]+)", text, re.MULTILINE)

    def test_every_option_has_an_entry(self):
        for program, name in zip(PROGRAMS, ("fatvec", "fatvec-bench")):
            page = (self.folder / f"{name}.1").read_text().replace("\\-", "-")
            self.assertIn("fatvec 1.2.3", page)
            for option in self.options(program):
                self.assertRegex(page, rf"\n\.TP\n\.B (-\w,)?{option}\b")
        page = (self.folder / "fatvec.1").read_text().replace("\\-", "-")
        for command in "info", "tune", "generate", "help":
            part = page.split(f".SH FATVEC {command.upper()}\n")[1].split(".SH FATVEC")[0]
            for option in self.options(PROGRAMS[0], command):
                self.assertRegex(part, rf"\n\.TP\n\.B (-\w,)?{option}\b", command)

    @unittest.skipUnless(shutil.which("groff"), "no groff on PATH")
    def test_groff_has_nothing_to_complain_about(self):
        for name in "fatvec", "fatvec-bench":
            done = subprocess.run(
                ["groff", "-man", "-Tutf8", "-ww", "-Wbreak", str(self.folder / f"{name}.1")],
                capture_output=True,
                text=True,
            )
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("Print this help message", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
