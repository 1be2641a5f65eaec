"""What coarse methods say where noise models or priors are set, which only the full problem knows."""

from __future__ import annotations

from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment


def tell_of_noise(env: Environment, ask: Dialogue, command: str) -> None:
    """That a method goes by the weights alone."""
    what = [word for word, is_set in (("noise models", env.noise.models), ("priors", env.noise.felt)) if is_set]
    if what:
        ask.warn(f"{command} goes by the weights alone; {' and '.join(what)} count in FIT, which goes on from there")
