"""Equilibria as text: what EQUIL shows."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

import numpy as np

from parfit.equilibria.conservation import Conserved
from parfit.equilibria.equilibria import REACH, Complex, Equilibria, Equilibrium
from parfit.equilibria.search import Continuum
from parfit.text.report import assignments, columns, counted, number, titled

WIDTH = 79
MEANINGS = {
    "half-stable": "attracts from one side only; two equilibria have met there",
    "centre": "the linearized equations go round in closed orbits; whether it attracts, they do not decide",
    "undecided": "an eigenvalue has the real part 0, so that the linearized equations do not decide",
    "not defined": "the equations come to rest next to it, but have no value or derivative there; whether it attracts "
    "is not told",
}
MOST_LIMITS = 8  # of the search that are written out, one for each state
NEGATIVE = "Equilibria with negative states come last; they mean nothing where states are amounts."
HELD = "The equations depend on time, which is held fixed here: no solution stays at a root that moves."

Row = tuple[float, Equilibrium]  # with its time


def equilibria_text(name: str, states: Sequence[str], results: Sequence[Equilibria], timed: bool) -> str:
    """The equilibria at each time, what is not isolated, and where they were searched."""
    rows = [(each.time, found) for each in results for found in each.found]
    if timed and len(states) == 1:
        table = _by_time(states[0], results)
    elif rows:
        table = _one_each(states, rows, timed)
    else:
        table = f"no {'isolated ' if any(each.continua for each in results) else ''}equilibrium was found"
    remarks = "\n".join(textwrap.fill(text, WIDTH) for text in _remarks(states, results, rows, timed))
    times = " AT FIXED TIMES" if timed else ""
    return titled(f"EQUILIBRIA OF {name}{times} AT THE CURRENT PARAMETERS", f"{table}\n\n{remarks}")


# ---- tables


def _by_time(state: str, results: Sequence[Equilibria]) -> str:
    """One state: a row for every time with all its roots; 0 is told once if it is always one of them."""
    zeros = [next((each for each in result.found if each.y[0] == 0.0), None) for result in results]
    always = all(zero is not None for zero in zeros)
    roots = [[each for each in result.found if not always or each.y[0] != 0.0] for result in results]
    most = max(map(len, roots))
    cells = [[f"t={number(result.time)}" for result in results], [str(len(found)) for found in roots]]
    for k in range(most):
        present = [found[k] if k < len(found) else None for found in roots]
        cells.append(["" if each is None else number(float(each.y[0])) for each in present])
        cells.append(["" if each is None else each.kind for each in present])
    headings = ["time", "real roots", *[state, ""] * most]
    table = columns(headings, cells, left=[0, *range(3, 3 + 2 * most, 2)])
    if not always:
        return table
    kinds = [zero.kind for zero in zeros if zero is not None]
    if len(set(kinds)) == 1:
        how = kinds[0]
    else:
        how = "; ".join(f"{kind} at t = {number(r.time)}" for kind, r in zip(kinds, results, strict=True))
    return f"{textwrap.fill(f'{state} = 0 is always an equilibrium ({how}). The others:', WIDTH)}\n\n{table}"


def _one_each(states: Sequence[str], rows: Sequence[Row], timed: bool) -> str:
    """Several states: a row for every equilibrium, or a few lines if that would be too wide."""
    labels = [f"E{k}" for k in range(1, len(rows) + 1)]
    times = [[number(t) for t, _ in rows]] if timed else []
    values = [[number(float(found.y[i])) for _, found in rows] for i in range(len(states))]
    kinds, eigenvalues = [found.kind for _, found in rows], [_eigenvalues(found.eigenvalues) for _, found in rows]
    headings = ["", *["t"] * timed, *states, "", "eigenvalues of g_y"]
    n = len(headings)
    table = columns(headings, [labels, *times, *values, kinds, eigenvalues], left=[0, n - 2, n - 1])
    if max(map(len, table.split("\n"))) <= WIDTH:
        return table
    lines = []
    for label, (t, found), text in zip(labels, rows, eigenvalues, strict=True):
        head = f"{label}  t = {number(t)}, " if timed else f"{label}  "
        parts = (f"{head}{assignments(states, found.y)}", f"    {found.kind}; eigenvalues of g_y: {text}")
        lines += [textwrap.fill(part, WIDTH, subsequent_indent="    ") for part in parts]
    return "\n".join(lines)


def _eigenvalues(values: Complex) -> str:
    """Real ones and pairs, those with the largest real part first."""
    texts = []
    for value in values:
        if value.imag == 0.0:
            texts.append(_finite(value.real))
        elif value.imag > 0.0:
            texts.append(f"{_finite(value.real)} +- {number(value.imag)}i")
    return "  ".join(texts)  # without commas, so that every one is a word


def _finite(value: float) -> str:
    return number(value) if np.isfinite(value) else "unlimited"


# ---- remarks


def _remarks(states: Sequence[str], results: Sequence[Equilibria], rows: Sequence[Row], timed: bool) -> Iterator[str]:
    for result in results:
        at = f"At t = {number(result.time)}: " if timed else ""
        if len(result.conserved) == len(states):
            yield f"{at}Nothing moves: every state is an equilibrium."
            continue
        yield from (f"{at}{_law(law, states)}" for law in result.conserved)
        yield from (f"{at}{_not_isolated(each, states)}" for each in result.continua)
        if result.n_beyond:
            yield f"{at}{result.n_beyond} more were found farther out."
    kinds = {found.kind for _, found in rows}
    yield from (f"{kind}: {meaning}." for kind, meaning in MEANINGS.items() if kind in kinds)
    if any(found.negative for _, found in rows):
        yield NEGATIVE
    if timed:
        yield HELD
    yield _searched(states, results[0])


def _law(law: Conserved, states: Sequence[str]) -> str:
    terms = ""
    for coef, name in zip(law.coefs, states, strict=True):
        if coef:
            size = "" if abs(coef) == 1.0 else f"{number(abs(coef))} "
            sign = (" - " if coef < 0.0 else " + ") if terms else ("-" if coef < 0.0 else "")
            terms += f"{sign}{size}{name}"
    return (
        f"{terms} = {number(law.value)} is conserved: the equilibria are those with this value, which the initial "
        "values have; one eigenvalue is 0 for it and does not count."
    )


def _not_isolated(found: Continuum, states: Sequence[str]) -> str:
    fixed = [k for k in range(len(states)) if k not in found.along]
    ranges = ", ".join(
        f"{states[k]} from {number(float(found.low[k]))} to {number(float(found.high[k]))}" for k in found.along
    )
    form = {1: "a line", 2: "a surface"}.get(found.n_dimensions, f"a set of {found.n_dimensions} dimensions")
    where = f"with {assignments([states[k] for k in fixed], found.low[fixed])} " if fixed else ""
    return (
        f"not isolated: {form} of equilibria {where}along {', '.join(states[k] for k in found.along)}; found {ranges}."
    )


def _searched(states: Sequence[str], result: Equilibria) -> str:
    if not result.n_starts:
        fine, far = (number(float(factor * result.top[0])) for factor in (1.0, result.reach))
        return f"{states[0]} was scanned from -{far} to {far}, most finely from -{fine} to {fine}."
    limits = ", ".join(f"{number(float(top))} for {name}" for name, top in zip(states, result.top, strict=True))
    if len(states) > MOST_LIMITS:
        limits = f"{number(REACH)} times the largest values of observations and solution"
    return (
        f"Searched by Newton's method from {counted(result.n_starts, 'point')}, on both sides of 0: most up to "
        f"{limits}, some up to {number(result.reach)} times as far. There may be others."
    )
