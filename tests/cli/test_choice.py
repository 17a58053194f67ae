# SPDX-License-Identifier: Apache-2.0
"""fatvec analyse and fatvec tune."""

import fcntl
import json
import math
import os
import subprocess
import threading
import unittest

from program import DATA, PROGRAM, CliTest, edit_entry, matrices

LIST = json.loads(subprocess.run([PROGRAM, "list", "--json"], capture_output=True).stdout)
FORMATS = sorted({kernel["format"] for kernel in LIST["kernels"] if not kernel["portable"]})
FORMAT_OF = {kernel["name"]: kernel["format"] for kernel in LIST["kernels"]}
PATIENT = ("--time-limit", 100000)
QUICK = (*PATIENT, "--seconds", 0.001, "--default-policies")


class Choice(CliTest):
    """On a busy machine, too: one thread waits for no other, and of many short runs one is
    undisturbed."""

    def fatvec(self, *arguments, **options):
        variables = {
            "FATVEC_CACHE": str(self.folder / "tune.json"),
            "OMP_NUM_THREADS": "1",
            **options,
        }
        return super().fatvec(*arguments, **variables)

    def cache(self):
        return json.loads((self.folder / "tune.json").read_text())["entries"]


class Analyse(Choice):
    def ranking(self, *arguments):
        return self.json("analyse", *arguments)["workloads"][0]["ranking"]

    def test_explains_itself_in_ten_lines(self):
        folder = matrices()
        matrix = folder / "adder_dcop_32.mtx.gz" if folder else DATA / "west2021.mtx.gz"
        lines = self.fatvec("analyse", matrix, "--k", 8).stdout.splitlines()
        self.assertLessEqual(len(lines), 10)
        self.assertRegex(lines[0], r"matrix +.*entries")
        self.assertRegex(lines[2], r"machine +.*memory \d+ GB/s")
        self.assertRegex(lines[3], r"k = 8 +\w+ should take .* a product, \d+ % of it for .*\.$")
        self.assertTrue(
            any("csr-row" in line for line in lines[4:]), "CSR is what all others are compared with"
        )

    def test_another_order_of_rows(self):
        for command in ("analyse",), ("tune", "--no-cache", *QUICK):
            done = self.json(*command, "gen:stencil7:9", "--k", 4, "--reorder", "rcm")
            order = done["workloads"][0]["reordered"]
            self.assertGreater(order["ordering_seconds"], 0)
            self.assertGreater(order["seconds"], 0)
            gain = order["before_seconds"] - order["seconds"]
            if gain > 0:
                self.assertAlmostEqual(
                    order["break_even"], math.ceil(order["ordering_seconds"] / gain), delta=1
                )
            else:
                self.assertIsNone(order["break_even"])
            text = self.fatvec(*command, "gen:stencil7:9", "--k", 4, "--reorder", "rcm").stdout
            self.assertIn("Cuthill-McKee", text)
        self.refuses("square", "analyse", "gen:uniform:9x8:2", "--reorder", "rcm")
        wide = self.json("analyse", "gen:uniform:9x8:2", "--reorder", "automatic")
        self.assertNotIn("reordered", wide["workloads"][0])

    def test_every_format_is_ranked_by_its_whole_cost(self):
        for products in 1, 1000000:
            done = self.json("analyse", "gen:stencil27:12", "--k", "1,9", "--products", products)
            self.assertEqual([w["k"] for w in done["workloads"]], [1, 9])
            for workload in done["workloads"]:
                ranking = workload["ranking"]
                self.assertEqual(sorted(p["format"] for p in ranking), FORMATS)
                totals = [p["setup_seconds"] + products * p["seconds"] for p in ranking]
                self.assertEqual(totals, sorted(totals))
                for p in ranking:
                    self.assertAlmostEqual(sum(p["parts"].values()), p["seconds"])

    def test_column_major_operands_may_be_packed(self):
        ranking = self.ranking("gen:stencil7:8", "--k", 16, "--layout", "column")
        self.assertEqual(sorted(p["format"] for p in ranking), sorted(2 * FORMATS))
        self.assertEqual(sum(p["packed"] for p in ranking), len(FORMATS))

    def test_what_does_not_fit_comes_last(self):
        ranking = self.ranking("gen:arrow:3000", "--k", 4, "--memory-limit", "1MB")
        fits = [p["fits"] for p in ranking]
        self.assertEqual(fits, sorted(fits, reverse=True))
        fitting = {p["format"] for p in ranking if p["fits"]}
        self.assertIn("csr", fitting)
        self.assertNotIn("ellpack", fitting)

    def test_matrices_without_rows_or_entries(self):
        for matrix in "gen:empty:0", "gen:empty:5", "gen:empty:0x7":
            self.assertIn("should take", self.fatvec("analyse", matrix, "--k", 2).stdout)

    def test_the_matrix_may_follow_the_columns(self):
        self.assertIn("k = 3", self.fatvec("analyse", "--k", "3", "gen:stencil7:4").stdout)

    def test_a_damaged_cache_is_reported_and_not_used(self):
        self.write("tune.json", "{ not json")
        done = self.fatvec("analyse", "gen:stencil7:4", "--k", 2)
        self.assertIn("fatvec: note: ", done.stderr)
        self.assertIn("is not JSON", done.stderr)
        self.assertNotIn("was measured here", done.stdout)
        self.assertEqual(
            (self.folder / "tune.json").read_text(), "{ not json", "who only reads changes nothing"
        )

    def test_backends_are_compared(self):
        done = self.json("analyse", "gen:stencil7:8", "--backend", "all", "--k", "1,4")
        self.assertEqual([w["k"] for w in done["workloads"]], [1, 4])
        for workload in done["workloads"]:
            found = workload["backends"]
            self.assertEqual([b["backend"] for b in found], LIST["backends"])
            totals = {b["backend"]: b["once_seconds"] + 1000 * b["each_seconds"] for b in found}
            self.assertEqual(workload["fastest"], min(totals, key=totals.get))
            for b in found:
                setup, seconds = b["prediction"]["setup_seconds"], b["prediction"]["seconds"]
                copies = b["copied_matrix_seconds"], b["copied_vectors_seconds"]
                self.assertAlmostEqual(b["once_seconds"], setup + copies[0])
                self.assertAlmostEqual(b["each_seconds"], seconds + copies[1])
                self.assertEqual(min(copies) > 0, b["backend"] == "cuda")
        if len(LIST["backends"]) == 1:
            said = self.fatvec("analyse", "gen:stencil7:8", "--backend", "all", "--k", 1).stdout
            self.assertIn("this build has no other backend", " ".join(said.split()))

    def test_bad_options(self):
        self.refuses("at least 1", "analyse", "gen:stencil7:4", "--k", "8,0")
        self.refuses("--products", "analyse", "gen:stencil7:4", "--products", 0)
        self.refuses("unknown name", "analyse", "gen:stencil7:4", "--layout", "diagonal")


