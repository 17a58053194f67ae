# SPDX-License-Identifier: Apache-2.0
"""The Python of docs/python.md runs, from its first block to the last."""

import pathlib
import re

import fatvec

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"


def test_the_pages_code_runs():
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) > 3
    names = {}
    for block in blocks:
        exec(compile(block, PAGE.name, "exec"), names)
    S, X = names["S"], names["X"]
    assert abs(names["Z"] - S.T @ (2 * S @ X - S @ X)).max() < 1e-12


def test_public_names_have_documentation():
    for name in fatvec.__all__:
        if name != "__version__":
            assert getattr(fatvec, name).__doc__, name
