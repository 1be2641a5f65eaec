"""Names of other programs as names of the model language, in which case does not matter and some words are taken."""

from __future__ import annotations

import re
from collections.abc import Iterable

from parfit.model.language.operations import FUNCTIONS, SYNONYMS

TAKEN = {"t", "if", "then", "else", "pi", "at", "over", *FUNCTIONS, *SYNONYMS}
UNFIT = re.compile(r"\W+")
MARK = "# renamed: "  # begins the line of a model that says what a name was


class Names:
    """The names here of what has a name there; each is given once and is unlike all others."""

    def __init__(self, taken: Iterable[str] = ()):
        self._given: dict[str, str] = {}
        self._used = {*TAKEN, *(each.lower() for each in taken)}

    def __getitem__(self, name: str) -> str:
        if name not in self._given:
            self._given[name] = self.fresh(name)
        return self._given[name]

    def __contains__(self, name: str) -> bool:
        return name in self._given

    def fresh(self, wanted: str) -> str:
        """A name that nothing has yet, as near as possible to one that is wanted."""
        base = UNFIT.sub("_", wanted) or "x"
        base = f"x{base}" if base[0].isdigit() else base
        found, count = base, 1
        while found.lower() in self._used:
            count += 1
            found = f"{base}_{count}"
        self._used.add(found.lower())
        return found

    def told(self) -> list[str]:
        """The same as one remark for people, of what the file itself names."""
        given = [f"{there} is {here}" for there, here in self._given.items() if there != here and "." not in there]
        return [f"renamed here, where case does not matter and some words are taken: {', '.join(given)}"] * bool(given)

    def remarks(self, but: str = " ") -> list[str]:
        """Lines that say what has another name here than there, without those that end with something."""
        given = [(there, here) for there, here in self._given.items() if not there.endswith(but)]
        return [f"{MARK}{there} is {here} here" for there, here in given if there != here]


def renamed_in(text: str) -> dict[str, str]:
    """What has another name in a text than where it came from, by its name here."""
    found = re.findall(rf"^{re.escape(MARK)}(\S+) is (\S+) here$", text, re.MULTILINE)
    return {here: there for there, here in found}
