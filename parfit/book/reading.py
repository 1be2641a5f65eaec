"""Reading a session: its prose, its commands one after another, and its published numbers beside the computed ones.

With somebody at a terminal every command waits for RETURN, and other commands can be typed in between; what they
changed is taken back before the session goes on. Elsewhere it plays through by itself.
"""

from __future__ import annotations

import re
import textwrap
from collections import deque
from typing import TYPE_CHECKING, TextIO

from parfit.book.comparing import PRINTED, Comparison, compare
from parfit.book.experiment import Experiment
from parfit.book.figures import SIGN, parse
from parfit.errors import CommandError, ParfitError
from parfit.session.console import Console
from parfit.session.interpreter import PROMPT, Interpreter
from parfit.session.line import EndOfInput
from parfit.session.sources import cleaned
from parfit.session.timeline import Timeline

if TYPE_CHECKING:
    from parfit.terminal.prompt import Terminal

TAKEN_BACK = "(what you changed is taken back, so that the session can go on)"
LEAVING = "QUIT"


class Recorder(Console):
    """A console that remembers what the last command has shown."""

    def __init__(self, out: TextIO | None = None, err: TextIO | None = None, quiet: bool = False):
        super().__init__(out, err, quiet)
        self.heard: list[str] = []

    def typed(self, text: str) -> None:
        super().typed(text)
        self.heard.append(text)


class Reading:
    """A source of lines: those of an experiment, with its prose shown, and of somebody who types in between."""

    def __init__(self, experiment: Experiment, interpreter: Interpreter, console: Recorder, terminal: Terminal | None):
        self._experiment = experiment
        self._interpreter, self._console, self._terminal = interpreter, console, terminal
        self._at = 0  # the line that comes next
        self._waiting: tuple[str, str] | None = None  # the command that comes next, and a remark on it
        self._agreed: deque[str] = deque()  # lines to be obeyed without asking
        self._left: Timeline | None = None  # where the session was when somebody else's command began
        self._n_compared = 0  # lines of published numbers
        self.interactive = False  # whether the present command was typed by somebody
        self.echoed = terminal is not None
        self.left_early = False
        self.comparisons: list[Comparison] = []

    @property
    def place(self) -> str:
        """Where a line of the session stands; what somebody types stands nowhere."""
        return "" if self.interactive else f"{self._experiment.path}:{self._experiment.n_head + self._at}"

    # ---- commands

    def read(self, prompt: str, text: str = "") -> str:
        if prompt != PROMPT:
            return self._answer(prompt, text)
        if self._agreed:
            return self._next_agreed()
        if self._waiting is None:
            self._waiting = self._next_command()
        self._console.heard.clear()
        typed = self._typed(*self._waiting)
        self.interactive = bool(typed)
        if typed:
            self._left = self._left or self._interpreter.timeline
            return typed
        (command, _), self._waiting = self._waiting, None
        back = way_back(self._left, self._interpreter.timeline) if self._left is not None else []
        self._left = None
        if not back:
            return command
        self._console.say(TAKEN_BACK)
        self._agreed.extend([*back, command])
        return self._next_agreed()

    def unread(self) -> None:
        """Give a command back that was read where an answer might have stood, and the prose that was passed over."""
        self._at -= 1
        while self._at and not cleaned(self._experiment.lines[self._at - 1]):
            self._at -= 1

    def _next_agreed(self) -> str:
        line = self._agreed.popleft()
        self._console.heard.clear()
        self._console.say(f"{PROMPT}{line}")
        return line

    def _typed(self, command: str, remark: str) -> str:
        """What somebody types instead of the next command; nothing to have that one."""
        if self._terminal is None:
            return ""
        self.interactive = True  # so that what goes wrong here has no place in the session
        line = self._terminal.read(PROMPT, placeholder=f"{command}  {remark}".rstrip())
        if self._is_leaving(line):
            self.left_early = True
            raise EndOfInput
        return "" if _same(line, command) else line

    def _is_leaving(self, line: str) -> bool:
        words = line.split()
        try:
            return bool(words) and self._interpreter.table.find(words[0]).name == LEAVING
        except CommandError:
            return False

    # ---- answers

    def _answer(self, prompt: str, text: str) -> str:
        """An answer of the session to a question of its command, or of who has typed the command."""
        if self.interactive and self._terminal is not None:
            return self._terminal.read(prompt, text)
        if self._agreed:
            return self._agreed.popleft()
        line = self._line()
        answer = cleaned(line, prompt if line.startswith("|") else "")
        while line.strip() and not answer:  # an empty line is an answer, one with a comment is none
            line = self._line()
            answer = cleaned(line, prompt if line.startswith("|") else "")
        if prompt and not self._interpreter.table.has(answer.partition(" ")[0]):  # else it is the next command
            self._console.say(f"{text}\n{prompt}{answer}" if text else f"{prompt}{answer}")
        return answer

    def _line(self) -> str:
        if self._at == len(self._experiment.lines):
            raise EndOfInput
        self._at += 1
        return self._experiment.lines[self._at - 1]

    # ---- prose and numbers

    def _next_command(self) -> tuple[str, str]:
        """The next command and a remark on it, after its prose and the published numbers of the one before."""
        prose: list[str] = []
        found: list[Comparison] = []
        self.interactive = False
        try:
            while not cleaned(line := self._line()):
                if line.startswith(SIGN):
                    found += self._compared(line)
                else:
                    prose.append(line.removeprefix("#").strip())
        finally:
            self._show(prose, found)
        command = cleaned(line)
        return command, line.partition(command)[2].strip()

    def _compared(self, line: str) -> list[Comparison]:
        self._n_compared += 1
        shown = "\n".join(self._console.heard)
        return [compare(figure, self._interpreter.env, shown) for figure in parse(line, self.place)]

    def _show(self, prose: list[str], found: list[Comparison]) -> None:
        self.comparisons += found
        if found:
            self._console.say("\n".join(comparison_line(each) for each in found))
        text = paragraphs("\n".join(prose), self._console.width)
        if text:
            self._console.say(f"\n{_tinted(text, self._console)}\n")

    def refuse_missed(self) -> None:
        """Raise an error if numbers stand where nobody compares them: among the answers of a command."""
        n_given = sum(line.startswith(SIGN) for line in self._experiment.lines)
        if self._n_compared < n_given:
            missed = f"{n_given - self._n_compared} of {n_given} lines of published numbers"
            raise ParfitError(f"{self._experiment.path}: {missed} stand among the answers of a command")


