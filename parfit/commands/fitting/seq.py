"""SEQ: sequential reestimation, to improve starting values batch by batch (thesis, chapter 5)."""

from __future__ import annotations

from dataclasses import replace

from parfit import interrupts
from parfit.commands.fitting.fit import ITERATIONS, LAMBDA
from parfit.commands.fitting.integ import direct_problem, watching
from parfit.commands.fitting.tolerances import ABSOLUTE, RELATIVE, ask_search, usual
from parfit.commands.looking import pictures
from parfit.commands.table import command
from parfit.errors import Abandoned, CommandError, NumericalError
from parfit.estimation.diagnosis.minimum import unseen
from parfit.estimation.optimizers import marquardt
from parfit.estimation.problem import Ending
from parfit.estimation.problems.sequential import (
    Batches,
    Estimate,
    ends_by_number,
    ends_by_time,
    observed_at,
    times_needed,
)
from parfit.live.bar import Parts
from parfit.live.fit import Progress, figure_of
from parfit.session import questions
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Array, Environment
from parfit.session.questions import Answer, Item, Question, Reader
from parfit.text import report

SIZE = 5  # observation times in a batch (section 5.3)
MOST_STEPS = 100  # on a batch; the first of problem 4.2.2 takes 29, and a FIT of 1977 stopped after 25
FIRST = Question(
    "first batch",
    "ENTER NUMBER OF OBSERVATION TIMES IN THE FIRST BATCH, OR ENDS",
    "So many observation times from the first on are fitted by themselves; they need at least as many observations as "
    "there are active parameters. ENDS lets you give the times at which batches end.",
)
NEXT_SIZE = Question(
    "batch size",
    "ENTER NUMBER OF OBSERVATION TIMES IN EACH BATCH THAT FOLLOWS",
    "Few for careful progress; the last batch has what is left.",
)
ENDS = Question(
    "ends of batches",
    "ENTER TIMES AT WHICH BATCHES END (0 TO END)",
    "Increasing times; what was observed after the last one is not used. Write 0.0 for a batch that ends at time 0.",
)
NEXT = Question(
    "next",
    "WHAT NEXT",
    "1 CONTINUE: the next batch. 2 REPEAT: this batch again from where it began, with another lambda (AUTO: ten times "
    "the last one), tolerances and limit, which hold from then on. 3 STOP: keep the parameters reached. 4 ALL: the "
    "other batches without questions. 5 ONLY: so many steps of the next batch.",
    (
        Item(1, "CONTINUE WITH THE NEXT BATCH", "CONTINUE"),
        Item(2, "REPEAT THIS BATCH", "REPEAT"),
        Item(3, "STOP HERE", "STOP"),
        Item(4, "ALL BATCHES THAT ARE LEFT", "ALL"),
        Item(5, "ONLY SO MANY STEPS OF THE NEXT BATCH", "ONLY"),
    ),
)
STEPS = replace(ITERATIONS, label="steps")
REMEDIES = {
    Ending.LIMIT: "REPEAT the batch with more iterations or larger tolerances, if this is not good enough",
    Ending.ERRORS: "REPEAT the batch with a larger lambda, or take fewer observation times at once",
    Ending.NO_REDUCTION: "REPEAT the batch with another lambda, or SCALE parameters",
}
ROUGH = "the linearization is too rough here: REPEAT with a larger lambda, or take fewer times at once"
FAILS = "take fewer observation times at once, a larger lambda, SET other values, or try OPTION"


@command(
    "SEQ",
    "computing",
    (FIRST, NEXT_SIZE, ENDS, LAMBDA, RELATIVE, ABSOLUTE, ITERATIONS, NEXT),
    ("SEQ 5 5", "SEQ 10 5 .01 1e-4 1e-4", "SEQ 5 5 1 1e-3 1e-3 100 STOP", "SEQ ENDS 2.5 5 12.5 0 .01 1e-4 1e-4"),
    ("parameters", "observations", "observation times"),
)
def seq(env: Environment, ask: Dialogue) -> Environment:
    """Improve starting values batch by batch, in order of time: each few observations correct the parameters.

    A batch is integrated from the end of the one before, whose observations count as their linearization tells; so
    nothing is integrated over the whole time with bad values. Then FIT. FREEZE, SCALE, BOUNDS and WEIGHT have their
    say; states need not be observed. Ctrl-C ends it: of the batch at work nothing is kept, of those before all. At a
    terminal p pauses it; then s makes a step, a accepts what was reached and q stops, with nothing changed.
    """
    batches = _ask_batches(env, ask)
    settings = _ask_settings(env, ask, replace(usual(env), max_iterations=MOST_STEPS))
    done = _Pass(env, ask, batches)
    done.run(settings)
    return _concluded(env, ask, batches, done.estimates[-1].result.p, done.lines)


# ---- the questions


