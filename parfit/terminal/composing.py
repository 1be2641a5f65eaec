"""A model typed from nothing: statement by statement, then what is missing, a look at it, and the name of its file."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable
from pathlib import Path

from parfit.commands.format_text import FORMAT
from parfit.data.loading import read_problem
from parfit.errors import Abandoned, ParfitError
from parfit.formats.kinds import read_model
from parfit.library import from_library
from parfit.model.language import drafting
from parfit.model.language.drafting import Draft, Missing
from parfit.model.language.reader import model_from_text
from parfit.model.language.typeset import typeset
from parfit.model.textfile import nearest, write_text
from parfit.session.console import Console
from parfit.session.line import EndOfInput, Source
from parfit.session.paths import meant
from parfit.session.questions import quoted_path
from parfit.session.sources import TEXT_PROMPT

ENDING = ".ode"
BEGINNING = """\
Type the model, one statement to a line, for example
    x' = -k*x
    x(0) = 1
RETURN alone ends it: what is missing is asked for then. A name that is defined
again gets its new definition; doses and events are added to those there are.
remove NAME takes a statement out, UNDO takes the last line back, SHOW shows
the model, ? explains how models are written, QUIT leaves."""
KEEP, ANSWERS = "Ctrl-C goes back to the statements", ": "
VALUE_HELP = (
    "Enter a number: a rough guess of {} will do, best of the right order of magnitude. FIT improves it; SET changes "
    "it before that, FREEZE keeps it as it is. RETURN takes 1."
)
QUESTIONS = {
    drafting.DEFINITION: (
        "{} IS NOT DEFINED. ENTER WHERE ITS SEARCH BEGINS, IF IT IS A PARAMETER, OR A\nSTATEMENT SUCH AS {}=...",
        "1",
        f"{VALUE_HELP} Or enter a statement that says what {{}} is: {{}} = 2*x, number {{}}=5, {{}}' = -x.",
    ),
    drafting.VALUE: ("PARAMETER {}: ENTER THE VALUE WITH WHICH ITS SEARCH BEGINS", "1", VALUE_HELP),
    drafting.START: (
        "{} HAS NO INITIAL VALUE. ENTER A NUMBER, OR {}0 TO HAVE IT FITTED\n"
        "(RETURN LEAVES IT OPEN, FOR INIT TO TAKE FROM THE DATA)",
        "",
        "Enter the value of {} in the beginning, if it is known. {}0, or another name, makes a parameter of it, which "
        "is fitted with the others. RETURN leaves it open: INIT takes it from the data later.",
    ),
}
SAVE_HELP = (
    f"Enter the name of the file that is to hold the model; {ENDING} is added if it has no ending. RETURN takes what "
    "stands in brackets. Ctrl-C goes back to the statements, where QUIT leaves without saving."
)
YES_HELP = "Enter Y or N; RETURN takes N."
YES, NO = ("y", "yes"), ("n", "no")


def is_new(path: str) -> bool:
    """Whether a path names a model that is still to be written, in a folder that exists."""
    place = Path(path)
    exists = os.path.lexists(from_library(path))
    return place.suffix.lower() == ENDING and not exists and place.parent.is_dir()


def compose(console: Console, source: Source, path: str = "") -> str:
    """Have a model typed and saved; gives its path, or nothing if whoever typed it has left."""
    try:
        return _Composing(console, source, path).saved()
    except EndOfInput:
        return ""


def fits(console: Console, model: str, data: str) -> bool:
    """Whether data can be read for a model that was typed; why not is told, and no reason to leave."""
    try:
        read_problem(data, read_model(model))
    except ParfitError as error:
        console.warn(
            f"{error.told}\nwithout these data for now: MODEL changes the model, LOAD DATA {quoted_path(data)} "
            "reads them then"
        )
        return False
    return True


class _Left(Exception):  # noqa: N818 (not an error)
    """Whoever types does not want a model after all."""


class _Composing:
    """Somebody who types a model: the draft, and the drafts before it."""

    def __init__(self, console: Console, source: Source, path: str):
        self.console, self.source, self.path = console, source, path
        self.folder = Path(path).parent
        self.draft, self.past = Draft(), list[Draft]()
        self.words: dict[str, Callable[[], None]] = {"undo": self._undo, "show": self._show, "model": self._show}
        self.words |= dict.fromkeys(("?", "help"), lambda: console.say(FORMAT))
        self.words |= dict.fromkeys(("quit", "exit", "bye", "q"), self._leave)

    def saved(self) -> str:
        self.console.say(f"{self._greeting()}{BEGINNING}")
        try:
            while True:
                self._type()
                path = self._finished()
                if path:
                    return path
        except _Left:
            self.console.say("no model was saved")
            return ""

    def _greeting(self) -> str:
        if not self.path:
            return "A new model. (parfit MODEL.ode DATA.csv opens files, parfit tour shows how.)\n"
        others = [each.name for each in self.folder.glob(f"*{ENDING}")]
        near = nearest(Path(self.path).name, others)
        hint = f" (there is {near}; QUIT leaves)" if near else ""
        return f"There is no file {self.path} yet: this will be a new model{hint}.\n"

    # ---- statements

    def _type(self) -> None:
        """Read statements until the model is to be finished."""
        while True:
            line = self._line()
            word = line.strip().lower()
            if word in self.words:
                self.words[word]()
            elif word in ("", "done", "end"):
                return
            else:
                self._add(lambda line=line: self.draft.with_line(line, self.folder))  # type: ignore[misc]

    def _line(self) -> str:
        """One statement; a line that ends with \\ goes on in the next."""
        text = ""
        while True:
            try:
                line = self.source.read(TEXT_PROMPT)
            except Abandoned:  # Ctrl-C
                self.console.say("QUIT leaves without a model")
                text = ""
                continue
            text += line
            if not text.endswith("\\"):
                return text
            text = text.removesuffix("\\")

    def _add(self, change: Callable[[], Draft]) -> bool:
        """Change the draft; what is wrong is told at once, and changes nothing."""
        try:
            new = change()
        except ParfitError as error:
            self.console.warn(error.told)
            return False
        self.past.append(self.draft)
        self.draft = new
        return True

    def _undo(self) -> None:
        if self.past:
            self.draft = self.past.pop()
        self._show()

    def _show(self) -> None:
        self.console.say(self.draft.text.rstrip("\n") or "nothing yet")

    def _leave(self) -> None:
        if not self.draft.text.strip() or self._yes("LEAVE WITHOUT SAVING THE MODEL? Y OR N"):
            raise _Left

    # ---- the end

    def _finished(self) -> str:
        """Ask for what is missing, show the model and save it; nothing if more statements are to come."""
        try:
            if not self._completed():
                return ""
            text = f"{self.draft.text.rstrip()}\ndone\n"
            model = model_from_text(text, Path(self.path).stem or "model", folder=self.folder)
            self.console.say(typeset(model, self.console.unicode, self.console.size[0]))
            if model.unset:
                self.console.say(f"left open: where {', '.join(model.unset)} begin{'s' * (len(model.unset) == 1)}")
            return self._save(text)
        except (Abandoned, ParfitError) as error:
            if not isinstance(error, Abandoned):
                self.console.warn(error.told)
            self.console.say("more statements, or RETURN alone to finish; QUIT leaves")
            return ""

    def _completed(self) -> bool:
        """Whether nothing is missing any more, after asking for it."""
        left_open: set[str] = set()
        while True:
            missing = [each for each in self.draft.missing if each.name not in left_open]
            if not missing:
                return True
            first = missing[0]
            if first.what == drafting.EQUATION:
                name = "x" if first.name == drafting.SOME_STATE else first.name
                self.console.warn(f"{first.name} needs a differential equation: type {name}' = ...")
                return False
            if not self._supplied(first):
                left_open.add(first.name)

    def _supplied(self, missing: Missing) -> bool:
        """Whether what is missing was given."""
        question, default, explained = QUESTIONS[missing.what]
        question, explained = (text.replace("{}", missing.name) for text in (question, explained))
        while True:
            answer = self._asked(question, default, explained)
            if not answer:
                return False
            if self._add(lambda answer=answer: self.draft.with_answer(missing, answer)):  # type: ignore[misc]
                return missing not in self.draft.missing

    def _save(self, text: str) -> str:
        """Write the file under a name that is asked for; another file is never replaced unasked."""
        question = "NAME OF THE FILE TO SAVE IT IN (CTRL-C: MORE STATEMENTS)"
        while True:
            path = meant(self._asked(question, self.path or f"model{ENDING}", SAVE_HELP))
            path = path if Path(path).suffix else path + ENDING
            if os.path.lexists(path) and not self._yes(f"{path} EXISTS ALREADY. REPLACE IT? Y OR N"):
                continue
            try:
                write_text(path, text)
            except ParfitError as error:
                self.console.warn(error.told)
                continue
            self.console.say(f"saved in {path}")
            return path

    def _yes(self, question: str) -> bool:
        while True:
            answer = self._asked(question, "N", YES_HELP).lower()
            if answer in (*YES, *NO):
                return answer in YES

    def _asked(self, question: str, default: str, explained: str) -> str:
        self.console.way_out = KEEP
        while True:
            answer = self.source.read(f"[{default}]{ANSWERS}" if default else ANSWERS, question).strip()
            if answer != "?" and answer.lower() != "help":
                return answer or default
            self.console.say(textwrap.fill(explained, self.console.width))
