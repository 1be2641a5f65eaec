"""Conversations in tests: a session that obeys lines, somebody who types, and environments compared."""

import io
from collections import deque
from collections.abc import Iterable
from dataclasses import astuple
from functools import cache
from pathlib import Path

import numpy as np

from parfit.data.loading import read_data
from parfit.data.observations import Observations
from parfit.errors import DONE, FAILED
from parfit.model.language.editing import text_of
from parfit.model.language.reader import read_model
from parfit.model.model import Model
from parfit.session.console import Console
from parfit.session.environment import Environment
from parfit.session.interpreter import PROMPT, Interpreter
from parfit.session.line import EndOfInput
from parfit.session.records import OF_1977
from parfit.session.runs.run import FILES, Run
from parfit.session.sources import Commands, Script, cleaned
from parfit.text.details import written_out
from parfit.text.diagnosis.statistics import statistics_text

MODELS = Path(__file__).parent.parent / "models"
SCRIPT = "test.pft"


class Typist:
    """Somebody at a terminal who types prepared answers; an exception among them is raised instead (Ctrl-C)."""

    interactive = echoed = True
    place = ""

    def __init__(self, answers: Iterable[str | BaseException]):
        self._answers = deque(answers)
        self.asked: list[tuple[str, str]] = []  # prompts, and the texts above them

    def read(self, prompt: str, text: str = "") -> str:
        self.asked.append((prompt, text))
        if not self._answers:
            raise EndOfInput
        answer = self._answers.popleft()
        if isinstance(answer, BaseException):
            raise answer
        return cleaned(answer, prompt)

    def unread(self) -> None:
        raise AssertionError("what somebody typed must not be given back")

    @property
    def prompts(self) -> list[str]:
        """What was shown before each answer within commands."""
        return [prompt for prompt, _ in self.asked if prompt != PROMPT]

    @property
    def questions(self) -> list[str]:
        """The first lines of the questions that were put."""
        return [text.split("\n")[0] for prompt, text in self.asked if prompt != PROMPT and text]

    @property
    def n_left(self) -> int:
        """How many answers nobody asked for."""
        return len(self._answers)


class Session:
    """A session with somebody's model and data, whose output, files and environment can be looked at.

    Called with lines, it obeys them as a script, all of which must succeed, and gives what was shown.
    """

    def __init__(
        self, model: Model, data: Observations | None = None, folder: Path | None = None, of_1977=False, **more
    ):
        self.of_1977 = of_1977
        self.out, self.err = io.StringIO(), io.StringIO()
        self.run = Run() if folder is None else Run.new(folder, ["model.ode"], self.err.write, of_1977)
        console = Console(self.out, self.err)
        self.interpreter = Interpreter(
            Environment.of(model, data, options=OF_1977 if of_1977 else None),
            console,
            self.run,
            **{"debug": True, **more},
        )

    def __call__(self, *lines: str) -> str:
        code, said, warned = self.obey(Script(lines, SCRIPT))
        assert code == DONE, warned
        return said

    def cards(self, text: str) -> str:
        """Obey a script of several lines."""
        return self(*(line.strip() for line in text.strip().split("\n")))

    def commands(self, *lines: str) -> str:
        """Obey lines each of which must be complete."""
        code, said, warned = self.obey(Commands(lines, PROMPT))
        assert code == DONE, warned
        return said

    def refused(self, *lines: str) -> str:
        """The message of the last line's failure, after which all must be as before it."""
        *before, last = lines
        if before:
            self(*before)
        return self.failing(Script([last], SCRIPT))

    def failing(self, source) -> str:
        """The message of a source whose one command fails, after which all must be as before."""
        env, files = self.env, self.files()
        code, _, warned = self.obey(source)
        assert code == FAILED, f"it was not refused: {warned}"
        assert self.env is env, "a refused command changed the environment"
        assert self.files() == files, "a refused command wrote a file"
        return warned

    def typed(self, *answers: str | BaseException) -> Typist:
        """Somebody types lines; whether they succeed is for the caller to see."""
        typist = Typist(answers)
        self.obey(typist)
        return typist

    def obey(self, source) -> tuple[int, str, str]:
        """The exit code, and what went to standard output and error."""
        n_out, n_err = len(self.output), len(self.errors)
        code = self.interpreter.converse(source)
        return code, self.output[n_out:], self.errors[n_err:]

    @property
    def env(self) -> Environment:
        return self.interpreter.env

    @property
    def output(self) -> str:
        return self.out.getvalue()

    @property
    def errors(self) -> str:
        return self.err.getvalue()

    @property
    def report(self) -> str:
        return self.file("report")

    @property
    def entries(self) -> list[str]:
        """The commands of the journal; needs a folder."""
        return self.run.entries()

    def file(self, name: str) -> str:
        """The content of a file of the run, nothing if it was not written."""
        path = self.run.folder / FILES[name]
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def files(self) -> dict[str, bytes]:
        """All files of the run."""
        if self.run.folder is None:
            return {}
        return {str(path): path.read_bytes() for path in self.run.folder.rglob("*") if path.is_file()}


