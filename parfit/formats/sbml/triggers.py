"""Conditions as functions that cross zero from below where the condition becomes true."""

from __future__ import annotations

from collections.abc import Iterator

from parfit.errors import ModelError
from parfit.formats.sbml.formulas import TIME
from parfit.formats.sbml.substitution import rebuilt
from parfit.model.language.expression import Call, Expression, Name, Number

NEVER, AT_ONCE, LATER, AT_ITS_TIME = "never", "at once", "later", "at its time"
CHOSEN = {"&": "min", "|": "max"}  # both hold where the smaller is positive


def crossing(trigger: Expression, line: int) -> Expression:
    """What is negative while a condition does not hold, and positive while it does."""

    outer = {id(each) for each in _joined(trigger)}

    def build(call: Call, arguments: tuple[Expression, ...]) -> Expression:
        if id(call) not in outer:  # what is compared may have conditions of its own
            return Call(call.function, arguments)
        if call.function in (">", ">="):
            return arguments[0] - arguments[1]
        if call.function in ("<", "<="):
            return arguments[1] - arguments[0]
        if call.function == "==" and any(isinstance(each, Name) and each.name == TIME for each in arguments):
            first, second = arguments
            return first - second if isinstance(first, Name) and first.name == TIME else second - first
        if call.function in CHOSEN and all(map(_is_condition, call.arguments)):
            return Call(CHOSEN[call.function], arguments)
        if call.function == "not" and _is_condition(call.arguments[0]):
            return -arguments[0]
        return Call(call.function, arguments)

    if not _is_condition(trigger):
        raise ModelError(
            "the trigger of this event is not supported; expected comparisons with <, <=, >, >=, joined by and, or, "
            "not",
            None,
            line,
        )
    return rebuilt(trigger, Name, build)


def _joined(node: Expression) -> Iterator[Expression]:
    """An expression, and what and, or, not join in it: down to comparisons, but not into them."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        yield each
        if isinstance(each, Call) and (each.function in CHOSEN or each.function == "not"):
            waiting += each.arguments


def _is_condition(node: Expression) -> bool:
    """Whether an expression compares something, so that it can begin to hold."""
    for each in _joined(node):
        if not isinstance(each, Call):
            return False
        if each.function == "==":
            if not any(isinstance(part, Name) and part.name == TIME for part in each.arguments):
                return False
        elif each.function not in ("<", "<=", ">", ">=", "not", *CHOSEN):
            return False
    return True


def begins_by_itself(trigger: Expression, was_true: bool, t0: float = 0.0) -> str:
    """When an event happens of which the trigger compares the time with a number that is no later than the first."""
    if not isinstance(trigger, Call) or trigger.function not in ("<", "<=", ">", ">="):
        return LATER
    first, second = trigger.arguments if trigger.function in (">", ">=") else reversed(trigger.arguments)
    if not (isinstance(first, Name) and first.name == TIME and isinstance(second, Number) and second.value <= t0):
        return LATER
    holds = second.value < t0 or trigger.function in (">=", "<=")
    return NEVER if holds and was_true else AT_ONCE
