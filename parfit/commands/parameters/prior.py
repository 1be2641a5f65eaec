"""PRIOR: what is known of parameters before the data are looked at."""

from __future__ import annotations

from functools import partial

from parfit.commands.table import command
from parfit.errors import CommandError
from parfit.estimation.noise import Noise
from parfit.estimation.prior import Density, Prior, read_prior
from parfit.estimation.strategies.changing.noise import with_prior
from parfit.model.naming import family
from parfit.session import questions
from parfit.session.dialogue import REST, Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Answer, Question
from parfit.text import noise as text

OFF = "OFF"
PARAMETER = Question(
    "parameter", "WHICH PARAMETER", "Enter the name of a parameter; 0 takes all priors back.", names="parameters"
)
PRIOR = Question(
    "prior",
    "WHAT IS KNOWN OF IT",
    f"A word and two numbers. {'; '.join(f'{each.name}: {each.value}' for each in Density)}. OFF takes it back.",
    words=(*(each.name for each in Density), OFF),
)


@command(
    "PRIOR",
    "parameters",
    (PARAMETER, PRIOR),
    ("PRIOR p1 NORMAL .03 .01", "PRIOR p1 LOGNORMAL .03 .5", "PRIOR p1 OFF", "PRIOR 0", "PRIOR"),
    ("parameters",),
)
def prior(env: Environment, ask: Dialogue) -> Environment:
    """Say what is known of parameters beforehand: it counts in a fit as an observation of the parameter does.

    NORMAL: mean and standard deviation. LOGNORMAL: median, and standard deviation of the natural logarithm. LAPLACE
    and LOGLAPLACE: median and scale, for what may be far off; CAUCHY: the same, for what may be very far off. GAMMA
    (shape and scale; of shape 1 exponential) and RAYLEIGH (lowest value and scale): for what is positive. UNIFORM: the
    lowest and the highest value, which become bounds. FIT maximizes the product of the likelihood and the priors and
    tells how far each has pulled its parameter; STATS and PROFILE take them into account. Where the errors of the
    observations are not known, they are estimated. PRIOR alone shows what is set. Lines of the model say the same:
    prior k1 normal 2 .5.
    """
    names = env.model.parameters
    if not ask.is_one_line and not ask.more:
        ask.say(text.prior_settings(env.noise, env.parameters))
        return env
    which = ask.one(PARAMETER, partial(_parameter, names))
    if which is None:
        ask.refuse_rest()
        new = env.with_noise(Noise(env.noise.models))
    else:
        new = with_prior(env, which, ask.one(PRIOR, _said, None, REST))
    ask.say(text.prior_settings(new.noise, new.parameters))
    return new


def _parameter(names: tuple[str, ...], token: str) -> Answer[list[str] | None]:
    if token == "0":
        return Answer[list[str] | None](None, token)
    found = family(token, names)
    if len(found) > 1:
        return Answer[list[str] | None](found, token)
    single = questions.name(names, "parameter")(token)
    return Answer[list[str] | None]([single.value], single.text)


def _said(token: str) -> Answer[Prior | None]:
    words = token.replace(",", " ").split()
    if [word.upper() for word in words] == [OFF]:
        return Answer[Prior | None](None, OFF)
    if not words:
        raise CommandError("say what is known of it: NORMAL 2 .5, or OFF")
    found = read_prior(words)
    return Answer[Prior | None](found, str(found))
