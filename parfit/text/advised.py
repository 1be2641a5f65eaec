"""A sentence with what to do about it."""

from __future__ import annotations

from typing import Self


class Advised(str):
    """What is so, and what to do about it in the conversation; `fact` alone is for whoever gives no commands."""

    fact: str

    def __new__(cls, fact: str, advice: str = "") -> Self:
        made = super().__new__(cls, f"{fact}; {advice}" if advice else fact)
        made.fact = fact
        return made

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        return self.fact, self.removeprefix(self.fact).removeprefix("; ")
