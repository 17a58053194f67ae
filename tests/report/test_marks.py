# SPDX-License-Identifier: Apache-2.0
"""A number that rests on noisy rows, or on a matrix that fits the cache, has its mark beside it, in
every table of a report, and no other number has one."""

import re
import unittest

from cases import OPENMP, SERIAL, cases, made
import synthetic
from fatvec_report import sections
from fatvec_report.load import MARKS
from fatvec_report.page import Heading, Table, Verdict, flat
from fatvec_report.views import views

ONE_BY_ONE = "raw-openmp/backend:openmp/format:csr/kernel:column-by-column/copies:no"
BLOCKS = "mkl/backend:openmp/format:bsr/block_size:2"
ELLPACK = "raw-openmp/backend:openmp/format:ellpack"
TEXTBOOK = "raw-openmp/backend:openmp/format:csr/kernel:textbook"
NAMES = ["gen:twin:cant", "gen:twin:ldoor", "gen:twin:cage4"]
# Columns of settings, counts, sizes and of what others have published; those of words come first.
UNMEASURED = (
    r"k|K|N|rows|ranks|threads|layout|version|matrices|cases|size|worst case|worst matrix|"
    r"worst case against a library|fastest with|launch-bound|unsupported|deviation \(%\)|"
    r"published.*|entries, most/mean|MB a rank|MB exchanged|slowest rank|\[\d\] which"
)
RECORD = ("Failed", "Skipped", "Provenance")  # sections
TABLES = (
    "What to use;Summary;What portability costs;Against hand-written code;The worst cells;"
    "Formats: layout row;Threads;Best block size;Means over the suite;Speed over the deviation;"
    "One product of K columns;All comparisons;Set-up and spread;Seven figures of a vector;"
    "Columns of multivectors;All vectors;All ranks;Best structure and method;Hand-written OpenMP;"
    "Serial, OpenMP and CUDA (;Performance portability;Balayre 2024, OpenMP"
).split(";")


def questions(count):
    """What the papers' questions are asked of; the matrix of each number of rows is another."""
    lines = [f"fatvec 2 {name} | mkl 1 {name} k=2 | fatvec 3 {name} k=2" for name in NAMES]
    for at, name in enumerate(NAMES, 1):
        place = f"{name} row_deviation={at * 10} rows={at}"
        kernels = (SERIAL, f"{SERIAL}/kernel:textbook", TEXTBOOK, ELLPACK, BLOCKS, OPENMP + "2")
        lines += [f"{kernel} {at} {place}" for kernel in kernels]
        lines += [f"{TEXTBOOK} {at} {place} k={k} | {ONE_BY_ONE} 7 {place} k={k}" for k in (2, 4)]
        lines += [f"hll {at} {place} setup=1"]
    entries = cases(" | ".join(lines), mean_seconds=1.0)
    return {"context": {"cpu": "c", "threads": str(count)}, "benchmarks": entries}


def columns(spread, share):
    """(heading, title, cells, whether they are measured) of each column of a report of everything,
    of which all rows have this spread and this share of the cache."""
    documents = [synthetic.cpu(NAMES[:2], (1, 4), threads=count) for count in (1, 2)]
    documents += [synthetic.gpu(NAMES[:2], (1, 4)), synthetic.vectors(), synthetic.ranks("weak")]
    documents += [questions(count) for count in (1, 2)]
    for document in documents:
        for entry in document["benchmarks"]:
            entry |= {"spread": spread, "bytes_per_cache": share}
    runs = made(*((document["context"], document["benchmarks"]) for document in documents))
    section = heading = "What to use"
    for block in flat(sections.write(views(runs))):
        if isinstance(block, Heading):
            section = block.text if block.level < 4 else section
            heading = f"{section}: {block.text}"
        table = block.uses if isinstance(block, Verdict) else block
        if isinstance(table, Table) and not heading.startswith(RECORD):
            for at, (title, cells) in enumerate(zip(table.columns, zip(*table.rows))):
                measured = at >= table.left and not re.fullmatch(UNMEASURED, title)
                yield heading, title, [cell for cell in cells if cell != "–"], measured


class Marks(unittest.TestCase):
    def test_every_number_of_every_table_has_its_marks(self):
        found = set()
        for heading, title, cells, measured in columns(0.3, 0.5):
            found |= {heading} if measured else set()
            for cell in cells:
                shown = re.search(r"\d[%×]?†‡( \([\dx]+\))?$", cell)
                self.assertEqual(bool(shown), measured, (heading, title, cell))
        self.assertEqual([name for name in TABLES if name not in " ".join(found)], [])

    def test_each_mark_has_its_own_reason(self):
        for spread, share, shown in ((0.2, 1.0, ""), (0.3, 2.0, "†"), (0.1, 0.9, "‡")):
            cells = [
                cell for *_, cells, measured in columns(spread, share) for cell in cells * measured
            ]
            found = {"".join(letter for letter in cell if letter in MARKS) for cell in cells}
            self.assertEqual(found, {shown})


if __name__ == "__main__":
    unittest.main()
