# SPDX-License-Identifier: Apache-2.0
"""The parts of a report, in their order. A new one is one function and one line in SECTIONS: it
gets a view (one machine's results), or with `across` the list of all, and returns blocks (Picture
among them), or nothing where its data do not exist."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Callable

from . import (
    sections_papers,
    sections_portability,
    sections_ranks,
    sections_ratio,
    sections_record,
    sections_speed,
    sections_vectors,
    verdict,
)
from .page import Block, Heading, folded


@dataclasses.dataclass
class Section:
    title: str
    write: Callable[..., list[Block]]
    across: bool = False
    folded: bool = False  # for those who look something up
    kind: str = "products"  # of the results that it is about: Run.kind


SECTIONS = [
    Section("Summary", sections_record.summary, across=True),
    Section("What portability costs", sections_portability.cost),
    Section("GFLOPS per matrix", sections_speed.bars),
    Section("Speed over k", sections_speed.over_k),
    Section("Against hand-written code and peers", sections_ratio.ratios),
    Section("The worst cells", sections_ratio.worst),
    Section("Share of the bandwidth bound", sections_speed.of_bound),
    Section("Roofline", sections_speed.roofline),
    Section("Formats", sections_speed.formats),
    Section("Kernels, schedules and settings", sections_ratio.settings, folded=True),
    Section("Threads", sections_ratio.threads),
    Section("The papers' questions", sections_papers.all_questions),
    Section("All comparisons", sections_speed.comparison, folded=True),
    Section("Set-up and spread of fatvec's best", sections_speed.setup_costs, folded=True),
    Section("Vectors: runtime over the length", sections_vectors.over_length, kind="vectors"),
    Section("Seven figures of a vector", sections_vectors.seven_figures, kind="vectors"),
    Section("Columns of multivectors", sections_vectors.multivectors, kind="vectors"),
    Section("All vectors", sections_vectors.all_times, folded=True, kind="vectors"),
    Section("Over ranks", sections_ranks.over_ranks, kind="ranks"),
    Section("All ranks", sections_ranks.all_ranks, folded=True, kind="ranks"),
    Section("Performance portability", sections_portability.across_platforms, across=True),
    Section("Beside published figures", sections_record.beside_published, across=True),
    Section("Failed and skipped", sections_record.not_measured, across=True),
    Section("Provenance", sections_record.provenance, across=True),
]


def write(views: list) -> list[Block]:
    """What a report consists of, the verdicts first."""
    blocks: list[Block] = [verdict.verdict(view) for view in views if len(view.table)]
    for across, group in itertools.groupby(SECTIONS, key=lambda section: section.across):
        sections = list(group)
        for subject in [views] if across else [view for view in views if len(view.table)]:
            blocks += [] if across else [Heading(subject.title, 2)]
            for section in sections:
                if not across and section.kind != subject.run.kind:
                    continue
                found = section.write(subject)
                heading = Heading(section.title, 2 if across else 3)
                blocks += (
                    [heading, *([folded(found)] if section.folded else found)] if found else []
                )
    return blocks
