"""What points where: imports go one way, nothing is printed or executed, and no text speaks of the machine it was
written on."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "parfit"
# Each room, or module of one, may import from itself and from what stands before its line.
ORDER = (
    ("building", "errors", "library", "arrays", "awaited"),
    ("interrupts",),
    ("dataclass",),
    ("arguments",),
    ("kernel",),
    ("spectrum",),
    ("model",),
    ("data",),
    ("equilibria.conservation",),
    ("simulation",),
    ("estimation",),
    ("equilibria",),
    ("formats",),
    ("plotting",),
    (
        "session",
        "session.paths",
        "session.console",
        "session.editor",
        "session.timelimit",
        "session.records",
        "session.needs",
    ),
    ("session.runs", "session.runs.journal", "session.results", "session.builders"),
    ("session.carrying",),
    ("session.environment", "session.runs.inputs", "session.questions"),
    ("session.line", "session.runs.run", "session.timeline", "session.adoption"),
    ("session.runs.past", "session.noting", "session.runs.keeping", "session.runs.pieces"),
    ("session.answering",),
    ("session.dialogue", "session.runs.keepsakes"),
    ("estimation.strategies",),
    ("text",),
    ("pictures",),
    ("export",),
    ("session.sources", "advice", "live", "views"),
    ("api",),
    ("commands",),
    ("session.interpreter",),
    ("session.opening", "session.runs.results_file", "terminal"),
    ("api.session",),
    ("book",),
    ("__main__",),
)
RANK = {part: k for k, parts in enumerate(ORDER) for part in parts}
# These know less than their rank would allow.
ONLY = {
    "kernel": {"kernel", "arrays"},
    "model": {"model", "kernel", "errors", "arguments", "arrays", "spectrum", "dataclass"},
}
FORBIDDEN_CALLS = {"print", "eval", "exec", "compile", "__import__", "breakpoint"}
CYTHON_IMPORT = re.compile(r"^\s*(?:from|import|cimport)\s+(parfit[\w.]*)(?: +c?import +\(?([\w ,]*))?", re.MULTILINE)
GENERATED = {".c", ".so", ".pyc", ".html"}
# Written in pieces, so that this file does not contain them.
FOREIGN = [
    ".".join(words)
    for words in (("pypi", "org"), ("pythonhosted", "org"), ("anaconda", "org"), ("conda", "io"), ("npmjs", "com"))
]
FOREIGN += ["/".join(("", word, "")) for word in ("work", "root", "farm", "home")]

ROOMS = {".".join(path.parent.relative_to(ROOT).parts) for path in PACKAGE.rglob("__init__.py")}
python_files = sorted(PACKAGE.rglob("*.py"))
cython_files = sorted(path for kind in ("pyx", "pxi", "pxd", "h") for path in PACKAGE.rglob(f"*.{kind}"))


def part_of(module: str) -> str:
    """The part of the package in which a module is, the smallest that ORDER names; '' is the package itself."""
    words = module.split(".")[1:]
    named = (".".join(words[:k]) for k in range(len(words), 0, -1))
    return next((part for part in named if part in RANK), ".".join(words[:1]))


def module_of(path: Path) -> str:
    names = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(names[:-1] if names[-1] == "__init__" else names)


def imports(source: str, module: str, is_package: bool) -> Iterator[str]:
    """Modules of parfit that Python source imports, those inside functions and for type checkers too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            home = module.split(".")
            home = home[: len(home) - node.level + is_package] if node.level else []
            base = ".".join([*home, *([node.module] if node.module else [])])
            names = [f"{base}.{alias.name}" for alias in node.names] if base in ROOMS else [base]
        else:
            continue
        yield from (name for name in names if name.split(".")[0] == "parfit")


def cython_imports(source: str) -> Iterator[str]:
    for base, names in CYTHON_IMPORT.findall(source):
        yield from ([f"parfit.{name.strip()}" for name in names.split(",")] if base == "parfit" else [base])


def wrong_imports(module: str, imported: Iterator[str]) -> list[str]:
    """Those that point the wrong way."""
    part = part_of(module)
    if not part:  # the package itself hands out names of every part
        return []
    allowed = ONLY.get(part, {other for other in RANK if RANK[other] < RANK[part]} | {part})
    if part in ("__main__", "export"):
        allowed |= {"__version__"}
    return [name for name in imported if part_of(name) not in allowed]


def forbidden_calls(source: str) -> list[int]:
    """Lines that print, or execute text."""
    return sorted(
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and (
            (isinstance(node.func, ast.Name) and node.func.id in FORBIDDEN_CALLS)
            or (isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == "builtins")
        )
    )


