"""NUDGE with several experiments: the curves of one of them, the sum of squares of all."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Self

from parfit.dataclass import dataclass
from parfit.session.environment import Environment
from parfit.simulation.simulator import Simulator
from parfit.views.keys import Key
from parfit.views.nudge import Nudge
from parfit.views.view import Actions


@dataclass(frozen=True, eq=False, kw_only=True)
class NudgeStudy(Nudge):
    """NUDGE with keys that lead to another experiment."""

    keys: ClassVar[tuple[Key, ...]] = (
        *Nudge.keys,
        Key("e E", "experiment", "Show the next experiment, or the one before; F is that of all."),
    )
    actions: ClassVar[Actions] = {
        **Nudge.actions,
        "e": lambda view: view.elsewhere(1),
        "E": lambda view: view.elsewhere(-1),
    }

    @classmethod
    def of(cls, env: Environment, simulator: Simulator, colour: bool = False, unicode: bool = True) -> Self:
        """The view of an environment; it begins with the experiment in sight, or with the first."""
        view = super().of(env, simulator, colour, unicode)
        return replace(view, look=replace(view.look, experiment=env.in_sight or env.model.parts[0].name))

    def elsewhere(self, change: int) -> Self:
        """Another experiment."""
        names = [part.name for part in self.env.model.parts]
        k = (names.index(self.look.experiment) + change) % len(names)
        return self.looking(replace(self.look, experiment=names[k]))
