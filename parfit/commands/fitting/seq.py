"""SEQ: sequential reestimation, to improve starting values batch by batch (thesis, chapter 5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from parfit import interrupts
from parfit.arrays import Array
from parfit.commands.curves.curve_fit import tell_full_problem
from parfit.commands.fitting.fit import ITERATIONS, LAMBDA
from parfit.commands.fitting.judging import kept
from parfit.commands.fitting.tolerances import ABSOLUTE, RELATIVE, ask_search
from parfit.commands.passing_over import tell_of_noise
from parfit.commands.table import command
from parfit.errors import Abandoned, CommandError, NumericalError
from parfit.estimation.optimizers.marquardt import Settings
from parfit.estimation.problems.sequential import ends_by_time, observed_at
from parfit.estimation.strategies.search import more_damped
from parfit.estimation.strategies.seq import (
    ALL,
    CONTINUE,
    EXPERIMENTS,
    ONLY,
    REPEAT,
    SIZE,
    STOP,
    Reestimation,
    Request,
    Result,
    begun,
    needed,
    usual,
)
from parfit.live.following import Following
from parfit.pictures.automatic import automatic
from parfit.pictures.batches import batch_picture
from parfit.session import questions
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Answer, Item, Question, Reader
from parfit.text import report
from parfit.text import seq as text

FIRST = Question(
    "first batch",
    "ENTER NUMBER OF OBSERVATION TIMES IN THE FIRST BATCH, OR ENDS",
    "So many observation times from the first on are fitted by themselves; they need at least as many observations as "
    "there are active parameters. ENDS lets you give the times at which batches end. EXPERIMENTS takes one experiment "
    "after the other.",
    words=("ENDS", EXPERIMENTS),
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


@command(
    "SEQ",
    "computing",
    (FIRST, NEXT_SIZE, ENDS, LAMBDA, RELATIVE, ABSOLUTE, ITERATIONS, NEXT),
    (
        "SEQ 5 5",
        "SEQ 10 5 .01 1e-4 1e-4",
        "SEQ 5 5 1 1e-3 1e-3 100 STOP",
        "SEQ ENDS 2.5 5 12.5 0 .01 1e-4 1e-4",
    ),
    ("parameters", "observations", "observation times"),
)
def seq(env: Environment, ask: Dialogue) -> Environment:
    """Improve starting values batch by batch, in order of time: each few observations correct the parameters.

    A batch is integrated from the end of the one before, whose observations count as their linearization tells; so
    nothing is integrated over the whole time with bad values. SEQ EXPERIMENTS takes several experiments one after the
    other instead, each over its whole time. Then FIT. FREEZE, SCALE, BOUNDS and WEIGHT have their
    say; states need not be observed. Ctrl-C ends it: of the batch at work nothing is kept, of those before all. At a
    terminal p pauses it; then s makes a step, a accepts what was reached and q stops, with nothing changed.
    """
    done = begun(env, _ask_request(env, ask))
    tell_of_noise(env, ask, "SEQ")
    result = _Conversation(ask, done).run().result()
    with kept(ask):
        _conclude(result, ask)
    return result.env


# ---- the questions


def _ask_request(env: Environment, ask: Dialogue) -> Request:
    assert env.observations is not None
    times, enough = observed_at(env.observations), needed(env)
    first = ask.one(FIRST, _first(enough, times.size), str(min(max(enough, SIZE), times.size)))
    if first == EXPERIMENTS:
        request = Request(by_experiment=True)
    elif isinstance(first, str):
        request = Request(ends=_ask_ends(ask, times, enough))
    else:
        request = Request(first, ask.whole(NEXT_SIZE, 1, times.size, min(SIZE, times.size)))
    return replace(request, settings=_ask_settings(env, ask, usual(env)))


def _first(least: int, most: int) -> Reader[int | str]:
    """A number of observation times, or a word."""

    def read(token: str) -> Answer[int | str]:
        for word in FIRST.words:
            if token and word.startswith(token.upper()):
                return Answer(word, word)
        n, written = questions.whole(1, most)(token)
        if n < least:
            few = f"{report.counted(n, 'time')} would give fewer observations than there are active parameters"
            raise CommandError(f"{few}; take at least {least}, or FREEZE some")
        return Answer(n, written)

    return read


def _ask_ends(ask: Dialogue, times: Array, enough: int) -> tuple[float, ...]:
    while True:
        n = ask.n_answers
        given = tuple(t for (t,) in ask.many(ENDS, questions.number()))
        try:
            ends_by_time(times, given, enough)
            return given
        except CommandError as error:
            ask.ask_again(error, ask.n_answers - n)


def _ask_settings(env: Environment, ask: Dialogue, default: Settings) -> Settings:
    found = ask_search(ask, env, LAMBDA, default)
    return replace(found, max_iterations=ask.whole(ITERATIONS, 0, 100_000, default.max_iterations))


# ---- batch after batch


class _Conversation:
    """The batches, as far as somebody wants to go; what was done is written down in the end."""

    def __init__(self, ask: Dialogue, done: Reestimation):
        self.ask, self.done = ask, done
        self._watch = Following(ask.console)

    def run(self) -> Reestimation:
        """Do a batch, show it, and ask what is next."""
        word, n_asked, step = CONTINUE, 0, self._step(CONTINUE)
        while self._goes_on(step):
            if word != ALL:
                word, n_asked = self._ask_next(), len(self.done.runs)
            if word == STOP or (word != REPEAT and self.done.is_over):
                self.ask.record_as(self.done.written(n_asked, word), [])
                return self.done
            if word == ALL and n_asked == len(self.done.runs):
                self._watch = Following(self.ask.console, "SEQ")
            step = self._step(word)
        if self.ask.more:  # answers about batches that there will not be
            self.ask.text(NEXT)
        self.ask.record_as(self.done.written(), [])
        return self.done

    def _goes_on(self, step: Callable[[], Reestimation]) -> bool:
        """Do the batch that was asked for; false if that was the end of it."""
        ask = self.ask
        try:
            self.done = step()
        except KeyboardInterrupt:
            if not self.done.estimates or ask.run.replaying:
                raise
            interrupts.answered()
            ask.warn(f"interrupted; UNDO goes back; {text.kept(self.done)}")
            return False
        failure = self.done.failure
        if failure is None:
            _show(self.done, ask)
            return not self.done.is_accepted
        error = NumericalError(text.failure(failure), text.FAILS)
        if not self.done.estimates:
            raise error
        ask.warn(f"{error.told}; {text.kept(self.done)}")
        return False

    def _step(self, word: str) -> Callable[[], Reestimation]:
        """What a word asks for, with what else it needs to know."""
        done, ask = self.done, self.ask
        if word == REPEAT:
            return partial(done.again, _ask_settings(done.env, ask, more_damped(done.settings)), self._watch)
        return partial(done.next, self._watch, ask.whole(STEPS, 0, 100_000) if word == ONLY else None)

    def _ask_next(self) -> str:
        try:
            return self.ask.choice(NEXT, ALL if self.ask.is_one_line else STOP if self.done.is_over else CONTINUE).word
        except Abandoned:  # the batches that are done are kept
            return STOP


# ---- what is said


def _show(done: Reestimation, ask: Dialogue) -> None:
    """The parameters and sums of squares after the latest batch, below the solution among the observations so far."""
    if text.stopped(done):
        ask.warn(text.stopped(done))
    if text.hidden(done):
        ask.say(text.hidden(done))
    found = text.batch_text(done)
    ask.show(automatic(done.env, batch_picture(done)), below=found.count("\n") + 1)
    ask.report(found)
    if not done.estimates[-1].so_far.usable:
        ask.warn(f"from the initial time on the equations cannot be integrated that far; {text.ROUGH}")
    if done.is_accepted:
        ask.say(f"ACCEPTED after {report.counted(done.estimates[-1].result.n_iterations, 'step')}; UNDO goes back")


def _conclude(result: Result, ask: Dialogue) -> None:
    """How the full problem fares."""
    at, before = result.full, result.before
    tell_full_problem(at, ask, text.FAILS)
    if not at.usable:
        return
    ask.is_minimum = result.judgement is not None and result.judgement.is_minimum
    if before.usable and before.sum_of_squares < at.sum_of_squares:
        ask.warn(f"WORSE THAN BEFORE, when it was {report.number(before.sum_of_squares)}; UNDO goes back")
    else:
        ask.say(text.MINIMUM if ask.is_minimum else "FIT goes on from here")
