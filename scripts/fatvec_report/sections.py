# SPDX-License-Identifier: Apache-2.0
"""The parts of a report, in their order. A new one is one function and one line in SECTIONS: it
gets a view (one machine's results), or with `across` the list of all, and returns blocks (Picture
among them), or nothing where its data do not exist. What is to be said before them stands in
templates/texts.md.j2, below its title."""

import dataclasses
import itertools
from typing import Callable

from . import costs, papers, portability, published, ratios, record, scaling, settings, speed
from . import summary, vectors
from .load import MARKS, NOISY
from .page import Block, Heading, Picture, flat, folded, says


@dataclasses.dataclass
class Section:
    title: str
    write: Callable[..., list[Block]]
    across: bool = False
    folded: bool = False  # for those who look something up
    kind: str = "products"  # of the results that it is about: Run.kind


SECTIONS = [
    Section("Summary", summary.summary, across=True),
    Section("GFLOPS per matrix", speed.bars),
    Section("Speed over k", speed.over_k),
    Section("One column more", speed.steps),
    Section("What portability costs", costs.cost),
    Section("Against hand-written code and libraries", ratios.ratios),
    Section("The worst cells", ratios.worst),
    Section("Share of the bandwidth bound", speed.of_bound),
    Section("Roofline", speed.roofline),
    Section("Formats", settings.formats),
    Section("Kernels, schedules and settings", settings.settings, folded=True),
    Section("Threads", scaling.over_threads),
    Section("Copies within the time", speed.copies),
    Section("The papers' questions", papers.all_questions),
    Section("All comparisons", speed.comparison, folded=True),
    Section("Set-up and spread of fatvec's best", speed.setup_costs, folded=True),
    Section("Vectors: runtime over the length", vectors.over_length, kind="vectors"),
    Section("Seven figures of a vector", vectors.seven_figures, kind="vectors"),
    Section("Columns of multivectors", vectors.multivectors, kind="vectors"),
    Section("All vectors", vectors.all_times, folded=True, kind="vectors"),
    Section("Over ranks", scaling.over_ranks, kind="ranks"),
    Section("All ranks", scaling.all_ranks, folded=True, kind="ranks"),
    Section("Serial, OpenMP and CUDA side by side", published.side_by_side, across=True),
    Section("Performance portability", portability.across_platforms, across=True),
    Section("Beside published figures", published.beside_published, across=True),
    Section("Failed and skipped", record.not_measured, across=True),
    Section("Provenance", record.provenance, across=True),
]
# What texts.md.j2 may use, beside `view` or `views`.
IN_TEXTS = {"MARKS": MARKS, "NOISY": NOISY, "LAUNCH_BOUND": costs.LAUNCH_BOUND}
IN_TEXTS |= {"versions": summary.versions, "platforms": portability.platforms}


def write(views: list) -> list[Block]:
    """What a report consists of, the verdicts first."""
    timed = [view for view in views if len(view.table)]
    blocks: list[Block] = [summary.verdict(view) for view in timed]
    for across, group in itertools.groupby(SECTIONS, key=lambda section: section.across):
        sections = list(group)
        for subject in [views] if across else timed:
            blocks += [] if across else [Heading(subject.title, 2)]
            for section in sections:
                fits = across or section.kind == subject.run.kind
                if found := section.write(subject) if fits else []:
                    values = {"views" if across else "view": subject, **IN_TEXTS}
                    for block in flat(found):
                        if isinstance(block, Picture) and not across:
                            block.name = subject.prefix + block.name
                    found = [*says(section.title, **values), *found]
                    found = [folded(found)] if section.folded else found
                    blocks += [Heading(section.title, 2 if across else 3), *found]
    return blocks
