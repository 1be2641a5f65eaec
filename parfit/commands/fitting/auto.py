"""AUTO: from model and data to the answer, as ordinary commands."""

from __future__ import annotations

import re

from parfit.advice.elsewhere import AUTO, FIRST
from parfit.commands.table import command
from parfit.errors import CommandError, StateError
from parfit.estimation.strategies.starting import auto as strategy
from parfit.estimation.strategies.starting.auto import BUDGET, Request
from parfit.estimation.strategies.starting.ways import set_to
from parfit.live.bar import working
from parfit.session.dialogue import REST, Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Answer, Question, plain
from parfit.session.timeline import Timeline
from parfit.text import starting as text
from parfit.text.report import number

SECONDS = Question(
    "time",
    "HOW MANY SECONDS MAY IT TAKE",
    "Enter seconds of processor time, such as 60 or 60 s, or minutes: 5 min. It ends sooner if it is sure. FIRST "
    "before them begins with the values that the parameters had at first.",
    words=(FIRST,),
)
UNITS = {"": 1.0, "s": 1.0, "sec": 1.0, "seconds": 1.0, "min": 60.0, "minutes": 60.0, "h": 3600.0, "hours": 3600.0}
TIME = re.compile(r"([\d.eE+-]+)\s*([a-z]*)", re.IGNORECASE)
LONGEST = 1e6  # seconds


@command(
    "AUTO",
    "computing",
    (SECONDS,),
    ("AUTO", "AUTO 60 s", "AUTO FIRST"),
    ("parameters", "observations"),
    journaled=False,
)
def auto(env: Environment, ask: Dialogue) -> Environment | Timeline:
    """Find the parameters by itself, whatever they begin with, and say how far to believe them.

    It fits from the present values, along curves, and from many other places, until several ways have led to the
    same minimum and what is left could be errors of measurement; or until its time is over. The table shows the sums
    of squares that the searches ended at. Then the commands of the way that succeeded are obeyed as if you had typed
    them: UNDO takes them back one by one, SAVE keeps them. Ctrl-C ends it with the best so far.
    """
    budget, is_first = ask.one(SECONDS, _asked, plain(BUDGET), REST) if ask.more else (BUDGET, False)
    request = Request(budget)
    if is_first:
        values = env.values.copy()
        values[list(env.parameters.active)] = env.first_values[list(env.parameters.active)]
        back = set_to(env, values)
        ask.then = (*(step.line for step in back), f"{AUTO} {plain(budget)}")
        return env
    missing = _missing(ask)
    if missing:
        ask.then = (missing, ask.entry)
        return env
    best = float("inf")

    def label() -> str:
        return "AUTO" if best == float("inf") else f"AUTO F = {number(best)}"

    def tell(part: float, total: float) -> None:
        nonlocal best
        best = total
        show(part)

    with working(ask.console, label) as show:
        found = strategy.auto(env, request, tell)
    ask.report(text.tried(found))
    ask.then, ask.then_quietly = found.lines, True
    ask.is_minimum = found.is_believed
    ask.finally_said = text.belief(found)
    return ask.timeline.without_effect(AUTO, "its commands follow")  # which GUIDE remembers


def _missing(ask: Dialogue) -> str:
    """A command without which nothing can be fitted."""
    from parfit.advice import beginning  # late, because only who asks for advice should wait for it
    from parfit.advice.facts import Facts

    facts = Facts(ask.timeline)
    for rule in (beginning.no_parameters, beginning.no_data):
        advice = rule(facts)
        if advice is not None:
            raise StateError(advice.situation, advice.why)
    for rule in (beginning.no_connection, beginning.initial_values):
        advice = rule(facts)
        if advice is not None and not facts.undone_here(advice.command):
            ask.say(advice.situation)
            return advice.command
    return ""


def _asked(line: str) -> Answer[tuple[float, bool]]:
    """Reads FIRST and a time, or one of them."""
    word, _, rest = line.strip().partition(" ")
    if word.upper() != FIRST:
        seconds, text = _time(line)
        return Answer((seconds, False), text)
    seconds, text = _time(rest) if rest.strip() else (BUDGET, plain(BUDGET))
    return Answer((seconds, True), f"{FIRST} {text}")


def _time(token: str) -> Answer[float]:
    """Reads a number of seconds, perhaps with a unit."""
    found = TIME.fullmatch(token.strip())
    try:
        seconds = float(found[1]) * UNITS[found[2].lower()] if found else 0.0
    except (ValueError, KeyError):
        seconds = 0.0
    if not 0.0 < seconds <= LONGEST:
        raise CommandError(f"'{token.strip()}' is no time; expected seconds, as in 60, 60 s or 5 min")
    return Answer(seconds, token.strip())
