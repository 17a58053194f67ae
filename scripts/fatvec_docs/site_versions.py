# SPDX-License-Identifier: Apache-2.0
"""The list of versions from which each page of the site lets its reader choose, and a first page
that leads to the newest: site_versions.py FOLDER, which holds a folder for each version."""

import json
import pathlib
import re
import sys

FIRST = '<!DOCTYPE html><title>fatvec</title><meta http-equiv="refresh" content="0; url={0}">'
FIRST += '<a href="{0}">fatvec {1}</a>\n'


def versions(folder: pathlib.Path) -> list[str]:
    """The newest first."""
    names = [p.name for p in folder.iterdir() if re.fullmatch(r"\d+(\.\d+)+", p.name)]
    return sorted(names, key=lambda name: [int(part) for part in name.split(".")], reverse=True)


if __name__ == "__main__":
    site = pathlib.Path(sys.argv[1])
    found = versions(site)
    (site / "versions.js").write_text(f"const fatvec_versions = {json.dumps(found)};\n")
    (site / "index.html").write_text(FIRST.format(f"{found[0]}/index.html", found[0]))