def way_back(left: Timeline, now: Timeline) -> list[str]:
    """The commands that lead back to where a session was: undo what came since, and do again what was undone."""
    if now.present is left.present:
        return []
    if left.present in now.future:
        return [f"REDO {now.future.index(left.present) + 1}"]
    been, is_now = (*left.past, left.present), (*now.past, now.present)
    common = max((k for k, env in enumerate(been) if env in is_now), default=None)
    if common is None:  # further than UNDO can go: the session goes on from where somebody has left it
        return []
    n_undone = len(is_now) - 1 - is_now.index(been[common])
    undo = [f"UNDO {n_undone}"] if n_undone else []
    return undo + [line for env in been[common + 1 :] for line in env.origin.split("\n")]


def comparison_line(comparison: Comparison) -> str:
    """A published number and the computed one in a line."""
    figure = comparison.figure
    why = figure.remark if comparison.agreement != PRINTED else ""
    line = f"  {figure.label}: published {figure.text}, computed {comparison.computed}"
    return f"{line} ({comparison.agreement}{': ' if why else ''}{why})"


def paragraphs(text: str, width: int) -> str:
    """Prose filled to a width; empty lines part paragraphs."""
    parts = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(textwrap.fill(" ".join(part.split()), width) for part in parts)


def _same(line: str, command: str) -> bool:
    """Whether somebody has typed the command that was proposed."""
    return line.casefold().split() == command.casefold().split()


def _tinted(text: str, console: Console) -> str:
    """Prose in another colour than what the program says, where there are colours."""
    return "\n".join(f"\x1b[36m{line}\x1b[0m" for line in text.split("\n")) if console.colour else text
