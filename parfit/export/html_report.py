"""A report to hand in: one page of HTML that needs no other file, for the screen and for paper."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from datetime import datetime
from html import escape
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from parfit import __version__
from parfit.errors import without_controls
from parfit.estimation.diagnosis.by_experiment import by_experiment
from parfit.export.appraisal import WORDS
from parfit.export.mathml import equation
from parfit.export.style import STYLE
from parfit.export.summary import NO_CHECKSUMS, Plain, summary
from parfit.model.language.typeset import definitions, typeset
from parfit.model.language.writing import expression_text
from parfit.model.model import Model
from parfit.pictures import residuals
from parfit.pictures.solution import fitted
from parfit.plotting.figure import Picture
from parfit.plotting.files import inline_svg
from parfit.session.carrying import default_samples
from parfit.session.environment import Environment
from parfit.text import experiment, report
from parfit.text.diagnosis.statistics import statistics_text

WIDE = 92  # columns of text that is laid out in lines
LONGEST = 1000  # characters of an expression that is typeset
USED = ("numpy", "scipy", "matplotlib")


def html_report(
    env: Environment,
    commands: Sequence[str] = (),
    checksums: Mapping[str, str] = NO_CHECKSUMS,
    now: datetime | None = None,
) -> str:
    """The page: verdict, parameters, pictures, model, data, statistics, fits, notes, commands, files and versions."""
    found = summary(env, checksums)
    title = env.model.name if found["data"] is None else f"{env.model.name}: {_file_name(found['data'])}"
    parts = [
        f"<h1>{_text(title)}</h1>",
        _paragraph(report.opening(env)),
        _outcome(found),
        _section("Parameters", _parameters(env, found)),
        *(_section(name, f"<figure>{inline_svg(picture)}</figure>") for name, picture in _pictures(env).items()),
        _section("Model", _model(env.model)),
        _section("Data", _laid_out(report.data_summary(env))) if env.observations is not None else "",
        _section("Experiments", _laid_out(_experiments(env))) if env.model.parts else "",
        _section("Fits", _fits(found)) if found["fits"] else "",
        _section("Notes", _laid_out(report.notes(env.notes))) if env.notes else "",
        _section("Statistics", _laid_out(statistics_text(env.statistics))) if env.statistics is not None else "",
        _section("Commands", _laid_out("\n".join(commands))) if commands else "",
        _section("How it was computed", _origin(env, found)),
        _paragraph(f"{f'{now:%Y-%m-%d %H:%M}, ' if now else ''}PARFIT {__version__}"),
    ]
    head = f'<meta charset="utf-8"/>\n<title>{_text(title)}</title>\n<style>{STYLE}</style>'
    body = "\n".join(part for part in parts if part)
    opening = '<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" lang="en">'
    return f"{opening}\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n"


# ---- pieces of a page


def _text(text: str) -> str:
    return escape(without_controls(text))


def _paragraph(text: str, kind: str = "") -> str:
    return f'<p class="{kind}">{_text(text)}</p>' if kind else f"<p>{_text(text)}</p>"


def _laid_out(text: str) -> str:
    return f"<pre>{_text(text.rstrip())}</pre>"


def _section(title: str, content: str) -> str:
    return f"<section>\n<h2>{_text(title)}</h2>\n{content}\n</section>"


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> str:
    """Rows under headings; columns are to the right but for those in `left`."""

    def row(cells: Sequence[str], tag: str) -> str:
        kinds = [' class="left"' if k in left else "" for k in range(len(cells))]
        return "".join(f"<{tag}{kind}>{_text(cell)}</{tag}>" for kind, cell in zip(kinds, cells, strict=True))

    body = "\n".join(f"<tr>{row(cells, 'td')}</tr>" for cells in rows)
    return f"<table>\n<thead><tr>{row(headings, 'th')}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def _number(value: float | None) -> str:
    return "" if value is None else report.number(value)


# ---- what it says


def _outcome(found: Plain) -> str:
    """The verdict, and the sum of squares with what belongs to it."""
    verdict = found["verdict"]
    if verdict is None:
        return ""
    total, freedom, sd = (
        found[name] for name in ("sum_of_squares", "degrees_of_freedom", "residual_standard_deviation")
    )
    facts = [f"Sum of squares {_number(total)}"] if total is not None else []
    facts += [f"{report.counted(freedom, 'degree')} of freedom"] if freedom is not None else []
    facts += [f"standard deviation of the weighted residuals {_number(sd)}"] if sd is not None else []
    facts += [f"log likelihood {_number(found['log_likelihood'])}"] if found["log_likelihood"] is not None else []
    kind = "good" if verdict["code"] in ("minimum", "undetermined") else "bad"
    return _paragraph(" ".join([verdict["sentence"], f"{', '.join(facts)}." if facts else ""]).rstrip(), kind)


def _experiments(env: Environment) -> str:
    """What was set, given and observed in each, and how well it is fitted."""
    data = env.observations
    assert data is not None
    env = env.with_samples(default_samples(env.model, data))
    return experiment.table(
        by_experiment(env.simulator()(env.values), data, env.noise_residuals()), env.model, env.design
    )


def _parameters(env: Environment, found: Plain) -> str:
    percent = f"{found['settings']['interval_percent']:g} % interval"
    headings = ["parameter", "value", "standard error", "%", percent, "bounds", "", "started at"]
    rows = []
    for each, first in zip(found["parameters"], env.first_values, strict=True):
        error, value = each["standard_error"], each["value"]
        part = f"{100.0 * error / abs(value):.2g}" if error is not None and value else ""
        interval = " to ".join(map(_number, each["interval"])) if each["interval"] else ""
        bounds = [f"from {_number(each['lower'])}"] if each["lower"] is not None else []
        bounds += [f"to {_number(each['upper'])}"] if each["upper"] is not None else []
        scaling = {"none": [], "logarithm": ["fitted as logarithm"], "square_root": ["fitted as square root"]}
        word = WORDS[each["standing"] or ("frozen" if each["frozen"] else "estimated")]
        how = [*([word] if word else []), *scaling[each["scaling"]]]
        cells = [each["name"], _number(value), _number(error), part, interval, " ".join(bounds), ", ".join(how)]
        rows.append([*cells, report.number(float(first))])
    kept = [k for k in range(len(headings)) if any(cells[k] for cells in rows)]  # columns in which something stands
    return _table([headings[k] for k in kept], [[cells[k] for k in kept] for cells in rows])


def _model(model: Model) -> str:
    """The equations as a browser typesets them; those that are too long for that as text."""
    found = {title: rows for title, rows in definitions(model).items() if rows}
    if max((len(expression_text(node)) for rows in found.values() for _, node in rows), default=0) > LONGEST:
        return _laid_out(typeset(model, width=WIDE))
    remarks = [_paragraph(f"Remark: {remark}") for remark in model.remarks]
    parts = [f"<h3>{_text(title)}</h3>\n{''.join(equation(*row) for row in rows)}" for title, rows in found.items()]
    return "\n".join([*remarks, *parts])


def _pictures(env: Environment) -> dict[str, Picture]:
    """The solution with the observations, and the residuals."""
    data = env.observations
    if data is None or not data.n_observations:
        return {}
    figure = fitted(env, env.integrated or env.simulator()(env.values))
    assert figure is not None
    found: dict[str, Picture] = {"Solution and observations": figure}
    if env.integrated is not None and env.sum_of_squares is not None and np.isfinite(env.sum_of_squares):
        found["Weighted residuals"] = residuals.over_time(env, data.names)
    return found


def _fits(found: Plain) -> str:
    headings = ["", "method", "data", "sum of squares", "steps", "verdict"]
    rows = []
    for k, each in enumerate(found["fits"], 1):
        loss = "" if each["loss"] == "linear" else f", loss {each['loss']}"
        cells = [str(k), f"{each['method']}{loss}", (each["data"] or "").rsplit("/", 1)[-1]]
        rows.append([*cells, _number(each["sum_of_squares"]), str(each["steps"]), each["verdict"]["sentence"]])
    return _table(headings, rows, left=(1, 2, 5))


def _origin(env: Environment, found: Plain) -> str:
    """Files with their checksums, the method, and the versions of what computed it."""
    files = [(what, found[what]) for what in ("model", "data") if found[what] and found[what]["file"]]
    rows = [[what, each["file"], each["sha256"] or ""] for what, each in files]
    table = _table(["", "file", "SHA-256"], rows, left=(0, 1, 2)) if rows else ""
    used = ", ".join([f"Python {platform.python_version()}", *(f"{name} {_version(name)}" for name in USED)])
    return "\n".join([table, _paragraph(report.described(env.options.method)), _paragraph(used)]).strip()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"


def _file_name(data: Plain) -> str:
    return (data["file"] or "data").rsplit("/", 1)[-1]
