"""What PROBE found, in words: tables of singular values, and a sentence with its remedy for each finding."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

import numpy as np

from parfit.arrays import Array
from parfit.estimation.diagnosis.by_experiment import seen_by_experiment
from parfit.estimation.diagnosis.probing import Blindness, Combination, Probe, Unseen
from parfit.estimation.diagnosis.tradeoffs import Form, TradeOff
from parfit.estimation.parameters import Scaling
from parfit.session.environment import Environment
from parfit.text.report import columns, counted, number, parameters, titled

WIDTH = 79
SHOWN = 0.1  # components of a singular vector below this are not listed
MOST_LISTED = 4  # components of a vector
MOST_POOR = 2  # poorly determined combinations that are described
SMALL_SHARE = 0.05  # of a parameter in a combination, below which it is not named
FACTORS = ("c", "k", "f", "any_factor")  # names of a factor, the first that is no parameter
SUM_WORDS = ("raising", "lowering", " + ", " - ")
REMEDIES = {
    Blindness.STRUCTURE: "FREEZE {name}, or observe a variable that it acts on.",
    Blindness.VALUES: "SET {name} or the others to values at which it acts, or FREEZE {name}.",
    Blindness.NEGLIGIBLE: "FREEZE {name}, or SET other values.",
    Blindness.SWITCH: "No derivative shows which way to change it: SCAN {name} tries values, NUDGE and SET change it.",
    Blindness.ROOT: "SET {name} to a positive value, or SCALE {name} NONE.",
}


def probed(env: Environment, found: Probe, picture: str = "") -> str:
    """All that was found, as it is shown and reported; the environment is the one that was probed.

    The picture is one of the singular vectors, if it is wanted below the table of their largest components.
    """
    head = f"PARAMETERS\n{parameters(env)}"
    if not found.usable:
        parts = [head, filled(_unusable(found)), *map(filled, _bounds(found))]
        return titled("PROBE OF THE JACOBIAN", "\n\n".join(parts))
    tables = [singular_values(found), *([picture] if picture else []), "\n".join(_conditions(found))]
    parts = [head, *tables, *_by_experiment(env, found), *map(filled, findings(found))]
    return titled("PROBE OF THE JACOBIAN", "\n\n".join(parts))


def filled(text: str) -> str:
    """Text in lines; what belongs to a number stays on its line."""
    glued = text.replace(" %", "\xa0%").replace(" = ", "\xa0=\xa0")
    return textwrap.fill(glued, WIDTH, break_long_words=False, break_on_hyphens=False).replace("\xa0", " ")


def _unusable(found: Probe) -> str:
    status = found.evaluation.status
    if not status:
        return f"The Jacobian cannot be had at these parameters, for the integration stopped: {status}."
    return (
        "The Jacobian or the sum of squares is not a finite number at these parameters: "
        "SET other values, or see with REPORT STATES and REPORT JACOBIAN where the trouble begins."
    )


# ---- tables


def singular_values(found: Probe) -> str:
    """Singular values as the optimizer sees them, with the parameters that their vectors consist of."""
    map_, spectrum = found.parameters, found.spectrum
    names = map_.labels
    headings, cells = ["", "singular value"], [[str(j + 1) for j in range(spectrum.s.size)], _numbers(spectrum.s)]
    if not np.allclose(spectrum.s, found.relative_spectrum.s, rtol=1e-9, atol=0.0):
        headings, cells = [*headings, "of relative changes"], [*cells, _numbers(found.relative_spectrum.s)]
    used = sum(max(map(len, [h, *column])) + 2 for h, column in zip(headings, cells, strict=True))
    vectors = [_vector(row, names, WIDTH - used) for row in spectrum.v]
    return columns([*headings, "singular vector"], [*cells, vectors], left=[len(headings)])


def _numbers(values: Array) -> list[str]:
    """Seven digits, zeros kept, so that points line up as far as sizes allow."""
    return [f"{abs(value):#.7g}" for value in values]


def _vector(vector: Array, names: Sequence[str], room: int) -> str:
    """The largest components, as a sum; the sign of a vector means nothing, so the largest is positive."""
    order = np.argsort(-np.abs(vector), kind="stable")
    sign, text = np.sign(vector[order[0]]) or 1.0, ""
    for place, j in enumerate(order[np.abs(vector[order]) >= SHOWN]):
        value = sign * vector[j]
        mark = ("" if value > 0 else "-") if not text else " + " if value > 0 else " - "
        more = f"{mark}{abs(value):.3f} {names[j]}"
        if place and (place == MOST_LISTED or len(text) + len(more) + 6 > room):
            return f"{text} + ..."
        text += more
    return text


def _conditions(found: Probe) -> Iterator[str]:
    value = found.spectrum.condition
    yield f"CONDITION NUMBER  {number(value) if value < np.inf else 'infinite'}"
    if found.unseen and found.condition < np.inf:
        yield f"WITHOUT THE PARAMETERS THAT ARE NOT SEEN  {number(found.condition)}"
    if _unlogged(found) and found.log_condition < np.inf:
        yield f"WITH LOGARITHMS OF ALL POSITIVE PARAMETERS  {number(found.log_condition)}"


def _unlogged(found: Probe) -> list[str]:
    """Positive parameters whose logarithms are not taken."""
    map_ = found.parameters
    blind = {each.parameter for each in found.unseen}
    free = [k for k in map_.active if k not in blind and map_.full[k] > 0]
    return [map_.names[k] for k in free if map_.scaling[k] is not Scaling.LOGARITHM]


def _by_experiment(env: Environment, found: Probe) -> Iterator[str]:
    """What each of several experiments determines without the others."""
    if not env.model.parts or env.observations is None:
        return
    each = seen_by_experiment(found.relative[: found.evaluation.n_data], env.observations, found.evaluation.precision)
    cells = zip(*((one.name, str(one.n_observations), str(one.n_seen), str(one.rank)) for one in each), strict=True)
    headings = ["experiment", "observations", "parameters in it", "determined by it alone"]
    yield columns(headings, list(cells), left=[0])


# ---- findings


def findings(found: Probe) -> list[str]:
    """A sentence or two for each finding, with the command that helps."""
    sentences = [*_counts(found), *(_unseen(found, each) for each in found.unseen)]
    sentences += [trade_off(found, each) for each in found.undetermined]
    sentences += _poor_ones(found)
    troubled = bool(found.unseen or found.undetermined or found.poor)
    if not troubled:
        sentences.append(_determined(found))
    return [*sentences, *_scaling(found), *(_advice(found) if troubled else ()), *_bounds(found)]


def _counts(found: Probe) -> Iterator[str]:
    n, m = found.relative.shape
    if n < m:
        few = f"There {'is' if n == 1 else 'are'} {counted(n, 'observation')} for {counted(m, 'active parameter')}"
        yield f"{few}: at least {counted(m - n, 'combination')} of them cannot be determined."


def _determined(found: Probe) -> str:
    m = len(found.parameters.active)
    text = "The parameter is" if m == 1 else f"{'Both' if m == 2 else f'All {m}'} parameters are"
    text += f" determined by the data; the condition number is {number(found.spectrum.condition)}."
    worst = found.combinations[0]
    if not 0.0 < worst.error < np.inf:
        return text
    shares = "its" if m == 1 else f"the worst-determined combination is {_shares(found, worst)}, its"
    return f"{text} In relative changes, {shares} standard error is {worst.error:.3g}."


def _unseen(found: Probe, each: Unseen) -> str:
    name = found.parameters.names[each.parameter]
    remedy = REMEDIES[each.reason].format(name=name)
    detail = f" ({each.detail})" if each.detail else ""
    return f"{name} is not seen by the data: it {each.reason.value}{detail}. {remedy}"


def trade_off(found: Probe, each: TradeOff) -> str:
    """A combination that is not determined, and whether it holds exactly."""
    map_ = found.parameters
    names = [map_.names[k] for k in each.members]
    what, change = _described(
        names, each, next(letter for letter in FACTORS if letter not in map(str.lower, map_.names))
    )
    who = f"{_listed(names)} trade off"
    remedy = f"FREEZE {' or FREEZE '.join(names)} at a known value."
    if not each.exact or each.tried is None:
        size = (
            "it could not be tried" if each.tried is None else f"when tried, predictions changed by {each.change:.2g}"
        )
        return f"{who}, nearly: near these values {change} changes nothing to first order ({size}). {remedy}"
    # Of parameters that trade off with others too, two alone are not determined in any combination.
    shared = any(set(each.members) & set(other.members) for other in found.undetermined if other is not each)
    only = f" only {what} is determined;" if len(names) == 2 and not shared else ""
    values = _listed([f"{map_.names[k]} = {number(each.tried[k])}" for k in each.members])
    return f"{who}:{only} {change} changes nothing. The data cannot tell (tried with {values}). {remedy}"


def _described(names: Sequence[str], each: TradeOff, factor: str) -> tuple[str, str]:
    """What is determined of the first two parameters, and how all of them can change."""
    is_product = each.form is Form.PRODUCT
    up, down, together, apart = ("multiplying", "dividing", "*", "/") if is_product else SUM_WORDS
    sizes = [float(abs(value)) for value in each.coefficients]
    steps = [
        f"{n} by {_term(factor, a, True) if is_product else f'{a:.5g}'}" for n, a in zip(names, sizes, strict=True)
    ]
    raised, lowered = ([w for w, c in zip(steps, each.coefficients, strict=True) if c * sign > 0] for sign in (1, -1))
    change = f"{up} {_listed(raised)}" + (f" and {down} {_listed(lowered)}" if lowered else "")
    first, second = _term(names[0], sizes[1], is_product), _term(names[1], sizes[0], is_product)
    return f"{first}{together if lowered else apart}{second}", change


def _term(name: str, amount: float, is_power: bool) -> str:
    return name if amount == 1.0 else f"{name}^{amount:.5g}" if is_power else f"{amount:.5g}*{name}"


def _poor_ones(found: Probe) -> Iterator[str]:
    yield from (_poor(found, each) for each in found.poor[:MOST_POOR])
    more = len(found.poor) - MOST_POOR
    if more > 0:
        yield f"{counted(more, 'more combination')} {'is' if more == 1 else 'are'} poorly determined."
    if found.poor and not found.fitted:
        yield "The residuals are not yet as small as the parameters can make them: FIT, and then PROBE says more."


def _poor(found: Probe, each: Combination) -> str:
    """How far its parameters can move before the sum of squares shows it."""
    map_ = found.parameters
    named = _named(each)
    lead = f"Poorly determined: {_shares(found, each)}."
    remedy = f"FREEZE {map_.names[map_.active[named[0]]]}"
    if not each.error > 0.0:
        part = (found.relative_spectrum.s[0] / each.s) ** 2
        return f"{lead} The sum of squares is {part:.3g} times less sensitive to it than to the best one. {remedy}."
    sign = np.sign(each.vector[named[0]])
    moves = [_move(found, j, sign * each.error * each.vector[j]) for j in named]
    rise = f"raises the sum of squares by only {number(found.error**2)}, one squared standard error of the fit"
    return f"{lead} Changing {_listed(moves)} {rise}. {remedy}."


def _move(found: Probe, j: int, change: float) -> str:
    """A change by as much as a share of the combination; relative, but for a parameter that is 0."""
    k = found.parameters.active[j]
    size = f"{100 * change:+.3g} %" if abs(change) < 10.0 else f"{100 * change:+.0f} %"
    return f"{found.parameters.names[k]} by {size if found.parameters.full[k] != 0.0 else f'{change:+.3g}'}"


def _named(each: Combination) -> list[int]:
    order = np.argsort(-np.abs(each.vector), kind="stable")[:MOST_LISTED]
    return [int(j) for j in order if each.vector[j] ** 2 >= SMALL_SHARE]


def _shares(found: Probe, each: Combination) -> str:
    map_ = found.parameters
    return _listed([f"{map_.names[map_.active[j]]} ({100 * each.vector[j] ** 2:.0f} %)" for j in _named(each)])


def _scaling(found: Probe) -> Iterator[str]:
    """Logarithms, where sizes of parameters are what makes the condition number large."""
    names = _unlogged(found)
    if names and found.logarithms_help:
        fall = f"from {number(found.condition)} to {number(found.log_condition)}"
        lead = "The sizes of the parameters are what makes the condition number large: logarithms would reduce it"
        yield f"{lead} {fall}. SCALE {' '.join(f'{name} LOG' for name in names)}"


def _advice(found: Probe) -> Iterator[str]:
    advice = found.advice
    if advice is None or not advice.helps:
        others = "" if all(each.exact for each in found.undetermined) else "; at other times one may"
        yield f"No further observation of the model's variables at the sample times would help with this{others}."
        return
    gain = "it would determine one more combination"
    if advice.before > 0.0:
        gain = f"the uncertainty of the worst combination would fall by a factor of {advice.after / advice.before:.3g}"
    yield f"An observation of {advice.variable} near t = {number(advice.time)} would help most: {gain}."


def _bounds(found: Probe) -> Iterator[str]:
    map_ = found.parameters
    for k in found.at_bound:
        side, bound = ("lower", map_.lower[k]) if map_.full[k] <= map_.lower[k] else ("upper", map_.upper[k])
        where = "at" if map_.full[k] == bound else "beyond"
        name = map_.names[k]
        yield f"{name} is {where} its {side} bound {number(bound)}: FREEZE {name}, or move the bound with BOUNDS."


def _listed(words: Sequence[str]) -> str:
    return " and ".join([*([", ".join(words[:-1])] if len(words) > 1 else []), *words[-1:]])
