# SPDX-License-Identifier: Apache-2.0
"""One report of everything: three numbers of threads, a GPU, ranks, sweeps, twins, failures."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import synthetic
from cases import ROOT


def of_a_module():
    """The folder of a report, which goes when the tests of the module are done, and its page."""
    store = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(store.cleanup)
    folder = pathlib.Path(store.name)
    return folder, report(folder)


def report(folder):
    """Writes results into `folder` and their report into `folder`/out. Returns its page."""
    names = ["gen:twin:cant", "gen:twin:dc1"]
    for count in (1, 2, 4):
        (folder / f"cpu-{count}.json").write_text(
            json.dumps(synthetic.cpu(names, (1, 4), threads=count))
        )
    (folder / "gpu.json").write_text(json.dumps(synthetic.gpu(names, (1, 4))))
    (folder / "weak.json").write_text(json.dumps(synthetic.ranks("weak")))
    (folder / "balayre_cuda_gflops.csv").write_text("matrix,crs,ellpack\ncant,99.3766,110.127\n")
    return write(folder, *folder.glob("*.json"), "--published", folder)


def write(folder, *arguments):
    """Writes the report of results into `folder`/out. Returns its page."""
    command = [sys.executable, "-m", "fatvec_report", *arguments, "-o", folder / "out"]
    done = subprocess.run(command, cwd=ROOT / "scripts", text=True, capture_output=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return (folder / "out" / "report.html").read_text()
