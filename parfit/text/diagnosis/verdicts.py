"""What a study of a fit means, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from parfit.arrays import Array
from parfit.estimation.diagnosis.nonlinearity import BoundaryPoint
from parfit.estimation.diagnosis.residual_tests import Consistency, Runs
from parfit.estimation.diagnosis.statistics import Lack, Statistics
from parfit.estimation.diagnosis.study import Study
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.text.diagnosis.proportion import out_of_proportion

RELATED = 0.9  # correlation from which on it is told
CLOSE = 0.99  # correlation from which parameters are hardly told apart (Hemker 1972, note to section 6.1)
UNLIKELY = 0.05  # probability below which an order of signs, or so large a sum of squares, is no chance
UNTESTED = (
    "Whether the model is consistent with the data is not tested where there are noise models or priors. It is "
    "with standard deviations in the data (columns like y1.sd) alone."
)
MOST_TOLD = 3  # pairs of parameters in short, or points of the boundary, that are described, the worst first


def remarks(study: Study) -> list[str]:
    """What must be known before the numbers are believed."""
    return [*grave(study), *_correlated(study)]


def grave(study: Study) -> list[str]:
    """The same without correlations."""
    return [
        *_freedom(study.statistics),
        *_optimum(study),
        *_undetermined(study),
        *_bounds(study.parameters),
        *_vague(study),
    ]


def _freedom(found: Statistics) -> Iterator[str]:
    n, m = found.n_observations, found.n_active
    if n == 0:
        yield "No observation counts, because all weights are 0; WEIGHT 1 sets them to 1."
    elif n < m:
        yield f"There are fewer observations ({n}) than active parameters ({m}): FREEZE some, or take more data."
    if n and found.lack is not None:
        yield f"There are no intervals: {found.lack.value}."


def _optimum(study: Study) -> Iterator[str]:
    """Whether this is a minimum, judged as after FIT, which has judged what is one of a robust loss."""
    found, unsaid = study.statistics, _unsaid(study)
    if study.standing.minimal or found.lack is Lack.LOSS:
        return
    if study.standing.saddle:
        yield (
            "This point is not a minimum but a saddle point: the sum of squares falls to both sides if "
            f"{_joined(_active(study, study.standing.saddle))} change. Statistics assume the optimum; SET other "
            "values for them, and FIT."
        )
    elif unsaid:
        yield f"It cannot be said whether this point is a minimum: {unsaid}"
    else:
        yield (
            "This point is not a minimum: a Gauss-Newton step would lower the sum of squares from "
            f"{found.sum_of_squares:.6g} to about {max(found.sum_of_squares - found.reduction, 0.0):.6g}. Statistics "
            "assume the optimum; FIT should come first."
        )


def _unsaid(study: Study) -> str:
    """Why nobody can say whether this is a minimum; empty if it can be said."""
    stands = study.standing
    if stands.switched:
        hidden = _active(study, stands.switched)
        return (
            f"{_joined(hidden)} {_plural(hidden, 'acts', 'act')} only through a switch, which no derivative shows. "
            "SCAN tries values, NUDGE and SET change them."
        )
    if stands.apart:
        return out_of_proportion(stands)
    if stands.flat:
        flat = _joined(_active(study, stands.flat))
        return f"the sum of squares is flat in {flat}, which the data do not see here."
    return ""


def _active(study: Study, which: Sequence[int]) -> list[str]:
    """Names of active parameters by their subscripts among these."""
    return [study.parameters.names[study.parameters.active[k]] for k in which]


def _undetermined(study: Study) -> Iterator[str]:
    """The parameters of which the observations say nothing, and the combinations."""
    map_, found = study.parameters, study.statistics.determination
    if not study.statistics.n_observations:
        return
    names = study.names
    for k in np.flatnonzero(found.dead):
        if k in study.standing.switched:
            continue
        subscript = map_.active[k]
        if map_.scaling[subscript] is Scaling.SQUARE_ROOT and map_.full[subscript] == 0.0:
            yield f"{names[k]} is 0, where nothing responds to it; take its scaling away with SCALE, or FREEZE it."
        else:
            yield f"{names[k]} is undetermined: it has no influence on the observations; FREEZE it."
    combinations = [row for row in found.null if not found.dead[np.abs(row) > 0].any()]
    for row in combinations:
        yield (
            f"{_joined([names[k] for k in np.flatnonzero(row)])} are undetermined to first order: by their first "
            f"derivatives the residuals stay the same if {_proportions(study, row)} together. PROFILE says whether "
            "the data limit them after all; if not, FREEZE one of them."
        )
    if not found.is_full and found.determined.any() and study.statistics.lack is None:
        kept = [name for name, known in zip(names, found.determined, strict=True) if known]
        yield f"The statistics hold for what is determined: {_joined(kept)}."


def _bounds(map_: ParameterMap) -> Iterator[str]:
    for k in map_.active:
        if map_.full[k] in (map_.lower[k], map_.upper[k]):
            yield (
                f"{map_.names[k]} lies on its bound {map_.full[k]:.6g}; the statistics take it to be free. FREEZE "
                f"{map_.names[k]} has those with it held there."
            )


def _wide(study: Study, widths: Array) -> list[str]:
    """The parameters whose intervals reach farther than to 0 and to twice their values, whatever their scaling."""
    map_ = study.parameters
    values, known = map_.full[list(map_.active)], study.statistics.determination.determined
    reach = np.abs(
        map_.chain(map_.point, np.where(known, widths, 0.0))
    )  # by linear theory, in units of the parameter itself
    return [map_.names[k] for j, k in enumerate(map_.active) if known[j] and values[j] and reach[j] > abs(values[j])]


def _vague(study: Study) -> Iterator[str]:
    """Parameters of which not even the size is known: another way not to be unique."""
    parts = study.statistics.intervals
    if parts is None:
        return
    alone, jointly = _wide(study, parts.single), _wide(study, parts.joint)
    if alone:
        yield (
            f"The {_plural(alone, 'interval')} of {_joined(alone)} {_plural(alone, 'is', 'are')} wider than the "
            f"{_plural(alone, 'parameter itself', 'parameters themselves')}: the data leave "
            f"{_plural(alone, 'it', 'them')} almost open."
        )
    others = [name for name in jointly if name not in alone]
    if others:
        yield (
            f"Together with all the others {_joined(others)} {_plural(others, 'is', 'are')} known less well: the "
            f"joint {_plural(others, 'interval')} {_plural(others, 'is', 'are')} wider than the "
            f"{_plural(others, 'parameter itself', 'parameters themselves')}."
        )


def related(study: Study) -> list[tuple[str, str, float]]:
    """Pairs of determined parameters with a high correlation, the closest first: STATS tells some, STATS FULL all."""
    found, names = study.statistics.determination, study.names
    matrix: Array = np.tril(found.correlation, -1)
    known = np.logical_and.outer(found.determined, found.determined)
    pairs = np.argwhere((np.abs(matrix) > RELATED) & known).tolist()
    pairs.sort(key=lambda pair: -abs(matrix[*pair]))
    return [(names[j], names[i], float(matrix[i, j])) for i, j in pairs]


def _correlated(study: Study) -> Iterator[str]:
    pairs = related(study)
    close, others = ([each for each in pairs if (abs(each[2]) > CLOSE) is wanted] for wanted in (True, False))
    if close:
        yield f"Hardly told apart, by their correlation: {_listed(close)}. The data fix a combination of them."
    if others:
        yield f"Correlated{' as well' if close else ''}: {_listed(others)}."


def _listed(pairs: list[tuple[str, str, float]]) -> str:
    return "; ".join(f"{one} and {other} ({correlation:.6f})" for one, other, correlation in pairs)


# ---- the checks


def linearity(study: Study) -> list[str]:
    """How far the linear theory can be trusted over the region."""
    found = study.statistics
    if found.lack is not None:
        return []
    if not found.is_centred:
        return ["F was not looked at on the boundary of the region: by the linear theory its minimum is elsewhere."]
    failed = [point for point in study.boundary if point.failed]
    wrong = [point for point in study.boundary if not point.failed and point.is_doubtful]
    wrong.sort(key=lambda point: -abs(np.log(max(point.factor, 1e-300))))
    if not failed and not wrong:
        return ["F rises towards the boundary of the region as the linear theory says, at the points that were tried."]
    said = [_bent(study, point) for point in wrong[:MOST_TOLD]]
    if failed:
        said.append(
            f"At {len(failed)} of {len(study.boundary)} points of the boundary the equations cannot be integrated, or "
            "F is not a number: the region reaches where the model does not."
        )
    return [
        *said,
        "The problem is not linear over the region: the intervals are only a rough guide; PROFILE finds better.",
    ]


def _bent(study: Study, point: BoundaryPoint) -> str:
    moved = change_in_words(study, point.change)
    if point.factor <= 0.0:
        return f"At {place(study, point)} ({moved}) F does not rise but falls: there is a better point."
    how = "more" if point.factor > 1.0 else "less"
    factor = point.factor if point.factor > 1.0 else 1.0 / point.factor
    side = "shorter" if point.factor > 1.0 else "longer"
    return (
        f"At {place(study, point)} ({moved}) F rises {factor:.3g} times {how} than by the linear theory: "
        f"the region is {side} there."
    )


def place(study: Study, point: BoundaryPoint) -> str:
    """A point of the boundary by its name."""
    sign = "+" if point.sign > 0 else "-"
    return f"axis {point.number + 1} {sign}" if point.kind == "axis" else f"{study.names[point.number]} {sign}"


def is_doubtful(found: Runs | None) -> bool:
    """Whether the signs of residuals are hardly chance."""
    return found is not None and found.p_value < UNLIKELY


def is_inconsistent(found: Consistency) -> bool:
    """Whether a sum of squares is too large, or too small, for the errors that are known."""
    return not 100.0 * UNLIKELY <= found.percentile <= 100.0 * (1.0 - UNLIKELY)


def signs(name: str, found: Runs | None) -> str:
    """What the test of runs says of one variable."""
    if found is None:
        return f"{name}: too few residuals for a test of runs."
    n = found.n_positive + found.n_negative
    if found.is_one_sign:
        sign, odds = "positive" if found.n_positive else "negative", f"probability {found.p_value:.4f}"
        if found.p_value < UNLIKELY:
            return f"{name}: all {n} residuals are {sign} ({odds}): the model misses the data on one side."
        return f"{name}: all {n} residuals are {sign}, which may be chance ({odds})."
    counts = (
        f"{name}: {found.n_runs} runs among {found.n_positive} positive and {found.n_negative} negative residuals, "
        f"{found.expected:.4g} expected, probability {found.p_value:.4f}"
    )
    if found.p_value >= UNLIKELY:
        return f"{counts}: the signs look random."
    if found.n_runs < found.expected:
        return f"{counts}: too few, the residuals follow a trend that the model does not."
    return f"{counts}: too many, the residuals alternate."


def consistency(study: Study) -> list[str]:
    """Consistent and unique, in the sense of van Domselaar and Hemker (1975, section 1)."""
    found, level = study.consistency, 100.0 * (1.0 - UNLIKELY)
    if found is None:
        said = (
            UNTESTED
            if study.likelihood is not None
            else (
                "Whether the model is consistent with the data cannot be said: the errors of the observations are not "
                "known. Give standard deviations (columns like y1.sd) and weights 1/sd (WEIGHT SD)."
            )
        )
        return [said, _uniqueness(study)]
    text = (
        f"The sum of squares {found.chi_square:.7g} is at the {found.percentile:.4g} percentile of chi-square with "
        f"{found.n_free} degrees of freedom"
    )
    if found.percentile > level:
        text += f", beyond {level:g}: the model is not consistent with the data, if their errors are as stated."
    elif found.percentile < 100.0 - level:
        text += (
            ": consistent, but closer than the errors of the data allow. Either their standard deviations are too "
            "large, or the model has too much freedom and is not unique."
        )
    else:
        text += ": the model is consistent with the data."
    return [text, _uniqueness(study)]


def _uniqueness(study: Study) -> str:
    found = study.statistics.determination
    if not found.is_full:
        return (
            f"The parameters are not unique: the Jacobian has rank {found.rank} for {study.statistics.n_active} "
            "active parameters."
        )
    if not study.standing.minimal:
        return (
            "Whether the parameters are unique cannot be said, because this point is no minimum; the Jacobian has "
            f"full rank {found.rank} here."
        )
    return (
        f"The parameters are unique near this point: the Jacobian has full rank {found.rank}; its condition number is "
        f"{found.condition:.6g}, or {found.unit_condition:.6g} with columns of length 1."
    )


# ---- words


def change_in_words(study: Study, change: Array) -> str:
    """The scaled active parameters' changes, as `p1 +0.2, log p2 -0.1`."""
    return ", ".join(f"{study.names[k]} {change[k]:+.4g}" for k in np.flatnonzero(change))


def _proportions(study: Study, change: Array) -> str:
    """A change whose size says nothing, as `p1 changes by +1 % and p2 by -1 %`; without % where a parameter is 0."""
    map_ = study.parameters
    active = np.array(map_.active)
    values = map_.full[active]
    moved = np.flatnonzero(change)
    parts = map_.chain(map_.point, change)
    relative = bool((values[moved] != 0.0).all())
    if relative:
        parts = parts / np.where(values != 0.0, values, 1.0)
    parts = parts / np.abs(parts[moved]).max() * np.sign(parts[moved[0]])
    unit, sign = (1.0, " %") if relative else (0.01, "")
    return _joined([f"{map_.names[active[k]]} changes by {unit * parts[k]:+.4g}{sign}" for k in moved])


def _joined(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _plural(words: Sequence[str], one: str, many: str | None = None) -> str:
    return one if len(words) == 1 else many or f"{one}s"