def _ask_batches(env: Environment, ask: Dialogue) -> Batches:
    assert env.observations is not None
    times = observed_at(env.observations)
    enough = times_needed(env.observations, len(env.parameters.active))
    first = ask.one(FIRST, _first(enough, times.size), str(min(max(enough, SIZE), times.size)))
    if first is None:
        ends = _ask_ends(ask, times, enough)
    else:
        ends = ends_by_number(times, first, ask.whole(NEXT_SIZE, 1, times.size, min(SIZE, times.size)))
    return Batches(direct_problem(env), ends, env.sizes)


def _first(least: int, most: int) -> Reader[int | None]:
    """A number of observation times; None for ENDS."""

    def read(token: str) -> Answer[int | None]:
        if token and "ENDS".startswith(token.upper()):
            return Answer(None, "ENDS")
        n, text = questions.whole(1, most)(token)
        if n < least:
            few = f"{report.counted(n, 'time')} would give fewer observations than there are active parameters"
            raise CommandError(f"{few}; take at least {least}, or FREEZE some")
        return Answer(n, text)

    return read


def _ask_ends(ask: Dialogue, times: Array, enough: int) -> Array:
    while True:
        n = ask.n_answers
        given = [t for (t,) in ask.many(ENDS, _time)]
        try:
            return ends_by_time(times, given, enough)
        except CommandError as error:
            ask.ask_again(error, ask.n_answers - n)


def _time(token: str) -> Answer[float]:
    value, text = questions.number()(token)
    return Answer(value, "0.0" if value == 0 else text)  # 0 ends the list


def _ask_settings(env: Environment, ask: Dialogue, default: marquardt.Settings) -> marquardt.Settings:
    found = ask_search(ask, env, LAMBDA, default)
    return replace(found, max_iterations=ask.whole(ITERATIONS, 0, 100_000, default.max_iterations))


def _larger(settings: marquardt.Settings) -> marquardt.Settings:
    """Another try with a batch begins with a larger lambda, whoever chose the last one."""
    if settings.lam is None or settings.lam < 0:
        return replace(settings, relative=marquardt.FACTOR * settings.relative)
    return replace(settings, lam=marquardt.FACTOR * (settings.lam or marquardt.FIRST_LAMBDA))


# ---- batch after batch


class _Pass:
    """One pass through the batches, as far as the user wants to go."""

    def __init__(self, env: Environment, ask: Dialogue, batches: Batches):
        self.env, self.ask, self.batches = env, ask, batches
        self.estimates: list[Estimate] = []
        self.lines: list[str] = []  # what was written out
        self._asked = ""  # the command up to the last question what next
        self._since = 0  # batches done after its answer
        self._limit_is_last = True  # whether the last answer was the limit of the steps
        self._is_accepted = False  # whether the latest estimate is what somebody wanted no more than
        self._parts: Parts | None = None  # of all batches that are done without a question

    def run(self, settings: marquardt.Settings) -> None:
        word, now = "CONTINUE", settings
        while True:
            kept = self.estimates[:-1] if word == "REPEAT" else self.estimates
            found = self._estimated(kept, now)
            if found is None:
                return
            self.estimates = [*kept, found]
            self._since += 1
            _show(self.env, self.ask, self.batches, self.estimates)
            if self._is_accepted:
                return
            if word != "ALL":
                word = self._ask_next()
            if word == "STOP" or (word != "REPEAT" and len(self.estimates) == len(self.batches)):
                return
            if word == "REPEAT":
                settings = _ask_settings(self.env, self.ask, _larger(settings))
            now = settings
            if word == "ONLY":
                now = replace(settings, max_iterations=self.ask.whole(STEPS, 0, 100_000))
            self._limit_is_last = word in ("REPEAT", "ONLY")
            if word == "ALL" and self._parts is None:
                self._parts = Parts("SEQ")

    def _ask_next(self) -> str:
        self._asked, self._since = self.ask.entry, 0
        usual = "STOP" if len(self.estimates) == len(self.batches) else "CONTINUE"
        try:
            return self.ask.choice(NEXT, "ALL" if self.ask.is_one_line else usual).word
        except Abandoned:  # the batches that are done are kept, as if it had been STOP
            self.ask.record_as(f"{self._asked} STOP", [])
            return "STOP"

    def _estimated(self, before: list[Estimate], settings: marquardt.Settings) -> Estimate | None:
        """The next batch; None if it cannot be had or was interrupted, and those before are kept."""
        try:
            return self._minimized(before, settings)
        except KeyboardInterrupt:
            if not self.estimates or self.ask.run.replaying:
                raise
            interrupts.answered()
            self._end_early("interrupted; UNDO goes back")
            # So that it ends here, too, when the journal is played.
            self.ask.record_as(" ".join([self._asked, *["CONTINUE"] * self._since, "STOP"]), [])
        except NumericalError as error:
            if not self.estimates:
                raise
            self._end_early(error.told)
        return None

    def _end_early(self, why: str) -> None:
        n = len(self.estimates)
        self.ask.warn(f"{why}; kept is what the first {'batch' if n == 1 else f'{n} batches'} led to")
        self._pass_over()

    def _accept(self, n_steps: int) -> None:
        """Keep what so many steps of the batch at work have led to, and end there, also when the journal is played."""
        self._is_accepted = True
        self.ask.say(f"ACCEPTED after {report.counted(n_steps, 'step')}; UNDO goes back")
        words = [self._asked, *["CONTINUE"] * self._since, "ONLY"]
        if self._limit_is_last:
            self.ask.forget(1)
            words = [self.ask.entry]
        self._pass_over()
        self.ask.record_as(" ".join([*words, str(n_steps), "STOP"]), [])

    def _pass_over(self) -> None:
        """Leave out answers about batches that there will not be."""
        if self.ask.more:
            self.ask.text(NEXT)

    def _minimized(self, before: list[Estimate], settings: marquardt.Settings) -> Estimate:
        k, (problem, start) = len(before), self.batches.next(before)
        first = problem.evaluate(start)
        if not first.usable:
            where = "from what the one before led to" if before else "at the starting values"
            raise NumericalError(f"batch {k + 1} cannot be integrated {where}: {first.status}; {FAILS}")
        self.ask.say(f"BATCH {k + 1} OF {len(self.batches)}, UP TO t = {report.number(self.batches.ends[k])}")
        if self._parts is not None:
            self._parts.fraction = self._since / (self._since + len(self.batches) - k)
        with Progress(self.env, self.ask.console, first.sum_of_squares, parts=self._parts) as progress:
            limits = settings.among(self.batches.whole.spread)
            watch = watching(self.env, problem, progress)
            result = marquardt.minimize(problem, start, limits, problem.parameters, watch)
        accepted = progress.is_accepted and result.n_iterations > 0
        if result.ending is Ending.INTERRUPTED and not accepted:
            raise KeyboardInterrupt
        found = self.batches.estimate(problem, result, k)
        self.lines += progress.kept if accepted else progress.lines
        if accepted:
            self._accept(result.n_iterations)
        return found


