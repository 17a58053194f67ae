# SPDX-License-Identifier: Apache-2.0
"""What CMake makes of kernels/registry.cmake, on lists and pages of the test's own. Standard
library only; run with CMake's path as argument."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CMAKE = sys.argv.pop(1) if len(sys.argv) > 1 else "cmake"
BAND = "FATVEC_EXTERN(FATVEC_LAUNCH, BandRow)\nFATVEC_EXTERN(FATVEC_LAUNCH, BandPortable)\n"


class RegisterFormats(unittest.TestCase):
    def register(self, formats, **pages):
        """CMake's result for this list, the header that it wrote, and the units that it says."""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "kernels").mkdir()
            (folder / "kernels" / "registry.cmake").write_text(formats)
            for name, text in pages.items():
                (folder / "kernels" / f"{name}.hpp").write_text(text)
            script = folder / "run.cmake"
            script.write_text(
                "cmake_minimum_required(VERSION 3.22)\n"
                f'set(PROJECT_SOURCE_DIR "{folder}")\nset(FATVEC_INCLUDE_DIR "{folder}")\n'
                f'include("{ROOT}/cmake/register_formats.cmake")\n'
                'foreach(unit IN LISTS FATVEC_UNITS)\nmessage("${unit}")\nendforeach()\n'
            )
            done = subprocess.run([CMAKE, "-P", script], capture_output=True, text=True, timeout=60)
            header = folder / "fatvec" / "registered_formats.hpp"
            said = " ".join(done.stderr.split())
            return done.returncode, header.read_text() if header.exists() else "", said

    def refuses(self, sentence, formats, **pages):
        status, header, said = self.register(formats, **pages)
        self.assertNotEqual(status, 0)
        self.assertEqual(header, "")
        self.assertIn(sentence, said)

    def test_one_line_registers_and_compiles_a_format(self):
        status, header, units = self.register("fatvec_format(band BandRow BandPortable)", band=BAND)
        self.assertEqual(status, 0, units)
        self.assertEqual(
            units, "BandRow|plan/convert.hpp|LAUNCH:BandRow|LAUNCH:BandPortable|CONVERT:BandRow"
        )
        self.assertIn("#include <fatvec/kernels/band.hpp>\n", header)
        self.assertEqual(
            header.split("KERNELS")[1].split("///")[0].split(),
            ["\\", "BandRow,", "\\", "BandPortable"],
        )
        self.assertIn("DO(FATVEC_CONVERT, BandRow)", header)

    def test_kernels_for_plans_come_before_others(self):
        status, header, said = self.register(
            "fatvec_format(band BandRow BandPortable)\nfatvec_format(band OtherRow)",
            band=BAND + "FATVEC_EXTERN(FATVEC_LAUNCH, OtherRow)\n",
        )
        self.assertEqual(status, 0, said)
        self.assertLess(header.index("OtherRow"), header.index("BandPortable"))
        self.assertEqual(header.count("#include"), 1)

    def test_layouts_and_parts_are_compiled(self):
        status, header, units = self.register(
            "fatvec_format(band BandRow LAYOUTS LayoutLeft LayoutRight PARTS BandRow::Wide<2>)",
            band=BAND + "FATVEC_EXTERN(FATVEC_LAUNCH, BandRow::Wide<2>)\n",
        )
        self.assertEqual(status, 0, units)
        self.assertIn("|CONVERT_TO:BandRow, LayoutLeft|CONVERT_TO:BandRow, LayoutRight", units)
        self.assertIn("BandRow__Wide_2_|kernels/band.hpp|LAUNCH:BandRow::Wide<2>", units)
        self.assertIn("DO(FATVEC_CONVERT_TO, BandRow, LayoutRight)", header)
        self.assertNotIn("Wide", header)

    def test_a_forgotten_extern_is_refused(self):
        line = "FATVEC_EXTERN(FATVEC_LAUNCH, BandPortable)"
        self.refuses(
            f"names BandPortable, but kernels/band.hpp lacks the line '{line}'",
            "fatvec_format(band BandRow BandPortable)",
            band=BAND.replace(line, ""),
        )
        self.refuses(
            "names BandRow::Wide<2>, but kernels/band.hpp lacks",
            "fatvec_format(band BandRow PARTS BandRow::Wide<2>)",
            band=BAND,
        )

    def test_other_mistakes_in_the_list_are_refused(self):
        self.refuses("there is no kernels/bond.hpp", "fatvec_format(bond BandRow)", band=BAND)
        self.refuses(
            "names BandRow twice",
            "fatvec_format(band BandRow)\nfatvec_format(band BandPortable BandRow)",
            band=BAND,
        )
        for line in "BandPortable BandRow BandRow", "BandPortable BandRow PARTS BandRow":
            self.refuses("names BandRow twice", f"fatvec_format(band {line})", band=BAND)


if __name__ == "__main__":
    unittest.main()
