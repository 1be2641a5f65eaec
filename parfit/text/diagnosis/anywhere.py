"""What data can never determine, in words."""

from __future__ import annotations

from collections.abc import Iterator

from parfit.estimation.strategies.reliability.anywhere import Result
from parfit.text.diagnosis.probe import filled, trade_off
from parfit.text.report import columns, counted, titled

TITLE = "PROBE AT RANDOM POINTS"


def told(found: Result) -> str:
    """A table of the parameters, and a sentence for each finding."""
    return titled(TITLE, "\n\n".join([table(found), *map(filled, findings(found))]))


def table(found: Result) -> str:
    """At how many points each parameter is seen, and determined."""
    names = [found.parameters.names[k] for k in found.parameters.active]
    cells = [names, [f"{n:.0f}" for n in found.n_seen], [f"{n:.0f}" for n in found.n_determined]]
    return columns(["", "seen", f"determined, of {len(found.probes)}"], cells, left=[0])


def findings(found: Result) -> list[str]:
    """What holds wherever the parameters are, and how many combinations are left."""
    return [*_failed(found), *_around_zero(found), *_unseen(found), *_always(found), *_rest(found), _conclusion(found)]


def _failed(found: Result) -> Iterator[str]:
    if found.n_failed:
        yield f"At {found.n_failed} of {counted(found.request.n, 'point')} the equations could not be integrated."


def _around_zero(found: Result) -> Iterator[str]:
    for name, size in found.around_zero.items():
        if size:
            yield (
                f"{name} is 0, which has no decade around it: it was drawn from {-size:.3g} to {size:.3g}, by which "
                f"what is computed changes as much as the data differ. BOUNDS {name} says otherwise."
            )
        else:
            yield f"{name} is 0, and was left there, as nothing tells its size: SET {name}, or BOUNDS {name}."


def _unseen(found: Result) -> Iterator[str]:
    for k, n in zip(found.parameters.active, found.n_seen, strict=True):
        if n == 0:
            name = found.parameters.names[k]
            yield f"{name} is seen nowhere: nothing that is observed depends on it. FREEZE {name}, or observe more."


def _always(found: Result) -> Iterator[str]:
    for each in found.always:
        yield f"Wherever the parameters are, {trade_off(found.best[0], each)}"


def _rest(found: Result) -> Iterator[str]:
    """Combinations that are lost at every point, but not always in the same way."""
    n_unseen = sum(n == 0 for n in found.n_seen)
    more = len(found.parameters.active) - found.rank - n_unseen - len(found.always)
    if more > 0:
        other = f"{more} more " if found.always else f"{more} "
        what = "combination" if more == 1 else "combinations"
        lost = ", ".join(name for name in found.never)
        yield f"Wherever the parameters are, {other}{what} of {lost} cannot be determined, at each point another."


def _conclusion(found: Result) -> str:
    m, n = len(found.parameters.active), len(found.probes)
    if found.rank == m:
        every = "both" if m == 2 else f"all {m}"
        return (
            f"At {'the' if n == 1 else 'some of the'} points {every} parameters are determined: nothing in the model "
            "or the times of the data prevents it. PROBE and STATS tell how well, after the fit."
        )
    return f"Data like these determine at most {counted(found.rank, 'combination')} of {counted(m, 'parameter')}."
