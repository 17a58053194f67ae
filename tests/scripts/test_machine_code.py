# SPDX-License-Identifier: Apache-2.0
"""scripts/machine-code finds loops in objdump's listing and kernels in cuobjdump's.

Stand-ins print both listings."""

import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "machine-code"

OBJDUMP = """
0000000000000000 <fatvec::detail::inner(double const*)>:
   0:\txor    %ecx,%ecx
   2:\tvbroadcastsd (%rdi,%rcx,8),%zmm0
   8:\tvfmadd231pd (%rsi),%zmm0,%zmm1
   e:\tprefetcht0 0x400(%rsi)
  14:\tvmovupd %zmm1,(%rdx){%k1}
  18:\tjne    2 <fatvec::detail::inner(double const*)+0x2>
  1a:\tjmp    0 <fatvec::detail::inner(double const*)>
0000000000000020 <copies(double*)>:
  20:\tvmovsd (%rdi),%xmm0
  24:\tjne    20 <copies(double*)>
"""
CUOBJDUMP = """
 Function _ZN6fatvec1fEv:
  REG:40 STACK:16 SHARED:1024 LOCAL:0 CONSTANT[0]:696
 Function _ZN6Kokkos4Impl6launchINS0_11ParallelForINS_1KENS_11RangePolicyIiEEEEEEvv:
  REG:32 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:696
"""


class MachineCode(unittest.TestCase):
    def run_script(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            for tool, text in (("objdump", OBJDUMP), ("cuobjdump", CUOBJDUMP)):
                stand_in = pathlib.Path(folder) / tool
                stand_in.write_text(
                    f"#!/bin/sh\\ncat <<'END'\\n{text}\\nEND\\n".replace("\\n", "\n")
                )
                stand_in.chmod(stand_in.stat().st_mode | stat.S_IXUSR)
            path = f"{folder}{os.pathsep}{os.environ['PATH']}"
            return subprocess.run(
                [sys.executable, "-B", SCRIPT, *arguments],
                env={**os.environ, "PATH": path},
                capture_output=True,
                text=True,
            )

    def test_counts_the_innermost_loop_that_multiplies(self):
        done = self.run_script("loops", "some.o", "--show")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = done.stdout.splitlines()
        self.assertEqual(rows[2], "| inner(double const*) | 5 | 1 | 2 | 1 | 1 | zmm |")
        self.assertEqual(rows[3:6], ["", "```text", "vbroadcastsd   (%rdi,%rcx,8),%zmm0"])

    def test_leaves_out_other_functions(self):
        self.assertEqual(
            len(self.run_script("loops", "some.o", "--function", "outer").stdout.splitlines()), 2
        )

    def test_lists_the_registers_of_kernels(self):
        done = self.run_script("registers", "some.o")
        self.assertEqual(
            done.stdout.splitlines()[2:],
            ["| K, RangePolicy | 32 | 0 | 0 |", "| fatvec::f() | 40 | 16 | 1024 |"],
        )

    def test_says_which_arguments_it_wants(self):
        self.assertEqual(self.run_script("registers").returncode, 2)


if __name__ == "__main__":
    unittest.main()
