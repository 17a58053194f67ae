# SPDX-License-Identifier: Apache-2.0
"""The conda recipe fits the build: its version, its range of Kokkos and its options are CMake's,
and CMake configures with them. test_conda.py CMAKE CXX KOKKOS_DIR"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CMAKE, COMPILER, KOKKOS = sys.argv[1:4]
RECIPE = (ROOT / "packaging" / "conda" / "recipe.yaml").read_text()
OPTIONS = re.findall(r"-D(\w+)=(\S+)", RECIPE)


class Recipe(unittest.TestCase):
    def test_version(self):
        lists = (ROOT / "CMakeLists.txt").read_text()
        version = re.search(r"project\(fatvec VERSION (\S+)", lists)[1]
        self.assertIn(f'version: "{version}"', RECIPE)

    def test_versions_of_kokkos(self):
        text = (ROOT / "cmake/dependencies.cmake").read_text()
        least, below = re.search(r"(\d+\.\d+)\.\.\.<(\d+) CONFIG", text).groups()
        self.assertEqual(RECIPE.count(f"- kokkos >={least},<{below}\n"), 2)  # to build, to run

    def test_cmake_configures(self):
        self.assertGreater(len(OPTIONS), 5)
        # this Kokkos has what it has
        options = [f"-D{name}={value}" for name, value in OPTIONS if name != "FATVEC_BACKENDS"]
        options += [f"-DCMAKE_CXX_COMPILER={COMPILER}", f"-DKokkos_ROOT={KOKKOS}"]
        with tempfile.TemporaryDirectory() as folder:
            command = [CMAKE, "-S", ROOT, "-B", folder, *options]
            done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("not used by the project", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
