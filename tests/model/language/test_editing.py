"""Changing a model by one statement: what is replaced, where it is added, and what is said when it cannot be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parfit import Method, simulate
from parfit.errors import ModelError
from parfit.model.language.editing import edit, edited, text_of
from parfit.model.language.expression import Name
from parfit.model.language.locating import placed
from parfit.model.language.reader import model_from_text, read_model
from parfit.model.language.statements import read_statements
from parfit.model.model import Model

MODELS = sorted((Path(__file__).parents[3] / "models").glob("*.ode"))
TEXT = """\
# Enzyme kinetics
par M=1600, q=0.8  p=1.2, ind   # to be fitted
number total=1, two=2
!ratio=q/p
rate=(1-c)*s     # of binding
hill(x)=x^2/(1+x^2)
s'=-rate+q*c*\\
   ratio         # substrate
dc/dt=M*(rate-(p+q)*c)+hill(s)
init s=max(1, two), c=0   # at the start
s(0)=total
aux product=1-s-c
@ t0=0.5, xlo=2, total=9
# the end

done
not read: s'=3
"""
MODEL = model_from_text(TEXT, "enzyme")

# change, what is there, what becomes of it
CHANGES = [
    ("s' = p*s - q*s*c", "s'=-rate+q*c*\\\n   ratio         # substrate", "s'=p*s - q*s*c         # substrate"),
    ("ds/dt=-s", "s'=-rate+q*c*\\\n   ratio         # substrate", "s'=-s         # substrate"),
    ("c'=-c", "dc/dt=M*(rate-(p+q)*c)+hill(s)", "dc/dt=-c"),
    ("C'=-c", "dc/dt=M*(rate-(p+q)*c)+hill(s)", "dc/dt=-c"),
    ("par q=3", "par M=1600, q=0.8  p=1.2, ind ", "par M=1600, q=3  p=1.2, ind "),
    ("par q=3, m=4", "par M=1600, q=0.8  p=1.2, ind ", "par M=4, q=3  p=1.2, ind "),
    ("q=3.5", "q=0.8", "q=3.5"),
    ("  Q = 3.5  # better", "q=0.8", "q=3.5"),
    ("ind=7", "p=1.2, ind ", "p=1.2, ind=7 "),
    ("par k=3", "p=1.2, ind ", "p=1.2, ind, k=3 "),
    ("par k=3 l", "p=1.2, ind ", "p=1.2, ind, k=3, l "),
    ("total=2", "number total=1,", "number total=2,"),
    ("number two=4", "two=2", "two=4"),
    ("number new=4", "\ndone", "\nnumber new=4\ndone"),
    ("rate=(1-c)^2*s", "rate=(1-c)*s     # of", "rate=(1-c)^2*s     # of"),
    ("!ratio=q", "!ratio=q/p", "!ratio=q"),
    ("ratio=q*s", "!ratio=q/p", "ratio=q*s"),
    ("flow=q*s", "\ndone", "\nflow=q*s\ndone"),
    ("hill(u)=u/(2+u)", "hill(x)=x^2/(1+x^2)", "hill(u)=u/(2+u)"),
    ("f(u,v)=u*v", "\ndone", "\nf(u,v)=u*v\ndone"),
    ("aux product=s", "aux product=1-s-c", "aux product=s"),
    ("product=s", "aux product=1-s-c", "aux product=s"),
    ("aux more=c", "\ndone", "\naux more=c\ndone"),
    ("aux rate=rate", "\ndone", "\naux rate=rate\ndone"),
    ("init c=q", "c=0   # at", "c=q   # at"),
    ("c(0)=q", "c=0   # at", "c=q   # at"),
    ("init s=3", "s(0)=total", "s(0)=3"),
    ("@ t0=1", "t0=0.5", "t0=1"),
    ("@ total=20", "total=9", "total=20"),
    ("z'=-z", "\ndone", "\nz'=-z\ndone"),
    ("remove product", "aux product=1-s-c\n", ""),
    ("DELETE Product", "aux product=1-s-c\n", ""),
    ("remove aux product", "aux product=1-s-c\n", ""),
    ("remove ind", "p=1.2, ind ", "p=1.2 "),
    ("remove t0", "@ t0=0.5, xlo=2, total=9", "@ total=9"),
    ("remove c(0)", "init s=max(1, two), c=0 ", "init s=max(1, two) "),
]


@pytest.mark.parametrize(("change", "old", "new"), CHANGES)
def test_only_the_definition_changes(change, old, new):
    assert TEXT.count(old) == 1
    edited = edit(MODEL, change)
    assert edited.source == TEXT.replace(old, new)
    assert edited.name == "enzyme"
    assert MODEL.source == TEXT


def test_a_constant_becomes_a_parameter_and_back():
    fitted = edit(MODEL, "par total=1.5")
    assert fitted.parameters == ("M", "q", "p", "ind", "total")
    assert fitted.values[-1] == 1.5
    assert "number two=2\n" in fitted.source
    fixed = edit(fitted, "number total=1")
    assert fixed.parameters == MODEL.parameters
    assert "\nnumber total=1\ndone" in fixed.source
    assert edit(MODEL, "par two").values[-1] == 2  # keeps its value


def test_a_parameter_becomes_derived():
    edited = edit(MODEL, "!q=2*p")
    assert edited.parameters == ("M", "p", "ind")
    assert dict(edited.quantities)["q"] is not None


def test_the_last_parameter_and_the_last_entry_take_their_line_with_them():
    model = Model.from_text("x'=-a*x+b\npar a=1\nnumber b=2")
    assert edit(model, "number a=3").source == "x'=-a*x+b\nnumber b=2\nnumber a=3\n"


def test_removing_a_state_takes_its_initial_values():
    model = Model.from_text("x'=-x\ny'=-y\ninit x=1, y=2, x=3\nx(0)=4\n y(0)=1 # one\ninit x=5\ndone")
    assert edit(model, "remove x").source == "y'=-y\ninit y=2\n y(0)=1 # one\ndone"
    assert edit(model, "remove y'").source == "x'=-x\ninit x=1, x=3\nx(0)=4\ninit x=5\ndone"


def test_removing_several_at_once_may_remove_what_they_use():
    model = Model.from_text("x'=-1\nb=x\na=b\naux b=b")
    assert edit(model, "remove b a").source == "x'=-1\n"
    assert edit(model, "remove a").source == "x'=-1\nb=x\naux b=b"


@pytest.mark.parametrize(
    ("text", "change", "expected"),
    [
        ("x'=1", "par k=1", "x'=1\npar k=1\n"),
        ("x'=1\r\ndone\r\n", "y'=2", "x'=1\r\ny'=2\r\ndone\r\n"),
        ("x'=1\r\n", "x'=2", "x'=2\r\n"),
        ("x'=1+\\\n2+\\", "y'=2", None),
        ("x'=1\n# note \\", "y'=2", "x'=1\n# note \\\n\ny'=2\n"),
        ("x'=1\npar a=1 \\ # note\n", "y'=2", "x'=1\npar a=1 \\ # note\n\ny'=2\n"),
        ("  x'=1\n  done", "y'=2", "  x'=1\ny'=2\n  done"),
        ("x'=1\npar a=1, \\ # first\n  b=2 # second", "par b=3", "x'=1\npar a=1, \\ # first\n  b=3 # second"),
        ("x'=1\npar a=1, \\ # first\n  b=2 # second", "remove b", "x'=1\npar a=1 # second"),
        ("x'=1\npar a=1, \\ # first\n  b=2 # second", "remove a", "x'=1\npar b=2 # second"),
        ("x'=1\npar a=if(1)then(2)else(3) b=max(1,2)", "b=4", "x'=1\npar a=if(1)then(2)else(3) b=4"),
        ("x'=1\npar a = 2 ** 3 b", "a=4", "x'=1\npar a = 4 b"),
        ("x'=1\np a=1,", "par b=2", "x'=1\np a=1, b=2,"),
        ("x'=1\naux P.E.=x", "remove P.E.", "x'=1\n"),
        ("x'=1\n@ t0=1", "remove t0", "x'=1\n"),
        ("x'=1", "@ t0=2, total=3", "x'=1\n@ t0=2\n@ total=3\n"),
        ("x'=1", "y'=x\nz'=y", "x'=1\ny'=x\nz'=y\n"),
        ("i'=1\npar p=1,d=2", "i'=d*p", "i'=d*p\npar p=1,d=2"),
    ],
)
def test_layouts(text, change, expected):
    if expected is None:
        with pytest.raises(ModelError, match="at the end"):
            Model.from_text(text)
    else:
        assert edit(Model.from_text(text), change).source == expected


ERRORS = [
    ("s'=-qq*s", "unknown name `qq`; did you mean `q`?"),
    ("s'=-rates*s", "unknown name `rates`; did you mean `rate` or `ratio`?"),
    ("s'=-rate+", "expected a number, a name or `(` at the end"),
    ("s'=", "empty right-hand side"),
    ("s=3", "`s` is a state; write s'=... for its equation or s(0)=... for its start"),
    ("q=2*p", "the parameter `q` uses `p`: expected a number; write !q=..."),
    ("rate(x)=x", "`rate` is defined twice"),
    ("exp=3", "`exp` is a built-in function; expected another name"),
    ("init z=1", "initial value for `z`, which has no derivative"),
    ("hill(x,y)=x*y", "`hill` is called with 1 argument; expected hill(x,y) (in `dc/dt=M*(rate-(p+q)*c)+hill(s)`)"),
    ("table z nowhere.csv", "table file `nowhere.csv`: there is no such file"),
    ("remove rate", "`rate` is used in `s'=-rate+q*c* ratio`; change or remove that first"),
    ("remove nothing", "there is no `nothing` to remove; expected one of M, q,"),
    ("remove prodct", "there is no `prodct` to remove; did you mean `product`?"),
    ("remove hill", "`hill` is used in `dc/dt="),
    ("", "there is nothing to change; expected a statement such as"),
    ("# note", "there is nothing to change"),
    ("done", "`done`: expected a statement such as"),
    ("define x", "`define x`: expected a statement such as"),
    ("3", "`3`: expected name'=..."),
    ("hello world", "`hello` is not a statement"),
    ("set a {b=1}", "has no meaning here"),
    ("@ xlo=3", "has no meaning here"),
    ("x'[1..3]=2", "expected"),
    ("par", "has no meaning here"),
    ("remove", "`remove` is not a statement"),
]


@pytest.mark.parametrize(("change", "message"), ERRORS)
def test_errors_speak_to_who_typed_one_line(change, message):
    with pytest.raises(ModelError) as caught:
        edit(MODEL, change)
    assert message in str(caught.value)
    assert str(caught.value) == caught.value.message
    assert not str(caught.value).startswith("enzyme")


def test_the_last_equation_cannot_be_removed():
    with pytest.raises(ModelError, match=r"^the model has no differential equation"):
        edit(Model.from_text("par k=1\nx'=1"), "remove x")


def test_names_that_look_like_the_words_of_editing_are_fine():
    model = Model.from_text("remove'=1\ndelete=2*remove\n")
    assert edit(model, "remove'=-remove").states == ("remove",)
    assert edit(model, "delete=3").source == "remove'=1\ndelete=3\n"
    assert edit(model, "delete delete").quantities == ()


def test_tables_are_looked_for_in_the_folder(tmp_path):
    (tmp_path / "zoo.csv").write_text("0,1\n1,2\n")
    (tmp_path / "my zoo.csv").write_text("0,1\n3,2\n")
    edited = edit(Model.from_text("x'=-x"), "table z zoo.csv", tmp_path)
    edited = edit(edited, "x'=-z*x", str(tmp_path))
    edited = edit(edited, 'TABLE Z "my zoo.csv" linear', tmp_path)
    assert edited.tables[0][1].breaks[-1] == 3
    assert '"my zoo.csv"' in edited.source


# ---- every definition of every model


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_typing_what_is_there_changes_nothing(path):
    model = read_model(path)
    for item in placed(model.source):
        words = {
            "parameter": "par ",
            "constant": "number ",
            "option": "@ ",
            "initial value": "init ",
            "local": "local ",
        }
        word = words.get(item.kind, "")
        assert edit(model, (word if item.siblings else "") + item.code, path.parent).source == model.source


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_each_definition_is_replaced_alone(path):
    model = read_model(path)
    for k, item in enumerate(read_statements(model.source)):
        if item.kind in ("table", "rest", "local"):  # which only another one can replace
            continue
        function = f"{{}}({','.join(item.arguments)})=1"
        form = {
            "state": "{}'=1",
            "initial value": "{}(0)=1",
            "aux": "aux {}=1",
            "option": "@ {}=1",
            "function": function,
        }.get(item.kind, "{}=1")
        edited = read_statements(edit(model, form.format(item.name), path.parent).source)
        before = [(each.kind, each.key, repr(each.body)) for each in read_statements(model.source)]
        before[k] = (item.kind, item.key, "Number(value=1.0)")
        assert [(each.kind, each.key, repr(each.body)) for each in edited] == before


@given(
    st.text(max_size=30) | st.lists(st.sampled_from([*"sqc=()',+*@!#\\ 01", "par ", "remove ", "init "])).map("".join)
)
def test_any_change_is_a_model_or_a_model_error(change):
    try:
        edited = edit(MODEL, change)
    except ModelError:
        return
    assert isinstance(edited, Model)


# ---- models without text


def test_a_traced_model_has_a_text():
    def reaction(t, y, p):
        flow = p["k"] * y["a"] ** 2 / (1 + y["b"]) - (y["a"] - p["m"]) * 0.1
        return [-flow - y["a"] - t, flow * np.exp(-t), {"sum": y["a"] + y["b"]}]

    model = Model.trace(reaction, {"a": 1.0, "b": lambda p: -p["m"]}, {"k": 0.3, "m": -2.5e-7}, t0=0.25)
    again = Model.from_text(text_of(model), model.name)
    assert (again.parameters, again.states, again.t0) == (model.parameters, model.states, model.t0)
    assert np.array_equal(again.values, model.values)
    rule = Method("trapezoid")  # b begins so small that rounding errors would decide about the steps of Gear's method
    runs = [simulate(each, np.linspace(0.5, 2.0, 40), method=rule, sensitivities=True) for each in (model, again)]
    assert runs[0].y == pytest.approx(runs[1].y, rel=1e-13)
    assert runs[0].s == pytest.approx(runs[1].s, rel=1e-12)
    assert runs[0].column("sum") == pytest.approx(runs[1].column("sum"), rel=1e-13)
    assert edit(model, "k=5").values[0] == 5


def test_the_text_of_a_model_that_was_read_is_its_source():
    assert text_of(MODEL) == TEXT


def test_tables_without_a_file_cannot_be_written(tmp_path):
    (tmp_path / "z.csv").write_text("0,1\n1,2\n")
    driven = model_from_text("x'=z(t)\ntable z z.csv", folder=tmp_path)
    bare = Model("bare", (), np.zeros(0), ("x",), driven.equations, (Name("t"),), tables=driven.tables)
    with pytest.raises(ModelError, match="tables that are in no file"):
        text_of(bare)


# ---- what is local


def test_parameters_are_local_and_shared_again():
    text = "par k=1, b=2, c=3\nx'=-k*x+b+c\nlocal k, b\ndone\n"
    assert edited(text, "remove local k").splitlines()[2] == "local b"
    assert edited(edited(text, "remove local k"), "remove local b") == text.replace("local k, b\n", "")
    assert "local k low+mid, high" in (grouped := edited(text, "local k low+mid, high"))
    assert edited(grouped, "local k").splitlines()[-2:] == ["local k", "done"]
    assert edited(text, "local c").splitlines()[2:] == ["local k, b", "local c", "done"]
    with pytest.raises(ModelError, match="`c` is not local"):
        edited(text, "remove local c")


def test_a_statement_of_an_experiment_is_removed_by_its_words():
    text = "par k=1\nx'=-k*x\nexperiment low: init x=2\ndone\n"
    assert edited(text, "remove experiment  LOW: init x=2") == "par k=1\nx'=-k*x\ndone\n"
