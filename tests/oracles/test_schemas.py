# SPDX-License-Identifier: Apache-2.0
"""The JSON that the programs write fits the schemas in docs/schemas, and the schemas refuse what
does not. Skipped without jsonschema."""

import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
except ImportError:
    print("skipped: no jsonschema; scripts/setup --dev puts it into .venv")
    sys.exit(77)

FATVEC, BENCH = os.environ["FATVEC_PROGRAM"], os.environ["FATVEC_BENCH"]
DATA = pathlib.Path(os.environ["FATVEC_TEST_DATA"])
SCHEMAS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "schemas"


def schema(name, part=None):
    """A schema, or one of its definitions with the others beside it."""
    whole = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(whole)
    chosen = {"$defs": whole["$defs"], "$ref": f"#/$defs/{part}"} if part else whole
    return jsonschema.Draft202012Validator(chosen)


def built_without_mpi(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return "built without MPI" in done.stderr


class Schemas(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.cache = self.folder / "tune.json"

    def run_program(self, *command, status=0):
        done = subprocess.run(
            [*map(str, command)],
            capture_output=True,
            text=True,
            timeout=300,
            env={**os.environ, "FATVEC_CACHE": str(self.cache)},
        )
        self.assertEqual(done.returncode, status, f"{command}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def fits(self, document, *name):
        problems = [
            f"{'/'.join(map(str, e.absolute_path))}: {e.message}"
            for e in schema(*name).iter_errors(document)
        ]
        self.assertEqual(problems, [])

    def refuses(self, document, *name):
        self.assertFalse(schema(*name).is_valid(document), document)

    def test_subcommands(self):
        small, tiny = "gen:stencil7:4", "gen:arrow:3"
        commands = {
            "info": [
                ("info", small),
                ("info", DATA / "west2021.mtx.gz"),
                ("info", "gen:empty:0x3"),
            ],
            "print": [
                ("print", tiny, "--format", name)
                for name in ("csr", "hll", "bsr", "bittcf", "pjad")
            ],
            "multiply": [
                ("multiply", small, "--k", 2, "--verify"),
                ("multiply", small, "--output", self.folder / "y.mtx"),
            ],
            "multiply_distributed": [("multiply", small, "--k", 2, "--verify", "--distributed")],
            "analyse": [("analyse", small, "--k", "1,8")],
            "analyse_backends": [("analyse", small, "--k", "1,8", "--backend", "all")],
            "tune": [("tune", small, "--k", 2, "--seconds", 0, "--default-policies")],
            "generate": [("generate", tiny, "--output", self.folder / "a.mtx")],
            "reorder": [("reorder", small, "--output", self.folder / "b.mtx")],
            "list": [("list",)],
        }
        if built_without_mpi(FATVEC, "multiply", small, "--distributed"):
            del commands["multiply_distributed"]
        for name, variants in commands.items():
            for arguments in variants:
                with self.subTest(arguments=arguments):
                    document = json.loads(self.run_program(FATVEC, *arguments, "--json"))
                    self.fits(document, "fatvec", name)
                    for member in document:
                        if member in schema("fatvec").schema["$defs"][name]["required"]:
                            self.refuses(
                                {key: value for key, value in document.items() if key != member},
                                "fatvec",
                                name,
                            )

    def test_cache(self):
        tune = (FATVEC, *"tune gen:stencil7:4 --k 2 --seconds 0 --default-policies --force".split())
        self.run_program(*tune)
        document = json.loads(self.cache.read_text())
        self.fits(document, "tune-cache")
        (key,) = document["entries"]
        for member, odd in {
            "kernel": 3,
            "policy": None,
            "packed": 1,
            "seconds": -1,
            "spread": "0.1",
            "repetitions": 0,
        }.items():
            wrong = copy.deepcopy(document)
            wrong["entries"][key][member] = odd
            self.refuses(wrong, "tune-cache")
        self.cache.write_text(json.dumps(wrong))
        self.run_program(*tune)
        repaired = json.loads(self.cache.read_text())
        self.assertEqual(repaired["set_aside"], {key: [wrong["entries"][key]]})
        self.fits(repaired, "tune-cache")
        self.refuses({**document, "version": 4}, "tune-cache")

    def test_results(self):
        path = self.folder / "out.json"
        unreadable = self.folder / "bad.mtx"
        unreadable.write_text("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n")
        run = (BENCH, *"--dry-run --contender fatvec --output".split(), path)
        self.run_program(*run, *"--matrix gen:stencil7:6 --k 1,2 --format csr,hll".split())
        document = json.loads(path.read_text())
        self.fits(document, "bench-results")
        for member in "name", "real_time", "verified":
            wrong = copy.deepcopy(document)
            del wrong["benchmarks"][0][member]
            self.refuses(wrong, "bench-results")
        self.run_program(*run, *"--k 1 --format csr --matrix".split(), unreadable, status=2)
        document = json.loads(path.read_text())
        self.assertTrue(document["benchmarks"][0]["error_occurred"])
        self.fits(document, "bench-results")
        if not built_without_mpi(BENCH, "--suite", "weak", "--dry-run", "--list"):
            self.run_program(BENCH, "--dry-run", "--suite", "weak", "--output", path)
            self.fits(json.loads(path.read_text()), "bench-results")
        self.run_program(*run, *"--suite vectors --length 1000".split())
        self.fits(json.loads(path.read_text()), "bench-results")


if __name__ == "__main__":
    unittest.main()
