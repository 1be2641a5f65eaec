"""The conversation itself, from Python: commands as text, and what they lead to as values."""

from __future__ import annotations

import io
from functools import partial
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, Self

from parfit.api.fit import Fit
from parfit.api.inputs import path_of
from parfit.api.problem import Problem, load
from parfit.arguments import TEXT, instance, optional
from parfit.errors import DONE, ParfitError
from parfit.session.console import Console
from parfit.session.environment import Environment
from parfit.session.interpreter import PROMPT, Interpreter
from parfit.session.opening import open_run
from parfit.session.sources import Commands, Script

FOLDER = optional(instance((str, PathLike), "the path of a folder"))


class Output(str):
    """Text that shows itself as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return self.rstrip("\n")


class _Screen(io.StringIO):
    """Where a conversation is written to that nobody watches; it can show any character."""

    encoding = "utf-8"


class Session:
    """A conversation with a model and data, which obeys commands as they are typed at the terminal.

    `model` and `data` are what `load` takes; a `Problem` goes on from there. With a `folder`, which both being paths
    of files allows, journal and report are kept in it as those of any run; without, nothing is written. A command
    that fails raises its error, and has changed nothing.

    >>> with parfit.Session("models/tour.ode", "models/tour.csv") as s:
    ...     shown = s("SMOOTH SPLINE AUTO", "IFIT REGULAR", "FIT MORE")
    ...     print(round(s.problem.values["p1"], 2))
    0.49
    """

    def __init__(self, model: Any, data: Any = None, folder: str | PathLike[str] | None = None):
        self._screen = _Screen()
        console = Console(self._screen, self._screen)
        FOLDER("folder", folder)
        if folder is not None:
            if not all(isinstance(each, str | PathLike) for each in (model, data) if each is not None):
                raise ParfitError("a folder keeps the run of files: give the paths of the model and the data")
            paths = [path_of(each) for each in (model, data) if each is not None]
            self._files: dict[str, str] = {}
            self._interpreter = open_run(paths, Path(folder), console, debug=True)
        else:
            problem = model if isinstance(model, Problem) else load(model, data)
            self._files = problem.files
            self._interpreter = Interpreter(problem.environment, console, debug=True)

    def __call__(self, *commands: str) -> Output:
        """Obey commands, and give what they show; what a command leaves open takes its default.

        One text of several lines is a script, in which answers may stand on lines of their own.
        """
        begin = self._screen.tell()
        for text in commands:
            self._obey(TEXT("a command", text))
        return Output(self._screen.getvalue()[begin:])

    def _obey(self, text: str) -> None:
        if self._interpreter.ended:
            raise ParfitError("the session has ended")
        lines = text.strip().splitlines()
        source = Script(lines) if len(lines) > 1 else Commands(lines, PROMPT)
        source.echoed = True
        if self._interpreter.converse(source) != DONE:
            assert self._interpreter.error is not None
            raise self._interpreter.error

    @property
    def output(self) -> Output:
        """All that was shown."""
        return Output(self._screen.getvalue())

    @property
    def environment(self) -> Environment:
        """Everything the commands work in and on."""
        return self._interpreter.env

    @property
    def problem(self) -> Problem:
        """The problem as the commands have left it.

        >>> with parfit.Session("models/tour.ode") as s:
        ...     shown = s("SET p1 3 p2 4")
        ...     s.problem.values["p2"]
        4.0
        """
        return Problem(self._interpreter.env, self._all_files())

    @property
    def fit(self) -> Fit[Problem] | None:
        """The last fit, where it ended; None before the first.

        >>> with parfit.Session("models/enzyme.ode", "models/enzyme.csv") as s:
        ...     shown = s("FIT MORE", "SET p1 1")
        ...     s.fit.verdict, s.fit.values["p1"] == s.problem.values["p1"]
        ('minimum', False)
        """
        timeline = self._interpreter.timeline
        if not timeline.present.fits:
            return None
        last = timeline.present.fits[-1]
        env = next(env for env in (*timeline.past, timeline.present) if env.fits and env.fits[-1] is last)
        return Fit(partial(Problem, files=self._all_files()), last, last.method, env)

    def _all_files(self) -> dict[str, str]:
        return {**self._files, **self._interpreter.run.checksums()}

    def close(self) -> None:
        """Let go of the folder, if there is one; `with` does it, too.

        >>> session = parfit.Session("models/tour.ode")
        >>> session.close()
        """
        self._interpreter.run.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a conversation cannot be copied; its problem and its fit can")

    def __repr__(self) -> str:
        return f"<Session: {self.problem!r}>"
