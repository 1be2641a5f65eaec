"""Rules for parameters from which a fit can go on."""

from __future__ import annotations

import numpy as np

from parfit.advice.advice import Advice
from parfit.advice.facts import Facts
from parfit.advice.history import last_word
from parfit.advice.limits import LONG, WON, WORTH
from parfit.advice.short_fit import fitted_total
from parfit.advice.words import few, listed, situation
from parfit.questions import quoted


def fit(facts: Facts) -> Advice | None:
    if not facts.at.usable or facts.blind or facts.minimal or facts.last == "FIT":
        return None
    return Advice(situation(facts), "From here the full problem can be fitted.", "FIT MORE")


def fit_again(facts: Facts) -> Advice | None:
    """FIT reached the limit of its work, or its tolerances, on a way that still leads downward."""
    if not facts.stuck or facts.far or facts.standing.flat:
        return None
    if not facts.earlier or last_word(facts.earlier) == "FIT":
        return None
    return Advice(
        situation(facts, ", but the sum of squares was still falling"),
        "A second FIT goes on from here.",
        "FIT MORE",
    )


def fit_on(facts: Facts) -> Advice | None:
    """There is nothing better to try, and a trial says that the way still leads down."""
    if not facts.stuck or facts.standing.flat:
        return None
    total = fitted_total(facts.problem, evaluations=LONG)
    if total > WON * facts.at.total:
        return None
    return Advice(
        situation(facts, f", but another fit from here would lead to about {few(total)}"),
        "It is slow, but it goes on; FIT again.",
        "FIT MORE",
    )


def logarithms(facts: Facts) -> Advice | None:
    """The sizes of the parameters are what makes the problem ill-conditioned."""
    map_ = facts.env.parameters
    if not facts.stuck or map_.bounded or any(map_.scaling[k] for k in map_.active):
        return None
    if not all(map_.full[k] > 0.0 for k in map_.active):
        return None
    found = facts.probe
    if not found.usable or found.undetermined or not found.log_condition * WORTH < found.condition < np.inf:
        return None
    names = [map_.names[k] for k in map_.active]
    return Advice(
        situation(facts),
        f"The parameters are of very different sizes: their logarithms reduce the condition number from "
        f"{few(found.condition)} to {few(found.log_condition)}.",
        f"SCALE {' '.join(f'{quoted(name)} LOG' for name in names)}",
    )


def unseen(facts: Facts) -> Advice | None:
    """Where nothing else is left, what has no influence may be what misleads."""
    if not facts.at.usable:
        return None
    map_ = facts.env.parameters
    flat = [map_.names[map_.active[k]] for k in facts.standing.flat]
    if not flat or len(flat) == len(map_.active):
        return None
    return Advice(
        f"{situation(facts)} The data do not see {listed(flat)} there.",
        "Held fixed, what the data do not see cannot mislead the others.",
        f"FREEZE {' '.join(map(quoted, flat))}",
    )


def lost(facts: Facts) -> Advice:
    """The end of what rules know."""
    again = ", and what was undone is not advised again" if facts.undone else ""
    if not facts.at.usable:
        return Advice(
            situation(facts),
            f"Nothing more is known that would lead out of here by itself{again}; begin from other values.",
            "SET",
            done=True,
        )
    yourself = "SET or NUDGE other values, FREEZE what it names, or change the MODEL"
    return Advice(
        situation(facts),
        f"Nothing more is known that would lead on by itself{again}. You can try yourself: PROBE says which "
        f"parameters the data hardly determine; {yourself}.",
        "PROBE",
        done=True,
        after=f"PROBE has said which parameters the data hardly determine, and nothing more is known{again}. You can "
        f"try yourself: {yourself}.",
    )
