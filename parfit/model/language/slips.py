"""What is meant by what the language does not know: signs of word processors, and habits of other languages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from parfit.errors import ModelError

if TYPE_CHECKING:
    from parfit.model.language.syntax import Token

COMMENT = "; a comment begins with `#`"
# Characters, with what they are and what is written here.
SIGNS = {
    **dict.fromkeys("−–—‐‑﹣－", "`{}` is a minus of word processors; expected `-`"),
    **dict.fromkeys("×·∗⋅•✕", "`{}` is no sign of this language; expected `*`"),
    **dict.fromkeys("÷∕", "`{}` is no sign of this language; expected `/`"),
    **dict.fromkeys("‘’‚′ʹ`´", "`{}` is a curly quotation mark; expected `'`, as in x'=..."),
    **dict.fromkeys('“”„«»″"', "`{}` is a quotation mark; expected names and numbers without any"),
    **dict.fromkeys("[]{}", "`{}` is no parenthesis here; expected `(` and `)`"),
    ";": "`{}` ends no line here; expected one statement in each line, and nothing behind it",
    "%": "`{}` has no meaning here" + COMMENT,
    "√": "`{}` is no sign of this language; expected sqrt(...)",
    "≤": "`{}` is no sign of this language; expected `<=`",
    "≥": "`{}` is no sign of this language; expected `>=`",
    "≠": "`{}` is no sign of this language; expected `!=`",
}
RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789", strict=True))
FRACTIONS = {"½": "(1/2)", "¼": "(1/4)", "¾": "(3/4)"}
# Names that other languages know, with what is written here.
NAMES = {
    "e": "for a power of e write exp(...)",
    "pow": "for a power write a^b",
    "arctan": "expected atan(...)",
    "arcsin": "expected asin(...)",
    "arccos": "expected acos(...)",
}
# Statement words of XPPAUT that mean something else than ordinary differential equations.
REFUSED = (
    (re.compile(r"w|wie\w*"), "wiener", "random numbers"),
    (re.compile(r"m|mar\w*"), "markov", "random jumps"),
    (re.compile(r"eve\w*|when|at"), "event", "events"),
    (re.compile(r"b|bd\w*|bn\w*|bou\w*"), "bdry", "boundary conditions"),
    (re.compile(r"v|vol\w*|ker\w*"), "volterra", "integral equations"),
    (re.compile(r"vec\w*"), "vector", "arrays"),
    (re.compile(r"so\w*"), "solv", "algebraic equations"),
    (re.compile(r"sp\w*"), "special", "sums over arrays"),
    (re.compile(r"ex\w*"), "export", "code in C"),
    (re.compile(r"delay\w*"), "delay", "delays"),
)
INTEGRAL = re.compile(r"\bint\s*[\[{]", re.IGNORECASE)
_SUM = re.compile(r"\bsum\s*\([^()]*\)\s*of\b", re.IGNORECASE)
_ALGEBRAIC = re.compile(r"0\s*=(?!=)")
_MAP = re.compile(r"([^\W\d]\w*)\s*\(\s*[tT]\s*\+\s*1\s*\)\s*=(?!=)")
EXPONENT = re.compile(r"[dD]\d+")  # of Fortran


def of_character(character: str) -> str:
    """What is wrong with a character; nothing if it is none of these."""
    return SIGNS.get(character, "").format(character)


def of_line(code: str) -> str:
    """What is wrong with the first such character of a line."""
    return next((of_character(each) for each in code if each in SIGNS), "")


def of_word(word: str) -> str:
    """What is wrong with a name that holds raised digits or a fraction."""
    for k, each in enumerate(word):
        if each in RAISED:
            digits = "".join(RAISED[c] for c in word[k:] if c in RAISED)
            return f"`{word}` has a raised number; expected `{word[:k]}^{digits}`"
        if each in FRACTIONS:
            return f"`{word}` has a fraction in one character; expected `{FRACTIONS[each]}`"
    return ""


def of_tokens(tokens: Sequence[Token], k: int, lacks_sign: bool = False) -> str:
    """What is wrong where token k cannot follow the one before it, or could if there were a sign between them."""
    if k == 0 or tokens[k].kind == "end":
        return ""
    before, here, after = tokens[k - 1], tokens[k], tokens[min(k + 1, len(tokens) - 1)]
    is_close = before.start + len(before.text) == here.start
    if (before.text, here.text) == ("/", "/"):
        return "`//` is no sign of this language; expected one `/`" + COMMENT
    if before.kind == "number" and is_close and here.text == "," and _follows(here, after):
        return _decimal(before, after)
    if before.text == "," and here.kind == "number" and k > 1 and tokens[k - 2].kind == "number" and is_close:
        return _decimal(tokens[k - 2], here)
    if before.kind == "number" and is_close and EXPONENT.fullmatch(here.text):
        return f"`{before.text}{here.text}` is no number here; expected {before.text}e{here.text[1:]}"
    if lacks_sign and _ends_value(before) and _begins_value(here) and here.kind != "number":
        between = "" if is_close else " "
        return f"`{before.text}{between}{here.text}` leaves out a sign; expected `{before.text}*{here.text}`"
    return ""


def _follows(comma: Token, after: Token) -> bool:
    return after.kind == "number" and after.start == comma.start + 1 and after.text.isdigit()


def _decimal(whole: Token, decimals: Token) -> str:
    written = f"{whole.text}.{decimals.text}"
    return f"`{whole.text},{decimals.text}` has a decimal comma; expected {written}"


def _ends_value(token: Token) -> bool:
    return token.kind in ("number", "name") or token.text == ")"


def _begins_value(token: Token) -> bool:
    return token.kind in ("number", "name") or token.text == "("


def refuse_everywhere(code: str) -> None:
    """Refuse what changes the meaning of a whole line."""
    if INTEGRAL.search(code):
        refuse(code, "volterra", "integral equations")
    if _SUM.search(code):
        refuse(code, "sum ... of", "sums over arrays")
    if _ALGEBRAIC.match(code):
        refuse(code, "0=", "algebraic equations")
    if _MAP.match(code):
        refuse(code, "(t+1)=", "maps")


def refuse(code: str, name: str, what: str) -> NoReturn:
    """Refuse a statement by its name, and say what it would be about."""
    from parfit.model.language.syntax import short  # which imports what is here

    raise ModelError(
        f"`{short(code)}`: `{name}` ({what}) is not supported; expected ordinary differential equations only"
    )
