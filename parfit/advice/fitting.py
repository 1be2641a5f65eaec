"""Rules for parameters from which a fit can go on."""

from __future__ import annotations

import numpy as np

from parfit.advice.advice import Advice
from parfit.advice.facts import Facts
from parfit.advice.history import WITH_CURVES, last_word, word_of
from parfit.advice.limits import LONG, N_SCANNED, WON
from parfit.advice.short_fit import fitted_total
from parfit.advice.undetermined import is_far_away
from parfit.advice.words import few, listed, plain, situation
from parfit.model.calculus.structure import switches
from parfit.session.questions import quoted


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
    if total > WON * facts.at.sum_of_squares:
        return None
    return Advice(
        situation(facts, f", but another fit from here would lead to about {few(total)}"),
        "It is slow, but it goes on; FIT again.",
        "FIT MORE",
    )


def switch(facts: Facts) -> Advice | None:
    """A parameter that acts only through a switch: values are tried, and the best is held."""
    if not facts.at.usable or not facts.standing.switched:
        return None
    map_, t = facts.env.parameters, facts.env.samples.times
    name = map_.names[map_.active[facts.standing.switched[0]]]
    kind = switches(facts.env.model, facts.data.names, facts.env.options.method.on_times_only)[map_.names.index(name)]
    text = f"{name} acts only through a switch ({kind}), so that no derivative shows which way to change it"
    value = float(map_.full[map_.names.index(name)])
    low, high = (t[0], t[-1]) if t[0] <= value <= t[-1] else sorted((0.0, 2.0 * value))
    if not facts.tried("SCAN") and low < high:
        return Advice(
            f"{text}.",
            "Values can be tried instead, with the others fitted at each of them.",
            f"SCAN {quoted(name)} {plain(low)} {plain(high)} {N_SCANNED} FIT",
        )
    if facts.last not in ("FIT", "SCAN") or len(map_.active) < 2:
        return None
    return Advice(
        f"{text}; {few(value)} is the best value that was tried.",
        "Held there, it leaves a problem that can be fitted and judged.",
        f"FREEZE {quoted(name)}",
    )


def from_here(facts: Facts) -> Advice | None:
    """Back where curves were used before, to fit directly this time."""
    if facts.last != "SET" or not facts.at.usable or facts.blind or facts.minimal:
        return None
    before = zip(facts.trail[:-1], facts.trail[1:], strict=True)
    back = any(word_of(then) in WITH_CURVES and np.array_equal(each.values, facts.env.values) for each, then in before)
    return Advice(situation(facts), "From here the full problem is fitted directly.", "FIT MORE") if back else None


def logarithms(facts: Facts) -> Advice | None:
    """The sizes of the parameters are what makes the problem ill-conditioned."""
    map_ = facts.env.parameters
    if not facts.stuck or map_.bounded or any(map_.scaling[k] for k in map_.active):
        return None
    if not all(map_.full[k] > 0.0 for k in map_.active):
        return None
    found = facts.probe
    if not found.logarithms_help:
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
    flat = [map_.names[map_.active[k]] for k in facts.standing.flat if not is_far_away(facts, map_.active[k])]
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
