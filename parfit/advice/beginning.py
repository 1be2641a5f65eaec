"""Rules for sessions that cannot be fitted yet."""

from __future__ import annotations

from parfit.advice.advice import Advice
from parfit.advice.facts import Facts
from parfit.advice.history import FITTING, word_of
from parfit.advice.limits import BEGUN, GROWN
from parfit.advice.words import WRITTEN, few, listed
from parfit.estimation.strategies.initial import first_unexplained, unused_parameters
from parfit.estimation.strategies.initial_of_experiments import families
from parfit.session.environment import Environment
from parfit.session.timeline import Timeline
from parfit.text.observations import are_unlike, fixed, free, small_and_large


def no_parameters(facts: Facts) -> Advice | None:
    if facts.env.model.parameters:
        return None
    return Advice(
        "The model has no parameters, so that there is nothing to fit.",
        "MODEL shows its text; MODEL par NAME=VALUE adds a parameter.",
        "MODEL",
    )


def no_data(facts: Facts) -> Advice | None:
    data = facts.env.observations
    if data is not None and data.n_observations and data.weights.any():
        return None
    if data is not None and data.n_observations:
        return Advice("All observations have weight 0, so that none counts.", "WEIGHT 1 sets them to 1.", "WEIGHT 1")
    return Advice(
        "There is a model, but nothing was observed yet.",
        "Parameters are fitted to observations; a file of them is to be read (CREATE would simulate some).",
        "LOAD DATA",
    )


def no_connection(facts: Facts) -> Advice | None:
    """Sample times on which the solution cannot be compared with the data, or the curves have no hold."""
    times, data = facts.env.samples.times, facts.data
    if not facts.env.samples.uniform and times[-1] <= data.times[-1]:
        return None
    return Advice(
        "The sample times have no connection to the observations, or go beyond them.",
        "A fit compares the solution with the data at the times of the data.",
        "SAMPLE 1",
    )


def initial_values(facts: Facts) -> Advice | None:
    """States without an initial value, though it was observed and the solution from 0 is far from the data."""
    env = facts.env
    ready = _prepared(env)
    if ready:
        which = listed([f"the initial value of {state}" for state in ready])
        return Advice(
            f"There {'is a parameter' if len(ready) == 1 else 'are parameters'} for {which}, but no equation uses "
            f"{'it' if len(ready) == 1 else 'them'} yet.",
            "With that, the state begins where the data say, and the fit corrects it.",
            free(ready),
        )
    begun = _begun(env)
    if not begun or not facts.far:
        return None
    states = families(env, begun)
    names, has, was = listed(states), *(("has", "was") if len(states) == 1 else ("have", "were"))
    return Advice(
        f"{names} {has} no initial value in the model, so that 0 is taken, but {was} observed to begin at "
        f"{listed([few(each) for each in begun.values()])}.",
        "What was observed first is the better beginning; as a parameter it can be fitted with the others "
        f"({fixed(states)} would hold it fixed).",
        free(states),
    )


def to_free(env: Environment) -> list[str]:
    """The states whose initial values are to be parameters before anything is fitted."""
    if env.observations is None:
        return []
    facts = Facts(Timeline(env))
    return _prepared(env) or (families(env, _begun(env)) if facts.far else [])


def _prepared(env: Environment) -> list[str]:
    """States without an initial value for which there is a parameter, called like them, that nothing uses."""
    if not env.model.unset:
        return []
    unused = [name.lower() for name in unused_parameters(env)]
    return [state for state in families(env, env.model.unset) if f"{state}0".lower() in unused]


def _begun(env: Environment) -> dict[str, float]:
    """First observations of states without initial value that have not grown from 0."""
    data, found = env.observations, {}
    assert data is not None
    for state, (time, value) in first_unexplained(env).items():
        largest = float(data.maxima[data.names.index(state)])
        if abs(value) > (BEGUN if time == env.model.t0 else GROWN) * largest:
            found[state] = value
    return found


def sizes(facts: Facts) -> Advice | None:
    """Observations of very different sizes that all weigh alike; said before anything was fitted."""
    data = facts.data
    if not are_unlike(data) or any(word_of(each) in FITTING for each in facts.trail):
        return None
    return Advice(
        f"The observations are of very different sizes, but all weigh alike: {small_and_large(data)}.",
        "Weighted by how much each variable varies, all of them count; standard deviations would do it better (WEIGHT "
        "SD).",
        "WEIGHT AUTO",
    )


def units(facts: Facts) -> Advice | None:
    """Data so much larger than the solution that no fit gets anywhere; said before anything was fitted."""
    if any(word_of(each) in FITTING for each in facts.trail) or not facts.at.usable or not facts.standing.apart:
        return None
    name, factor = facts.standing.apart[0]
    return Advice(
        f"The observations of {name} are about {factor:.0e} times as large as the solution. Are the units the same?",
        "Beside that no change of the parameters counts. DATA shows what was observed; SET gives parameters other "
        "values, and MODEL changes the equations.",
        "DATA",
        done=True,
    )


def robust(facts: Facts) -> Advice | None:
    if not facts.env.loss:
        return None
    if facts.env.judgement is not None and not facts.env.judgement.is_minimum:
        return Advice(
            f"The fit with the loss {facts.env.loss} has not ended at a minimum of it.",
            "Least squares is surer from far away; the loss can be minimized from where that ends.",
            "FIT MORE",
        )
    return Advice(
        f"The parameters were fitted with the loss {facts.env.loss}, which lets outliers count less.",
        "That is a result of its own, which least squares would only change: write it down. "
        "FIT MORE would go on with least squares.",
        "REPORT PAR",
        done=True,
        after=WRITTEN,
    )
