# SPDX-License-Identifier: Apache-2.0
"""What pip does: a source archive of this tree, a wheel of that, an installation, a product.

install_from_sdist.py FOLDER_OF_DEPENDENCIES      FATVEC_DEPS of scripts/bootstrap

Wants scikit-build-core and nanobind beside this Python, and a compiler; no network. Compiles the
portable kernels of float64 alone, without optimisation: they have the same path to the wheel.
"""

import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
QUICK = {
    "FATVEC_INSTANTIATE": "double:32",
    "FATVEC_SPECIALISED": "OFF",
    "CMAKE_CXX_FLAGS_RELEASE": "-O0",
}
PRODUCT = """
import importlib.metadata, pathlib, sys
import numpy as np
import fatvec

folder = pathlib.Path(fatvec.__file__).parent
assert folder.parent == pathlib.Path(sys.argv[1]), folder
assert (folder / "py.typed").exists() and "class Matrix" in (folder / "_core.pyi").read_text()
assert importlib.metadata.version("fatvec") == fatvec.__version__
A = fatvec.csr(np.array([0, 1, 3]), np.array([2, 0, 1]), np.array([2.0, 3.0, 4.0]), (2, 3))
X = np.arange(6.0).reshape(3, 2)
for made in (A, *(fatvec.plan(A, 2, name) for name in fatvec.formats())):
    np.testing.assert_array_equal(made @ X, [[8, 10], [8, 15]])
print("installed:", fatvec.__version__, fatvec.formats())
"""


def call(*command: object, cwd: pathlib.Path, **environment: str) -> None:
    """Runs a program without this tree's package in sight."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([*map(str, command)], check=True, cwd=cwd, env={**inherited, **environment})


def check_archive(archive: pathlib.Path) -> None:
    """What is ignored or built stays out of it; what pip needs is checked by the wheel."""
    with tarfile.open(archive) as files:
        names = {name.partition("/")[2] for name in files.getnames()}
    strange = [n for n in names if n.split("/")[0] in (".deps", ".venv", ".git", "build", "tests")]
    assert not strange, strange
    assert {"LICENSE", "PKG-INFO", "README.md", "docs/python.md"} <= names


def main(dependencies: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        sdist = f"import scikit_build_core.build as build; build.build_sdist({name!r})"
        call(sys.executable, "-c", sdist, cwd=ROOT)
        (archive,) = folder.glob("fatvec-*.tar.gz")
        check_archive(archive)
        settings = [f"--config-settings=cmake.define.{key}={value}" for key, value in QUICK.items()]
        pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
        alone = ("--no-deps", "--no-index")
        wheel = ("wheel", *alone, "--no-build-isolation", "-w", folder, *settings, archive)
        call(*pip, *wheel, cwd=folder, FATVEC_DEPS=dependencies)
        (made,) = folder.glob("*.whl")
        call(*pip, "install", *alone, "--target", folder / "site", made, cwd=folder)
        call(
            sys.executable,
            "-c",
            PRODUCT,
            folder / "site",
            cwd=folder,
            PYTHONPATH=str(folder / "site"),
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
