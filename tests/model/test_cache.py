"""Derivations on disk: the same as those that are made, and never in the way."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from parfit import Model, simulate
from parfit.model import cache, symbolic
from parfit.model.reader import model_from_text, read_model

MODELS = sorted((Path(__file__).parents[2] / "models").glob("*.ode"))
TEXT = "par a=2, b=.5\nx'=-a*x*y\ny'=a*x*y-b*y^1.3/3\nx(0)=1\ny(0)=b\naux sum=x+y\ndone"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "parfit" / "derivations"


@pytest.fixture
def made(monkeypatch) -> list[str]:
    """The names of the models that sympy was asked about."""
    asked: list[str] = []
    derive = symbolic.derive
    monkeypatch.setattr(symbolic, "derive", lambda model: (asked.append(model.name), derive(model))[1])
    return asked


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_a_cached_derivation_is_the_same(path, made):
    models = [read_model(path) for _ in range(2)]
    first, second = (model.derivation for model in models)
    assert made == [models[0].name]
    assert first is not second
    assert first == second
    assert [list(map(type, node)) for node in first.graph.nodes] == [
        list(map(type, node)) for node in second.graph.nodes
    ]
    times = models[0].t0 + np.array([0.5, 2.0])
    runs = [simulate(model, times, sensitivities=True) for model in models]
    assert runs[0].y.tobytes() == runs[1].y.tobytes()
    assert runs[0].s.tobytes() == runs[1].s.tobytes()


def test_a_cached_derivation_needs_no_sympy():
    code = (
        "import sys\nimport parfit\n"
        f"run = parfit.simulate(parfit.Model.from_text({TEXT!r}), [1, 2], sensitivities=True)\n"
        "sys.stdout.write(f\"{'sympy' in sys.modules} {run.y.tobytes().hex()} {run.s.tobytes().hex()}\")"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True) for _ in range(2)]
    first, second = (run.stdout.split() for run in runs)
    assert (first[0], second[0]) == ("True", "False")
    assert first[1:] == second[1:]


def test_values_and_comments_do_not_matter_but_equations_do(made):
    for text in (TEXT, "# again\n" + TEXT.replace("a=2", "a=3"), TEXT.replace("x+y", "x-y"), TEXT.replace("/3", "/4")):
        _ = Model.from_text(text).derivation
    assert len(made) == 3


def test_a_model_with_other_equations_than_its_text_has_its_own_derivation(made):
    model = Model.from_text(TEXT)
    other = replace(model, equations=model.equations[::-1])
    assert model.derivation != other.derivation
    assert len(made) == 2


def test_tables_matter_only_where_they_are_numbers(made, tmp_path):
    def derivation(text: str, table: str) -> object:
        (tmp_path / "z.csv").write_text(table)
        return model_from_text(text, folder=tmp_path).derivation

    driven = "x'=-z(t)*x\ntable z z.csv\n"
    assert derivation(driven, "0,1\n1,2\n") == derivation(driven, "0,5\n1,7\n")
    assert len(made) == 1
    start = driven + "x(0)=z(0)\n"
    assert derivation(start, "0,1\n1,2\n") != derivation(start, "0,5\n1,7\n")
    assert len(made) == 3


def test_traced_models_are_not_cached(folder):
    _ = Model.trace(lambda t, y, p: [-p[0] * y[0]], {"x": 1}, {"k": 1.0}).derivation
    assert not folder.exists()


def damaged(text: str) -> list[str]:
    data = json.loads(text.partition("\n")[2])
    return [
        "",
        "\n",
        text[: len(text) // 2],
        text[:-1],
        text.replace("mul", "add", 1),
        text.partition("\n")[2],
        json.dumps(data),
        "\x00\xff" + text,
        "0" * 64 + "\n" + "[" * 100_000,
    ]


@pytest.mark.parametrize("k", range(9))
def test_a_damaged_file_is_ignored_and_written_anew(k, folder, made):
    expected = Model.from_text(TEXT).derivation
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    file.write_bytes(damaged(whole.decode())[k].encode("latin-1"))
    assert Model.from_text(TEXT).derivation == expected
    assert len(made) == 2
    assert file.read_bytes() == whole


def change(data: dict, *keys: object, to: object) -> None:
    for key in keys[:-1]:
        data = data[key]
    data[keys[-1]] = to


@pytest.mark.parametrize(
    ("keys", "to"),
    [
        (("n_states",), 3),
        (("n_params",), "2"),
        (("nodes", 0), ["input", 1, -1, -1]),
        (("nodes", 6), ["mul", 10**6, 1, -1]),
        (("nodes", 6), ["mul", 6, 1, -1]),
        (("nodes", 6), ["mul", -5, 1, -1]),
        (("nodes", 6), ["mul", 1.5, 1, -1]),
        (("nodes", 6), ["curve", 1, 0, -1]),
        (("nodes", 6), ["system", 1, 2, -1]),
        (("nodes", 6), ["constant", "1", -1, -1]),
        (("nodes", 6), ["mul", 1]),
        (("nodes",), None),
        (("equations", 0, "values"), [1]),
        (("equations", 0, "values"), [1, 10**6]),
        (("equations", 0, "by_state"), [[5, 0, 1]]),
        (("equations", 0, "by_parameter"), [[0, 2, 1]]),
        (("equations", 0, "by_parameter"), [[0, -1, 1]]),
        (("equations", 0, "by_parameter"), [[0, [], 1]]),
        (("equations",), []),
        (("equations",), [{}, {}, {}]),
    ],
)
def test_a_forged_file_with_a_right_checksum_cannot_harm(keys, to, folder, made):
    expected = Model.from_text(TEXT).derivation
    (file,) = folder.iterdir()
    data = json.loads(file.read_text().partition("\n")[2])
    change(data, *keys, to=to)
    text = json.dumps(data)
    file.write_text(hashlib.sha256((file.stem + text).encode()).hexdigest() + "\n" + text)
    assert Model.from_text(TEXT).derivation == expected
    assert len(made) == 2


def test_a_file_of_another_model_is_not_taken(folder, made):
    _ = Model.from_text(TEXT).derivation
    (file,) = folder.iterdir()
    other = Model.from_text(TEXT.replace("-b*y", "+b*y"))
    expected = symbolic.derive(other)
    file.rename(cache._path(other))
    assert other.derivation == expected


def test_a_folder_that_cannot_be_used_is_no_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert Model.from_text(TEXT).derivation == symbolic.derive(Model.from_text(TEXT))


def test_a_full_disk_leaves_nothing_behind(folder, monkeypatch):
    def fail(*names: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", fail)
    assert Model.from_text(TEXT).derivation == symbolic.derive(Model.from_text(TEXT))
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("base", ["", "relative"])
@pytest.mark.parametrize("home", ["", "relative", None])
def test_without_a_home_nothing_is_written_anywhere_else(base, home, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", base)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # there is no such user either
    monkeypatch.setenv("HOME", home) if home is not None else monkeypatch.delenv("HOME")
    assert cache.folder() is None
    _ = Model.from_text(TEXT).derivation
    assert list(tmp_path.iterdir()) == []


def test_the_default_is_in_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.folder() == tmp_path / ".cache" / "parfit" / "derivations"


def test_old_files_are_dropped(folder, monkeypatch):
    monkeypatch.setattr(cache, "MAX_FILES", 3)
    folder.mkdir(parents=True)
    (folder / "notes.txt").write_text("not ours")
    files = []
    for k in range(5):
        model = Model.from_text(TEXT.replace("/3", f"/{k + 4}"))
        _ = model.derivation
        files.append(cache._path(model))
        os.utime(files[-1], (k, k))
        if k == 2:  # the first one is used again, and so the second is the oldest
            _ = Model.from_text(TEXT.replace("/3", "/4")).derivation
    assert {file.name for file in folder.iterdir()} == {"notes.txt", *(files[k].name for k in (0, 3, 4))}
