"""The house as a whole: rooms and files of a size to live in, names that cannot be confused, a map that is true, and
tests that stand where a module's name says and can fail."""

import ast
import re
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE, TESTS = ROOT / "parfit", ROOT / "tests"
MAP = PACKAGE / "ARCHITECTURE.md"
MOST_MODULES, MOST_LINES, MOST_TEST_LINES = 20, 350, 600
# Rooms of which every module has a test of its own name; those here are tested by what they serve, which is named.
MIRRORED = ("kernel", "model", "data", "simulation", "estimation", "equilibria")
ELSEWHERE = {
    "data/csvheader.py": "data/test_csvfile.py",
    "equilibria/search.py": "equilibria/test_equilibria.py",
    "estimation/diagnosis/next_observation.py": "estimation/diagnosis/test_probing.py",
    "estimation/diagnosis/study.py": "estimation/diagnosis/test_probing.py",
    "estimation/diagnosis/tradeoffs.py": "estimation/diagnosis/test_probing.py",
    "estimation/likelihood/groups.py": "estimation/likelihood/test_rows.py",
    "estimation/likelihood/pulls.py": "commands/parameters/test_prior.py",
    "estimation/likelihood/said.py": "commands/problem/test_noise.py",
    "estimation/likelihood/shapes.py": "estimation/likelihood/test_rows.py",
    "estimation/optimizers/searching.py": "estimation/optimizers/test_marquardt.py",
    "estimation/problems/compared_rows.py": "estimation/problems/test_trajectory_fit.py",
    "estimation/problems/restarting.py": "estimation/problems/test_shooting.py",
    "estimation/profiles/target.py": "estimation/profiles/test_profile.py",
    "estimation/profiles/threshold.py": "estimation/profiles/test_profile.py",
    "estimation/profiles/walk.py": "estimation/profiles/test_profile.py",
    "estimation/strategies/reliability/predicted.py": "estimation/strategies/reliability/test_band.py",
    "estimation/strategies/reliability/sides.py": "estimation/strategies/reliability/test_profile.py",
    "estimation/strategies/reliability/wanted.py": "estimation/strategies/reliability/test_profile.py",
    "estimation/strategies/breakpoints.py": "estimation/problems/test_shooting.py",
    "estimation/strategies/changing/noise.py": "commands/problem/test_noise.py",
    "estimation/strategies/shooting_sequence.py": "estimation/problems/test_shooting.py",
    "estimation/strategies/starting/ending.py": "estimation/strategies/starting/test_auto.py",
    "estimation/trace.py": "live/test_fit.py",
    "kernel/integrator.pyx": "kernel/test_gear.py",
    "kernel/jumps.pyx": "kernel/test_jumping.py",
    "kernel/linalg.pyx": "kernel/test_gear.py",
    "kernel/mapping.pyx": "estimation/test_parameters.py",
    "kernel/marquardt.pyx": "estimation/optimizers/test_marquardt.py",
    "kernel/residuals.pyx": "kernel/test_fit.py",
    "kernel/search.pyx": "kernel/test_more.py",
    "kernel/system.pyx": "kernel/test_blending.py",
    "kernel/tape.pyx": "model/calculus/test_differentiation.py",
    "kernel/together.pyx": "simulation/test_beside.py",
    "model/calculus/jumping.py": "kernel/test_jumping.py",
    "model/calculus/switching.py": "kernel/test_jumping.py",
    "model/jumps.py": "model/language/test_jumping.py",
    "model/language/assigning.py": "model/language/test_jumping.py",
    "model/calculus/algebra.py": "model/calculus/test_differentiation.py",
    "model/calculus/assembly.py": "test_models.py",
    "model/calculus/derivation.py": "model/calculus/test_differentiation.py",
    "model/calculus/readable.py": "model/language/test_typeset.py",
    "model/calculus/symbolic.py": "model/language/test_typeset.py",
    "model/calculus/translation.py": "model/language/test_typeset.py",
    "model/language/expression.py": "model/language/test_syntax.py",
    "model/language/functions.py": "model/language/test_syntax.py",
    "model/language/locating.py": "model/language/test_editing.py",
    "model/language/names.py": "model/language/test_reader.py",
    "model/language/operations.py": "model/language/test_syntax.py",
    "model/language/statements.py": "model/language/test_reader.py",
    "model/language/tables.py": "model/language/test_reader.py",
    "model/language/writing.py": "model/language/test_typeset.py",
    "simulation/simulator.py": "test_simulated_data.py",
    "simulation/first_states.py": "simulation/test_rest.py",
}
ASSERTING = {"assert", "raises", "warns", "fail"}

