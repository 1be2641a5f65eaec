"""SAMPLE: the times at which solutions are asked for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parfit.arrays import Array, read_only
from parfit.commands.table import command
from parfit.errors import CommandError
from parfit.session import questions
from parfit.session.answering import END
from parfit.session.carrying import default_samples
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Answer, Item, Question
from parfit.session.records import Samples
from parfit.text import report

MOST_TIMES = 1_000_000  # sample times; the 1977 program had room for those of its data file

OPTION = Question(
    "option",
    "PICK OPTION",
    "1: the initial time and the observation times. 2: a uniform mesh from the initial time on, without connection to "
    "the observations. 3: more times between those there are.",
    (
        Item(1, "OBS PTS+INITIAL TIME", "OBSERVATIONS"),
        Item(2, "UNIFORM MESH", "MESH"),
        Item(3, "INTERACTIVE INSERTION", "INSERT"),
    ),
)
N_POINTS = Question(
    "number of points",
    "ENTER NUMBER OF POINTS AND POINT SPACING",
    "Enter how many sample times follow on the initial time, and their distance.",
)
SPACING = Question("spacing", "ENTER POINT SPACING", "Enter the distance from one sample time to the next.")
LISTING = Question(
    "listing",
    "IS A LISTING OF SAMPLE TIMES REQUIRED?\nIF NOT ENTER 0, IF YES ENTER SUBSCRIPT LIMITS",
    "Enter 0 for no listing, or the subscripts of the first and the last sample time to be listed. On the command's "
    "line and in scripts there is no listing: SAMPLE INSERT 5 2 inserts two times before the fifth.",
    words=("INSERT",),
)
LAST = Question("last subscript", "ENTER UPPER SUBSCRIPT LIMIT", "Enter the subscript of the last time to be listed.")
INSERTIONS = Question(
    "insertions",
    "ENTER SEQUENCE OF UPPER INDICES AND NUMBER OF TIMES TO INSERT BETWEEN INDICATED TIME AND PREVIOUS TIME\n"
    "(END WITH 0)",
    "Enter the subscript of a sample time and how many times to put, evenly, between it and the one before; then the "
    "next; 0 or RETURN ends. Subscripts are those of the times before any insertion.",
)
N_INSERTED = Question("times to insert", "NUMBER OF TIMES TO INSERT", "Enter how many times to insert there.")


@command(
    "SAMPLE",
    "settings",
    (OPTION, N_POINTS, SPACING, LISTING, LAST, INSERTIONS, N_INSERTED),
    ("SAMPLE 1", "SAMPLE MESH 50 .25", "SAMPLE INSERT 5 2 8 1"),
)
def sample(env: Environment, ask: Dialogue) -> Environment:
    """Choose the sample times, at which the equations are integrated, plotted and smoothed.

    The trapezoidal rule steps from one to the next: more of them make it more accurate. A uniform mesh is not
    connected to the observations, so that nothing can be fitted on it.
    """
    chosen = ask.choice(OPTION)
    if chosen.word == "OBSERVATIONS":
        samples = default_samples(env.model, env.observations)
    elif chosen.word == "MESH":
        samples = _mesh(env, ask)
    else:
        samples = _inserted(env, ask)
    ask.say(
        f"{report.counted(samples.times.size, 'sample time')} from {report.number(samples.times[0])} to "
        f"{report.number(samples.times[-1])}"
    )
    return env.with_samples(samples)


def _mesh(env: Environment, ask: Dialogue) -> Samples:
    n = ask.whole(N_POINTS, 1, MOST_TIMES)
    spacing = ask.number(SPACING, check=questions.positive)
    with np.errstate(over="ignore"):
        times = env.model.t0 + spacing * np.arange(n + 1)
    if not np.isfinite(times[-1]) or not (np.diff(times) > 0).all():
        raise CommandError(f"{questions.plain(spacing)} is too large or too small a spacing for {n} points")
    return Samples(read_only(times), uniform=True)


def _inserted(env: Environment, ask: Dialogue) -> Samples:
    times = env.samples.times
    _list(times, ask)
    given = ask.many(INSERTIONS, questions.whole(2, times.size), lambda index: [(N_INSERTED, _n_inserted)])
    if times.size + sum(n for _, n in given) > MOST_TIMES:
        raise CommandError(f"that would be more than {MOST_TIMES} sample times")
    return Samples(read_only(insert(times, given)), env.samples.uniform)


def _list(times: Array, ask: Dialogue) -> None:
    """List times for somebody who is asked whether to; elsewhere all numbers are insertions, but for a 0 before them.

    So `2 10` means the same on the command's line, on cards and in the journal, where no listing is written down.
    """
    if ask.source.interactive and not ask.is_one_line:
        first = ask.whole(LISTING, 0, times.size, default=0)
        if not first:
            return
        last = ask.whole(LAST, first, times.size)
        subscripts = np.arange(first, last + 1, dtype=float)
        ask.say(report.table(["", "sample time"], [subscripts, times[first - 1 : last]]))
        ask.forget(2)
    elif ask.offers(_zero):
        ask.one(LISTING, _zero)
        return
    ask.assume(END)


def _zero(token: str) -> Answer[None]:
    if token != END:
        raise CommandError(f"{questions.shown(token)} is not 0")
    return Answer(None, END)


_n_inserted = questions.whole(0, MOST_TIMES)


def insert(times: Array, given: Sequence[tuple[int, int]]) -> Array:
    """Times with n more, evenly spaced, before the one of each subscript (from 1)."""
    counts = dict(given)
    parts = [times[:1]]
    for k in range(1, times.size):
        n = counts.get(k + 1, 0)
        parts.append(np.linspace(times[k - 1], times[k], n + 2)[1:])
    return np.concatenate(parts)
