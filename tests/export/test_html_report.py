"""The page to hand in: whole, well formed, with the numbers that are known."""

import xml.etree.ElementTree as ET
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
from conversation import data_of, model_of

from parfit.data.observations import make_observations
from parfit.export.html_report import html_report
from parfit.export.summary import summary
from parfit.model.model import Model
from parfit.session.environment import Environment
from parfit.session.records import Note

HTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"
DECAY = Model.from_text("par k=.5, a=3\nx'=-k*x\nz'=k*x\ninit x=a, z=0\n", "decay")
TIMES = np.arange(1.0, 5.0)


def problem(sizes=(1.0, 1.0)):
    x = 3 * np.exp(-0.4 * TIMES)
    return Environment.of(DECAY, make_observations(TIMES, ["x", "z"], np.column_stack((x, 3 - x)) * sizes))


def page_of(env, **more):
    """The page as a tree: well formed, and without anything that would have to be fetched."""
    text = html_report(env, **more)
    for forbidden in ("<script", "src=", "<link", "@import", "url(http"):
        assert forbidden not in text
    return ET.fromstring(text)


def sections(page):
    return {each.find(f"{HTML}h2").text: each for each in page.iter(f"{HTML}section")}


def rows(section):
    return [["".join(cell.itertext()) for cell in row] for row in section.iter(f"{HTML}tr")]


def test_parameters_with_their_errors():
    env = problem()
    table = rows(sections(page_of(env))["Parameters"])
    assert table[0] == ["parameter", "value", "standard error", "%", "95 % interval", "started at"]
    for row, each in zip(table[1:], summary(env)["parameters"], strict=True):
        assert row[0] == each["name"]
        assert [float(cell) for cell in row[1:3]] == pytest.approx([each["value"], each["standard_error"]], rel=1e-6)
        assert [float(end) for end in row[4].split(" to ")] == pytest.approx(each["interval"], rel=1e-6)


def test_what_is_frozen_and_bounded_is_told():
    env = problem().with_frozen(["k"]).with_bounds([0.0, -np.inf], [1.0, 9.0])
    k, a = rows(sections(page_of(env))["Parameters"])[1:]
    assert "frozen" in k
    assert "from 0 to 1" in k
    assert "to 9" in a


def test_verdict_and_sum_of_squares():
    env = problem()
    text = "".join(page_of(env).itertext())
    assert "The sum of squares is lower elsewhere." in text
    assert f"Sum of squares {summary(env)['sum_of_squares']:.7g}, 6 degrees of freedom" in text


@pytest.mark.parametrize(("sizes", "n_plots"), [((1.0, 1.0), 1), ((1.0, 100.0), 2)])
def test_pictures_are_inside_the_page(sizes, n_plots):
    page = page_of(problem(sizes))
    (picture,) = page.iter(f"{SVG}svg")
    axes = [each for each in picture.iter(f"{SVG}g") if each.get("id", "").startswith("axes_")]
    assert len(axes) == n_plots, "variables of other sizes have plots of their own"
    words = "".join(picture.itertext())
    assert "observed" in words, "words stay words"


def test_a_session_with_everything(begin):
    session = begin("predator-prey", "predator-prey-noisy")
    session("FIT MORE", "STATS 95", "NOTE looks good", "REPORT HTML page.html")
    found = sections(ET.fromstring(Path("page.html").read_text(encoding="utf-8")))
    assert list(found) == [
        *("Parameters", "Solution and observations", "Weighted residuals", "Model", "Data", "Fits", "Notes"),
        *("Statistics", "Commands", "How it was computed"),
    ]
    assert "FIT MORE" in "".join(found["Commands"].itertext())
    assert "looks good" in "".join(found["Notes"].itertext())
    ((_, method, _, total, *_),) = rows(found["Fits"])[1:]
    assert (method, float(total)) == ("more", pytest.approx(session.env.sum_of_squares, rel=1e-6))


def test_everything_is_escaped():
    evil = '<script>alert("1")</script>&amp;\x1b[31m'
    data = make_observations(TIMES, ["x"], np.ones((4, 1)), source=f"/{evil}.csv", labels={"x": evil})
    model = Model.from_text(f"# {evil}\npar k=.5\nx'=-k*x\ninit x=1\n", evil)
    env = Environment.of(model, data).with_note(Note(evil, datetime(2026, 1, 1), ("k",), np.ones(1)))
    text = html_report(env, [evil], {f"/{evil}.csv": evil})
    assert "<script" not in text
    ET.fromstring(text)


def test_it_is_the_same_every_time_and_has_its_date():
    env = problem()
    assert html_report(env) == html_report(env)
    assert "2026-01-02 03:04, PARFIT" in html_report(env, now=datetime(2026, 1, 2, 3, 4))


@pytest.mark.parametrize(
    "env",
    [
        Environment.of(DECAY),
        Environment.of(Model.from_text("x'=-x\ninit x=1\n", "bare")),
        Environment.of(model_of("predator-prey"), data_of("predator-prey")).with_values([30, -5, -3, 1e3, -7, -0.15]),
    ],
    ids=["no data", "no parameters", "cannot be integrated"],
)
def test_problems_of_which_little_is_known(env):
    assert "Model" in sections(page_of(env))
