"""Advice: where a session stands in the flow charts of section 3.6 of the thesis, and what to do next.

Rules in one table, in the order in which they are asked; the first that applies speaks, unless what it advises was
done at this very point and undone. They look at nothing but the environments of the session, so that the same session
gets the same advice.
"""

from __future__ import annotations

import numpy as np

from parfit.advice import (
    beginning,
    converged,
    elsewhere,
    failing,
    fitting,
    returning,
    signs,
    starting,
    studies,
    undetermined,
)
from parfit.advice.advice import Advice, Rule
from parfit.advice.facts import Facts
from parfit.session.timeline import Timeline

RULES: tuple[Rule, ...] = (
    # is there a problem?
    beginning.no_parameters,
    beginning.no_data,
    beginning.no_connection,
    beginning.initial_values,
    beginning.sizes,
    beginning.units,
    beginning.robust,
    # a minimum of a coarse discretisation is none
    converged.accurate,
    # what no fit can find
    fitting.switch,
    # other parameters to begin with (3.2 to 3.4)
    starting.scale,
    failing.only_coarse,
    fitting.from_here,
    returning.curves_led_astray,
    returning.shot_into_the_void,
    fitting.fit_again,
    starting.smooth,
    starting.guess,
    starting.ifit,
    # the equations cannot be integrated (3.5)
    failing.integrate_better,
    failing.continue_with_breaks,
    # the full problem
    fitting.fit,
    fitting.logarithms,
    starting.improve_guesses,
    returning.start_directly,
    converged.stepped_over,
    returning.turned_negative,
    failing.shoot,
    fitting.fit_on,
    returning.all_was_tried,
    # refinement, and the end
    studies.local,
    undetermined.ran_away,
    signs.negative,
    elsewhere.search_nearer,
    undetermined.freeze,
    elsewhere.search_for_better,
    converged.statistics,
    converged.not_elliptic,
    converged.done,
    fitting.unseen,
    elsewhere.search_everywhere,
    fitting.lost,
)


def advise(timeline: Timeline) -> Advice:
    """What to do next."""
    return spoken(Facts(timeline))[1]


def spoken(facts: Facts) -> tuple[Rule, Advice]:
    """The rule that speaks, and what it says; the last one always has a word."""
    with np.errstate(all="ignore"):  # what overflows is as far away as what is infinite
        for rule in RULES:
            advice = rule(facts)
            if advice is not None and (advice.done or not facts.undone_here(advice.command)):
                return rule, advice
    raise AssertionError("no rule speaks")
