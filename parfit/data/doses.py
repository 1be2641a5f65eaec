"""Dose rows of a table, as NONMEM has them: amt, cmt, rate or dur, ii, addl, ss, evid."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from parfit.errors import DataError
from parfit.model.conditions.design import Dose
from parfit.model.language.jumping import MOST_TIMES
from parfit.model.model import Model
from parfit.model.textfile import excerpt, integer

WORDS = ("amt", "cmt", "rate", "dur", "ii", "addl", "ss", "evid", "mdv")
NOWHERE = ("", ".", "na", "0")  # no compartment in particular
OBSERVATION, DOSE, OTHER, RESET, RESET_AND_DOSE = range(5)  # what evid says


def is_event(given: Mapping[str, float]) -> bool:
    """Whether a row tells of a dose or of a reset, rather than of observations."""
    evid = given.get("evid", math.nan)
    if evid == evid:
        return evid != OBSERVATION
    amount = given.get("amt", math.nan)
    return amount == amount and amount != 0.0


def is_missing(given: Mapping[str, float]) -> bool:
    """Whether `mdv` says that what stands in the row was not observed."""
    missing = _whole(given, "mdv", 0)
    if missing not in (0, 1):
        raise DataError(f"mdv is {missing}; expected 1 where nothing was observed, 0 elsewhere")
    return missing == 1


def is_seen(given: Mapping[str, float]) -> bool:
    """Whether what stands in a row that is no event was observed."""
    amount = _known(given, "amt")
    if amount != 0.0:  # and would be lost
        raise DataError(
            f"amt is {amount:g} beside evid 0, which is an observation; write evid 1 for a dose, or leave amt blank"
        )
    return not is_missing(given)


def says_nothing(given: Mapping[str, float]) -> bool:
    """Whether what stands beside a dose or another event was not observed, because the row says so."""
    return is_missing(given) or given.get("evid") == OTHER


def dose_of(time: float, given: Mapping[str, float], compartment: str, model: Model) -> Dose | None:
    """The dose of a row; None where something else happened that changes nothing (evid 2)."""
    evid = _whole(given, "evid", DOSE)
    if evid > RESET_AND_DOSE or evid < 0:
        raise DataError(f"evid {evid} is not supported; expected 0 (observation) to 4 (reset and dose)")
    if evid == OTHER:
        return None
    if evid == RESET:
        return Dose("", 0.0, (time,), resets=True)
    if math.isinf(time):
        raise DataError(f"a dose at the time {time:g} is never given; expected a finite time")
    amount = given.get("amt", math.nan)
    if math.isnan(amount):
        raise DataError("the amount of the dose is missing in column 'amt'; write it, or evid 0 for an observation")
    over = _over(amount, given)
    resets = evid == RESET_AND_DOSE
    return Dose(_state(compartment, model), amount, _times(time, given), over, resets, _steady(given, over))


def with_dose(before: Sequence[Dose], dose: Dose) -> list[Dose]:
    """Doses with another, before which a reset ends infusions that go on; only the first of several resets."""
    if not dose.resets:
        return [*before, dose]
    first, *further = dose.times
    pending = next((each for each in before if each.times[0] < first <= each.times[-1]), None)
    if pending is not None:
        raise DataError(
            f"further doses (addl) of {pending.state} are to come at the reset at {first:g}, and programs differ "
            "in whether they are given; write the doses before and after it in rows of their own"
        )
    found = [part for each in before for part in _ended(each, first)]
    rest = [replace(dose, times=tuple(further), resets=False)] if further else []
    return [*found, replace(dose, times=(first,)), *rest]


def _ended(dose: Dose, end: float) -> list[Dose]:
    """A dose of which a reset ends the infusions that are under way."""
    if dose.over is None:
        return [dose]
    cut = [time for time in dose.times if time < end < time + dose.over]
    if cut and dose.steady is not None:
        raise DataError(f"the reset at {end:g} ends an infusion of a steady state (ss), which is not supported")
    whole = tuple(time for time in dose.times if time not in cut)
    parts = [replace(dose, amount=dose.amount * (end - t) / dose.over, times=(t,), over=end - t) for t in cut]
    return [*([replace(dose, times=whole)] if whole else []), *parts]


def _steady(given: Mapping[str, float], over: float | None) -> float | None:
    """The time between doses that have come to a steady state."""
    steady, every = _whole(given, "ss", 0), _known(given, "ii")
    if steady == 0:
        return None
    if steady != 1:
        raise DataError(f"ss {steady} is not supported; expected 1, a steady state that begins the experiment, or 0")
    if not every > 0.0:
        raise DataError("ss needs ii, the time from one dose to the next; write it in column 'ii'")
    if over is not None and over > every:
        raise DataError(
            f"an infusion that takes {over:g} is not over when the next begins after {every:g}, which is not "
            "supported at a steady state (ss); write the infusions before, by addl and ii"
        )
    return every


def _state(compartment: str, model: Model) -> str:
    """A state by its name or its number; the first where nothing is said."""
    if compartment.lower() in NOWHERE:
        return model.states[0]
    for state in model.states:
        if state.lower() == compartment.lower():
            return state
    number = integer(compartment)
    if number is not None and 1 <= number <= len(model.states):
        return model.states[number - 1]
    expected = ", ".join(model.states[:8])
    raise DataError(f"{excerpt(compartment)} in column 'cmt' is no state of the model; expected one of {expected}")


def _times(time: float, given: Mapping[str, float]) -> tuple[float, ...]:
    more, every = _whole(given, "addl", 0), _known(given, "ii")
    if more < 0 or more >= MOST_TIMES:
        raise DataError(f"addl is {more}; expected the number of further doses, 0 to {MOST_TIMES - 1}")
    if more and not every > 0.0:
        raise DataError("addl needs ii, the time from one dose to the next; write it in column 'ii'")
    return tuple(time + k * every for k in range(more + 1))


def _over(amount: float, given: Mapping[str, float]) -> float | None:
    rate, length = _known(given, "rate"), _known(given, "dur")
    if rate < 0.0 or length < 0.0:
        raise DataError(
            "a rate or duration below 0 (one that the model computes) is not supported; write `dose ... over ...` in "
            "the model"
        )
    if rate > 0.0 and length > 0.0 and not math.isclose(rate * length, amount, rel_tol=1e-6):
        raise DataError(f"rate {rate:g} and dur {length:g} do not give amt {amount:g}; write one of them")
    if rate > 0.0 and not amount > 0.0:
        raise DataError(f"an infusion of {amount:g} is none; expected an amount above 0")
    return length if length > 0.0 else amount / rate if rate > 0.0 else None


def _known(given: Mapping[str, float], word: str) -> float:
    """A number, 0 where there is none."""
    number = given.get(word, math.nan)
    return 0.0 if math.isnan(number) else number


def _whole(given: Mapping[str, float], word: str, default: int) -> int:
    number = given.get(word, math.nan)
    if math.isnan(number):
        return default
    if number != int(number):
        raise DataError(f"{number:g} in column {word!r} is no whole number; expected one")
    return int(number)
