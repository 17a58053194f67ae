# SPDX-License-Identifier: Apache-2.0
"""What the suites weak and strong say: efficiency and speed-up over ranks."""

from __future__ import annotations

import pandas as pd

from .page import number
from .load import Run


def with_speed_up(run: Run) -> pd.DataFrame:
    """The measured rows; speed_up: the work that all ranks do in a second, over that of one."""
    rows = run.measured
    return rows.assign(speed_up=rows.efficiency * rows.ranks)


def claims(run: Run) -> list[tuple[str, str]]:
    """The verdict: the worst and the best efficiency on the most ranks."""
    rows = with_speed_up(run)
    rows = rows[(rows.ranks == rows.ranks.max()) & rows.efficiency.notna()]
    if rows.empty:
        return []
    low, high = rows.loc[rows.efficiency.idxmin()], rows.loc[rows.efficiency.idxmax()]
    return [
        (
            number(low.efficiency, ".3f"),
            f"is the least efficiency on {low.ranks} ranks: {low.matrix}, k = {low.k}; "
            "the highest is "
            f"{high.efficiency:.3f} ({high.matrix}, k = {high.k}).",
        )
    ]
