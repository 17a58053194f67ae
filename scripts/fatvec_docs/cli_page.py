# SPDX-License-Identifier: Apache-2.0
"""docs/cli.md from the programs' own help, subcommands as they list them.

cli_page.py FATVEC FATVEC_BENCH [--check]      --check: write nothing, fail where the committed page
differs
"""

import difflib
import os
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "cli.md"
RENEW = "cmake --build --preset openmp --target docs"
HEAD = f"""# The programs' options

This page is what the programs say themselves; `{RENEW}` renews
it. The lists of backends are those of a build for OpenMP.
[quickstart.md](quickstart.md#the-command-line) has examples.
"""
# At the end of several subcommands' help, shown once: where it is longest.
GENERATED = re.compile(r"^Generated matrices:\n(?:.+\n)+\n?", re.MULTILINE)
FOOTER = re.compile(
    r"^Exit status: (?:.+\n)+?.*--help' has the options of each subcommand\.\n", re.MULTILINE
)


def help_of(*command: str) -> str:
    quiet = {
        **os.environ,
        "OMP_PROC_BIND": "false",
    }  # Kokkos says on standard error what it thinks of other settings
    return (
        subprocess.run(
            [*command, "--help"], check=True, capture_output=True, text=True, env=quiet
        ).stdout.strip()
        + "\n"
    )


def subcommands(text: str) -> list[str]:
    """The names in the list of subcommands of `fatvec --help`."""
    listed = re.search(r"^Subcommands:\n((?:  .*\n)+)", text, re.MULTILINE)[1]
    return re.findall(r"^  (\w[\w-]*)", listed, re.MULTILINE)


def section(heading: str, text: str) -> str:
    return f"\n{heading}\n\n```text\n{text.strip()}\n```\n"


def page(fatvec: str, bench: str) -> str:
    main = help_of(fatvec)
    helps = {name: FOOTER.sub("", help_of(fatvec, name)) for name in subcommands(main)}
    lists = {name: "".join(GENERATED.findall(text)) for name, text in helps.items()}
    parts = [HEAD, section("## fatvec", main)]
    for name, text in helps.items():
        parts.append(section(f"### fatvec {name}", GENERATED.sub("", text)))
        if lists[name]:
            parts.append(
                "\nA generator spec is one of the [generated matrices](#generated-matrices).\n"
            )
    parts.append(section("### Generated matrices", max(lists.values(), key=len)))
    return "".join([*parts, section("## fatvec-bench", help_of(bench))])


def main() -> int:
    text = page(*sys.argv[1:3])
    committed = PAGE.read_text() if PAGE.exists() else ""
    if text == committed:
        return 0
    if sys.argv[3:] != ["--check"]:
        PAGE.write_text(text)
        return 0
    sys.stdout.writelines(
        difflib.unified_diff(
            committed.splitlines(True), text.splitlines(True), "docs/cli.md", "the programs' help"
        )
    )
    print(f"docs/cli.md is not what the programs say; this renews it: {RENEW}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
