# SPDX-License-Identifier: Apache-2.0
"""Result files to views: what one machine's CPU, or its GPU, did; files that differ in the number
of threads only are one view."""

import dataclasses
import functools

import pandas as pd

from . import analysis, costs
from .load import Run, whole
from .page import Block, Heading, unique

SAME = (
    "host_name git_hash git_dirty fatvec_version compiler compiler_flags suite scalar cache "
    "dry_run alpha beta transfers"
).split()


def commit(context: dict) -> str:
    """The commit that a run was built from; a + behind it where the tree had changes that are not
    in it."""
    return str(context.get("git_hash", "unknown commit"))[:10] + (
        "+" if context.get("git_dirty") == "true" else ""
    )


@dataclasses.dataclass
class View:
    """Comparisons are made within `run`, the one with the most threads; `runs` (ascending threads)
    are for the scaling only."""

    platform: str  # "cpu" or "gpu"
    device: str
    runs: list[Run]
    threads: list[int]
    prefix: str = ""  # of the names of its pictures

    @property
    def run(self) -> Run:
        return self.runs[-1]

    @property
    def title(self) -> str:
        names = {"openmp": "OpenMP", "cuda": "CUDA", "hip": "HIP"}
        backends = [name for name in self.run.rows.backend.unique() if name != "serial"]
        on = " and ".join(names.get(name, name) for name in backends) or "serial"
        threads = f", {self._threads}" if self._threads and backends else ""
        return f"{self.device}, {on}{threads} ({self.run.label})"

    @property
    def _threads(self) -> str:
        count = self.threads[-1] if self.platform == "cpu" else 0
        return f"{count} threads" if count > 0 else ""

    @functools.cached_property
    def table(self) -> pd.DataFrame:
        return analysis.compare(self.run)

    @functools.cached_property
    def same_format(self) -> pd.DataFrame:
        return analysis.fatvec_over_raw(self.run)

    @functools.cached_property
    def costs(self) -> pd.DataFrame:
        return costs.cells(self.run)

    def parts(self, table: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
        """A table split by what else tells problems apart (layout, scalar, ...), each part with its
        title."""
        keys = [key for key in self.run.problem_keys if key not in ("matrix", "k")]
        if not keys or table.empty:
            return [("", table)]
        return [
            (", ".join(f"{key} {value}" for key, value in zip(keys, values) if value), part)
            for values, part in table.groupby(keys, sort=False)
        ]

    def apart(self, table: pd.DataFrame, write) -> list[Block]:
        """What `write` makes of each part, below its title."""
        return [
            block
            for title, part in self.parts(table)
            for block in [*([Heading(title)] if title else []), *write(part)]
        ]

    def cases(self, table: pd.DataFrame) -> list[str]:
        """Each row's matrix, what else tells problems apart, and k, in words."""
        keys = [key for key in self.run.problem_keys if key != "k"]
        names = table[keys].astype(str).to_numpy().tolist()
        return [", ".join(filter(None, [*row, f"k = {k}"])) for row, k in zip(names, table.k)]

    def facts(self) -> str:
        """The few facts without which a picture says nothing; whichever the run recorded."""
        context = self.run.context
        facts = [self.device, self._threads, str(context.get("compiler", ""))]
        facts += [str(context.get("date", ""))[:10]]
        facts += [f"fatvec {commit(context)}"] if context.get("git_hash") else []
        facts += ["DRY RUN: times mean nothing"] if self.run.dry else []
        return ", ".join(filter(None, facts))


def views(runs: list[Run]) -> list[View]:
    found: list[tuple[tuple, View]] = []
    for run in runs:
        for threads, part in _by_threads(run):
            for platform, rows in part.rows.groupby("platform", sort=False):
                piece = dataclasses.replace(part, rows=rows.reset_index(drop=True))
                device = _device(run.context, platform)
                same = (str(run.context.get(name)) for name in SAME)
                key = (platform, device, tuple(part.problem_keys), *same)
                fitting = next(
                    (view for known, view in found if known == key and threads not in view.threads),
                    None,
                )
                if platform == "cpu" and threads > 0 and fitting and fitting.threads[0] > 0:
                    fitting.runs.append(piece)
                    fitting.threads.append(threads)
                else:
                    found.append((key, View(platform, device, [piece], [threads])))
    result, taken = [view for _, view in found], {}
    for view in result:
        order = sorted(zip(view.threads, range(len(view.runs))))
        view.runs = [view.runs[at] for _, at in order]
        view.threads = [threads for threads, _ in order]
        prefix = unique(f"{view.run.label}-{view.platform}", taken)
        view.prefix = f"{prefix}-" * (len(result) > 1)
    return result


def _by_threads(run: Run) -> list[tuple[int, Run]]:
    """A file whose names carry threads:T as one run per T; rows without one (serial, GPU) belong to
    each."""
    counts = sorted({int(value) for value in run.rows.threads if value})
    if not counts:
        return [(whole(str(run.context.get("threads", ""))) or 0, run)]
    parts = [run.rows[run.rows.threads.isin(["", str(count)])] for count in counts]
    return [(count, dataclasses.replace(run, rows=rows)) for count, rows in zip(counts, parts)]


def _device(context: dict, platform: str) -> str:
    own = context.get("gpu") if platform == "gpu" else context.get("cpu")
    return str(own or context.get("device") or context.get("host_name") or "unknown device")