class Tune(Choice):
    def test_measures_verifies_and_remembers(self):
        done = self.json("tune", "gen:stencil7:10", "--k", "1,4", "--all", "--force", *QUICK)
        for workload in done["workloads"]:
            self.assertEqual(sorted(FORMAT_OF[m["kernel"]] for m in workload["measured"]), FORMATS)
            seconds = [m["seconds"] for m in workload["measured"]]
            self.assertEqual(seconds, sorted(seconds))
            self.assertTrue(
                all(m["problem"] == "" and m["seconds"] > 0 for m in workload["measured"])
            )
        winners = [w["measured"][0] for w in done["workloads"]]
        kept = list(self.cache().values())
        self.assertEqual(
            [(k["kernel"], k["seconds"]) for k in kept],
            [(w["kernel"], w["seconds"]) for w in winners],
        )
        self.assertIn(
            "was measured here", self.fatvec("analyse", "gen:stencil7:10", "--k", 4).stdout
        )
        self.assertNotIn(
            "was measured here", self.fatvec("analyse", "gen:stencil7:11", "--k", 4).stdout
        )

    def test_policies_of_the_best_kernels(self):
        done = self.json("tune", "gen:stencil7:6", "--k", 2, "--seconds", 0.001, *PATIENT)
        policies = {m["policy"] for m in done["workloads"][0]["measured"]}
        if done["machine"]["backend"] == "Cuda":
            self.assertGreater(len(policies), 3)
        else:
            portable = {policy for policy in policies if policy.startswith("form:")}
            self.assertEqual(
                policies - portable,
                {"", "blocks_per_thread:1", "blocks_per_thread:16"},
                "a CPU's, none of a GPU's",
            )
            self.assertGreater(len(portable), 3, "those of the best format's portable kernel")

    def test_column_major_operands_packed_or_not(self):
        workload = self.json(
            "tune", "gen:uniform:300:5", "--k", 8, "--layout", "column", "--all", *QUICK
        )["workloads"][0]
        self.assertEqual(sum(m["packed"] for m in workload["measured"]), len(FORMATS))
        self.assertTrue(all(m["problem"] == "" for m in workload["measured"]))

    def test_the_time_limit_is_kept_and_told(self):
        done = self.fatvec("tune", "gen:stencil7:6", "--k", 2, "--time-limit", 0)
        self.assertIn("were not measured: the time limit", done.stdout)
        self.assertFalse(
            (self.folder / "tune.json").exists(), "nothing was measured, so nothing is known"
        )

    def test_no_cache(self):
        self.fatvec("tune", "gen:stencil7:6", "--k", 2, "--no-cache", *QUICK)
        self.assertFalse((self.folder / "tune.json").exists())

    def edit_entry(self, **changes):
        return edit_entry(self.folder / "tune.json", **changes)

    def entry(self):
        (entry,) = self.cache().values()
        return entry

    def tune(self, *arguments, **options):
        return self.fatvec("tune", "gen:stencil7:6", "--k", 2, *QUICK, *arguments, **options)

    def test_the_spread_is_remembered_and_told(self):
        self.tune("--force")
        entry = self.entry()
        self.assertGreaterEqual(entry["median_seconds"], entry["seconds"])
        self.assertGreaterEqual(entry["spread"], 0)
        self.assertGreaterEqual(entry["repetitions"], 5)
        told = self.fatvec("analyse", "gen:stencil7:6", "--k", 2).stdout
        self.assertIn(f"the least of {entry['repetitions']}, spread", told)

    def test_the_better_stays_unless_forced(self):
        self.tune("--force")
        better = self.edit_entry(
            kernel="csr-portable", policy="", seconds=2e-9, median_seconds=3e-9
        )
        done = self.tune()
        self.assertRegex(
            done.stdout, r"not kept: csr-portable took 0\.002 us .*--force replaces it"
        )
        self.assertEqual(self.entry(), better)
        workload = json.loads(self.tune("--json").stdout)["workloads"][0]
        self.assertFalse(workload["remembered"])
        self.assertIn("--force", workload["note"])
        self.assertIn(
            "csr-portable",
            {m["kernel"] for m in workload["measured"]},
            "what is remembered is measured again",
        )
        forced = json.loads(self.tune("--force", "--json").stdout)["workloads"][0]
        self.assertTrue(forced["remembered"])
        self.assertEqual(self.entry()["seconds"], forced["measured"][0]["seconds"])

    def test_the_faster_replaces_a_disturbed_entry(self):
        self.tune("--force")
        self.edit_entry(kernel="pjad-row", seconds=0.0159, median_seconds=0.0159)
        self.assertNotIn("not kept", self.tune().stdout)
        self.assertLess(self.entry()["seconds"], 0.0159)

    def test_an_absurd_entry_is_set_aside(self):
        self.tune("--force")
        absurd = self.edit_entry(seconds=-1)
        self.assertIn("makes no sense", self.fatvec("analyse", "gen:stencil7:6", "--k", 2).stderr)
        self.assertIn("makes no sense; it is under 'set_aside' now", self.tune().stderr)
        self.assertGreater(self.entry()["seconds"], 0)
        document = json.loads((self.folder / "tune.json").read_text())
        self.assertEqual(list(document["set_aside"].values()), [[absurd]])

    def test_force_wants_a_cache(self):
        self.refuses("--no-cache", "tune", "gen:stencil7:6", "--force", "--no-cache")

    def test_a_damaged_cache_is_reported_and_rebuilt(self):
        self.write("tune.json", "{ not json")
        done = self.fatvec("tune", "gen:stencil7:6", "--k", 2, *QUICK)
        self.assertIn("is not JSON", done.stderr)
        self.assertEqual(len(self.cache()), 1)
        self.assertEqual((self.folder / "tune.json.damaged").read_text(), "{ not json")

    def test_a_cache_that_another_process_has_locked(self):
        lock = self.folder / "tune.json.lock"
        with open(lock, "w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            timer = threading.Timer(20, lambda: fcntl.flock(held, fcntl.LOCK_UN))
            timer.start()
            command = [PROGRAM, "tune", "gen:stencil5:4", "--k", "2", *map(str, QUICK)]
            variables = {**os.environ, "FATVEC_CACHE": str(self.folder / "tune.json")}
            with subprocess.Popen(
                command, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
            ) as tuning:
                said = next(line for line in tuning.stderr if "waiting" in line)
                timer.cancel()
                fcntl.flock(held, fcntl.LOCK_UN)
                self.assertEqual(tuning.wait(), 0)
        self.assertEqual(said, f"fatvec: note: waiting for another process to release {lock}\n")
        self.assertEqual(len(self.cache()), 1)

    def test_a_cache_that_cannot_be_written(self):
        done = self.fatvec(
            "tune",
            "gen:stencil7:6",
            "--k",
            2,
            *QUICK,
            expect=2,
            FATVEC_CACHE="/proc/none/tune.json",
        )
        self.assertIn("/proc/none/tune.json", done.stderr)
        self.assertEqual(done.stdout, "", "it is told before anything is measured")


if __name__ == "__main__":
    unittest.main()
