"""What may stand on the line of OPTION: control parameters with values, and what is shown and said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import Any, NamedTuple

from parfit.dataclass import dataclass
from parfit.errors import CommandError
from parfit.model.naming import family, in_all
from parfit.session import questions
from parfit.session.environment import Environment
from parfit.session.questions import Answer, Item, Question, Reader
from parfit.session.records import Display
from parfit.simulation.method import FORMULA_WORDS, PROCEDURE_WORDS, refusal

CONTROLS = Question(
    "control parameters and values",
    "DESIGNATE CONTROL PARAMETER AND NEW VALUE (0 TO END)",
    "Enter the number or the name of a control parameter and its new value, then the next; 0 or RETURN ends. "
    "ACCURATE restores the accurate integration with which a model opens, 1977 all defaults of the manual. REPORT 10 "
    "shows the settings. The names: OUTPUT, OPTOUTPUT, JACOBIAN, METHOD, EPS, HMIN, HMAX, PROCEDURE; and of what is "
    "shown and said: PICTURES, SHOW, TALK.",
    (
        Item(1, "OUTPUT", "OUTPUT"),
        Item(2, "INT. OUTPUT IN OPT. 0-YES, 1-NO", "OPTOUTPUT"),
        Item(3, "JACOBIAN 0-FULL, 1-LEAST SQUARES", "JACOBIAN"),
        Item(4, "GEAR'S METHOD 0-ADAMS, 1-STIFF, 2-AUTOMATIC", "METHOD"),
        Item(5, "EPS FOR INTEGRATION", "EPS"),
        Item(6, "HMIN FOR INTEGRATION", "HMIN"),
        Item(7, "HMAX FOR INTEGRATION", "HMAX"),
        Item(8, "INTEGRATION PROCEDURE 1-GEAR, 2-TRAPEZOIDAL", "PROCEDURE"),
        Item(9, "ACCURATE INTEGRATION, THE DEFAULT", "ACCURATE"),
        Item(1977, "ALL DEFAULTS OF THE MANUAL", "1977"),
    ),
    names="variables",
    words=("PICTURES", "SHOW", "TALK", "AUTO", "KITTY", "SIXEL", "TEXT", "ALL", "EACH", "OFF", "BRIEF", "NORMAL"),
)
VALUE = Question("value", "NEW VALUE", "Enter the new value of the control parameter.")
PICTURES = Question(
    "pictures",
    "PICTURES: AUTO, KITTY, SIXEL OR TEXT",
    "AUTO: as pixels where the terminal says that it shows them, otherwise as text. KITTY, SIXEL: as pixels in this "
    "way, whatever it says. TEXT: always as text.",
    words=("AUTO", "KITTY", "SIXEL", "TEXT"),
)
SHOWN = Question(
    "shown by itself",
    "VARIABLES IN PICTURES THAT COMMANDS DRAW BY THEMSELVES, ALL, EACH OR OFF",
    "Enter the names of the variables that SMOOTH, FIT, IFIT, CONTIN and others draw by themselves, ALL for all of "
    "them, OFF for no such pictures; EACH, alone or after names, gives every variable a small plot of its own.",
    names="variables",
    words=("ALL", "EACH", "OFF"),
)
TALK = Question(
    "talk",
    "HOW MUCH IS SAID: BRIEF, NORMAL OR FULL",
    "BRIEF: questions without menus and hints. NORMAL: with them. FULL: every question with its explanation, and "
    "STATS with all it knows.",
    words=("BRIEF", "NORMAL", "FULL"),
)
# What is set beside the control parameters of the manual, and asked then.
SETTINGS = {"PICTURES": PICTURES, "SHOW": SHOWN, "TALK": TALK}
ALONE = (9, 1977)  # without a value
# The control parameters that are chosen rather than measured, by number: what each value is called.
WORDS = {
    2: (Item(0, "", "YES"), Item(1, "", "NO")),
    3: (Item(0, "", "FULL"), Item(1, "", "LEAST")),
    4: tuple(Item(k, "", word) for k, word in enumerate(FORMULA_WORDS)),
    8: tuple(Item(k, "", word) for k, word in enumerate(PROCEDURE_WORDS, 1)),
}
LIMITS = {5: "eps", 6: "h_min", 7: "h_max"}
MOST_STEPS = 10**6


class Setting(NamedTuple):
    """One of PICTURES, SHOW and TALK."""

    word: str


class Further(NamedTuple):
    """One more variable, or word, after SHOW."""

    word: str


Entry = Item | Setting | Further


@dataclass
class Entries:
    """What has been entered so far."""

    env: Environment
    _after_show: bool = field(default=False, init=False)

    def read(self, token: str) -> Answer[Entry]:
        """A control parameter or a setting; after SHOW the next variable, unless it is the whole word of one."""
        word = token.upper()
        if word in SETTINGS:
            return Answer(Setting(word), word)
        is_whole = word in [item.word for item in CONTROLS.menu]
        if self._after_show and not is_whole and not token.isdigit():
            try:
                found = self._shown(token)
                return Answer(Further(found.value), found.text)
            except CommandError:
                pass
        try:
            return Answer[Entry](*questions.item(CONTROLS.menu)(token))
        except CommandError:
            begun = [each for each in SETTINGS if len(word) > 1 and each.startswith(word)]
            if len(begun) != 1 and self._after_show:
                raise CommandError(
                    f"{questions.shown(token)} is no variable, nor a control parameter; the variables are "
                    f"{self._variables}"
                ) from None
            if len(begun) != 1:
                raise
            return Answer(Setting(begun[0]), begun[0])

    def then(self, entry: Entry) -> Sequence[tuple[Question, Reader[Any]]]:
        """What must follow."""
        if isinstance(entry, Further):
            return []
        self._after_show = entry == Setting("SHOW")
        if isinstance(entry, Setting):
            question = SETTINGS[entry.word]
            return [(question, self._shown if self._after_show else _one_of(question.words))]
        return [] if entry.number in ALONE else [(VALUE, _value(entry.number))]

    @property
    def _variables(self) -> str:
        return ", ".join(in_all(self.env.variables, self.env.variables))

    def _shown(self, token: str) -> Answer[str]:
        """A variable, or a word; a variable of that name is meant rather than the word."""
        named = in_all(family(token, self.env.variables), self.env.variables)
        if named:
            return Answer(named[0], questions.quoted(named[0]))
        word = _one_of(SHOWN.words, f"; the variables are {self._variables}")(token)
        return Answer(word.value, word.text)


def displayed(env: Environment, given: Sequence[tuple[Any, ...]]) -> Display:
    """What is shown and said, after these entries, each with its value."""
    display, shown = env.display, list[str]()
    for entry, *value in given:
        if entry == Setting("PICTURES"):
            display = replace(display, pictures=value[0])
        elif entry == Setting("TALK"):
            display = replace(display, talk=value[0])
        elif entry == Setting("SHOW"):
            shown = [value[0]]
        elif isinstance(entry, Further):
            shown.append(entry.word)
    return replace(display, **_of_show(env, shown)) if shown else display


def _of_show(env: Environment, words: Sequence[str]) -> dict[str, Any]:
    names = tuple(dict.fromkeys(word for word in words if word in env.variables))
    others = [word for word in words if word not in names]
    if "OFF" in others and len(words) > 1:
        raise CommandError("OPTION SHOW OFF stands alone: it draws no pictures")
    if "ALL" in others and names:
        raise CommandError("OPTION SHOW takes ALL, or names of variables, not both")
    return {"shown": () if "OFF" in others else names or None, "each": "EACH" in others}


def _value(number: int) -> Reader[Any]:
    """How the new value of a control parameter of the manual is read."""
    if number in WORDS:
        return _numbered(WORDS[number])
    if number == 1:
        return questions.whole(0, MOST_STEPS)
    reader = questions.limit if number == 7 else questions.number
    return reader(lambda value: refusal(**{LIMITS[number]: value}))


def _numbered(menu: Sequence[Item]) -> Reader[int]:
    reader = questions.item(menu)

    def read(token: str) -> Answer[int]:
        chosen, text = reader(token)
        return Answer(chosen.number, text)

    return read


def _one_of(words: Sequence[str], more: str = "") -> Reader[str]:
    """A word, or the beginning of one."""

    def read(token: str) -> Answer[str]:
        found = [word for word in words if token and word.startswith(token.upper())]
        if len(found) != 1:
            raise CommandError(f"{questions.shown(token)} will not do here; enter {', '.join(words)}{more}")
        return Answer(found[0], found[0])

    return read
