"""Advice: where a session stands in the flow charts of section 3.6 of the thesis, and what to do next.

Rules in one table, in the order in which they are asked; the first that applies speaks. They look at nothing but the
environments of the session, so that the same session gets the same advice.
"""

from __future__ import annotations

import numpy as np

from parfit.advice import beginning, converged, elsewhere, failing, fitting, returning, starting
from parfit.advice.advice import Advice, Rule
from parfit.advice.facts import Facts
from parfit.timeline import Timeline

RULES: tuple[Rule, ...] = (
    # is there a problem?
    beginning.no_parameters,
    beginning.no_data,
    beginning.no_connection,
    beginning.robust,
    # a minimum of a coarse discretisation is none
    converged.accurate,
    # other parameters to begin with (3.2 to 3.4)
    starting.scale,
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
    elsewhere.begin_elsewhere,
    returning.all_was_tried,
    # refinement, and the end
    converged.freeze,
    converged.negative,
    converged.statistics,
    converged.not_elliptic,
    converged.done,
    fitting.lost,
)


def advise(timeline: Timeline) -> Advice:
    """What to do next."""
    facts = Facts(timeline)
    with np.errstate(all="ignore"):  # what overflows is as far away as what is infinite
        return next(advice for rule in RULES if (advice := rule(facts)) is not None)
