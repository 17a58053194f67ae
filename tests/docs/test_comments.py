# SPDX-License-Identifier: Apache-2.0
"""Every public type, function and constant has a comment. Members of classes need one only where
their names do not say it all: rows() and nnz() mean in every format what the concept SparseFormat
says. test_comments.py DOXYGEN DOXYFILE"""

import re
import subprocess
import sys
import tempfile
import unittest

DOXYGEN, DOXYFILE = sys.argv[1:3]
ONLY_WARNINGS = (
    "EXTRACT_ALL=NO\nGENERATE_HTML=NO\nGENERATE_XML=YES\nXML_PROGRAMLISTING=NO\nWARN_AS_ERROR=NO\n"
)
OF_A_CLASS = re.compile(r"warning: Member .* of (class|struct|union) .* is not documented")


class Comments(unittest.TestCase):
    def test_every_public_name_has_one(self):
        with open(DOXYFILE) as file:
            options = file.read() + ONLY_WARNINGS
        with tempfile.TemporaryDirectory() as folder:
            options += f'OUTPUT_DIRECTORY="{folder}"\n'
            done = subprocess.run([DOXYGEN, "-"], input=options, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        warnings = done.stderr.splitlines()
        self.assertTrue(
            any(OF_A_CLASS.search(line) for line in warnings),
            "Doxygen no longer says what lacks a comment",
        )
        without = [line for line in warnings if not OF_A_CLASS.search(line)]
        self.assertFalse(without, "\n" + "\n".join(without))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