# ---- what is said


def _show(env: Environment, ask: Dialogue, batches: Batches, done: list[Estimate]) -> None:
    """The parameters after the latest batch, their sums of squares, and the solution among the observations so far."""
    latest, k = done[-1], len(done) - 1
    result, so_far = latest.result, latest.so_far
    if result.ending not in (Ending.CONVERGED, Ending.INTERRUPTED):
        ask.warn(f"STOPPED: {result.ending.value}; {REMEDIES[result.ending]}")
    names = [env.parameters.names[env.parameters.active[j]] for j in unseen(result.evaluation)]
    if names:
        ask.say(f"the observations so far do not see {', '.join(names)}: unchanged")
    work = f"{report.counted(result.n_iterations, 'step')}, {report.counted(result.n_evaluations, 'integration')}"
    linear = f", {report.number(result.evaluation.sum_of_squares)} WITH THE EARLIER ONES LINEARIZED" if k else ""
    full = report.number(so_far.sum_of_squares) if so_far.usable else f"CANNOT BE HAD: {so_far.status}"
    ask.report(
        f"BATCH {k + 1} UP TO t = {report.number(batches.ends[k])}: SUM OF SQUARES "
        f"{report.number(latest.own_total)}{linear} ({work})\nSUM OF SQUARES OF ALL OBSERVATIONS SO FAR {full}\n"
        f"{report.parameters(env.with_values(env.parameters.expand(result.p)))}\n"
    )
    if not so_far.usable:
        ask.warn(f"from the initial time on the equations cannot be integrated that far; {ROUGH}")
    seen = replace(env, observations=batches.so_far(k).observations)
    figure = figure_of(seen, so_far if so_far.usable else result.evaluation)
    assert figure is not None
    pictures.show(ask, figure.series, f"after batch {k + 1}" if so_far.usable else f"batch {k + 1} from its beginning")


def _concluded(env: Environment, ask: Dialogue, batches: Batches, p: Array, lines: list[str]) -> Environment:
    """The environment at the latest estimate, and how the full problem fares there."""
    at = batches.whole.evaluate(p)
    if at.usable:
        ask.report(f"SUM OF SQUARES OF THE FULL PROBLEM THERE {report.number(at.sum_of_squares)}\n")
        before = batches.whole.evaluate(env.parameters.point)
        if before.usable and before.sum_of_squares < at.sum_of_squares:
            ask.warn(f"WORSE THAN BEFORE, when it was {report.number(before.sum_of_squares)}; UNDO goes back")
        else:
            ask.say("FIT goes on from here")
    else:
        ask.warn(f"the full problem cannot be integrated at these parameters: {at.status}; {FAILS}")
    assert at.trajectory is not None
    return env.with_values(env.parameters.expand(p)).with_integration(at.trajectory, lines)
