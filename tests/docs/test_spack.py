# SPDX-License-Identifier: Apache-2.0
"""The Spack recipe fits the build: run with a stub in Spack's place, its options are CMake's, its
versions and dependencies those of CMakeLists.txt, and CMake configures with what it passes.
test_spack.py CMAKE CXX KOKKOS_DIR"""

import pathlib
import re
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CMAKE, COMPILER, KOKKOS = sys.argv[1:4]
# What cmake/dependencies.cmake requires, by Spack's names; MMIO has none.
PACKAGES = {
    "Kokkos": "kokkos",
    "KokkosKernels": "kokkos-kernels",
    "ZLIB": "zlib-api",
    "LibArchive": "libarchive",
    "SerialHDF5": "hdf5",
    "fmt": "fmt",
    "CLI11": "cli11",
    "nlohmann_json": "nlohmann-json",
    "benchmark": "benchmark",
    "GTest": "googletest",
    "MPI": "mpi",
    "METIS": "metis",
}
AROUND = {
    "kokkos": (),
    "libarchive": ("+tools+libarchive",),
    "hdf5": ("+tools+hdf5",),
    "mpi": ("+mpi",),
    "metis": ("+metis",),
}  # of all others the tools


class Recorder:
    """Stands in for spack.package: directives are noted, with the `when` around them."""

    def __init__(self):
        self.calls, self.around = [], []

    def directive(self, name):
        return lambda *args, **kwargs: self.calls.append(
            (name, args, {"around": tuple(self.around), **kwargs})
        )

    def when(self, condition):
        recorder = self

        class When:
            def __enter__(self):
                recorder.around.append(condition)

            def __exit__(self, *_):
                recorder.around.pop()

        return When()


class Package:
    """What the recipe uses of Spack's CMakePackage."""

    cuda_arch_values = ("80", "90")

    @staticmethod
    def define(name, value):
        return f"-D{name}={('ON' if value else 'OFF') if isinstance(value, bool) else value}"

    def define_from_variant(self, name, variant):
        assert variant in self.variants, f"no variant {variant}"
        return self.define(name, self.spec.satisfies(f"+{variant}"))


class Spec(dict):
    def __init__(self, text, instantiate):
        super().__init__(kokkos=types.SimpleNamespace(prefix=KOKKOS))
        self.text = text
        self.variants = {"instantiate": types.SimpleNamespace(value=tuple(instantiate.split(",")))}

    def satisfies(self, variant):
        return variant in self.text


def load(recorder):
    stub = types.ModuleType("spack.package")
    for name in ("license", "version", "variant", "depends_on", "conflicts"):
        setattr(stub, name, recorder.directive(name))
    stub.when = recorder.when
    stub.CMakePackage, stub.CudaPackage = (
        Package,
        type("CudaPackage", (), {"cuda_arch_values": Package.cuda_arch_values}),
    )
    sys.modules.update({"spack": types.ModuleType("spack"), "spack.package": stub})
    scope = {"__name__": "package"}
    path = ROOT / "packaging/spack/packages/fatvec/package.py"
    exec(compile(path.read_text(), str(path), "exec"), scope)
    return scope["Fatvec"]


