"""Variables of one experiment, where a command speaks of a single one of several."""

from __future__ import annotations

from collections.abc import Sequence

from parfit.errors import CommandError
from parfit.model.naming import family
from parfit.session import questions
from parfit.session.environment import Environment
from parfit.session.questions import Answer, Reader

MOST = 3  # names in a message


def of_one_experiment(env: Environment, names: Sequence[str], what: str) -> Reader[str]:
    """One of the names; y for y[low] where that experiment is in sight."""
    find = questions.name(names, what)

    def read(token: str) -> Answer[str]:
        meant = env.sighted(family(token, names))
        if len(meant) > 1:
            raise CommandError(
                f"{questions.shown(token)} is in several experiments; write {' or '.join(meant[:MOST])}, or "
                "choose one with EXPERIMENT"
            )
        return find(meant[0] if meant else token)

    return read
