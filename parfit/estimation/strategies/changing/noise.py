"""The errors of an observed variable, as they are said: words, a name that is shared, expressions; and priors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches

import numpy as np

from parfit.arrays import Array
from parfit.errors import CommandError, ModelError
from parfit.estimation.likelihood.said import check_priors, with_limits
from parfit.estimation.noise import WORDS, Form, Noise, VariableNoise
from parfit.estimation.prior import Prior
from parfit.model.language import editing
from parfit.model.naming import base_of, experiment_of, family, labelled
from parfit.model.said.lines import read_errors
from parfit.model.said.reading import sd_name
from parfit.model.textfile import Read, file_bytes
from parfit.session.environment import Environment
from parfit.simulation.trajectory import Trajectory

NONE, BOTH = "NONE", "BOTH"
SMALL = 0.05  # of what is observed: where the search for errors begins


def with_errors(env: Environment, columns: Sequence[str], said: str, read: Read = file_bytes) -> Environment:
    """The environment with the errors of one variable, in these columns, as it was said: RELATIVE s, .1+.05*y1 ..."""
    return _without_unused_variances(env, _changed(env, columns, said, read), columns, read)


def _changed(env: Environment, columns: Sequence[str], said: str, read: Read) -> Environment:
    if said.strip().upper() == NONE:
        for name in columns:
            env = env.with_noise(env.noise.with_model(name, None))
        return env
    first, *rest = said.split()
    if first.upper() == BOTH:
        return _both(env, columns, rest, read)
    if first.upper() == Form.PROPORTIONAL.name and not rest:
        raise CommandError(
            "PROPORTIONAL needs an expression after it, such as 1+b*y1", "RELATIVE is in proportion to the solution"
        )
    word, what = read_errors(said)
    form = Form[word]
    near = get_close_matches(first.upper(), (*WORDS, BOTH, NONE), 1)
    if form is Form.GIVEN and near and is_new_name(env, first):
        raise CommandError(f"{first!r} is no form of errors", f"did you mean {near[0]}?")
    if len(rest) > 1 and form is not Form.GIVEN and all(each.isidentifier() for each in rest):
        raise CommandError(f"{what!r} is more than the command can use; a name of a standard deviation may follow")
    for name in columns:
        _refuse_logarithms(env, name, form)
    if form is Form.PROPORTIONAL or (what and not is_new_name(env, what)):
        return _of_quantity(env, columns, form, what, read)
    if form is Form.GIVEN:
        raise CommandError(f"{said!r} is no form of errors", f"there are {', '.join(WORDS)}, {BOTH} and expressions")
    return _estimated(env, columns, form, what)


def is_new_name(env: Environment, text: str) -> bool:
    """Whether a word is a name that the model does not know."""
    known = (*env.model.parameters, *env.variables, *(name for name, _ in env.model.quantities), "t")
    return text.isidentifier() and text.lower() not in {base_of(name).lower() for name in known}


def _estimated(env: Environment, columns: Sequence[str], form: Form, group: str) -> Environment:
    assert env.observations is not None
    of_all = len(family(base_of(columns[0]), env.observations.names)) == len(columns)  # else one has errors of its own
    shared = group or (base_of(columns[0]) if experiment_of(columns[0]) and of_all else "")
    found = env.noise
    for name in columns:  # first, for what they share must be of one form
        found = found.with_model(name, None)
    for name in columns:
        found = found.with_model(name, VariableNoise(form, shared))
    if len({each.form for each in found.models.values() if shared and each.group == shared}) > 1:
        raise CommandError(
            f"{shared} is shared by errors of another form",
            "NOISE says the form of those first, or another name has errors of its own",
        )
    return env.with_noise(found)


def _refuse_logarithms(env: Environment, name: str, form: Form) -> None:
    data = env.observations
    assert data is not None
    column = data.values[:, data.names.index(name)]
    wrong = np.flatnonzero(column <= 0.0)
    if form.is_of_logarithm and wrong.size:
        at = f"{column[wrong[0]]:g} at t = {data.times[wrong[0]]:g}"
        raise CommandError(f"{name} was observed to be {at}, which has no logarithm", "use ADDITIVE or RELATIVE")


# ---- standard deviations that are quantities of the model


def _both(env: Environment, columns: Sequence[str], rest: list[str], read: Read) -> Environment:
    """Two variances that add up: one for all, and one that goes with the square of what is computed.

    Variances rather than standard deviations are the parameters, because at 0 only they have a slope.
    """
    if rest:
        raise CommandError(f"{' '.join(rest)!r} is more than BOTH can use")
    data = env.observations
    assert data is not None
    base = base_of(columns[0])
    add, part = _variances(base)
    values = np.concatenate([data.values[:, data.names.index(name)] for name in columns])
    start = SMALL * float(np.nanmax(np.abs(values))) or 1.0
    lines = [] if add in env.model.parameters else [f"par {add}={start**2:.2g}, {part}={SMALL**2:.2g}"]
    new = _of_quantity(env, columns, Form.GIVEN, f"sqrt({add}+{part}*{base}^2)", read, lines)
    lower = new.parameters.lower.copy()
    own = [new.model.parameters.index(name) for name in (add, part)]
    lower[own] = np.maximum(lower[own], 0.0)
    return new.with_bounds(lower, new.parameters.upper)


def _variances(base: str) -> tuple[str, str]:
    """The names of the parameters that BOTH makes."""
    return f"va_{base}", f"vr_{base}"


def _without_unused_variances(
    before: Environment, env: Environment, columns: Sequence[str], read: Read
) -> Environment:
    """Without what BOTH has made of the model, if nothing is left that needs it: no data would determine it."""
    needed = {base_of(each) for each in env.noise.quantities}
    was = {base_of(each.quantity) for name, each in before.noise.models.items() if name in columns and each.quantity}
    variances = _variances(base_of(columns[0]))
    if not was or not set(variances) <= set(env.model.parameters):
        return env
    try:
        return env.with_model(
            editing.edit(env.model, f"remove {' '.join([*(was - needed), *variances])}", env.folder, read)
        )
    except ModelError:  # somebody else uses them
        return env


def _of_quantity(
    env: Environment, columns: Sequence[str], form: Form, said: str, read: Read, first: Sequence[str] = ()
) -> Environment:
    """A standard deviation, or what it is a multiple of, as an expression, which becomes an aux quantity."""
    parameter = next((name for name in env.model.parameters if name.lower() == said.lower()), "")
    if parameter:
        return _named(env, columns, form, dict.fromkeys(columns, parameter))
    own = experiment_of(columns[0]) if len(columns) == 1 else ""
    quantity = "_".join(filter(None, (sd_name(base_of(columns[0])), own)))
    changed = env.model
    for line in (*first, f"aux {quantity}={said}"):
        changed = editing.edit(changed, line, env.folder, read)
    new = env.with_model(changed)
    has_parts = bool(new.model.parts)
    names = {name: labelled(quantity, experiment_of(name)) if has_parts else quantity for name in columns}
    return _named(new, columns, form, names)


def _named(env: Environment, columns: Sequence[str], form: Form, quantities: dict[str, str]) -> Environment:
    """With a quantity or a parameter for every column, if these are positive where they are now."""
    found = env.noise
    for name in columns:
        found = found.with_model(name, VariableNoise(form, quantity=quantities[name]))
    run = env.simulator()(env.values)
    for name in columns:
        _refuse_negative(env, run, name, quantities[name])
    return env.with_noise(found)


def _refuse_negative(env: Environment, run: Trajectory, name: str, quantity: str) -> None:
    data = env.observations
    assert data is not None
    times: Array = data.times[data.observed[:, data.names.index(name)]]
    if quantity in env.model.parameters:
        sds = np.full(times.size, env.values[env.model.parameters.index(quantity)])
    elif run.status and np.isin(times, run.times).all():
        sds = run.column(quantity)[np.searchsorted(run.times, times)]
    else:
        return
    wrong = np.flatnonzero(~(sds > 0.0))
    if wrong.size:
        place = f"{sds[wrong[0]]:g} at t = {times[wrong[0]]:g}"
        raise CommandError(f"the standard deviation of {name} would be {place}; it must be positive")


# ---- what is known of parameters


def with_prior(env: Environment, names: Sequence[str], prior: Prior | None) -> Environment:
    """The environment with a prior of some parameters; bounds come and go with one that is uniform."""
    found = env.noise
    lower, upper = env.parameters.lower.copy(), env.parameters.upper.copy()
    for name in names:
        before, k = found.priors.get(name), env.model.parameters.index(name)
        if before is not None and before.limits == (lower[k], upper[k]) and not before.is_felt:
            lower[k], upper[k] = -np.inf, np.inf
        found = found.with_prior(name, prior)
    free = replace(env.parameters, lower=lower, upper=upper)
    check_priors(found, free, names)
    limited = with_limits(free, Noise({}, {name: found.priors[name] for name in names if name in found.priors}))
    return replace(env, parameters=limited, noise=found)