class Recipe(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.recorder = Recorder()
        cls.recipe = load(cls.recorder)
        cls.lists = (ROOT / "CMakeLists.txt").read_text()
        cls.kernels = (ROOT / "cmake/kernels.cmake").read_text()

    def named(self, directive):
        return {args[0]: kwargs for name, args, kwargs in self.recorder.calls if name == directive}

    def arguments(self, spec, run_tests=False):
        recipe = self.recipe()
        default = self.named("variant")["instantiate"]["default"]
        recipe.spec, recipe.run_tests, recipe.variants = (
            Spec(spec, default),
            run_tests,
            [*self.named("variant"), "cuda"],
        )
        recipe.__class__.__getitem__ = lambda *_: types.SimpleNamespace(kokkos_cxx=COMPILER)
        return recipe.cmake_args()

    def test_version(self):
        self.assertIn(
            re.search(r"project\(fatvec VERSION (\S+)", self.lists)[1], self.named("version")
        )

    def test_options_exist(self):
        known = set(re.findall(r"(?:option|set)\((FATVEC_\w+)", self.lists + self.kernels))
        known |= {"Kokkos_ROOT", "CMAKE_CXX_COMPILER", "BUILD_SHARED_LIBS"}
        for spec in (
            "+openmp~tools~kernels",
            "~openmp+tools+kernels",
            "+openmp+tools+cuda+kernels+shared",
        ):
            for argument in self.arguments(spec, run_tests=True):
                name = re.match(r"-D(\w+)=", argument)[1]
                self.assertIn(name, known)

    def test_backends(self):
        for spec, backends in {
            "+openmp": "OPENMP",
            "~openmp": "SERIAL",
            "+openmp+cuda": "OPENMP;CUDA",
        }.items():
            self.assertIn(f"-DFATVEC_BACKENDS={backends}", self.arguments(spec))

    def test_instances(self):
        """By default those of CMake; without the library none are named."""
        default = re.search(r'set\(types "([^"]+)"', self.kernels)[1]
        self.assertIn(f"-DFATVEC_INSTANTIATE={default}", self.arguments("+kernels"))
        variant = self.named("variant")["instantiate"]
        self.assertEqual(tuple(variant["default"].split(",")), variant["values"])
        self.assertFalse(
            [a for a in self.arguments("~kernels") if "INSTANTIATE" in a or "SHARED" in a]
        )

    def test_tests_only_with_the_tools(self):
        for spec, tests, value in (
            ("+tools", True, "ON"),
            ("+tools", False, "OFF"),
            ("~tools", True, "OFF"),
        ):
            self.assertIn(f"-DFATVEC_ENABLE_TESTS={value}", self.arguments(spec, tests))

    def test_dependencies(self):
        """All that CMake requires, and with the tools only what it does not require without."""
        text = (ROOT / "cmake/dependencies.cmake").read_text()
        required = set(re.findall(r'^\s*fatvec_(?:require|missing)\("?(\w+)', text, re.MULTILINE))
        required -= {"MMIO", "Python"}  # of the tree; the package for Python comes by pip
        required -= {"cuBLAS"}  # of the CUDA toolkit, which comes with Kokkos
        self.assertEqual(required, set(PACKAGES))
        wanted = {
            name.split("@")[0]: kwargs
            for name, kwargs in self.named("depends_on").items()
            if " " not in name
        }
        for package in PACKAGES.values():
            self.assertIn(package, wanted)
            self.assertEqual(wanted[package]["around"], AROUND.get(package, ("+tools",)), package)

    def test_versions_of_kokkos_and_cmake(self):
        text = (ROOT / "cmake/dependencies.cmake").read_text()
        least, below = re.search(r"(\d+\.\d+)\.\.\.<(\d+) CONFIG", text).groups()
        self.assertIn(f"kokkos@{least}:{int(below) - 1}", self.named("depends_on"))
        self.assertIn(
            f"cmake@{re.search(r'VERSION ([0-9.]+)', self.lists)[1]}:", self.named("depends_on")
        )

    def test_cmake_configures(self):
        for spec in ("~openmp~tools~kernels", "~openmp~tools+kernels+shared"):
            with self.subTest(spec=spec), tempfile.TemporaryDirectory() as folder:
                arguments = [
                    a for a in self.arguments(spec) if "BACKENDS" not in a
                ]  # this Kokkos has what it has
                done = subprocess.run(
                    [
                        CMAKE,
                        "-S",
                        ROOT,
                        "-B",
                        folder,
                        f"-DCMAKE_CXX_COMPILER={COMPILER}",
                        *arguments,
                    ],
                    capture_output=True,
                    text=True,
                )
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotIn("not used by the project", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
