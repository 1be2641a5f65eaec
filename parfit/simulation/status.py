"""Why an integration stopped, in a sentence that says where and what to do."""

from __future__ import annotations

from enum import IntEnum

from parfit.dataclass import dataclass


class Reason(IntEnum):
    """The kernel's codes (kernel/status.pxd), and one more."""

    OK = 0
    START = 1
    NOT_FINITE = 2
    NO_CONVERGENCE = 3
    SINGULAR = 4
    ERROR_TEST = 5
    CORRECTOR = 6
    TOO_MANY_STEPS = 7
    NOT_SMOOTH = 8
    JUMP = 9
    SLIDING = 10
    ENDLESS = 11
    NO_REST = 12  # of simulation/rest.py, whose time is the rate of the state
    EARLY = 13
    HOPELESS = 14
    LONG = 15
    LOOSE = 16


SENTENCES = {
    Reason.OK: "finished",
    Reason.START: "the initial value of {state} is not a finite number at these parameters",
    Reason.NOT_FINITE: "the derivative of {state} is not a finite number near t = {time}: "
    "a division by zero, the logarithm of a negative number, or a solution that grows without bound",
    Reason.NOT_SMOOTH: "the equation or initial value of {state} has an infinite derivative by a state or parameter "
    "at t = {time}: start from other values, or freeze that parameter",
    Reason.NO_CONVERGENCE: "the trapezoidal rule found no solution for {state} on its step to t = {time}: "
    "insert sample times there or integrate with Gear's method",
    Reason.SINGULAR: "the linear equations for the step to t = {time} are singular: "
    "insert sample times there or integrate with Gear's method",
    Reason.ERROR_TEST: "the step size fell below {smallest} at t = {time} with the error of {state} above EPS: "
    "{shorter}raise EPS, unless the solution has a singularity there",
    Reason.CORRECTOR: "the corrector did not converge for {state} at t = {time} with the smallest step: "
    "{shorter}raise EPS, unless the solution has a singularity there",
    Reason.TOO_MANY_STEPS: "more than {max_steps} steps were needed between two times, at t = {time}: "
    "raise EPS or HMAX, use the stiff formulas, or raise the limit of steps",
    Reason.JUMP: "a jump at t = {time} gives {state} a value, or has a time, that is not a finite number: "
    "start from other values, or look at what `set`, `dose` and `global` say",
    Reason.SLIDING: "at t = {time} a switch in the equations is reached that they lead back to from both sides: "
    "the solution would slide along it, which is not followed; replace the switch by a steep smooth function",
    Reason.ENDLESS: "at t = {time} events set off each other, or the same one fires again and again, without end: "
    "change the condition or the assignments of a `global` event, so that it is left behind",
    Reason.EARLY: "at these parameters a `dose` or `set` is due before the beginning at t = {time}, and would never "
    "happen: start from other values, let BOUNDS keep its time from getting there (as a lag time above 0), or let the "
    "model begin earlier (@ t0=...)",
    Reason.HOPELESS: "given up at t = {time}: the observations up to there fit too badly for the step to be taken",
    Reason.LONG: "given up at t = {time}: it takes many times as many steps as the best so far",
    Reason.LOOSE: "given up at t = {time}: it takes too many steps with the larger errors that are allowed far from a "
    "minimum",
    Reason.NO_REST: "the equations do not come to rest, or to a steady state of doses: after a long time {state} "
    "still changes, at a rate of {time}; start from other values, or leave out `rest`, `ss` and observations at inf",
}


@dataclass(frozen=True)
class Status:
    """How an integration ended; true if it reached the last time."""

    reason: Reason = Reason.OK
    time: float = float("nan")
    state: str | None = None
    max_steps: int = 0
    h_min: float = 0.0  # the HMIN in force

    def __bool__(self) -> bool:
        return self.reason is Reason.OK

    def __str__(self) -> str:
        limited = self.h_min > 0.0
        return SENTENCES[self.reason].format(
            time=f"{self.time:.6g}",
            state=self.state or "a state",
            max_steps=self.max_steps,
            smallest="HMIN" if limited else "what numbers can hold",
            shorter="lower HMIN or " if limited else "",
        )
