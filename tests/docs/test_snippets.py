# SPDX-License-Identifier: Apache-2.0
"""Each block of C++ in README.md and the guides is, word for word, a part of docs/snippets, which
is compiled and run; and each part marked there is shown somewhere. Indentation that a whole part
has is left away."""

import pathlib
import re
import sys
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "fatvec_docs"))
from markdown import code_blocks

PART = re.compile(r"^ *// snippet: ([^\n]+)\n(.*?)^ *// end of snippet$", re.MULTILINE | re.DOTALL)


def pages():
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def parts() -> dict[str, str]:
    """Text of each part -> its name."""
    found = {}
    for file in sorted((ROOT / "docs" / "snippets").glob("*.?pp")):
        for name, code in PART.findall(file.read_text()):
            found[textwrap.dedent(code)] = f"{file.name}: {name}"
    return found


class Snippets(unittest.TestCase):
    def test_every_block_is_compiled(self):
        compiled = parts()
        self.assertGreater(len(compiled), 5)
        for page in pages():
            for line, code in code_blocks(page.read_text(), "cpp"):
                with self.subTest(page=page.name, line=line):
                    self.assertIn(
                        code,
                        compiled,
                        f"{page.relative_to(ROOT)}:{line}: this is no part of "
                        f"docs/snippets:\n{code}",
                    )

    def test_every_part_is_shown(self):
        shown = {code for page in pages() for _, code in code_blocks(page.read_text(), "cpp")}
        self.assertEqual([name for code, name in parts().items() if code not in shown], [])


if __name__ == "__main__":
    unittest.main()
