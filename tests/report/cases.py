# SPDX-License-Identifier: Apache-2.0
"""Results small enough to do their arithmetic by hand. Imported before fatvec_report, which it
finds; where its packages are missing the test is skipped."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest
import unittest.mock
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "scripts" / "fatvec_docs")]
try:
    import jinja2  # noqa: F401
    import matplotlib.pyplot as plt
    from fatvec_report import __main__ as program, style
    from fatvec_report.load import load
    from fatvec_report.views import views
except ImportError as error:
    print(f"skipped: {error}; scripts/report --prepare installs what is missing")
    sys.exit(77)

FATVEC = "fatvec/backend:openmp/format:csr/kernel:csr-row"
PORTABLE = "fatvec-portable/backend:openmp/format:csr/kernel:csr-portable"
OPENMP = "raw-openmp/backend:openmp/format:csr/schedule:dynamic/chunk:"
SERIAL = "raw-serial/backend:serial/format:csr"
NAMES = {
    "fatvec": FATVEC,
    "team": FATVEC.replace("row", "team"),
    "hll": FATVEC.replace("csr", "hll"),
    "portable": PORTABLE,
    "portable-range": PORTABLE + "/policy:range",
    "portable-hll": PORTABLE.replace("csr", "hll"),
    "mkl": "mkl/backend:openmp/format:csr",
    "kk": "kokkoskernels/backend:openmp/format:csr",
    "cusparse": "cusparse/backend:openmp/format:csr/algorithm:alg2",
    "serial": SERIAL,
    "raw": OPENMP + "2",
    "raw64": OPENMP + "64",
    "raw-hll": "raw-openmp/backend:openmp/format:hll/schedule:guided",
}


def case(
    contender, seconds, matrix="m", k=1, layout="row", bound=0.5, setup=0.0, verified=1.0, reason=""
):
    """contender: 'fatvec/backend:openmp/format:csr/kernel:csr-row'. nnz is 1e9, so that GFLOPS = 2
    k / seconds."""
    name = f"matrix:{matrix}/contender:{contender}/layout:{layout}/k:{k}"
    common = {"name": name, "run_name": name, "run_type": "iteration", "repetitions": 1}
    common |= {"real_time": seconds, "time_unit": "s"}
    if reason:
        return {**common, "error_occurred": True, "error_message": reason}
    counters = {"GFLOPS": 2 * k / seconds, "bytes": 12e9, "bound_fraction": bound, "spread": 0.01}
    counters |= {"verified": verified, "setup_seconds": setup}
    return {**common, **counters, "nnz": 1e9, "stored_entries": 1e9}


def cases(text, gpu=False, **more):
    """'fatvec 4 n k=8 | mkl 2': names of NAMES, seconds, a matrix, arguments of case() or counters;
    the seconds may be 'skipped' or 'wrong'. `more`: for every one of them."""
    found = []
    for part in text.split("|"):
        name, seconds, *rest = part.split()
        known = dict(item.split("=") for item in rest if "=" in item)
        known = {key: value if key == "layout" else float(value) for key, value in known.items()}
        known = {**more, **known, "k": int(known.get("k", more.get("k", 1)))}
        matrix = next((item for item in rest if "=" not in item), known.pop("matrix", "m"))
        taken = {key: known.pop(key) for key in [*known] if key in case.__code__.co_varnames}
        if seconds in ("skipped", "wrong"):
            taken |= {"reason": "skipped: no"} if seconds == "skipped" else {"verified": 0.0}
            seconds = 0.001
        entry = case(NAMES.get(name, name), float(seconds), matrix, **taken) | known
        if gpu:
            entry["name"] = entry["run_name"] = entry["name"].replace("openmp", "cuda")
        found.append(entry)
    return found


def made(*files):
    """Runs of (context, cases) pairs."""
    with tempfile.TemporaryDirectory() as folder:
        runs = []
        for position, (context, entries) in enumerate(files):
            path = pathlib.Path(folder) / f"run-{position}.json"
            path.write_text(json.dumps({"context": context, "benchmarks": entries}))
            runs.append(load(path))
        return runs


def seen(entries, **context):
    """The view of one file."""
    (view,) = views(made(({"cpu": "c", "gpu": "c", **context}, entries)))
    return view


def draw_once(pictures, progress):
    """In place of the program's own, which draws twice and takes most of its time: the files are
    empty. test_pictures.py and test_browser.py look at pictures."""
    for picture in pictures:
        progress.step(f"drawing {picture.name}")
        with plt.rc_context(style.NARROW), warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # as the program's own does
            plt.close(picture.draw())
        picture.drawn = dict.fromkeys(("svg", "png", "narrow"), b"")


class ReportTest(unittest.TestCase):
    """The program, in this process, since a new one would first read pandas and matplotlib."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, document, name="odd.json"):
        path = self.folder / name
        path.write_text(json.dumps(document))
        return path

    def report(self, *paths, status=0, err=None, draw_all=draw_once):
        """What it says on its standard output and error."""
        out, err = io.StringIO(), err or io.StringIO()
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            unittest.mock.patch.object(program, "draw_all", draw_all),
            warnings.catch_warnings(),
        ):
            found = program.main([*map(str, paths), "-o", str(self.folder / "out")])
        self.assertEqual(found, status, err.getvalue())
        return out.getvalue(), err.getvalue()

    def text(self, name="report.md"):
        return (self.folder / "out" / name).read_text()
