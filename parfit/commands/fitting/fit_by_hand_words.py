"""The words of optimization by hand: its commands, and what they ask."""

from __future__ import annotations

from parfit.session.noting import ABANDON
from parfit.session.questions import YES_NO, Item, Question

COMMANDS = """\
T SD, T MARQ  technique: steepest descent, or Marquardt's
M r           multiply lambda or the step length by r, and attempt a step
N r           make it r, and attempt a step
RETURN        attempt a step again
V             view parameters, half gradient J'f, freezing, singular values, sum of squares
F 1 3 0       freeze parameters for the steps that follow; DF frees them, DF 0 all
SET 1 2.5 0   set parameters
A, A N        accept the last trial even if it is no better, or reject it
B             go back one accepted step
P             plot before and after; PLOT plots the last trial as you choose
L             list the steps so far
Q             quit, and keep the point reached; ABANDON forgets it
Whole words do, too: VIEW, STEP, LAMBDA 1, UNDO, TABLE, QUIT"""
TECHNIQUE = Question(
    "technique",
    "TECHNIQUE",
    "SD: steepest descent; MARQ: Marquardt.",
    (Item(1, "STEEPEST DESCENT", "SD"), Item(2, "MARQUARDT", "MARQ")),
)
FACTOR = Question("factor", "FACTOR", "Enter a number: lambda or the step length is multiplied by it.")
NEW = Question(
    "new value",
    "NEW LAMBDA OR STEP LENGTH",
    "Enter a number. A lambda that is entered is added to J'J as it is, as in 1977; the one at the beginning is "
    "relative, with every parameter measured by its influence on the residuals.",
)
HOLD = Question(
    "parameters to freeze", "PARAMETERS TO FREEZE (0 TO END)", "Enter names or subscripts; 0 ends.", names="parameters"
)
RELEASE = Question(
    "parameters to free",
    "PARAMETERS TO FREE (0 TO END)",
    "Enter names or subscripts; 0 alone: all.",
    names="parameters",
)
ACCEPT = Question(
    "accept", "IS THE TRIAL ACCEPTED? Y OR N", "Y goes on from the last trial, N forgets it.", words=YES_NO
)
LETTERS = ("", "T", "M", "N", "V", "F", "DF", "SET", "A", "B", "P", "PLOT", "L", "Q", "HELP", "?", ABANDON)
# Whole words for the letters of 1977.
WORDS = {"TECHNIQUE": "T", "MULTIPLY": "M", "NEW": "N", "LAMBDA": "N", "STEP": "", "VIEW": "V", "FREEZE": "F"}
WORDS |= {"DEFREEZE": "DF", "UNFREEZE": "DF", "ACCEPT": "A", "BACK": "B", "UNDO": "B", "TABLE": "L", "LIST": "L"}
WORDS |= {"QUIT": "Q", "EXIT": "Q", "BYE": "Q"}


def meant(word: str) -> str:
    """The command that a whole word, or the beginning of one, stands for."""
    typed = word.upper()
    if typed in LETTERS:
        return word
    found = {WORDS[each] for each in WORDS if each.startswith(typed)}
    return found.pop() if len(found) == 1 else word