@cache
def model_of(name: str) -> Model:
    """A bundled model."""
    return read_model(MODELS / f"{name}.ode")


def data_of(name: str, model: str | None = None) -> Observations:
    """A bundled file of data."""
    return read_data(MODELS / f"{name}.csv", model_of(model or name))


def columns_of(text: str, heading: str) -> tuple[list[str], np.ndarray]:
    """The headings and the numbers of the table in a text whose line of headings begins with a word.

    Blank cells become NaN; they can only be told apart where every cell is under the end of its heading.
    """
    lines = text.split("\n")
    top = next(k for k, line in enumerate(lines) if line.split()[:1] == [heading])
    headings = lines[top].split()
    ends = [lines[top].index(headings[0]) + len(headings[0])]
    for word in headings[1:]:
        ends.append(lines[top].index(f" {word}", ends[-1]) + 1 + len(word))
    rows = []
    for line in lines[top + 1 :]:
        if not line.strip():
            break
        cells = [line[start:end].strip() for start, end in zip([0, *ends[:-1]], ends, strict=True)]
        try:
            rows.append([float(cell) if cell else np.nan for cell in cells])
        except ValueError:
            break
    return headings, np.array(rows)


def assert_same(first: Environment, second: Environment) -> None:
    """Two environments hold the same, as far as a user could tell."""
    assert first.model.parameters == second.model.parameters
    assert text_of(first.model) == text_of(second.model)
    np.testing.assert_array_equal(first.values, second.values)
    np.testing.assert_array_equal(first.first_values, second.first_values)
    assert first.parameters.frozen == second.parameters.frozen
    assert first.parameters.scaling == second.parameters.scaling
    np.testing.assert_array_equal(first.parameters.lower, second.parameters.lower)
    np.testing.assert_array_equal(first.parameters.upper, second.parameters.upper)
    np.testing.assert_array_equal(first.samples.times, second.samples.times)
    assert first.samples.uniform == second.samples.uniform
    assert astuple(first.options) == astuple(second.options)
    assert first.echo == second.echo
    assert [note.text for note in first.notes] == [note.text for note in second.notes]
    for one, other in zip(first.notes, second.notes, strict=True):
        np.testing.assert_array_equal(one.values, other.values)
    assert [(m.name, m.values.tolist()) for m in first.marks] == [(m.name, m.values.tolist()) for m in second.marks]
    for mark, again in zip(first.marks, second.marks, strict=True):
        assert mark.sum_of_squares == again.sum_of_squares
    _assert_same_data(first.observations, second.observations)
    assert (first.creation is None) == (second.creation is None)
    if first.creation is not None:
        assert (first.creation.sd, first.creation.seed) == (second.creation.sd, second.creation.seed)
        np.testing.assert_array_equal(first.creation.values, second.creation.values)
    assert (first.integration is None) == (second.integration is None)
    if first.integration is not None:
        one, other = first.integration.trajectory, second.integration.trajectory
        np.testing.assert_array_equal(one.y, other.y)
        np.testing.assert_array_equal(one.parameters, other.parameters)
        assert (one.s is None) == (other.s is None)
    assert written_out(first.model, first.details) == written_out(second.model, second.details)
    assert (first.statistics is None) == (second.statistics is None)
    if first.statistics is not None:
        assert statistics_text(first.statistics) == statistics_text(second.statistics)


def _assert_same_data(first: Observations | None, second: Observations | None) -> None:
    assert (first is None) == (second is None)
    if first is not None:
        assert first.names == second.names
        for name in ("times", "values", "weights"):
            np.testing.assert_array_equal(getattr(first, name), getattr(second, name), err_msg=name)
        assert (first.sds is None) == (second.sds is None)
