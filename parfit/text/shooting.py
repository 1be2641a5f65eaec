"""What is reported of a fit by multiple shooting: the table of PEIDE (1975, appendix II), and the problems before."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parfit.estimation.strategies.shooting_sequence import Shot, Stage
from parfit.session.environment import Array, Environment
from parfit.text import report


def shot_text(shot: Shot, env: Environment) -> str:
    """What PEIDE prints of its end (appendix II), the problems on the way, and the parameters."""
    last = shot.last
    found = last.result.evaluation
    rows = [
        ("EUCL. NORM OF THE LAST RESIDUAL VECTOR", _norm(found.sum_of_squares)),
        ("EUCL. NORM OF THE FIRST RESIDUAL VECTOR", _norm(shot.first)),
        ("NUMBER OF INTEGRATIONS PERFORMED", str(shot.n_integrations)),
        ("LAST IMPROVEMENT OF THE EUCLIDEAN NORM", report.number(last.improvement)),
        ("CONDITION NUMBER OF J'J", report.number(condition_number(found.jac)) if found.usable else "not known"),
    ]
    needless = [f"NEEDLESS BREAK POINTS: {' '.join(map(report.number, shot.needless))}"] if shot.needless else []
    return "\n".join(
        [
            "MULTIPLE SHOOTING",
            _stages(shot.stages),
            *needless,
            f"THE LAST PROBLEM, WITHOUT BREAK POINTS, ENDED BECAUSE {last.result.ending.value}",
            *(f"{label:42}{value}" for label, value in rows),
            f"SUM OF SQUARES OF THE RESIDUALS {report.number(found.sum_of_squares)}",
            f"{report.parameters(env)}\n",
        ]
    )


def _norm(total: float) -> str:
    return report.number(float(np.sqrt(total))) if np.isfinite(total) else "not known: the integration failed"


def _stages(stages: Sequence[Stage]) -> str:
    """One line for each problem."""
    rows = [
        (
            str(stage.weight) if stage.weight else "full",
            str(len(stage.times)),
            str(stage.n_integrations),
            report.number(stage.result.evaluation.sum_of_squares),
            report.number(stage.gap) if stage.weight else "",
            stage.result.ending.name.lower().replace("_", " "),
        )
        for stage in stages
    ]
    headings = ["weight", "break points", "integrations", "sum of squares", "largest gap", "ended"]
    return report.columns(headings, list(zip(*rows, strict=True)), left=[5])


def condition_number(jac: Array) -> float:
    """The ratio of the largest to the smallest eigenvalue of J'J (PEIDE, out[7])."""
    s = np.linalg.svd(jac, compute_uv=False)
    return float((s[0] / s[-1]) ** 2) if s[-1] > 0.0 else np.inf
