"""Telling what is thought of where a fit has ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from parfit import interrupts
from parfit.estimation.diagnosis.discretisation import Discretisation
from parfit.estimation.diagnosis.judgement import Judgement
from parfit.session.dialogue import Dialogue
from parfit.text import fit as text
from parfit.text.fit import Said


@contextmanager
def kept(ask: Dialogue) -> Iterator[None]:
    """Tell of what was found. Errors and judgement may take longer than the search: who interrupts them keeps it."""
    try:
        yield
    except KeyboardInterrupt:
        interrupts.answered()
        ask.is_minimum = False
        ask.warn(text.UNJUDGED)


def tell(ask: Dialogue, judgement: Judgement, check: Discretisation, is_accepted: bool = False) -> None:
    """Say whether a minimum was reached, and whether the integration was accurate enough for it."""
    ask.is_minimum = judgement.is_minimum
    say_all(ask, text.judgement(judgement, is_accepted))
    say_all(ask, text.discretisation(check))


def say_all(ask: Dialogue, said: Iterable[Said]) -> None:
    """On the screen and in the report."""
    for each in said:
        (ask.report_warning if each.is_warning else ask.report)(each.text)
