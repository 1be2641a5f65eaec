"""NUDGE: parameters changed with the arrow keys, the curve and the sum of squares following at once."""

from __future__ import annotations

import textwrap
from dataclasses import field, replace
from typing import ClassVar, Self

import numpy as np

from parfit.dataclass import dataclass
from parfit.errors import ParfitError
from parfit.estimation.optimizers.marquardt import FACTOR, FIRST_LAMBDA, SMALLEST_LAMBDA, Settings, minimize
from parfit.estimation.parameters import Scaling
from parfit.session.environment import Environment
from parfit.simulation.simulator import Simulator
from parfit.views import curves, panel
from parfit.views.curves import PHASE, RESIDUALS, Look
from parfit.views.keys import Key
from parfit.views.solved import Solved
from parfit.views.steps import FIRST_PERCENT, PERCENTS, other_percent, size_of, stepped
from parfit.views.view import Actions, View

MANY = 10  # steps of the arrow keys with shift
LEAST_PANEL = 21  # columns, so that the plot does not jump while numbers change
ROOMY = 24  # lines, from which on the time axis has its name
LEAST_PLOT = 30, 8  # columns and lines


@dataclass(frozen=True, eq=False, kw_only=True)
class Nudge(View[Solved]):
    """The chosen parameter, the step by which it moves, and what is shown."""

    selected: int = 0
    step: int = FIRST_PERCENT  # a place among the per cents
    lam: float = FIRST_LAMBDA
    look: Look = field(default_factory=Look)

    title: ClassVar[str] = "NUDGE: parameters by hand"
    keys: ClassVar[tuple[Key, ...]] = (
        Key("up down", "choose", "Choose a parameter (Home, End: the first, the last)."),
        Key("left right", "change", "Make it smaller or larger by a step; with Shift, by ten."),
        Key("/ *", "step", "Make the steps finer or coarser; log scaling makes factors of them."),
        Key("f", "freeze", "Freeze the parameter, or free it again."),
        Key("s", "scale", "Scale it: by its logarithm, its square root, or not."),
        Key("m", "mark", "Mark these values for RECALL, if the changes are kept."),
        Key("g", "Marquardt", "Go one step of Marquardt's method with what is not frozen."),
        Key("v", "states", "Show what was observed, all, or each; V the other way round."),
        Key("r", "residuals", "Show the residuals instead of the curves, or the curves again."),
        Key("p", "phase", "Show one variable against another, or the curves again."),
        Key("z Z", "zoom", "Zoom in or out along the time."),
        Key("< >", "along", "Go to earlier or later times, after zooming in."),
        Key("a", "all", "Show all times again."),
    )
    actions: ClassVar[Actions] = {
        "up": lambda view: view.select(view.selected - 1),
        "down": lambda view: view.select(view.selected + 1),
        "home": lambda view: view.select(0),
        "end": lambda view: view.select(len(view.env.model.parameters)),
        "left": lambda view: view.nudged(-1),
        "right": lambda view: view.nudged(1),
        "s-left": lambda view: view.nudged(-MANY),
        "s-right": lambda view: view.nudged(MANY),
        "/": lambda view: replace(view, step=other_percent(view.step, -1)),
        "*": lambda view: replace(view, step=other_percent(view.step, 1)),
        "f": lambda view: view.frozen(),
        "s": lambda view: view.scaled(),
        "m": lambda view: view.marked(),
        "g": lambda view: view.improved(),
        "v": lambda view: view.others(1),
        "V": lambda view: view.others(-1),
        "r": lambda view: view.toggled(RESIDUALS),
        "p": lambda view: view.toggled(PHASE),
        "z": lambda view: view.zoomed(0.5),
        "Z": lambda view: view.zoomed(2.0),
        "<": lambda view: view.shifted(-0.25),
        ">": lambda view: view.shifted(0.25),
        "a": lambda view: view.looking(replace(view.look, window=None)),
    }

    @classmethod
    def of(
        cls,
        env: Environment,
        simulator: Simulator,
        colour: bool = False,
        unicode: bool = True,
    ) -> Self:
        """The view of an environment."""
        point = Solved(env, simulator)
        return cls(content=point, first=point, colour=colour, unicode=unicode)

    @property
    def env(self) -> Environment:
        return self.content.env

    @property
    def changed(self) -> bool:
        """Whether anything is other than in the beginning, where steps back may have led."""
        now, then = self.env, self.first.env
        parts = [
            (env.parameters.frozen, env.parameters.scaling, [id(each) for each in env.marks]) for env in (now, then)
        ]
        return parts[0] != parts[1] or not np.array_equal(now.values, then.values)

    @property
    def name(self) -> str:
        return self.env.model.parameters[self.selected]

    @property
    def percent(self) -> float:
        return PERCENTS[self.step]

    @property
    def size(self) -> float:
        """What a step of the chosen parameter is a part of: the same while it goes on being moved."""
        k = self.selected
        since = self.before if self.gesture == f"value {k}" else self.content
        return size_of(float(since.env.values[k]), float(self.first.env.values[k]))

    # ---- values

    def select(self, k: int) -> Self:
        return replace(self, selected=min(max(k, 0), len(self.env.model.parameters) - 1))

    def nudged(self, n: int) -> Self:
        """The chosen parameter n steps on, but not across a bound."""
        parameters, k = self.env.parameters, self.selected
        value = float(parameters.full[k])
        new = stepped(value, self.size, self.percent, n, parameters.scaling[k])
        low, high = float(parameters.lower[k]), float(parameters.upper[k])
        if low <= value <= high:
            new = min(max(new, low), high)
        if new == value:
            raise ParfitError(f"{self.name} can go no farther than {value:g}")
        return self._set(new, f"value {k}")

    def entered(self, value: float) -> Self:
        k, parameters = self.selected, self.env.parameters
        inside = parameters.lower[k] <= value <= parameters.upper[k]
        return replace(self._set(value, ""), message="" if inside else f"{self.name} is outside its bounds")

    def _set(self, value: float, gesture: str) -> Self:
        values = self.env.values.copy()
        values[self.selected] = value
        return self._with(self.env.with_values(values), gesture)

    def _with(self, env: Environment, gesture: str = "", message: str = "") -> Self:
        return replace(self.edited(self.content.of(env), gesture), message=message)

    # ---- what else can be changed

    def frozen(self) -> Self:
        """The chosen parameter frozen, or free if it was."""
        held = set(self.env.parameters.frozen) ^ {self.selected}
        env = self.env.with_frozen(self.env.model.parameters[k] for k in held)
        return self._with(env, message=f"{self.name} is {'frozen' if self.selected in held else 'free'}")

    def scaled(self) -> Self:
        """The chosen parameter with the next scaling that its value allows."""
        old = dict(zip(self.env.model.parameters, self.env.parameters.scaling, strict=True))
        reasons = []
        for more in (1, 2):
            scaling = Scaling((old[self.name] + more) % len(Scaling))
            try:
                return self._with(self.env.with_scaling({**old, self.name: scaling}))
            except ParfitError as error:
                reasons.append(error)
        raise reasons[0]

    def marked(self) -> Self:
        """The values kept under a name that is not taken."""
        taken = [mark.name.lower() for mark in self.env.marks]
        name = next(each for each in (f"m{k}" for k in range(1, len(taken) + 2)) if each not in taken)
        total = self.content.total
        known = total if total is not None and np.isfinite(total) else None
        mark = replace(self.env.marked(name), sum_of_squares=known)
        message = f"marked as {name}: RECALL {name} brings it back, if the changes are kept"
        return self._with(self.env.with_mark(mark), message=message)

    def improved(self) -> Self:
        """One step of Marquardt's method on."""
        parameters, problem = self.env.parameters, self.env.problem()
        absolute = self.lam if self.env.options.of_1977 else None
        settings = Settings(absolute, relative=self.lam, max_iterations=1)
        result = minimize(problem, parameters.point, settings, parameters).unless_interrupted()
        if not result.n_iterations:
            raise ParfitError(f"no Marquardt step: {result.ending.value}")
        lam = result.lam if result.lam > self.lam else max(self.lam / FACTOR, SMALLEST_LAMBDA)
        message = f"Marquardt step with lambda {result.lam:.3g}"
        return replace(self._with(self.env.with_values(parameters.expand(result.p)), message=message), lam=lam)

    # ---- what is shown

    def looking(self, look: Look) -> Self:
        curves.choices(self.env, look.picture, look.experiment)  # raises an error if there is nothing to show
        return replace(self, look=look)

    def toggled(self, picture: str) -> Self:
        return self.looking(self.look.toggled(picture))

    def others(self, change: int) -> Self:
        """Other variables."""
        n = len(curves.choices(self.env, self.look.picture, self.look.experiment))
        if n == 1:
            raise ParfitError("there are no other variables to show")
        return self.looking(replace(self.look, choice=(self.look.choice + change) % n))

    def zoomed(self, factor: float) -> Self:
        return self.looking(self.look.zoomed(curves.all_times(self.env), factor))

    def shifted(self, part: float) -> Self:
        return self.looking(self.look.shifted(curves.all_times(self.env), part))

    @property
    def target(self) -> str:
        return self.name

    def body(self, width: int, height: int) -> list[str]:
        """The table on the left, the picture on the right."""
        status = self.content.run.status
        top = [] if status else textwrap.wrap(f"the integration stopped: {status}", width, max_lines=2)
        rows = panel.rows(self, width, height - len(top))
        wide = max(LEAST_PANEL, *(len(row) for row in rows))
        room = width - wide - 2, height - len(top)
        table = [
            self.highlighted(row.ljust(wide)) if row.startswith(panel.CHOSEN) else row.ljust(wide) for row in rows
        ]
        if room[0] < LEAST_PLOT[0] or room[1] < LEAST_PLOT[1]:
            return [*top, *table]
        figure = curves.figure(self.env, self.content.run, self.look)
        if room[1] < ROOMY and self.look.picture != PHASE:
            figure = replace(figure, x_label="")  # which is seen to be the time
        plot = self.drawn(figure, *room)
        table += [" " * wide] * (len(plot) - len(table))
        plot += [""] * (len(table) - len(plot))
        return [*top, *(f"{left}  {right}" for left, right in zip(table, plot, strict=True))]
