"""What the README says is true."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from parfit import load_model
from parfit.__main__ import main
from parfit.model.model import Model

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks() -> list[list[str]]:
    """Indented blocks, without their indentation."""
    return [
        [line[4:] for line in block.splitlines()] for block in re.findall(r"(?:^    .*\n|^\n(?=    ))+", TEXT, re.M)
    ]


def words(line: str) -> list[str | float]:
    return [float(word) if re.fullmatch(r"-?[\d.]+(e-?\d+)?", word) else word for word in line.split()]


def alike(shown: list[str | float], printed: list[str | float]) -> bool:
    """The same words, and numbers that agree within the error criterion of the run."""
    numbers = [[word if isinstance(word, float) else 0.0 for word in line] for line in (shown, printed)]
    texts = [[word for word in line if isinstance(word, str)] for line in (shown, printed)]
    return texts[0] == texts[1] and numbers[0] == pytest.approx(numbers[1], rel=0.05, abs=1e-3)


def test_the_session_prints_what_is_shown(capsys, monkeypatch):
    session = next(block for block in blocks() if any(line.startswith("$ parfit") for line in block))
    command = next(line for line in session if line.startswith("$"))
    shown = [words(line) for line in session[session.index(command) + 1 :] if line.strip() not in ("", "...")]
    monkeypatch.chdir(ROOT)
    assert main(shlex.split(command)[2:]) == 0
    printed = [words(line) for line in capsys.readouterr().out.splitlines()]
    assert len(shown) > 5
    for line in shown:
        assert any(len(line) == len(other) and alike(line, other) for other in printed), line


def test_the_model_in_the_readme_can_be_read(tmp_path):
    lines = next(block for block in blocks() if any(line.startswith("par p1") for line in block))
    (tmp_path / "zoo.csv").write_text("t,z\n" + "".join(f"{t},{t % 7}\n" for t in range(0, 240, 5)))
    (tmp_path / "enzyme.ode").write_text("\n".join(lines))
    model = load_model(tmp_path / "enzyme.ode")
    assert isinstance(model, Model)
    assert model.states == ("y1", "y2")
    assert [name for name, _ in model.tables] == ["z"]
    assert model.total == 30


def test_the_python_example_runs(monkeypatch):
    example = re.search(r"```python\n(.*?)```", TEXT, re.S)
    assert example is not None
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {}
    exec(example[1], names)  # our own text
    run = names["run"]
    assert run.status  # type: ignore[attr-defined]
    assert run.s.shape == (4, 2, 6)  # type: ignore[attr-defined]


def test_every_command_of_the_readme_exists():
    for path in re.findall(r"tests/[\w/.]+", TEXT):
        assert (ROOT / path).exists(), path
