# SPDX-License-Identifier: Apache-2.0
"""scripts/cluster/submit and fetch with a stand-in for ssh, whose host is a folder, and for the
queues, which run a job at once."""

import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SSH = '#!/bin/sh\n[ "$1" = there ] || exit 255\nshift\ncd "$STAND_IN" && exec sh -c "$*"\n'
SBATCH = """#!/bin/sh
[ "$1 $2" = "--parsable --export=ALL" ] || exit 1
SLURM_JOB_ID=7 SLURM_SUBMIT_DIR=$PWD bash "$3" > fatvec-7.log && echo "7;cluster"
"""
QSUB = """#!/bin/sh
[ "$1" = -V ] || exit 1
PBS_JOBID=8.server PBS_O_WORKDIR=$PWD bash "$2" > fatvec.o8 && echo 8.server
"""
JOB = """#!/bin/sh
#{queue} --nodes=1
mkdir -p report/demo-openmp-{job}
echo "{{\\"suite\\": \\"$FATVEC_SUITE\\", \\"arguments\\": \\"$FATVEC_ARGUMENTS\\"}}" \\
  > report/demo-openmp-{job}.json
echo rows > report/demo-openmp-9.json.part
echo page > report/demo-openmp-{job}/report.html
"""


class Cluster(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.there, programs = self.folder / "there", self.folder / "programs"
        self.there.mkdir()
        programs.mkdir()
        for name, text in {"ssh": SSH, "sbatch": SBATCH, "qsub": QSUB}.items():
            (programs / name).write_text(text)
            (programs / name).chmod(0o755)
        self.tree = self.folder / "tree"  # an unpacked archive
        for name in ("submit", "fetch", "slurm.sh", "pbs.sh", "job.sh"):
            self.copy(f"scripts/cluster/{name}")
        self.copy("scripts/lib.sh")
        self.copy("scripts/report")
        (self.tree / "build").mkdir()
        (self.tree / "build" / "large").write_text("stays here")
        self.environment = {
            **os.environ,
            "PATH": f"{programs}:{os.environ['PATH']}",
            "STAND_IN": str(self.there),
            "FATVEC_SUITE": "demo",
            "FATVEC_ARGUMENTS": "--k 1,2 --layout row",
        }

    def copy(self, name):
        target = self.tree / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes())
        target.chmod((ROOT / name).stat().st_mode)

    def run_script(self, name, *arguments, status=0):
        done = subprocess.run(
            [self.tree / "scripts" / "cluster" / name, *arguments],
            capture_output=True,
            text=True,
            timeout=60,
            env=self.environment,
        )
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def job_script(self, queue, job):
        (self.tree / "job.sh").write_text(JOB.format(queue=queue, job=job))

    def test_a_job_goes_there_and_its_results_come_back(self):
        for queue, job in (("SBATCH", "7"), ("PBS", "8")):
            with self.subTest(queue=queue):
                self.job_script(queue, job)
                done = self.run_script("submit", "-d", "a tree", "-j", "job.sh", "there")
                self.assertEqual(done.stdout.splitlines()[-1], job)
                for script in ("lib.sh", "report"):
                    self.assertTrue((self.there / "a tree" / "scripts" / script).is_file())
                self.assertFalse((self.there / "a tree" / "build").exists())
                self.run_script("fetch", "-d", "a tree", "-o", self.folder / job, "there", job)
                fetched = {p.name for p in (self.folder / job).rglob("*") if p.is_file()}
                self.assertEqual(fetched, {f"demo-openmp-{job}.json", "report.html"})
                text = (self.folder / job / f"demo-openmp-{job}.json").read_text()
                self.assertIn('"suite": "demo", "arguments": "--k 1,2 --layout row"', text)

    def test_all_results_with_rows_of_unfinished_jobs(self):
        self.job_script("SBATCH", "7")
        self.run_script("submit", "-j", "job.sh", "there")
        self.run_script("fetch", "there")
        names = {p.name for p in (self.tree / "report" / "there").iterdir()}
        self.assertEqual(names, {"demo-openmp-7.json", "demo-openmp-7", "demo-openmp-9.json.part"})

    def test_bad_input_is_refused(self):
        self.job_script("NONE", "7")
        for arguments, message in (
            ((), "one HOST"),
            (("--", "-x"), "'-x' is no host"),
            (("-q", "there"), "unknown option -q"),
            (("-j", "absent.sh", "there"), "there is no 'absent.sh'"),
            (("-j", "job.sh", "there"), "neither #SBATCH nor #PBS"),
            (("-j", "scripts/cluster/pbs.sh", "there"), "<cores of a node>"),
            (("nowhere",), "could not be sent to nowhere:fatvec"),
        ):
            with self.subTest(arguments=arguments):
                self.assertIn(message, self.run_script("submit", *arguments, status=2).stderr)
        self.assertEqual(list(self.there.iterdir()), [])

    def test_fetch_says_what_is_missing(self):
        (self.there / "fatvec" / "report").mkdir(parents=True)
        for arguments, message in (
            ((), "no HOST"),
            (("there", "7"), "no results of job 7 in there:fatvec/report"),
            (("there", "7;rm"), "is no number of a job"),
            (("-d", "other", "there"), "no folder other on there"),
            (("nowhere",), "nowhere cannot be reached"),
        ):
            with self.subTest(arguments=arguments):
                self.assertIn(message, self.run_script("fetch", *arguments, status=2).stderr)

    def test_a_queue_that_refuses_fails(self):
        self.job_script("SBATCH", "7")
        with (self.tree / "job.sh").open("a") as file:
            file.write("exit 3\n")
        done = self.run_script("submit", "-j", "job.sh", "there", status=2)
        self.assertIn("sbatch on there refused job.sh", done.stderr)


if __name__ == "__main__":
    unittest.main()
