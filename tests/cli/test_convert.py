# SPDX-License-Identifier: Apache-2.0
"""fatvec convert, and matrices of SciPy and PETSc as every subcommand reads them."""

import bz2
import lzma
import os
import struct
import subprocess
import zipfile

from program import PROGRAM, CliTest

ENTRIES = [(0, 1, 2.5), (1, 0, -1.0), (1, 2, 3.0), (3, 2, 0.125)]


def npy(descr, shape, numbers, code):
    """A NumPy array, by the standard library alone."""
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n"
    head = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()
    return head + (
        numbers if code is None else struct.pack(f"{code[0]}{len(numbers)}{code[1:]}", *numbers)
    )


CSR = {
    "indptr": npy("<i4", "(5,)", (0, 1, 3, 3, 4), "<i"),
    "indices": npy("<i4", "(4,)", (1, 0, 2, 2), "<i"),
    "data": npy("<f8", "(4,)", (2.5, -1, 3, 0.125), "<d"),
}


def zstandard(data):
    """A frame of one block that is not compressed; the standard library has no zstd."""
    block = (len(data) << 3 | 1).to_bytes(3, "little")
    return b"\x28\xb5\x2f\xfd\xa0" + len(data).to_bytes(4, "little") + block + data


class Convert(CliTest):
    def npz(self, name, kind, arrays, compression=zipfile.ZIP_DEFLATED, shape=(4, 3)):
        arrays = {
            "format": npy("|S3", "()", kind.encode(), None),
            "shape": npy("<i8", "(2,)", shape, "<q"),
            **arrays,
        }
        with zipfile.ZipFile(self.folder / name, "w", compression) as archive:
            for array, data in arrays.items():
                archive.writestr(f"{array}.npy", data)
        return name

    def csr(self, name, **arguments):
        return self.npz(name, "csr", CSR, **arguments)

    def arrays(self, name):
        return self.json("print", name, "--force")["arrays"]

    def setUp(self):
        super().setUp()
        self.matrix("a.mtx", 4, 3, ENTRIES)
        self.expected = self.arrays("a.mtx")

    def test_formats_lead_to_one_another(self):
        hdf5 = ("h.bsp.h5", "i.npz") if os.environ["FATVEC_HAVE_HDF5"] == "ON" else ()
        for name in ("b.npz", "c.petsc", "d.mtx.gz", "e.npz", "f.mtx", *hdf5):
            told = self.json("convert", "a.mtx", name)
            self.assertEqual((told["rows"], told["cols"], told["nnz"]), (4, 3, 4))
            self.assertEqual(told["output"], name)
            self.assertEqual(self.arrays(name), self.expected)
            self.fatvec("convert", name, "again.mtx")
            self.assertEqual(self.arrays("again.mtx"), self.expected)
        self.fatvec("convert", "a.mtx", "g.petsc", "--petsc-bits", 64)
        self.assertEqual(self.arrays("g.petsc"), self.expected)
        self.assertIn("64-bit", self.json("info", "g.petsc")["source"])

    def test_generated_matrices_are_converted(self):
        self.fatvec("convert", "gen:stencil27:5", "a.npz")
        self.assertEqual(self.arrays("a.npz"), self.arrays("gen:stencil27:5"))

    def test_every_format_of_scipy(self):
        for compression in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
            self.assertEqual(self.arrays(self.csr("b.npz", compression=compression)), self.expected)
            csc = self.npz(
                "c.npz",
                "csc",
                {
                    "indptr": npy(">i8", "(4,)", (0, 1, 2, 4), ">q"),
                    "indices": npy("<u2", "(4,)", (1, 0, 3, 1), "<H"),
                    "data": npy(">f8", "(4,)", (-1, 2.5, 0.125, 3), ">d"),
                },
                compression,
            )
            self.assertEqual(self.arrays(csc), self.expected)
            coo = self.npz(
                "d.npz",
                "coo",
                {
                    "row": npy("<i8", "(4,)", (3, 1, 1, 0), "<q"),
                    "col": npy("<i4", "(4,)", (2, 2, 0, 1), "<i"),
                    "data": npy("<f4", "(4,)", (0.125, 3, -1, 2.5), "<f"),
                },
                compression,
            )
            self.assertEqual(self.arrays(coo), self.expected)
            self.matrix("e.mtx", 2, 4, [(0, 2, 1), (0, 3, 2), (1, 2, 3), (1, 3, 4)])
            bsr = self.npz(
                "e.npz",
                "bsr",
                {
                    "indptr": npy("<i4", "(2,)", (0, 1), "<i"),
                    "indices": npy("<i4", "(1,)", (1,), "<i"),
                    "data": npy("<i8", "(1, 2, 2)", (1, 2, 3, 4), "<q"),
                },
                compression,
                shape=(2, 4),
            )
            self.assertEqual(self.arrays(bsr), self.arrays("e.mtx"))

    def test_builds_without_hdf5_say_so(self):
        if os.environ["FATVEC_HAVE_HDF5"] != "ON":
            self.refuses("built without HDF5", "convert", "a.mtx", "b.bsp.h5")

    def test_text_is_inflated_where_there_is_a_libarchive(self):
        text = (self.folder / "a.mtx").read_bytes()
        packed = {"bz2": bz2.compress(text), "xz": lzma.compress(text), "zst": zstandard(text)}
        for ending, data in packed.items():
            name = f"b.mtx.{ending}"
            (self.folder / name).write_bytes(data)
            if os.environ["FATVEC_HAVE_LIBARCHIVE"] != "ON":
                self.refuses("built without libarchive, which reads that. Unpack", "info", name)
                continue
            self.assertEqual(self.arrays(name), self.expected)
            for end in range(0, len(data), 13):
                (self.folder / "cut").write_bytes(data[:end])
                self.refuses("cut:", "info", "cut")
            (self.folder / name).write_bytes(data + data)  # frames follow one another
            self.assertRegex(self.error("info", name), r"^fatvec: b\.mtx\.\w+:7: .*'%%Matrix")

    def test_duplicates_are_added_and_told(self):
        name = self.npz(
            "b.npz",
            "coo",
            {
                "row": npy("<i4", "(2,)", (1, 1), "<i"),
                "col": npy("<i4", "(2,)", (2, 2), "<i"),
                "data": npy("|b1", "(2,)", b"\x01\x01", None),
            },
        )
        self.assertIn("1 duplicate entries", self.fatvec("info", name).stderr)
        self.assertEqual(self.arrays(name)["values"], [2])

    def test_what_is_not_read_is_refused_with_a_remedy(self):
        cases = {
            "dia": ("dia", {}, r"format 'dia' is not read; there are csr, csc, bsr and coo"),
            "object": (
                "csr",
                {"data": npy("|O", "(4,)", b"\0" * 32, None)},
                r"data\.npy: elements of the type '\\?'\|O\\?'' are not read",
            ),
            "complex": (
                "csr",
                {"data": npy("<c16", "(4,)", b"\0" * 64, None)},
                r"the matrix is complex \(SciPy csr, complex128\)",
            ),
            "short": (
                "csr",
                {"data": npy("<f8", "(3,)", (1, 2, 3), "<d")},
                r"indices\.npy has 4 elements, and 3 are wanted",
            ),
            "order": (
                "csr",
                {"indptr": npy("<i4", "(5,)", (0, 3, 1, 3, 4), "<i")},
                r"indptr\.npy: element 2 is less than the one before",
            ),
            "column": (
                "csr",
                {"indices": npy("<i4", "(4,)", (1, 0, 3, 2), "<i")},
                r"indices\.npy: element 2 must be at least 0 and less than 3",
            ),
            "missing": ("coo", {}, r"has no array 'row'"),
        }
        for name, (kind, arrays, wanted) in cases.items():
            for compression in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
                self.npz(f"{name}.npz", kind, {**CSR, **arrays}, compression)
                self.assertRegex(self.error("info", f"{name}.npz"), rf"{name}\.npz: .*{wanted}")

    def test_damaged_archives_are_refused(self):
        whole = (self.folder / self.csr("b.npz")).read_bytes()
        for at in range(0, len(whole), 61):
            (self.folder / "cut.npz").write_bytes(whole[: max(at, 8)])
            self.refuses("cut.npz: ", "info", "cut.npz")

    def test_pipes_take_text_only(self):
        data = (self.folder / self.csr("b.npz")).read_bytes()
        self.refuses("not from pipes: name the file itself", "info", "-", stdin=data)
        told = self.error("multiply", "a.mtx", "--x", "b.npz")
        self.assertIn("it is a zip archive (.npz), and text is wanted here, or for X", told)
        with open(self.folder / "b.npz", "rb") as file:
            done = subprocess.run(
                [PROGRAM, "info", "-"], stdin=file, capture_output=True, cwd=self.folder
            )
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_dense_operands_are_arrays_of_numpy(self):
        rows = (1, 10, 2, 20, 3, 30)
        self.dense("x.mtx", [[1, 2, 3], [10, 20, 30]])
        self.fatvec("multiply", "a.mtx", "--x", "x.mtx", "-o", "y.mtx", "--verify")
        arrays = {
            "c": npy("<f8", "(3, 2)", rows, "<d"),
            "s": npy(">i2", "(3, 2)", rows, ">h"),
            "f": npy("<f4", "(3, 2)", (1, 2, 3, 10, 20, 30), "<f").replace(b"False", b"True "),
        }
        for name, data in arrays.items():
            (self.folder / f"{name}.npy").write_bytes(data)
            told = ("--x", f"{name}.npy", "--expect", "y.mtx", "-o", "y.npy", "--verify")
            self.fatvec("multiply", "a.mtx", *told)
            written = (self.folder / "y.npy").read_bytes()
            self.assertEqual(
                written[-64:], struct.pack("<8d", 5, 50, 8, 80, 0, 0, 0.375, 3.75), written
            )
            self.fatvec("multiply", "a.mtx", "--x", f"{name}.npy", "--expect", "y.npy")
        for end in range(8, len(arrays["c"]), 11):
            (self.folder / "cut.npy").write_bytes(arrays["c"][:end])
            self.refuses("cut.npy: ", "multiply", "a.mtx", "--x", "cut.npy")
        (self.folder / "d.npy").write_bytes(npy("<f8", "(1, 3, 2)", rows, "<d"))
        self.refuses("3 dimensions", "multiply", "a.mtx", "--x", "d.npy")
        (self.folder / "e.npy").write_bytes(npy("<f8", "(2, 3)", rows, "<d"))
        self.refuses(
            "e.npy: --x holds a 2 x 3 multivector; this product wants 3 x k",
            *("multiply", "a.mtx", "--x", "e.npy"),
        )
        self.refuses("no sparse matrix", "info", "c.npy")

    def test_unknown_endings_are_refused_before_any_work(self):
        self.assertRegex(
            self.error("convert", "none.mtx", "b.dat"),
            r"b\.dat: the name's ending says which format to write: \.mtx, \.mtx\.gz .*\.npz",
        )

    def test_bits_are_for_petsc(self):
        told = self.error("convert", "a.mtx", "b.npz", "--petsc-bits", 64)
        self.assertIn("--petsc-bits is for .petsc files", told)

    def test_failures_leave_an_old_file(self):
        old = self.write("b.npz", "old")
        self.write("bad.mtx", "nothing")
        self.error("convert", "bad.mtx", "b.npz")
        self.assertEqual(old.read_text(), "old")
        self.assertEqual(
            sorted(p.name for p in self.folder.iterdir()), ["a.mtx", "b.npz", "bad.mtx"]
        )

    def test_written_archives_are_whole(self):
        self.fatvec("convert", "a.mtx", "b.npz")
        with zipfile.ZipFile(self.folder / "b.npz") as archive:
            self.assertIsNone(archive.testzip())
            self.assertEqual(
                archive.namelist(),
                ["indices.npy", "indptr.npy", "format.npy", "shape.npy", "data.npy"],
            )

    def test_written_files_of_petsc_are_those_of_its_documentation(self):
        self.fatvec("convert", "a.mtx", "b.petsc")
        self.assertEqual(
            (self.folder / "b.petsc").read_bytes(),
            struct.pack(">4i", 1211216, 4, 3, 4)
            + struct.pack(">4i", 1, 2, 0, 1)
            + struct.pack(">4i", 1, 0, 2, 2)
            + struct.pack(">4d", 2.5, -1, 3, 0.125),
        )
