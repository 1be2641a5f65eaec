"""The interpreter: a line is a command, a command makes the next environment, and errors end here.

An environment is adopted only when its command has succeeded, after it has been written down; so a command that fails,
is abandoned or is interrupted has changed nothing.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial

from parfit import interrupts
from parfit.commands import TABLE
from parfit.commands.help_text import about, explain
from parfit.commands.table import Command, Table
from parfit.errors import (
    DONE,
    FAILED,
    INTERNAL,
    NO_MINIMUM,
    OUT_OF_TIME,
    Abandoned,
    CommandError,
    EndSession,
    ParfitError,
)
from parfit.model.textfile import nearest
from parfit.session.console import BRIEF, Console
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.line import EndOfInput, Source
from parfit.session.questions import shown
from parfit.session.runs import keeping, keepsakes
from parfit.session.runs.past import keep_trace
from parfit.session.runs.run import Run
from parfit.session.timelimit import TimeLimit
from parfit.session.timeline import Timeline
from parfit.text import report

INTERRUPTED = -1  # of a command; the exit code is that of one that failed
PROMPT = "> "
MOST_FOLLOWED = 60  # times that a line may lead to others
TRY = "TRY"  # before a command that may fail
ASSIGNMENT = re.compile(r"\s*([^\s=,\"]+)\s*=(?!=)")  # k=3
LONGEST_SHOWN = 200  # characters of a line that failed
UNCHANGED = "interrupted; nothing was changed"


class Interpreter:
    """A session: its timeline of environments, and where it reads, shows and writes."""

    def __init__(
        self,
        env: Environment,
        console: Console,
        run: Run | None = None,
        debug: bool = False,
        keep_going: bool = False,
        table: Table = TABLE,
    ):
        self.timeline = Timeline(env)
        self.console, self.table = console, table
        self.run = run or Run()
        self._debug, self._keep_going = debug, keep_going
        self.ended = False  # whether QUIT was given
        self.limit = TimeLimit()
        self._n_followed = 0  # how often a line has led to others
        self._is_minimum: bool | None = None  # whether the last fit ended at one
        self.failure: tuple[str, str, str] | None = None  # of a script: message, place and text of the line
        self._told: tuple[str, str, str] | None = None  # what went wrong last
        self.error: ParfitError | KeyboardInterrupt | None = None  # what ended the last command early

    @property
    def env(self) -> Environment:
        return self.timeline.present

    def go_on(self, console: Console, keep_going: bool) -> None:
        """Continue where a run that was played again has ended, with somebody who can see it."""
        self.console, self._keep_going, self.ended = console, keep_going, False
        self._follow_settings()

    # ---- many lines

    def converse(self, source: Source) -> int:
        """Obey the lines of a source to their end, or to QUIT; gives the exit code."""
        code = DONE
        while not self.ended:
            if self.limit.is_over:
                return self._out_of_time()
            try:
                outcome = self._obey_next(source)
            except EndOfInput:
                break
            except KeyboardInterrupt:  # between two commands
                if not source.interactive and not self.limit.is_over:
                    raise
                continue
            except EndSession as end:
                self.ended = True
                self._keep(end.keep)
                break
            if outcome and not source.interactive and not self.limit.is_over:
                code = max(code, FAILED if outcome == INTERRUPTED else outcome)
                self.failure = self._told
                if outcome == INTERRUPTED or not self._keep_going:
                    break
                self._skip_answers(source)
        return code

    def cut_off(self, source: Source) -> int:
        """Somebody has pressed Ctrl-C between two commands of a script: the rest is not done; gives the exit code."""
        interrupts.answered()
        self.error, message = KeyboardInterrupt(), "interrupted between two commands; the rest was not done"
        self.failure = message, source.place, ""
        self._warn(message, source.place)
        return FAILED

    def _out_of_time(self) -> int:
        self.ended = True
        self.failure = str(self.limit), "", ""
        self.console.warn(f"{self.limit}: what was reached is kept")
        self.keep_usual()
        return OUT_OF_TIME

    def verdict(self, code: int) -> int:
        """The exit code of all that was done: also a last fit that did not end at a minimum is told to the shell."""
        return NO_MINIMUM if code == DONE and self._is_minimum is False else code

    def _obey_next(self, source: Source) -> int:
        line = source.read(PROMPT)
        if not line.strip():
            return DONE
        if not source.echoed and not self.run.replaying:
            self.console.say(f"{PROMPT}{line}")
        return self.obey(line, source)

    def _skip_answers(self, source: Source) -> None:
        """Pass over the cards of a command that failed, what follows it up to the next command, and say so."""
        skipped: list[tuple[str, str]] = []
        while True:
            try:
                line = source.read("")
            except EndOfInput:
                break
            if self._may_begin_command(line):
                source.unread()
                break
            skipped += [(source.place, line)] if line.strip() else []
        if skipped:
            lines = "this line is" if len(skipped) == 1 else f"{len(skipped)} lines from here on are"
            self._warn(f"{lines} taken for answers to the command that failed, and left out", *skipped[0])

    def _may_begin_command(self, line: str) -> bool:
        """Whether a line begins with a command, or with enough of one to be no answer."""
        word, _ = _split(line)
        if self._begins_command(line) or word.upper() == TRY or ASSIGNMENT.match(line):
            return True
        try:
            return len(word) > 2 and bool(self.table.find(word))
        except CommandError:
            return False

    def _begins_command(self, line: str) -> bool:
        words = line.split(maxsplit=1)
        return bool(words) and self.table.has(words[0])

    def _keep(self, files: tuple[str, ...]) -> None:
        if not files or self.run.is_chosen:
            return
        try:
            folder = keeping.keep(self.run, files, keeping.folder_for(self.env))
            self.console.say(keeping.told(folder, files))
        except ParfitError as error:
            self.console.warn(str(error))

    def keep_usual(self) -> None:
        """Keep what was asked for, as a run without anybody to ask does."""
        self._keep(tuple(keeping.asked_for(self.run)))

    # ---- one line

    def obey(self, line: str, source: Source) -> int:
        """Do what a line says; what may fail because TRY stands before it ends no script."""
        attempted = self._attempted(line)
        if not attempted:
            return self._obey(line, source)
        outcome = self._obey(attempted, source)
        if outcome != FAILED:
            return outcome
        if not source.interactive:
            self._skip_answers(source)
        return DONE

    def _attempted(self, line: str) -> str:
        """What is to be tried, if the line says so."""
        word, rest = _split(line)
        return rest.strip() if word.upper() == TRY else ""

    def _obey(self, line: str, source: Source) -> int:
        """Do what a line says; whatever goes wrong is told to the user, and the environment stays as it was."""
        place, before, self.error, self.console.proposed = source.place, self.timeline, None, ""
        self._n_followed = 0
        try:
            with interrupts.remembered():
                self._do(line, source)
        except ParfitError as error:
            if self.run.replaying and isinstance(error, Abandoned):  # as it was then
                return DONE
            self.error = error
            own = isinstance(error, Abandoned)  # by whoever sits there, so that no line of a script is wrong
            self._tell(error.told, *(error.where or ("" if own else place, line)))
        except KeyboardInterrupt as error:
            self.error = error.with_traceback(None)  # which would keep alive what it has interrupted
            if self.run.replaying:  # a run is not to be cut off because somebody does not want to wait for it
                raise
            changed = self.timeline is not before
            if not self.limit.is_over or not changed:
                self._tell("interrupted, after the command was done" if changed else UNCHANGED, place, line)
            return INTERRUPTED
        except EndOfInput:
            self.error = CommandError("the input ends in the middle of a command")
            self._tell(str(self.error), place, line)
        except Exception as error:
            if self._debug:
                raise
            trace = keep_trace(self.run.folder)
            self._tell(f"internal error ({type(error).__name__}); {trace}; nothing was changed", place, line)
            return INTERNAL
        else:
            return DONE
        return FAILED

    def _do(self, line: str, source: Source) -> None:
        self.run.begin()
        line = self._spelled_out(line)
        word, rest = _split(line)
        command = self.table.find("HELP" if word == "?" else word)
        if rest.strip() == "?":
            self.console.say(about(command, self.console.width))
            return
        keepsakes.require(self.env, self.run, *command.needs)
        ask = Dialogue(
            command.name,
            rest,
            source,
            self.console,
            self.run,
            self.timeline,
            partial(explain, self.table, width=self.console.width),
            self._begins_command,
        )
        try:
            result = command.work(self.env, ask)
            ask.refuse_rest()
        except BaseException as error:
            ask.give_up()
            if isinstance(error, ParfitError) and not isinstance(error, Abandoned):
                self.timeline = self.timeline.without_effect(line, error.told)
            if isinstance(error, CommandError):
                error.where = error.where or ask.where
            raise
        with interrupts.held():
            self._adopt(command, ask, result)
            if result is ask.timeline.present and command.journaled:
                self.timeline = self.timeline.without_effect(line, "nothing was changed")
        if ask.failure is not None:
            raise ask.failure
        if ask.then:
            self._follow(ask.then, source, ask.then_quietly)
        if ask.finally_said:
            (self.console.warn if ask.is_minimum is False else self.console.say)(ask.finally_said)
            self._is_minimum = ask.is_minimum

    def _follow(self, lines: Sequence[str], source: Source, quietly: bool) -> None:
        """Obey what a command wants done after it; what fails before the last of these lines is told on the way."""
        self._n_followed += 1
        wanted = lines[: None if self._n_followed < MOST_FOLLOWED else 1]
        for left, line in zip(reversed(range(len(wanted))), wanted, strict=True):
            self.console.say(f"{PROMPT}{line}")
            try:
                with self.console.muted() if quietly and left else nullcontext():
                    self._do(line, source)
            except ParfitError as error:
                if not left:
                    raise
                self.console.warn(error.told)
                if isinstance(error, Abandoned):  # who leaves a question leaves all that follows
                    return

    def _spelled_out(self, line: str) -> str:
        """The line with the command that `k=3` leaves out."""
        found = ASSIGNMENT.match(line)
        names = {name.lower(): name for name in self.env.model.parameters}
        if found is None and line.strip().lower() in names and not self.table.has(line.strip()):
            name = names[line.strip().lower()]
            raise CommandError(f"{name} is a parameter: PARAMETERS {name} shows it, {name}=NUMBER sets it")
        if found is None or self.table.has(found[1]):
            return line
        if found[1].lower() in names:
            return f"SET {line.strip()}"
        near = nearest(found[1], names)
        hint = f"did you mean {names[near]}?" if near else f"MODEL {shown(line.strip())[1:-1]} would change the model"
        raise CommandError(f"{shown(found[1])} is no parameter; {hint}")

    def _adopt(self, command: Command, ask: Dialogue, result: Environment | Timeline) -> None:
        """Write down what was done, and go on from there."""
        if ask.defaults_taken and self.console.talk != BRIEF:
            self.console.say(f"({ask.defaults_taken})")
        if ask.reported:
            env = result if isinstance(result, Environment) else self.env
            self.run.append("report", "\n".join([report.heading(ask.entry, env), *ask.reported]))
        for effect in ask.effects:
            effect()
        if ask.is_minimum is not None:
            self._is_minimum = ask.is_minimum
        if command.journaled:
            ask.flush()
        before = self.env
        if isinstance(result, Timeline):
            self.timeline = result
        elif result is not self.env:
            self.timeline = self.timeline.then(result.made_by(ask.entry))
        keepsakes.follow(self.run, before, self.env)
        self._follow_settings()

    def _follow_settings(self) -> None:
        """What the environment says of the console."""
        self.console.pictures, self.console.talk = self.env.display.pictures, self.env.display.talk
        self.console.echo = partial(self.run.append, "echo") if self.env.echo else None

    def _tell(self, message: str, place: str, line: str) -> None:
        self._told = message, place, line
        self._warn(message, place, line)

    def _warn(self, message: str, place: str, line: str | None = None) -> None:
        """Say what went wrong where, and below it what stands there."""
        shown = "" if line is None else f"\n    {textwrap.shorten(line, LONGEST_SHOWN)}"
        self.console.warn(f"{place}: {message}{shown}" if place else message)


def _split(line: str) -> tuple[str, str]:
    """The command's word and the rest of a line."""
    word, _, rest = line.strip().partition(" ")
    return word, rest