modules = sorted(p for p in (*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyx")) if p.stem != "__init__")
sources = sorted(p for kind in ("py", "pyx", "pxi", "pxd", "h") for p in PACKAGE.rglob(f"*.{kind}"))
test_files = sorted(p for p in TESTS.rglob("*.py") if "benchmarks" not in p.parts)


def inside(path):
    return path.relative_to(PACKAGE).as_posix()


# ---- sizes and names


def test_files_fit_a_head():
    long = {inside(path) for path in sources if len(path.read_text(encoding="utf-8").splitlines()) > MOST_LINES}
    assert long == set(), f"more than {MOST_LINES} lines"


def test_files_of_tests_fit_a_head_that_is_patient():
    long = {path.name for path in test_files if len(path.read_text(encoding="utf-8").splitlines()) > MOST_TEST_LINES}
    assert long == set(), f"more than {MOST_TEST_LINES} lines"


def test_rooms_are_not_crowded():
    rooms = Counter(inside(path.parent) for path in modules)
    assert {room for room, n in rooms.items() if n > MOST_MODULES} == set(), f"more than {MOST_MODULES} modules"


def nearly_same(a, b):
    """Whether one letter is another, is missing, or stands on the other side of its neighbour."""
    if abs(len(a) - len(b)) > 1 or a == b:
        return False
    k = next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return (
        a[k + 1 :] == b[k + 1 :]
        or a[k + 1 :] == b[k:]
        or a[k:] == b[k + 1 :]
        or (a[k : k + 2] == b[k : k + 2][::-1] and a[k + 2 :] == b[k + 2 :])
    )


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("trail", "trial", True),
        ("point", "points", True),
        ("points", "point", True),
        ("curve", "carve", True),
        ("seq", "set", True),
        ("scan", "scan", False),
        ("continuing", "continuation", False),
        ("loss", "losing", False),
        ("band", "bands", True),
    ],
)
def test_names_that_are_nearly_the_same(a, b, expected):
    assert nearly_same(a, b) is expected


# Words that are typed are what they are; the others are a thing in one room and many of it in another.
TYPED = {
    ("seq", "set"),
    ("dfit", "fit"),
    ("fit", "ifit"),
    ("dfit", "ifit"),
    ("stats", "status"),
    ("sample", "sampled"),
    ("ifit", "init"),
}
# Nobody takes one for the other.
WORDS = {("joints", "points"), ("bounds", "rounds"), ("looks", "loops"), ("page", "pager")}
TOLD_APART = (
    TYPED
    | WORDS
    | {
        ("axes", "axis"),
        ("band", "bands"),
        ("bar", "bars"),
        ("curve", "curves"),
        ("figure", "figures"),
        ("line", "lines"),
        ("mark", "marks"),
        ("option", "options"),
        ("probe", "probed"),
        ("table", "tables"),
    }
)


def test_no_two_modules_differ_by_a_letter():
    names = sorted({path.stem for path in modules})
    assert {pair for pair in combinations(names, 2) if nearly_same(*pair)} <= TOLD_APART
    for room in {path.parent for path in modules}:
        names = sorted(path.stem for path in modules if path.parent == room)
        assert {pair for pair in combinations(names, 2) if nearly_same(*pair)} <= TYPED | WORDS, room


# ---- one place for each concept

RANKS = re.compile(r"\b(svd|svdvals|lstsq|lsq_linear|qr|matrix_rank|pinv|eigh|null_space|orth)\(")


