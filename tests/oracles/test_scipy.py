# SPDX-License-Identifier: Apache-2.0
"""fatvec's reader, writer and products against SciPy's, on made-up files of every kind, with a
fixed seed, and on those of tests/data. Skipped without scipy."""

import gzip
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy
    import scipy.io
    import scipy.sparse
except ImportError:
    print("skipped: no scipy; scripts/setup --dev puts it into .venv")
    sys.exit(77)

FATVEC = os.environ["FATVEC_PROGRAM"]
DATA = pathlib.Path(os.environ["FATVEC_TEST_DATA"])
FILES = 60


def number(draw, field):
    if field == "integer":
        return str(draw.randint(-99, 99))
    # A leading '+', which fatvec takes, is nothing that SciPy reads.
    return draw.choice(["{:.3f}", "{:.17g}", "{:e}", "{:.1f}"]).format(
        draw.uniform(-9, 9) * 10.0 ** draw.randint(-9, 9)
    )


def coordinate_file(draw):
    """Any field and symmetry that real scalars can hold, with comments, blank lines, both line
    ends; no duplicates."""
    field = draw.choice(["real", "integer", "pattern"])
    symmetry = draw.choice(["general", "symmetric"] + ["skew-symmetric"] * (field != "pattern"))
    rows = draw.randint(1, 40)
    cols = rows if symmetry != "general" else draw.randint(1, 40)
    lower = draw.random() < 0.5
    places = [
        (i, j)
        for i in range(1, rows + 1)
        for j in range(1, cols + 1)
        if symmetry == "general"
        or (i > j) == lower
        and i != j
        or (i == j and symmetry == "symmetric")
    ]
    chosen = draw.sample(places, draw.randint(0, len(places)))
    end = draw.choice(["\n", "\r\n"])
    lines = [
        f"%%MatrixMarket matrix coordinate {field} {symmetry}",
        "% a comment",
        f"{rows} {cols} {len(chosen)}",
    ]
    for i, j in chosen:
        lines.append(
            f"{i} {j}"
            if field == "pattern"
            else f"{i}{draw.choice([' ', '  '])}{j} {number(draw, field)}"
        )
    return end.join(lines) + draw.choice([end, ""])


class AgainstScipy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def fatvec(self, *arguments):
        done = subprocess.run(
            [FATVEC, *map(str, arguments)], capture_output=True, text=True, timeout=120
        )
        self.assertEqual(done.returncode, 0, f"{arguments}\n{done.stderr}")

    def compare(self, path, k, kernel):
        """A times X by fatvec; X from SciPy's writer, Y through SciPy's reader."""
        a = scipy.sparse.csr_matrix(scipy.io.mmread(path))
        x = numpy.random.default_rng(k).uniform(-1, 1, (a.shape[1], k))
        scipy.io.mmwrite(self.folder / "x.mtx", x, precision=17)
        self.fatvec(
            *("multiply", path, "--x", self.folder / "x.mtx", "--kernel", kernel),
            *("--output", self.folder / "y.mtx", "--repeat", 1),
        )
        y = scipy.io.mmread(self.folder / "y.mtx")
        self.assertEqual(y.shape, (a.shape[0], k))
        longest = int(a.getnnz(axis=1).max(initial=0))
        allowed = 8 * numpy.finfo(float).eps * (longest + 4) * (abs(a) @ abs(x))
        self.assertTrue((abs(y - a @ x) <= allowed).all(), path)

    def test_made_up_files(self):
        draw = random.Random(20261126)
        kernels = [
            "csr-row",
            "hll-row",
            "sell-row",
            "bsr-row",
            "jad-row",
            "csr-portable",
            "ellpack-row",
        ]
        for n in range(FILES):
            text = coordinate_file(draw).encode()
            path = self.folder / f"{n}.mtx"
            path.write_bytes(text)
            if n % 3 == 0:  # SciPy tells compressed files by their names
                path = self.folder / f"{n}.mtx.gz"
                path.write_bytes(gzip.compress(text))
            with self.subTest(file=n, text=text):
                self.compare(path, draw.choice([1, 2, 5, 9]), kernels[n % len(kernels)])

    def test_matrices_of_the_tree(self):
        for path in sorted(DATA.glob("*.mtx.gz")):
            if scipy.io.mminfo(path)[4] != "complex":
                with self.subTest(path=path.name):
                    self.compare(path, 3, "csr-row")

    def test_files_of_scipy_are_read_to_the_bit(self):
        """SciPy writes, fatvec reads and multiplies by the identity."""
        for seed in range(5):
            a = scipy.sparse.random(30, 20, 0.2, random_state=seed, format="coo")
            scipy.io.mmwrite(self.folder / "a.mtx", a, precision=17)
            scipy.io.mmwrite(self.folder / "x.mtx", numpy.eye(20), precision=17)
            self.fatvec(
                *("multiply", self.folder / "a.mtx", "--x", self.folder / "x.mtx"),
                *("--output", self.folder / "y.mtx", "--repeat", 1),
            )
            self.assertTrue((scipy.io.mmread(self.folder / "y.mtx") == a.toarray()).all())

    def test_archives_of_scipy_lead_to_the_same_matrix(self):
        """scipy.sparse.save_npz, of every format that is read, and back by load_npz."""
        types = ["float64", "float32", "int64", "int8", "uint16", "bool"]
        for seed, (kind, dtype) in enumerate(
            (kind, dtype) for kind in ("csr", "csc", "coo", "bsr") for dtype in types
        ):
            a = scipy.sparse.random(30, 20, 0.2, random_state=seed, format="csr")
            a.data = (100 * a.data).astype(dtype)
            stored = a.tobsr((5, 4)) if kind == "bsr" else a.asformat(kind)
            if seed % 2:
                stored = getattr(scipy.sparse, f"{kind}_array")(stored)
            with self.subTest(kind=kind, dtype=dtype):
                scipy.sparse.save_npz(self.folder / "a.npz", stored, compressed=seed % 3 > 0)
                self.fatvec("convert", self.folder / "a.npz", self.folder / "b.npz")
                b = scipy.sparse.load_npz(self.folder / "b.npz")
                b.check_format()
                self.assertTrue((b.toarray() == stored.toarray().astype(float)).all())

    def test_generated_matrices_are_read_by_scipy(self):
        for kind in "stencil7:5:dof=2", "powerlaw:200:4", "banded:50:3", "arrow:30":
            self.fatvec("generate", kind, "--output", self.folder / "g.mtx")
            a = scipy.sparse.csr_matrix(scipy.io.mmread(self.folder / "g.mtx"))
            with self.subTest(kind=kind):
                self.compare(self.folder / "g.mtx", 2, "csr-row")
                self.assertGreater(a.nnz, 0)


if __name__ == "__main__":
    unittest.main()
