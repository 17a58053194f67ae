# SPDX-License-Identifier: Apache-2.0
"""Man pages from the programs' own help, as docs/cli.md is.

man_page.py FOLDER VERSION FATVEC FATVEC_BENCH     writes FOLDER/fatvec.1 and FOLDER/fatvec-bench.1
"""

import pathlib
import re
import sys

from cli_page import FOOTER, help_of, subcommands

# "  --k INT ...       Numbers of columns": a name, two spaces or more, what it means.
ENTRY = re.compile(r"^  (\S.*?)(?:  +(\S.*))?$")


def escape(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def block(text: str, level: str) -> list[str]:
    """A help text: sentences, `Heading:` with entries below it, and lines that are kept as they
    are."""
    lines, entries, open_entry, paragraph = [], False, False, False
    # A list of many values is broken behind a |.
    for line in re.sub(r"\|\n +", "|", text.strip()).splitlines():
        entry = ENTRY.match(line) if entries else None
        if re.fullmatch(r"(Options|Positionals|Subcommands):", line):
            lines += [f".{level} {line[:-1].upper() if level == 'SH' else line[:-1]}"]
            entries = True
        elif line.startswith("Usage: "):
            lines += [".PP", f".B {escape(line[7:])}"]
        elif entry:
            lines += [".TP", f".B {escape(entry[1])}", *([escape(entry[2])] if entry[2] else [])]
            open_entry = not entry[2]
        elif entries and line.startswith("   "):  # what an entry of a long name means
            lines.append(escape(line.strip()))
            open_entry = False
        elif not line.strip():
            entries = paragraph = False
        else:
            goes_on = paragraph and not line.startswith(" ")
            lines += [escape(line)] if goes_on else [".PP", escape(line)]
            paragraph = not entries and not line.startswith(" ")
    return lines + ([""] if open_entry else [])


def page(name: str, version: str, summary: str, body: list[str]) -> str:
    return (
        "\n".join(
            [
                f'.TH {name.upper()} 1 "" "fatvec {version}" "User Commands"',
                ".ad l",
                ".SH NAME",
                f"{name} \\- {escape(summary)}",
                ".SH DESCRIPTION",
                *body,
            ]
        )
        + "\n"
    )


def main() -> int:
    folder, version, fatvec, bench = pathlib.Path(sys.argv[1]), *sys.argv[2:5]
    folder.mkdir(parents=True, exist_ok=True)
    text = help_of(fatvec)
    body = block(text, "SH")
    for name in subcommands(text):
        body += [f".SH FATVEC {name.upper()}", *block(FOOTER.sub("", help_of(fatvec, name)), "SS")]
    (folder / "fatvec.1").write_text(
        page("fatvec", version, "multiply a sparse matrix by a fat vector", body)
    )
    (folder / "fatvec-bench.1").write_text(
        page(
            "fatvec-bench",
            version,
            "measure sparse matrix times fat vector, beside other code",
            block(help_of(bench), "SH"),
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