def test_ranks_and_bases_are_found_in_one_place():
    """The kernel has its own, over plain arrays."""
    elsewhere = {inside(path) for path in modules if RANKS.search(path.read_text(encoding="utf-8"))}
    assert elsewhere == {"spectrum.py"}


# ---- the map


def named_paths(text):
    """What stands in backquotes and looks like a file or a room."""
    kinds = (".py", ".pyx", ".pxi", ".md")
    return [word for word in re.findall(r"`([\w./-]+)`", text) if "/" in word or word.endswith(kinds)]


def exists(word, below=(PACKAGE, ROOT)):
    return any((folder / word).exists() for folder in below) or any(
        path.as_posix().endswith("/" + word.rstrip("/")) for path in PACKAGE.rglob(Path(word).name)
    )


def test_every_path_on_the_map_exists():
    words = named_paths(MAP.read_text(encoding="utf-8"))
    assert len(words) > 20
    assert [word for word in words if not exists(word)] == []


def test_a_path_that_does_not_exist_is_seen():
    assert named_paths("`kernel/` and `tape.py`, not `evaluate(active)` or `JSON`") == ["kernel/", "tape.py"]
    assert not exists("kernel/nothing.py")
    assert not exists("estimation/nowhere/")


def test_every_room_is_on_the_map():
    text = MAP.read_text(encoding="utf-8")
    rooms = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert {room for room in rooms if f"`{room}/`" not in text} == set()


# ---- tests


@pytest.mark.parametrize("path", [p for p in modules if inside(p).startswith(MIRRORED)], ids=inside)
def test_a_module_has_its_test(path):
    name = inside(path)
    test = TESTS / path.relative_to(PACKAGE).with_name(f"test_{path.stem}.py")
    if name in ELSEWHERE:
        assert (TESTS / ELSEWHERE[name]).exists()
        assert not test.exists(), "it has a test of its own now"
    else:
        assert test.exists(), f"there is no {test.relative_to(ROOT)}"


def functions(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def called(node):
    """Names of what is called, and of attributes that are: of a method, its last word."""
    for each in ast.walk(node):
        if isinstance(each, ast.Call):
            name = each.func.attr if isinstance(each.func, ast.Attribute) else getattr(each.func, "id", "")
            yield "assert" if name.startswith("assert") else name


def asserts_itself(node):
    return any(
        isinstance(each, ast.Assert)
        or (isinstance(each, ast.Raise) and each.exc is not None and "AssertionError" in ast.unparse(each.exc))
        for each in ast.walk(node)
    )


def asserting_names(nodes, known):
    """Names of functions that assert, themselves or by what they call of each other or of what is known to."""
    found = known | {node.name for node in nodes if asserts_itself(node)}
    calls = [(node.name, set(called(node))) for node in nodes]
    while more := {name for name, names in calls if found & names} - found:
        found |= more
    return found


def toothless(tests, helpers=()):
    """Tests that assert nothing, neither themselves nor in what they call of their own file and of helpers."""
    known = asserting_names([node for tree in helpers for node in functions(tree)], ASSERTING)
    found = []
    for tree in tests:
        names = asserting_names(functions(tree), known)
        found += [node.name for node in functions(tree) if node.name.startswith("test_") and node.name not in names]
    return sorted(found)


def test_every_test_can_fail():
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in test_files}
    tests = [tree for path, tree in trees.items() if path.name.startswith("test_")]
    assert toothless(tests, [tree for path, tree in trees.items() if not path.name.startswith("test_")]) == []


def test_a_test_that_cannot_fail_is_seen():
    source = """
def check(x): assert x
def look(x): check(x)
def do(x): return x
def test_a(): look(1)
def test_b(): do(1)
def test_c():
    with pytest.raises(ValueError): do(1)
"""
    assert toothless([ast.parse(source)]) == ["test_b"]
    other = "def do(x): assert x\ndef test_d(): do(1)"
    assert toothless([ast.parse(source), ast.parse(other)]) == ["test_b"], "what is elsewhere is not called here"
    assert toothless([ast.parse(source)], [ast.parse(other)]) == []
