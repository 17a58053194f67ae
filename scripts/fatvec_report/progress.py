# SPDX-License-Identifier: Apache-2.0
"""The bar that fatvec draws for long work, for Python."""

from __future__ import annotations

import sys

WIDTH = 30


class Progress:
    """A bar on the terminal of the standard error, nothing elsewhere. It has no colour, and goes
    at the end of its `with`. It is empty until `steps` is set to how many there will be."""

    def __init__(self) -> None:
        self.steps = 0
        self._begun = 0
        self._shown = sys.stderr.isatty()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def step(self, what: str) -> None:
        """The next step begins, which does `what`."""
        if self._shown:
            filled = "#" * min(WIDTH, WIDTH * self._begun // max(self.steps, 1))
            print(f"\r[{filled:<{WIDTH}}] {what:<45.45}", end="", file=sys.stderr, flush=True)
        self._begun += self.steps > 0

    def clear(self) -> None:
        """Removes the bar, before something else is printed; the next step draws it again."""
        if self._shown:
            print(f"\r{'':79}\r", end="", file=sys.stderr, flush=True)
