"""PROFILE: limits of parameters, of combinations and of predictions, by profiles of the sum of squares."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from parfit.commands.table import command
from parfit.estimation.strategies.reliability import profile as strategy
from parfit.estimation.strategies.reliability.wanted import ALL, AT, JOINT, LEVEL, Request, check, read
from parfit.live.bar import working
from parfit.model.naming import family
from parfit.pictures.profile import risen
from parfit.session.dialogue import REST, Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Answer, Question, plain
from parfit.session.runs.pieces import kept
from parfit.text import profile as text

LINE = Question(
    "level and quantities",
    "ENTER LEVEL IN PER CENT, AND PARAMETERS OR EXPRESSIONS",
    "A level such as 95 or 99; then names of parameters, or expressions of parameters such as ke*V, or ALL, the "
    "default: every active parameter; for what changes with time, AT and a time: c AT 24. JOINT gives limits that "
    "hold for all parameters at once.",
    names="parameters",
    words=(ALL, AT, JOINT),
)


@command(
    "PROFILE",
    "computing",
    (LINE,),
    ("PROFILE 95", "PROFILE 99 p1 p2", "PROFILE p1*p2", "PROFILE y1 AT 24", "PROFILE 95 JOINT"),
    ("parameters", "observations", "observation times"),
)
def profile(env: Environment, ask: Dialogue) -> Environment:
    """Limits of parameters from profiles: each is moved, the others follow, until the sum of squares is too large.

    A profile shows what the linear theory of STATS cannot see: limits that are not symmetric, and parameters with a
    limit on one side only, or with none. The table says of each whether it is determined; below the table stands why
    a side ended without a limit: at a bound, flat, or where the equations cannot be integrated. If a better minimum is
    found on the way, it is adopted. Where one parameter alone is asked for, those that go with it most are moved too,
    for the ends of their profiles may lead to a lower sum at its limit. Expressions (p1*p2, in quotes if they have
    blanks) and predictions (y1 AT 24) have profiles, too. PLOT PROFILES draws them again, PLOT ALONG how the others
    move. Ctrl-C keeps what is finished.
    """
    request = ask.one(LINE, partial(_request, env), plain(LEVEL), REST)
    ask.refuse_rest()
    with working(ask.console, "PROFILE") as tell, kept(ask.run, request.written()) as pieces:
        found = strategy.profile(env, request, tell, pieces)
    ask.record_as(found.request.written(), [])
    if found.is_interrupted:
        ask.warn(f"interrupted; {', '.join(each.name for each in found.profiles)} is kept")
    ask.report(text.told(found))
    ask.say(ask.console.drawn(risen(found.profiles)))
    return found.env


def _request(env: Environment, line: str) -> Answer[Request]:
    """What a line asks for, if that can be profiled; k alone stands for that of every experiment."""
    request = read(line)
    names = (*env.model.parameters, *env.variables)
    wanted = [replace(each, text=name) for each in request.wanted for name in family(each.text, names) or [each.text]]
    request = replace(request, wanted=tuple(wanted))
    check(env, request)
    return Answer(request, line)
