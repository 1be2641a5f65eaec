"""A script that was pasted at the prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from parfit.session.line import EndOfInput
from parfit.session.sources import TEXT_PROMPT, Script, cleaned
from parfit.text.report import counted


class Pasted(Script):
    """Lines that were pasted: a script, but what they leave open at their end is asked of who pasted them."""

    def __init__(self, lines: Sequence[str], command_prompt: str, ask: Callable[[str, str], str]):
        super().__init__(lines, "pasted")
        self._all = lines
        self._command_prompt, self._ask = command_prompt, ask

    def read(self, prompt: str = "", text: str = "") -> str:
        try:
            return super().read(prompt, text)
        except EndOfInput:
            if prompt in ("", TEXT_PROMPT, self._command_prompt):
                raise
        self.interactive = True
        return self._ask(prompt, text)

    @property
    def left(self) -> str:
        """What was not obeyed, for the user."""
        n = sum(bool(cleaned(line)) for line in self._all[self._number - self._again :])
        return left_out(n) if n else ""


def left_out(n: int) -> str:
    return f"{counted(n, 'pasted line')} left out"
