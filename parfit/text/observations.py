"""What is to be said of a model and its data when they come together: where time and states begin, and sizes."""

from __future__ import annotations

from collections.abc import Iterable

from parfit.data.observations import Observations, sizes_of
from parfit.estimation.strategies.initial import first_unexplained, first_values, initial_values
from parfit.estimation.strategies.initial_of_experiments import families
from parfit.model.conditions.design import START
from parfit.model.language.expression import Name, Number
from parfit.model.language.statements import read_statements
from parfit.model.language.writing import expression_text
from parfit.model.naming import base_of, labelled
from parfit.session.environment import Environment
from parfit.session.questions import quoted
from parfit.text.advised import Advised
from parfit.text.report import columns, number

UNLIKE = 100.0  # factor between sizes, from which on the smaller ones hardly count: 1e-4 of the sum of squares


def beginnings(env: Environment) -> list[Advised]:
    """What was taken where the model does not say it, unless it is what everybody expects (time begins at 0)."""
    return [*([] if env.model.says_t0 or env.model.t0 == 0.0 else [_time(env)]), *_states(env)]


def remarks(env: Environment) -> list[Advised]:
    """What whoever only runs a script should know."""
    return [*beginnings(env), *of_experiments(env), *of_errors(env), *sizes(env)]


def of_errors(env: Environment) -> list[Advised]:
    """Lines `noise` of the model about what was not observed, which have no meaning for these data."""
    seen = () if env.observations is None else env.observations.names
    idle = list(dict.fromkeys(line.variable for line in env.model.noise if seen and line.variable not in seen))
    return [Advised(f"`noise {name}` has no meaning here: {name} was not observed") for name in idle]


def of_experiments(env: Environment) -> list[Advised]:
    """Columns that were passed over, and statements about experiments that the data do not name."""
    found, design = [], env.design
    if design is not None and design.unused:
        one = len(design.unused) == 1
        fact = f"column{'' if one else 's'} {', '.join(design.unused)} {'is' if one else 'are'} not used"
        example = design.unused[0].partition("[")[0].strip()
        found.append(Advised(fact, f"`number {example}=VALUE` in the model makes {example} a setting"))
    if design is not None and design.silent:
        named = f"experiment{'' if len(design.silent) == 1 else 's'} {', '.join(design.silent)}"
        found.append(Advised(f"nothing was observed in {named}: left out"))
    if design is None and (scoped := _scoped(env)):
        fact = f"statements for experiment{'' if len(scoped) == 1 else 's'} {', '.join(scoped)} do not hold here"
        found.append(Advised(fact, "a column `experiment` names the experiments of the data"))
    return found


def _scoped(env: Environment) -> list[str]:
    """The experiments of which the model speaks."""
    if "experiment" not in env.model.source.lower():
        return []
    said = [item for item in read_statements(env.model.source) if item.kind == "experiment"]
    return list(dict.fromkeys(name for item in said for name in item.arguments))


def _time(env: Environment) -> Advised:
    t0, data = env.model.t0, env.observations
    if data is None or t0 == 0.0:
        origin = ""
    elif data.begin is not None:
        origin = ", as the data say,"
    else:
        origin = f", the first time of {'the data' if t0 == data.times[0] else 'a dose or another jump'},"
    fact = f"the model does not say when it begins: t = {t0:.7g}{origin} is taken"
    return Advised(fact, "MODEL @ t0=TIME sets another")


def _states(env: Environment) -> list[Advised]:
    """The states without an initial value; what was observed first is offered for those that were."""
    model = env.model
    if not model.unset:
        return []
    unset = tuple(dict.fromkeys(map(base_of, model.unset)))  # in all experiments alike
    one = len(unset) == 1
    text = f"{', '.join(unset)} {'has' if one else 'have'} no initial value and {'begins' if one else 'begin'} at 0"
    seen = first_unexplained(env)
    if not seen:
        is_meant = model.jumps or model.rest is not None  # doses are given, or it comes to rest
        return [] if is_meant else [Advised(text)]
    states = families(env, seen)
    how = f"to begin with what was observed first, or to fit that as well:\n    {fixed(states)}\n    {free(states)}"
    return [Advised(text, how)]


def fixed(states: Iterable[str]) -> str:
    """The command that has states begin at what was observed first."""
    return f"INIT {' '.join(map(quoted, states))} OBSERVED"


def free(states: Iterable[str]) -> str:
    """The command that makes parameters of initial values."""
    return f"INIT {' '.join(map(quoted, states))} FREE"


def initial_table(env: Environment) -> str:
    """The states: where they begin, why, and what was observed first."""
    model = env.model
    seen = first_values(env, model.states)
    set_ = _set_by_data(env)
    rows = []
    for state, node, number_ in zip(model.states, model.initial, initial_values(env), strict=True):
        if model.rest is not None and state in model.rest.model.states and state not in model.rest.own:
            origin = "rest"
        elif state in model.unset:
            origin = "not given"
        elif state in set_:
            origin = "the data"
        elif isinstance(node, Number):
            origin = "the model"
        else:
            single = isinstance(node, Name) and node.name in model.parameters
            origin = f"{'parameter ' if single else ''}{expression_text(node)}"
        rows.append([state, number(number_), origin, number(seen[state]) if state in seen else ""])
    text = columns(["state", "begins at", "from", "observed first"], list(zip(*rows, strict=True)), left=[0, 2])
    return f"{text}\nat t = {number(model.t0)}"


def _set_by_data(env: Environment) -> set[str]:
    """The states whose initial values stand in the data."""
    conditions = () if env.design is None else env.design.conditions
    names = [(name.removesuffix(START), each.name) for each in conditions for name in each.settings]
    return {labelled(name, experiment) if env.model.parts else name for name, experiment in names}


def sizes(env: Environment) -> list[Advised]:
    """A remark where observations of very different sizes all weigh alike."""
    data = env.observations
    if data is None or not are_unlike(data):
        return []
    return [Advised(f"{small_and_large(data)}, and all weigh alike", "to let all of them count:\n    WEIGHT AUTO")]


def small_and_large(data: Observations) -> str:
    """How much the values vary that vary least and most."""
    found = {name: size for name, size in sizes_of(data).items() if size > 0.0}
    small, large = min(found, key=found.__getitem__), max(found, key=found.__getitem__)
    return (
        f"the values of {small} vary by about {found[small]:.2g}, those of {large} by {found[large]:.2g}, so that "
        f"{small} hardly counts"
    )


def are_unlike(data: Observations) -> bool:
    """Whether sizes of variables are very different, and nobody has weighted them."""
    found = [size for size in sizes_of(data).values() if size > 0.0]
    weights = data.weights[data.observed]
    return len(found) > 1 and bool((weights == weights[0]).all()) and max(found) > UNLIKE * min(found)
