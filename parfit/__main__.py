"""The command line: simulate a model, alone or beside its data."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parfit.model.model import Array, Model

DONE, FAILED = 0, 1
DEFAULT_TOTAL = 10.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; the exit code is 0 when all went well, 1 when something failed, 2 for wrong usage."""
    options = _parser().parse_args(arguments)
    from parfit.errors import ParfitError

    try:
        return _simulate(options)
    except ParfitError as error:
        sys.stderr.write(f"parfit: {error}\n")
        return FAILED
    except KeyboardInterrupt:
        sys.stderr.write("parfit: interrupted\n")
        return FAILED
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED


def _parser() -> argparse.ArgumentParser:
    from parfit import __version__

    parser = argparse.ArgumentParser(prog="parfit", description="Simulate a model and print its solution as a table.")
    parser.add_argument("model", help="an .ode file")
    parser.add_argument("data", nargs="?", help="observations: a CSV file, or cards of 1977")
    parser.add_argument("--times", help="times to print, separated by commas, e.g. 0,1,2.5")
    parser.add_argument("--to", type=float, metavar="T", help="print 25 steps from the initial time to T")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter's value")
    parser.add_argument("--gear", action="store_true", help="error-controlled integration (default: trapezoidal rule)")
    parser.add_argument("--formula", choices=["adams", "bdf", "auto"], help="formulas of --gear (default bdf)")
    parser.add_argument("--eps", type=float, help="error criterion of --gear (default .01)")
    parser.add_argument("--hmin", type=float, help="smallest step of --gear (default .00001)")
    parser.add_argument("--hmax", type=float, help="largest step of --gear (default 5)")
    parser.add_argument("--version", action="version", version=f"parfit {__version__}")
    return parser


def _simulate(options: argparse.Namespace) -> int:
    import numpy as np

    from parfit import report
    from parfit.errors import ParfitError
    from parfit.model.data import read_data
    from parfit.model.reader import read_model
    from parfit.model.simulation import Method, simulate

    if options.data and (options.times or options.to is not None):
        raise ParfitError("with data the times are those of the observations: leave --times and --to away")
    model = read_model(options.model)
    observations = read_data(options.data, model) if options.data else None
    values = _values(options.set, model)
    times = _times(options, model) if observations is None else observations.sample_times(model.t0)
    given = {"formula": options.formula, "eps": options.eps, "h_min": options.hmin, "h_max": options.hmax}
    chosen = {name: value for name, value in given.items() if value is not None}
    if chosen and not options.gear:
        raise ParfitError(
            "--formula, --eps, --hmin and --hmax belong to --gear; the trapezoidal rule has none of them"
        )
    method = Method("gear" if options.gear else "trapezoid", **chosen)
    scale = np.zeros(len(model.states))
    if observations is not None:
        largest = dict(zip(observations.names, observations.maxima, strict=True))
        scale[:] = [largest.get(name, 0.0) for name in model.states]
    run = simulate(model, times, values, method, scale=scale)
    for remark in model.remarks:
        sys.stderr.write(f"parfit: {remark}\n")
    text = report.solution(run) if observations is None else report.comparison(run, observations)
    sys.stdout.write(f"{model.name}: {report.parameters(model, values)}\n\n{text}\n")
    sys.stdout.flush()
    if not run.status:
        sys.stderr.write(f"parfit: {run.status}\n")
        return FAILED
    sys.stderr.write(f"{report.work(run)}\n")
    return DONE


def _times(options: argparse.Namespace, model: Model) -> Array:
    """The times to print: those given, or 25 steps up to the end."""
    import numpy as np

    from parfit.errors import ParfitError

    if options.times is None:
        end = model.t0 + (model.total or DEFAULT_TOTAL) if options.to is None else options.to
        if not math.isfinite(end):
            raise ParfitError("--to takes a finite time")
        return np.linspace(model.t0, end, 26)
    try:
        return np.array([float(word) for word in options.times.split(",")])
    except ValueError:
        raise ParfitError(f"--times takes numbers separated by commas, not {options.times!r}") from None


def _values(settings: Sequence[str], model: Model) -> Array:
    """The model's parameters with the values set by `--set`."""
    from parfit.errors import ParfitError

    values, lowered = model.values.copy(), [name.lower() for name in model.parameters]
    for setting in settings:
        name, _, text = (part.strip() for part in setting.partition("="))
        if name.lower() not in lowered:
            raise ParfitError(f"--set {setting}: the parameters are {', '.join(model.parameters) or '(none)'}")
        try:
            values[lowered.index(name.lower())] = number = float(text)
            if not math.isfinite(number):
                raise ValueError
        except ValueError:
            raise ParfitError(f"--set {setting}: write NAME=VALUE with a number, such as {name}=1.5") from None
    return values


if __name__ == "__main__":
    sys.exit(main())