def text_files() -> list[Path]:
    found = [path for path in ROOT.iterdir() if path.is_file()]
    for folder in ("parfit", "models", "sessions", "tests", ".ci"):
        found += [path for path in (ROOT / folder).rglob("*") if path.is_file()]
    return sorted(p for p in found if p.suffix not in GENERATED and "__pycache__" not in p.parts)


def foreign_words(text: str) -> list[str]:
    return [word for word in FOREIGN if word in text]


def test_there_are_files_to_check():
    assert {"parfit.model.language.reader", "parfit.kernel.formulas.coefficients"} <= {
        module_of(path) for path in python_files
    }
    assert {"gear.pyx", "stepper.pxi", "tape.pxd"} <= {path.name for path in cython_files}
    assert {"pyproject.toml", "README.md", Path(__file__).name} <= {path.name for path in text_files()}


@pytest.mark.parametrize("path", python_files, ids=module_of)
def test_imports_point_one_way(path):
    module = module_of(path)
    assert part_of(module) in {"", *RANK}, f"say in ORDER where {module} belongs"
    source = path.read_text(encoding="utf-8")
    assert wrong_imports(module, imports(source, module, path.name == "__init__.py")) == []


@pytest.mark.parametrize("path", cython_files, ids=lambda path: path.name)
def test_the_kernel_imports_only_the_kernel(path):
    assert wrong_imports(module_of(path), cython_imports(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("path", python_files, ids=module_of)
def test_nothing_is_printed_or_executed(path):
    assert forbidden_calls(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", text_files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_text_is_of_the_project_alone(path):
    assert foreign_words(path.read_text(encoding="utf-8", errors="replace")) == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("parfit.kernel.formulas.coefficients", "from parfit.errors import ParfitError"),
        ("parfit.kernel.formulas.coefficients", "import parfit.model.model"),
        ("parfit.kernel.formulas.coefficients", "from ...model import model"),
        ("parfit.kernel.formulas.coefficients", "from ... import errors"),
        ("parfit.model.language.reader", "from parfit import estimation"),
        ("parfit.model.language.reader", "from parfit import Model"),
        ("parfit.model.language.reader", "def f():\n    from parfit.text.report import table"),
        ("parfit.text.report", "from parfit.commands.fit import fit"),
        ("parfit.text.report", "from parfit.live import fit"),
        ("parfit.commands.fit", "from parfit.session.interpreter import run"),
        ("parfit.estimation.problem", "from parfit.session import environment"),
    ],
)
def test_a_wrong_import_is_seen(module, source):
    assert wrong_imports(module, imports(source, module, is_package=False))


@pytest.mark.parametrize(
    ("module", "source"),
    [
        (
            "parfit.kernel.formulas.coefficients",
            "import numpy\nfrom parfit.kernel.tape import Tape\nfrom .. import gear",
        ),
        ("parfit.model.language.reader", "from parfit.errors import ModelError\nfrom .model import Model"),
        ("parfit.terminal.prompt", "from parfit.session import interpreter"),
        ("parfit.estimation.strategies.fit", "from parfit.session.environment import Environment"),
        ("parfit.__main__", "from parfit import __version__"),
    ],
)
def test_a_right_import_is_not_held_to_be_wrong(module, source):
    assert wrong_imports(module, imports(source, module, is_package=False)) == []


def test_wrong_cython_imports_are_seen():
    source = "from parfit.kernel.tape cimport Tape\nfrom parfit import errors\ncimport parfit.model.x\n"
    assert wrong_imports("parfit.kernel.gear", cython_imports(source)) == ["parfit.errors", "parfit.model.x"]


def test_data_classes_are_those_that_are_written_late():
    """But for those with slots, which only the standard library makes."""
    usual = [
        path
        for path in python_files
        if re.search(r"^from dataclasses import .*\bdataclass\b", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    for path in usual:
        text = path.read_text(encoding="utf-8")
        assert path.name == "dataclass.py" or text.count("@dataclass") == text.count("slots=True"), path
    assert not [
        path for path in python_files if "InitVar" in path.read_text(encoding="utf-8") and path.name != "dataclass.py"
    ]


def test_forbidden_calls_are_seen():
    assert forbidden_calls("re.compile(x)\nprint(1)\nf(eval(x))\nimport builtins\nbuiltins.exec(x)") == [2, 3, 5]


def test_foreign_words_are_seen():
    assert [foreign_words(f"see {word}x") for word in FOREIGN] == [[word] for word in FOREIGN]


def test_every_part_of_the_package_is_installed():
    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    found = {module_of(path) for path in PACKAGE.rglob("__init__.py")}
    assert listed == found | {"parfit.models", "parfit.sessions"}
