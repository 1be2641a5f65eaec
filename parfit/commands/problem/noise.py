"""NOISE: how the errors of the observations are distributed, where nobody knows their size."""

from __future__ import annotations

from functools import partial

from parfit.commands.table import command
from parfit.errors import CommandError
from parfit.estimation.noise import WORDS
from parfit.estimation.strategies.changing.noise import BOTH, NONE, is_new_name, with_errors
from parfit.model.language.editing import text_of
from parfit.model.naming import base_of, family
from parfit.session import questions
from parfit.session.dialogue import REST, Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Answer, Question
from parfit.text import noise as text

ALL = "ALL"
VARIABLE = Question(
    "variable",
    "WHICH OBSERVED VARIABLE",
    "Enter the name of an observed variable, or ALL; 0 gives all of them back to their weights.",
    names="variables",
    words=(ALL,),
)
MODEL = Question(
    "noise",
    "WHAT ARE ITS ERRORS",
    "ADDITIVE: all have one unknown standard deviation. RELATIVE: it is an unknown fraction of the computed value. "
    "BOTH: the variances of these two add up. LOGNORMAL: that of the logarithm is unknown. LAPLACE and LOGLAPLACE: "
    "the same where there are outliers. PROPORTIONAL and an expression, such as 1+b*c: it is an unknown multiple of "
    "that. An expression alone, such as .1+.05*c: it is that itself. NONE: the weights, as they are. A name behind a "
    "word is that of a standard deviation that several variables share; an expression there is the standard "
    "deviation.",
    words=(*WORDS, BOTH, NONE),
)


@command(
    "NOISE",
    "problem",
    (VARIABLE, MODEL),
    (
        "NOISE y1 ADDITIVE",
        "NOISE ALL RELATIVE",
        "NOISE y1 LOGNORMAL",
        "NOISE y1 .1+.05*y1",
        "NOISE y1 BOTH",
        "NOISE y1 PROPORTIONAL 1+y1",
        "NOISE 0",
        "NOISE",
    ),
    ("observations",),
)
def noise(env: Environment, ask: Dialogue) -> Environment:
    """Say what is known of the errors of the observations; unknown standard deviations are estimated with the fit.

    ADDITIVE, RELATIVE, LOGNORMAL, LAPLACE and LOGLAPLACE errors have an unknown standard deviation for each
    variable, in all experiments, or for those that share its name (NOISE y1 ADDITIVE s, NOISE c[low] ADDITIVE s);
    NOISE c[low] ADDITIVE is that of one experiment alone. It is solved for in every step of a fit, never searched
    for. An expression, such as .1+b*y1, is the standard deviation itself; its parameters are fitted with the
    others; it becomes the aux quantity sd_y1 of the model. Behind a word it is the same: NOISE y1 LOGNORMAL .2.
    PROPORTIONAL is followed by an expression of which it is an unknown multiple. BOTH makes parameters of the
    variances, va_y1 and vr_y1, for sqrt(va_y1+vr_y1*y1^2). Standard deviations that differ from one observation to
    the next stand in the data, in a column y1.sd.

    FIT, PROFILE and STATS then go by the likelihood. Weights count within a variable. NOISE alone shows what is set;
    NOISE 0 takes it all back. Lines of the model say the same: noise y1 relative.
    """
    assert env.observations is not None
    observed = env.observations.names
    if not ask.is_one_line and not ask.more:
        ask.say(text.settings(env.noise, env.observations))
        return env
    which = ask.one(VARIABLE, partial(_variable, observed))
    if which is None:
        ask.refuse_rest()
        which, said = _variables(observed), NONE
    else:
        said = ask.one(MODEL, partial(_said, env), None, REST)
    new = env
    for columns in which:
        new = with_errors(new, columns, said, ask.run.read)
    if new.model is not env.model:
        ask.effects.append(partial(ask.run.replace, "model", text_of(new.model)))
    assert new.observations is not None
    ask.say(text.settings(new.noise, new.observations))
    return new


def _variable(observed: tuple[str, ...], token: str) -> Answer[list[list[str]] | None]:
    """The columns of one observed variable, of all of them, or of one in one experiment; None gives them all back."""
    if token == "0":
        return Answer[list[list[str]] | None](None, token)
    if token.upper() == ALL:
        return Answer[list[list[str]] | None](_variables(observed), ALL)
    found = questions.name(observed, "observed variable", families=True)(token)
    return Answer[list[list[str]] | None]([family(found.value, observed)], found.text)


def _variables(observed: tuple[str, ...]) -> list[list[str]]:
    """The columns of each variable."""
    return [family(name, observed) for name in dict.fromkeys(base_of(name) for name in observed)]


def _said(env: Environment, token: str) -> Answer[str]:
    """What stands behind the variable; the beginning of a word stands for it, unless it is a name of the model."""
    if not token.strip():
        raise CommandError(f"say what the errors are: {', '.join(WORDS)}, {BOTH}, an expression or {NONE}")
    first, *rest = token.split(maxsplit=1)
    meant = [word for word in MODEL.words if word.startswith(first.upper())]
    is_name = not is_new_name(env, first) and not (rest and rest[0][0].isalnum())
    said = " ".join([meant[0], *rest]) if len(meant) == 1 and not is_name else token
    return Answer(said, said)
