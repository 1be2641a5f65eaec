"""A problem or a model for other programs: PEtab with SBML, SBML alone, or `.ode` and CSV, by the ending of a name."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from parfit.data.loading import data_text
from parfit.errors import CommandError
from parfit.formats.identifiers import Identifiers
from parfit.formats.petab.output import Present, petab_files
from parfit.formats.petab.schedule import Experiments
from parfit.formats.sbml.output import sbml_text
from parfit.model.language.editing import text_with_values
from parfit.session.environment import Environment

PETAB, SBML, ODE = (".yaml", ".yml"), (".xml", ".sbml"), (".ode",)
ENDINGS = (*PETAB, *SBML, *ODE)


def files_of(env: Environment, path: Path) -> dict[Path, str]:
    """What is to be written where: the file that is named first, then those that belong to it."""
    ending = path.suffix.lower()
    if ending in PETAB:
        named = petab_files(present(env), path.stem)
        return {path if name == f"{path.stem}.yaml" else path.with_name(name): text for name, text in named.items()}
    if ending in SBML:
        model = Experiments(env.model, None).model
        return {path: sbml_text(model, Identifiers(), _values(env))}
    if ending in ODE:
        return {path: text_with_values(env.model, _values(env))}
    raise CommandError(f"{path.name}: expected a name that ends with {', '.join(ENDINGS)}")


def with_data(env: Environment, path: Path) -> dict[Path, str]:
    """The same, with the data beside an `.ode` file, which has no place for them."""
    found = files_of(env, path)
    if path.suffix.lower() in ODE and env.observations is not None:
        data = path.with_suffix(".csv")
        found[data] = data_text(data.name, env.model, env.observations, env.values)
    return found


def present(env: Environment) -> Present:
    """The problem as it stands, with the standard deviations that the data have at the present parameters."""
    return Present(env.model, env.observations, env.parameters, env.noise, _deviations(env))


@np.errstate(all="ignore")
def _deviations(env: Environment) -> dict[str, float]:
    if not any(each.is_estimated for each in env.noise.models.values()) or not env.parameters.active:
        return {}
    problem = env.problem()
    at = problem.evaluate(env.parameters.point)
    found = problem.likelihood(at) if at.usable else None
    return {} if found is None else {each.group: each.sd for each in found.estimates if np.isfinite(each.sd)}


def _values(env: Environment) -> dict[str, float]:
    return dict(zip(env.model.parameters, env.values.tolist(), strict=True))
