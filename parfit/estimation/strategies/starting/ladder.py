"""Searches from the present values, along curves, and from many other places: one rung after the other."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from itertools import chain

import numpy as np

from parfit.arrays import Array
from parfit.errors import ParfitError
from parfit.estimation.parameters import Scaling
from parfit.estimation.strategies.starting import places, tempo, valleys, ways
from parfit.estimation.strategies.starting.accuracy import Accuracy
from parfit.estimation.strategies.starting.along import AlongCurves
from parfit.estimation.strategies.starting.ending import Ending, ending
from parfit.estimation.strategies.starting.exploring import LONG, SHORT, Explorer, Search, left_at
from parfit.estimation.strategies.starting.minima import SAME, agreeing, are_left, gathered
from parfit.estimation.strategies.starting.patience import GIVEN_UP, Explanation, Patience, is_sharp, patience
from parfit.estimation.strategies.starting.places import NEARER, Place, Places, logarithms
from parfit.estimation.strategies.starting.plausible import HARDLY, does_follow, is_plausible
from parfit.estimation.strategies.starting.rungs import Rungs
from parfit.estimation.strategies.starting.ways import Way
from parfit.session.environment import Environment

BRIEF, PATIENT = 0.03, 0.15  # of the budget, for a short search and a long one
FIRST = 0.3  # of the budget, for a search from the present values
ROUND, TAKEN = 8, 2  # short searches of a round, and how many of them go on
BEFORE_CURVES = 3  # rounds: they cost less than the first curve, and mostly it is not needed then
AT_MOST = 4  # rounds in which all solutions may be too fast
BESIDE = 4.0  # times the best: what a short search beside it comes down to is worth a long one
PART, GAIN, NEAR = 100, 0.9, 1.5  # evaluations of a part of a long search, what of F it leaves at most, or of the best
LOWER = 1e-2  # relative difference to a minimum that is better
CURVED = 2.0  # times what curves through the data leave: the equations follow the data as well as anything could
N_ASKED = 3  # places that are asked for combinations of parameters without effect

LEFT = "what is left could not be errors"
CURVES, BESIDE_BEST = "along curves", "beside the best"
PACE, PERIODS = "at the pace of the data", "their period may be another one"
NOWHERE = "nothing could be integrated so far"


class Ladder:
    """What was found so far, and what comes next."""

    def __init__(self, env: Environment, budget: float, seed: int):
        self.env, self.budget = env, budget
        self._begin = time.process_time()
        self._explorer, self._places, self._seed = Explorer(env), Places(env, seed), seed
        self._accuracy = Accuracy(env)
        problem = env.problem()
        self._data, self._spread, self._n = problem.observations, problem.spread, len(env.parameters.active)
        self.ways: list[Way] = []
        self.rungs = Rungs(lambda: np.inf if self.best is None else self.best.total)
        self.best: Way | None = None
        self._fit = Explanation()
        self._along: AlongCurves | None = None  # searches along curves, once there are any
        self._ended: tuple[Way, Ending] | None = None  # where the commands of a way end, once they were obeyed
        self._examined: Way | None = None  # beside which other minima were looked for
        self._redundant: tuple[Way, int] | None = None  # combinations without effect, as far as the best tells
        self._may_follow = True  # along curves, as long as that leads anywhere
        self._turned: tuple[Way, bool] | None = None  # whether the best has other signs, once that was asked
        self._since = self.n_short = 0  # ways since a better one was found; short searches

    @property
    def seconds(self) -> float:
        return time.process_time() - self._begin

    @property
    def n_evaluations(self) -> int:
        return self._explorer.n_evaluations

    # ---- whether it is over

    def is_over(self) -> bool:
        """Whether the time is, or what was found is believed: also after its commands have led there."""
        if self.best is None or not self._has_time():
            return not self._has_time()
        if not (self.is_examined and (self._is_enough(True) or self._is_given_up)) or self.are_left():
            return False
        judgement = self.ending().judgement
        sharp = is_sharp(judgement, self.redundant() if judgement.undetermined else 0)
        return self._is_enough(sharp) or (sharp and self._is_given_up)

    def _has_time(self) -> bool:
        """Also to obey the commands of the best way, which takes as long again."""
        last = 0.0 if self.best is None or self._is_ended else self.best.seconds
        return self.seconds + last < self.budget

    @property
    def is_examined(self) -> bool:
        return self._examined is self.best

    @property
    def _is_ended(self) -> bool:
        return self._ended is not None and self._ended[0] is self.best

    def _is_enough(self, is_sharp: bool) -> bool:
        return self._has_gone(patience(self._fit, is_sharp, self.has_turned()))

    @property
    def _is_worth_a_look(self) -> bool:
        return self._fit.hardly or self._is_enough(True) or self._is_given_up

    @property
    def _is_given_up(self) -> bool:
        """Whether nearly all ways lead to what does not even follow the data."""
        return not self._fit.follows and self._has_gone(GIVEN_UP)

    def _has_gone(self, wanted: Patience) -> bool:
        assert self.best is not None
        n = len(self.ways)
        is_agreed = wanted.is_agreed(agreeing(self.ways, self.best) + self.is_as_near(), n)
        return n >= wanted.ways and is_agreed and self._since >= wanted.since

    def has_turned(self) -> bool:
        """Whether parameters of the best have another sign than they began with, and the data tell that."""
        best, begun = self.best, self.env.values
        if best is None or not (best.values * begun < 0.0).any():
            return False
        if self._turned is None or self._turned[0] is not best:
            idle = valleys.idle(valleys.deviations_at(self.env, best.values))
            turned = [j for j, k in enumerate(self.env.parameters.active) if best.values[k] * begun[k] < 0.0]
            self._turned = best, not set(turned) <= set(idle) and not self.redundant()
        return self._turned[1]

    def is_as_near(self) -> bool:
        """Whether the equations follow the data about as well as curves that are free to do so: that is a witness."""
        left = 0.0 if self._along is None else self._along.left
        return self.best is not None and self.best.total <= CURVED * left

    def are_left(self) -> bool:
        """Whether other minima about as good may be left."""
        return are_left(gathered(self.ways), self._data.n_observations - self._n, self._n)

    def redundant(self) -> int:
        """How many combinations of the parameters have no effect, at the best and wherever searches began."""
        assert self.best is not None
        if self._redundant is None or self._redundant[0] is not self.best:
            begun = [each.search.place.values for each in self.ways if each.search is not None]  # it can be integrated
            asked = [self.best.values, *begun[-N_ASKED:]]
            self._redundant = self.best, valleys.redundant(self._explorer.env, asked)
        return self._redundant[1]

    def explanation(self, residuals: Array) -> Explanation:
        """Whether residuals could be errors of measurement, or by a rare chance, or have the course of the data."""
        given = residuals, self._data, self._spread, self._n
        follows = does_follow(residuals, self._spread)
        return Explanation(is_plausible(*given), is_plausible(*given, HARDLY), follows)

    # ---- the rungs

    @cached_property
    def _powers(self) -> Array | None:
        """How a factor on all rates is one on the parameters, where the data oscillate."""
        if not tempo.do_oscillate(self._data):
            return None
        return tempo.powers(self.env.model, self.env.parameters.active, self.env.values)

    def climb(self) -> Iterator[None]:
        """One way after the other, for ever."""
        here, values = self.env.parameters, self.env.values
        yield from self.rungs.climbed("the present values", "", self._present(here.scaling))
        logs = logarithms(here, values)
        if logs != here.scaling:
            yield from self.rungs.climbed("in logarithms", "signs are kept", self._present(logs))
        if not self._fit.explains and self._powers is not None:
            yield from self.rungs.climbed(PACE, PERIODS, self._present(logs, is_paced=True))
        yield from self.rungs.climbed(
            f"{ROUND} places", "another way must lead there" if self._fit.explains else LEFT, self._round(1)
        )
        number = 1 + ROUND
        while True:
            if self.best is None and self._explorer.is_in_a_hurry and self._is_hurry_useless(number):
                self._explorer = Explorer(self.env, in_a_hurry=False)
                yield from self.rungs.climbed("with more steps", NOWHERE, self._present(here.scaling))
            if self.best is not None and not self.is_examined and self._is_worth_a_look:
                yield from self.rungs.climbed(BESIDE_BEST, "parameters may change their roles", self._look_around())
            if not self._fit.hardly and self._powers is not None:
                yield from self.rungs.climbed(PACE, PERIODS, self._round(number, is_paced=True))
                number += ROUND
            why = "too few ways have led there" if self._fit.explains else LEFT
            yield from self.rungs.climbed("more places", why, self._round(number))
            number += ROUND
            if number >= 1 + BEFORE_CURVES * ROUND and not self._fit.hardly and self._may_follow:
                yield from self.rungs.climbed(CURVES, LEFT, self._follow_curves(number))
                number += ROUND

    def _is_hurry_useless(self, number: int) -> bool:
        """Whether the data may be so far apart that all solutions need many steps: no place, or none of many, does."""
        return not self._explorer.n_hopeless or number > 1 + AT_MOST * ROUND

    def _present(self, scaling: tuple[Scaling, ...], is_paced: bool = False) -> Iterator[None]:
        place = Place(0, self.env.values, scaling)
        self._go_on(self._explorer.begun(self._paced(place) if is_paced else place))
        yield

    def _paced(self, place: Place) -> Place:
        """The place at the pace of the data, where there is one."""
        if self._powers is None:
            return place
        return tempo.paced(self._explorer.problem(place), place, self._powers, self._share(BRIEF))

    def _round(self, first: int, is_paced: bool = False) -> Iterator[None]:
        """Short searches from places, and long ones from where the best of them have led."""
        short, around = [], self._centred(first)
        for number in range(first, first + ROUND):
            place = around(number)
            short.append(self._short(self._paced(place) if is_paced else place))
            if self.seconds >= self.budget:
                break
        for each in sorted(short, key=lambda each: each.total)[:TAKEN]:
            self._go_on(each)
            yield

    def _centred(self, first: int) -> Places:
        """Around the present values; every other round around the best, once it explains the data.

        There other ways to it begin, and elsewhere those to another one that does better; so do some around it, with
        the signs that parameters had before it changed them.
        """
        n = first // ROUND
        if self.best is None or not self._fit.hardly or n % 2:
            return self._places
        begun, found = self.env.values, self.best.values
        centre = np.where(found * begun < 0.0, -found, found) if n % 4 == 0 else found
        return Places(self.env.with_values(centre), self._seed, NEARER)

    def _short(self, place: Place) -> Search:
        self.n_short += 1
        return self._explorer.gone_on(self._explorer.begun(place), SHORT, self._share(BRIEF))

    def _go_on(self, search: Search) -> None:
        """To its end; one that began beside the best and comes back to it is no witness."""
        number = search.place.number
        found = self._finished(self._gone_on(search, self._share(PATIENT if number else FIRST)))
        if number >= 0 or self.best is None or abs(found.total - self.best.total) > SAME * self.best.total:
            self._add(Way(self._label(search.place), found.total, found.values, found.residuals, found))

    def _label(self, place: Place) -> str:
        if place.number < 0:
            return BESIDE_BEST
        if place.before is not None:
            return CURVES if place.number == 0 else f"{CURVES} from place {place.number}"
        if place.number:
            return f"place {place.number}"
        return "the present values" if np.array_equal(place.values, self.env.values) else PACE

    def _finished(self, found: Search) -> Search:
        """One that ends a little above the best goes on in the scaling there was: logarithms may have led it to 0."""
        here = self.env.parameters.scaling
        if self.best is None or not self._fit.hardly or found.place.scaling == here:
            return found
        if not (1.0 + SAME) * self.best.total < found.total <= NEAR * self.best.total:
            return found
        place = Place(found.place.number, found.values, here)
        further = self._gone_on(self._explorer.begun(place), self._share(PATIENT))
        return further if further.total < (1.0 - SAME) * found.total else found

    def _gone_on(self, search: Search, seconds: float) -> Search:
        """In parts, as long as each gains something or the best is not far."""
        while True:
            found = self._explorer.gone_on(search, PART, seconds - search.seconds)
            is_cut = found.n_evaluations - search.n_evaluations >= PART and found.seconds < seconds
            is_near = self.best is not None and self._fit.follows and found.total <= NEAR * self.best.total
            if not is_cut or found.n_evaluations >= LONG or not (is_near or found.total <= GAIN * search.total):
                return found
            search = found

    def _share(self, part: float) -> float:
        """Seconds that a search may take: a part of the budget, and no more than is left."""
        return min(part * self.budget, max(self.budget - self.seconds, 0.0))

    def _look_around(self) -> Iterator[None]:
        """Beside the best: parameters that change their roles, or what the data hardly see, may do better."""
        assert self.best is not None
        best, deviations = self.best, valleys.deviations_at(self.env, self.best.values)
        swapped = places.around(self.env, best.values)
        moved = places.along(self.env, best.values, valleys.changes(deviations))
        awake = places.awake(self.env, best.values, valleys.idle(deviations))
        for place in chain(swapped, moved, awake):
            found = self._short(place)
            if found.total < BESIDE * best.total:
                self._go_on(found)
                yield
            if self.best is not best:  # which is to be looked around at itself
                return
        self._examined = best

    def _follow_curves(self, first: int) -> Iterator[None]:
        """Searches along curves through the data from these places and the present values, and then of the problem."""
        try:
            if self._along is None:
                self._along = AlongCurves(self._explorer.env)
                self._add_linear(self._along)
            around = [Place(0, self.env.values, logarithms(self.env.parameters, self.env.values))]
            around += [self._places(number) for number in range(first, first + ROUND)]
            led = self._along.led(around, self._share(BRIEF))
        except ParfitError:  # no state was observed often enough, or something jumps
            self._may_follow = False
            return
        self._may_follow = bool(led)
        for place in led[:TAKEN]:
            self._go_on(self._explorer.begun(place))
            yield

    def _add_linear(self, along: AlongCurves) -> None:
        """What a problem along curves that is linear leads to, whatever the present values."""
        if not along.is_linear:
            return
        steps = tuple(ways.along_curves())
        with suppress(ParfitError):  # the equations cannot be integrated there
            problem = ways.followed(self.env, steps).problem()
            at = problem.evaluate(problem.parameters.point)
            values = problem.parameters.expand(problem.parameters.point)
            self._add(Way(CURVES, at.sum_of_squares, values, left_at(problem, at), steps=steps))

    def _add(self, found: Way) -> None:
        if not np.isfinite(found.total) or self._accuracy.is_imitation(found, self.best):
            return
        if self._accuracy.was_imitation(self.best, found):  # what was the best until now, and its like, led nowhere
            self.ways = [each for each in self.ways if each.total >= (1.0 - SAME) * found.total]
            self.best = None
        self.ways.append(found)
        self._since += 1
        if self.best is None or found.total < (1.0 - LOWER) * self.best.total:
            self._since = 0
        if self.best is None or found.total < (1.0 - SAME) * self.best.total:
            self.best = found
            self._fit = self.explanation(found.residuals)

    # ---- the end

    def ending(self) -> Ending:
        """Where the commands that lead to the best end; if that is lower still, no other way has led there yet."""
        assert self.best is not None
        if not self._is_ended or self._ended is None:
            end = ending(self.env, self.best, self.ways, self._has_time)
            if end.total < (1.0 - SAME) * self.best.total:
                label = f"{self.best.label}, gone on"
                self._add(Way(label, end.total, end.env.values, end.residuals, steps=end.steps))
            self._ended = self.best, end
        return self._ended[1]
