"""How a search by Marquardt's method begins and ends: the usual numbers, those that are entered, and their text.

What is typed means what it meant in 1977: numbers that depend on the units of the data and the parameters. AUTO, which
is the default but for OPTION 1977, leaves them to the program, and does not.
"""

from __future__ import annotations

from dataclasses import replace

from parfit.estimation.optimizers.marquardt import BOLD_LAMBDA, FACTOR, FIRST_LAMBDA, FIRST_TOLERANCES, Settings
from parfit.session.environment import Environment
from parfit.session.questions import plain

AUTO = "AUTO"
ALONG_CURVES = 100  # iterations at most: on curves they cost next to nothing; 25 in 1977


def usual(env: Environment) -> Settings:
    """What is offered: AUTO, or the manual's numbers."""
    return Settings(FIRST_LAMBDA, *FIRST_TOLERANCES) if env.options.of_1977 else Settings()


def along_curves(env: Environment) -> Settings:
    """What is offered for a search along curves."""
    return replace(usual(env), relative=BOLD_LAMBDA, max_iterations=ALONG_CURVES)


def entered(env: Environment, default: Settings, lam: float | None, rtol: float, atol: float | None) -> Settings:
    """The default with these numbers; a negative lambda is the program's choice, in 1977 the one of the manual."""
    if lam is not None and lam < 0:
        lam = FIRST_LAMBDA if env.options.of_1977 else None
    found = Settings.entered(lam, rtol, atol, default.max_iterations, default.max_errors)
    return replace(found, relative=default.relative)


def more_damped(settings: Settings) -> Settings:
    """A larger lambda for another try, whoever chose the last one."""
    if settings.is_relative:
        return replace(settings, relative=FACTOR * settings.relative)
    return replace(settings, lam=FACTOR * (settings.lam or FIRST_LAMBDA))


def typed(value: float | None) -> str:
    """As it can be typed."""
    return AUTO if value is None else plain(value)


def written(settings: Settings) -> str:
    """Lambda, the tolerances and the limit of iterations, as they can be entered."""
    sign = -1.0 if settings.scaled else 1.0
    atol = None if settings.atol is None else sign * settings.atol
    numbers = [typed(settings.lam), plain(sign * settings.rtol), typed(atol), str(settings.max_iterations)]
    return " ".join(numbers)
