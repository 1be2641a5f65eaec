import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parfit.errors import ModelError
from parfit.model.language import names
from parfit.model.language.expression import value
from parfit.model.language.reader import model_from_text, read_model
from parfit.model.model import Model

ENZYME = """\
# Enzyme kinetics
par M=1600, q=0.8, p=1.2        # to be fitted
number total=1
!ratio=q/p
rate=(1-c)*s
hill(x)=x^2/(1+x^2)
s'=-rate+q*c*ratio
dc/dt=M*(rate-(p+q)*c)+hill(s)
s(0)=total
aux product=1-s-c
@ t0=0.5
done
"""


def evaluated(model: Model, **values: float) -> dict[str, float]:
    """Everything a model computes at a point: slopes as `x'`, initial values as `x(0)`, quantities, aux."""
    names: dict[str, object] = dict(zip(model.parameters, model.values, strict=True))
    names |= {"t": 0.0} | dict.fromkeys(model.states, 0.0) | dict(model.tables) | values
    names |= {name: values[name.lower()] for name in model.states if name.lower() in values}
    for name, node in model.quantities:
        names[name] = value(node, names)
    found = {name: float(names[name]) for name, _ in model.quantities}  # type: ignore[arg-type]
    found |= {f"{name}'": value(node, names) for name, node in zip(model.states, model.equations, strict=True)}
    found |= {f"{name}(0)": value(node, names) for name, node in zip(model.states, model.initial, strict=True)}
    return found | {name: value(node, names) for name, node in model.aux}


def test_a_model_with_everything():
    model = model_from_text(ENZYME, "enzyme")
    assert model.name == "enzyme"
    assert model.parameters == ("M", "q", "p")
    assert model.values == pytest.approx([1600, 0.8, 1.2])
    assert not model.values.flags.writeable
    assert model.states == ("s", "c")
    assert model.t0 == 0.5
    assert model.remarks == ()
    assert model.source == ENZYME
    found = evaluated(model, s=2.0, c=0.25)
    assert found["ratio"] == pytest.approx(0.8 / 1.2)
    assert found["rate"] == pytest.approx(1.5)
    assert found["s'"] == pytest.approx(-1.5 + 0.8 * 0.25 * 0.8 / 1.2)
    assert found["c'"] == pytest.approx(1600 * (1.5 - 2 * 0.25) + 4 / 5)
    assert found["s(0)"] == 1
    assert found["c(0)"] == 0
    assert found["product"] == pytest.approx(-1.25)


# text, name of what is computed, its value with x = 3, y = 2, t = 4
GOOD = [
    ("x'=-x", "x'", -3),
    ("dx/dt=-x", "x'", -3),
    ("DX / DT = -x", "X'", -3),
    ("x ' = -x", "x'", -3),
    ("x'=2*X+y\ny'=1", "x'", 8),
    ("x'=1\r\ny'=x\r\ndone\r\n", "y'", 3),
    ("\tx'\t=\t1 +\t2", "x'", 3),
    ("x'=1+\\\n2+ \\  \n 3", "x'", 6),
    ("# y'=1+ \\\n 2\nx'=1", "x'", 1),
    ("x'=1 # two \\\ny'=2", "y'", 2),
    ("% a decay [1]\n%\n%%% of x %%%\nx'=-x\n %y'=2\n%z(u)=u", "x'", -3),
    ("% x'=1+ \\\n 2\nx'=1\n% no end \\", "x'", 1),
    ("x'=7\ndone\ny'=[not read", "x'", 7),
    ("x'=7\nd\nnot read", "x'", 7),
    ("x'=7\nDONE with it, x'=3\nnot read", "x'", 7),
    ("x'=x**2-.5+2.*1.e2-.25e+02", "x'", 9 - 0.5 + 200 - 25),
    ("x'=-2^2", "x'", -4),
    ("x'=7/2", "x'", 3.5),
    ("x'=T+pi*0", "x'", 4),
    ("x'=log(x)-ln(x)+flr(1.5)", "x'", 1),
    ("x'=heav(0)+mod(-1,3)", "x'", 3),
    ("x'=if(x>2)then(10)else(20)", "x'", 10),
    ("x'=a*b\npar a=2 b=5 c", "x'", 10),
    ("x'=a+b\nparams a = 2 , b=-1", "x'", 1),
    ("x'=a+b\nparam a=2\np b=5", "x'", 7),
    ("x'=a+b\npar a=2*c\nnumber c=3, b=c^2", "x'", 15),
    ("x'=a+2\nnum a=1", "x'", 3),
    ("x'=ind\npar ind", "x'", 0),
    ("x'=1\ninit x=1.5,y\ny'=1", "x(0)", 1.5),
    ("x'=1\ninit x=1.5,y\ny'=1", "y(0)", 0),
    ("x'=1\ni x=2", "x(0)", 2),
    ("x'=1\ninit x=2\nX ( 0 ) = 5", "x(0)", 5),
    ("x'=1\nx(0)=2*a+q\npar a=3\n!q=a+w\nw=a*a", "x(0)", 18),
    ("x'=1\n@ t0=2\nx(0)=t", "x(0)", 2),
    ("x'=q\nq=r*2\nr=x+1", "q", 8),
    ("x'=f(y)\nf(x)=x*a+y\npar a=10\ny'=1", "x'", 22),  # the argument wins over the state
    ("x'=f(g(2),1)\nf(u,v)=u-v\ng(u)=f(u,1)*10", "x'", 9),
    ("x'=F(X)\nf(Arg)=ARG^2", "x'", 9),
    ("x'=k(t)+k\nk(t)=2*t", "x'", 16),
    ("x'=f(1)\nf(t)=t*q\nq=t", "x'", 4),
    ("x'=sgn(2)\nsgn(u)=u*10", "x'", 20),  # a definition wins over a built-in function
    # names that are statement words
    ("i'=2*i\ni(0)=4", "i'", 0),
    ("i'=2*i\ni(0)=4", "i(0)", 4),
    ("i'=2*i\ni i=4", "i(0)", 4),
    ("x'=p(3)\np(u)=u+1", "x'", 4),
    ("x'=d+e+p+gamma+par0\npar d=1,e=2,p=3,gamma=4,par0=5", "x'", 15),
    ("x'=p+d+i+par\np=1\nd =2\ni = 3\npar=4", "x'", 10),
    ("x'=w\nw'=b\nb=5", "w'", 5),
    ("set'=only\nonly=2", "set'", 2),
    ("done'=3", "done'", 3),
    # aux
    ("x'=1\naux P.E.=x^2", "P.E.", 9),
    ("x'=1\nAUX log(x)=log10(x+97)\naux rate(mM/s) = x", "log(x)", 2),
    ("x'=1\naux rate(mM/s) = x", "rate(mM/s)", 3),
    ("x'=1\naux a=2*x\naux b=1\naux A=5*x", "a", 6),
    ("x'=ica\nica=x+1\naux ica=ica", "ica", 4),
    ("x'=1\nq=x+1\naux q=q*10", "q", 40),
    ("x'=1\naux b=2*a\naux a=x+1", "b", 8),
    ("x'=1\naux k=k\npar k=7", "k", 7),
    # ignored
    ("x'=2\n@ total=40,meth=gear,xlo=-.6.xhi=1.2,but=go:ig", "x'", 2),
    ("x'=2\nset hopf {v3=0,v4=[1..2]}\nonly x\n\" a lesson {x=1}\nfold yes\nbutton go:ig", "x'", 2),
    ("\ufeffx'=2".lstrip("\ufeff"), "x'", 2),
    ("x'=2", "x(0)", 0),
]


@pytest.mark.parametrize(("text", "name", "expected"), GOOD)
def test_good_models(text, name, expected):
    model = model_from_text(text)
    found = evaluated(model, x=3.0, y=2.0, t=4.0)
    assert found[name] == pytest.approx(expected)


def test_names_are_spelled_as_they_were_defined():
    model = model_from_text("vmax=VM*2\nS'=-VMAX*s\npar Vm=1\nAUX Out=VMax+VM\ninit s=vm")
    names = {"Vm": 1.0, "S": 3.0, "vmax": 2.0, "t": 0.0}
    assert model.parameters == ("Vm",)
    assert model.states == ("S",)
    assert model.quantities[0][0] == "vmax"
    assert value(model.equations[0], names) == -6
    assert value(model.aux[0][1], names) == 3
    assert value(model.initial[0], names) == 1


def test_quantities_use_only_earlier_ones():
    model = model_from_text("x'=a\na=f(b)+c\nb=c*x\nf(u)=u+d\nc=2\nd=x+c")
    seen = {"x", "t"}
    for name, node in model.quantities:
        value(node, dict.fromkeys(seen, 1.0))  # raises KeyError for a later one
        seen.add(name)
    assert seen == {"x", "t", "a", "b", "c", "d"}


def test_an_aux_that_repeats_a_state_adds_nothing():
    assert model_from_text("x'=1\naux X=x").aux == ()


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("x'=1\n@ t0=1", 0),
        ("x'=1\n@ t0=1, total=3\n@ dt=2\nset a {b=1}\nonly x", 1),
        ("x'=1\n\"lesson\ndone", 0),
        ("x'=1\ndonnerstag\n", 0),
        ("x'=1\ndx y\n", 1),
        ("x'=1\naux a=x\naux A=X", 0),
        ("x'=1\n@ dt=1\naux a=x\naux b=x\naux a=t\naux B=2\nset c {x=1}", 1),
        ("x'=2*3<4", 1),
        ("x'=if(2*x<4)then(1)else(2)", 0),
    ],
)
def test_remarks_are_few(text, count):
    assert len(model_from_text(text).remarks) == count


BAD = [
    # text, line, part of the message
    ("", None, "is empty"),
    (" \n\n", None, "is empty"),
    ("# nothing\npar a=1", None, "no differential equation"),
    ("x'=y", 1, "unknown name `y`"),
    ("par alpha=1\nx'=alhpa*x", 2, "did you mean `alpha`?"),
    ("x'=ezp(x)", 1, "unknown function `ezp`; did you mean `exp`"),
    ("x'=1\ny(0)=3", 2, "initial value for `y`, which has no derivative; expected a state (x)"),
    ("x'=1\nq=2\ninit x=1,q=3", 3, "initial value for `q`"),
    ("x'=1\nx(0)=y\ny'=1", 2, "the initial value of `x` uses `y`, which changes with time"),
    ("x'=1\nx(0)=q\nq=t", 2, "uses `q`"),
    ("x'=a\nb=c\nc=a\na=b+1", None, "b -> c -> a -> b"),
    ("x'=1\nf(u)=g(u)\ng(u)=f(u)", 2, "circular definition: f -> g -> f"),
    ("x'=1\nq=f(1)\nf(u)=q*u", None, "circular"),
    ("x'=1\na=a+1", 2, "a -> a"),
    ("x'=1\nnumber a=b,b=a", 2, "circular"),
    ("x'=1\naux a=a+1", 2, "circular"),
    ("x'=f(1,2)\nf(u)=u", 1, "`f` is called with 2 arguments; expected f(u)"),
    ("x'=sin(1,2)", 1, "expected sin(a)"),
    ("x'=atan2(1)", 1, "expected atan2(a,b)"),
    ("x'=exp()", 1, "0 arguments"),
    ("x'=f\nf(u)=u", 1, "`f` is a function; expected f(u)"),
    ("x'=a(1)\npar a", 1, "`a(` calls a parameter"),
    ("f(u)=v\nx'=1", 1, "unknown name `v`"),  # though nothing uses it
    ("f(u,U)=u\nx'=1", 1, "different names"),
    ("f(2)=u\nx'=1", 1, "expected names as arguments"),
    ("x'=1\nx(0)=1\ninit x=2\nX ( 0 ) = 5", 4, "X(0) is given twice, in line 2 and here"),
    ("x'=1\nx'=2", 2, "defined twice: as a state in line 1 and as a state here"),
    ("x'=1\ndX/dt=2", 2, "defined twice"),
    ("par k=1\nx'=1\nk'=2", 3, "as a parameter in line 1 and as a state"),
    ("par a=1,A=2\nx'=1", 1, "defined twice"),
    ("a=1\nx'=1\na(u)=u", 3, "defined twice"),
    ("x'=a\naux a=1\naux a=2", 3, "as an aux in line 2 and as an aux here"),  # something uses it
    ("x'=1\naux x=2*x", 2, "has the name of the state in line 1"),
    ("T'=1", 1, "`T` is the time (case does not matter); expected another name"),
    ("par if=3\nx'=1", 1, "`if` is a word of the language"),
    ("par max=3\nx'=1", 1, "built-in function"),
    ("x'=1\npar a=b\npar b=1", 2, "the parameter `a` uses `b`: expected a number; write !a=..."),
    ("x'=1\nnumber a=b\npar b=1", 2, "the constant `a` uses `b`"),
    ("x'=1\npar a=1/0", 2, "the value of `a` is"),
    ("x'=1\n!a=x", 2, "`!a` uses `x`, which changes with time"),
    ("x'=1\n@ t0=x", 2, "`t0` uses `x`: expected a number"),
    ("x'=2^3^2", 1, "parentheses"),
    ("x'=1\nhello world", 2, "`hello world`: `hello` is not a statement; expected name'="),
    ("x'=1\n= 3", 2, "expected name'="),
    ("x'=1\n\n\ny'=1+\\\n2+\\\n*3", 4, "instead of `*`"),
    ("x''=3", 1, "first derivative"),
    ("x'=", 1, "empty right-hand side"),
    ("x'=1\nq=  # nothing", 2, "empty right-hand side"),
    ("x'=1\naux q=", 2, "empty right-hand side"),
    ("x'=1\naux q", 2, "expected aux name=expression"),
    ("x'=1\npar a=", 2, "at the end"),
    # refused
    ("x'=1\nx1'=1\nx[1..9]'=2", 3, "defined twice"),
    ("x'=1\n%[1..9]\ny'=3\n%", 3, "defined twice"),
    ("% cells\n % [1..9]\nx'=3", 2, "no end"),
    ("2\nv x=1,y=2\nox y\noy -x\nd", 1, "`2`: XPPAUT's old format"),
    ("x'=1\n2", 2, "`2`: expected name'="),
    ("x'=1\naux a=1\naux a=delay(x,1)\naux b=delay(x,1)", 4, "`delay` (delays)"),
    ("x'=1\naux y=x[3]", 2, "unknown name `x3`"),
    ("volterra x=1", 1, "`volterra`"),
    ("x(t)=1+int{exp(-t)#x}", 1, "`volterra`"),
    ("u'=f(u,int[.5]{k(t)#u})", 1, "`volterra`"),
    ("x'=delay(x,2)", 1, "`delay` (delays)"),
    ("x'=delay_(x,2)", 1, "`delay_`"),
    ("x'=1\ndelay x", 2, "`delay`"),
    ("x'=1\nb x-1", 2, "boundary conditions"),
    ("x'=1\nbdry x-1", 2, "`bdry`"),
    ("x'=1\nbndry x'", 2, "boundary conditions"),
    ("x'=1\nexport {x} {y}", 2, "`export`"),
    ("0=x+1", 1, "`0=`"),
    ("x'=1\n0 = x+1", 2, "algebraic"),
    ("x'=1\nsolv y=0", 2, "`solv`"),
    ("x'=1\nsolve y=0", 2, "`solv`"),
    ("x(t+1)=x", 1, "maps"),
    ("x'=1\n@ dt=1, meth=discrete", 2, "meth=discrete"),
    ("x'=ran(1)", 1, "`ran` (random numbers)"),
    ("x'=normal(0,1)", 1, "`normal`"),
    ("x'=1\nwiener w", 2, "`wiener`"),
    ("x'=1\nw z", 2, "`wiener`"),
    ("markov z 2\n{0} {1}\n{1} {0}\nx'=1", 1, "`markov`"),
    ("x'=1\nglobal 1 x-1 {x=0}", 2, "`global`"),
    ("x'=1\nspecial k=conv(even,9,3,w,u)", 2, "`special`"),
    ("x'=1\ntable w @ 11 -5 5 1/11", 2, "`table @`"),
    ("x'=1\n#include other.ode", 2, "#include"),
    ("x'=1\ntable w", 2, "expected table name file"),
    ("x'=1\ntable w missing.csv", 2, "`missing.csv`"),
]


@pytest.mark.parametrize(("text", "line", "message"), BAD)
def test_bad_models_say_where_and_what(text, line, message):
    with pytest.raises(ModelError) as caught:
        model_from_text(text, path="dir/file.ode")
    assert message in caught.value.message
    if line is not None:
        assert caught.value.line == line
        assert str(caught.value).startswith(f"dir/file.ode:{line}: ")
    assert "\n" not in str(caught.value)


def test_text_without_a_file_is_placed_by_its_name():
    with pytest.raises(ModelError, match=r"^decay:2: "):
        model_from_text("par k\nx'=-z*x", "decay")


CSV = {
    "plain.csv": "0,1\n1,3\n2,7\n",
    "header.csv": "# zooplankton\ntime,zoo\n0,1\n\n1,3 # here\n2,7\n",
    "blanks.txt": "0 1\n1 3\n 2   7\n",
    "tabs.txt": "t\tz\n0\t1\n1\t3\n2\t7",
    "semicolon.csv": "t;z\n0;1,0\n1;3,0\n2;7,0\n",
    "mixed order.csv": "2,7\n0,1\n1,3\n",
    "xpp.tab": "3\n0\n2\n1\n3\n7\n",
    "crlf.csv": "t,z\r\n0,1\r\n1,3\r\n2,7\r\n",
}


@pytest.mark.parametrize("name", CSV)
def test_tables_of_every_format(tmp_path, name):
    (tmp_path / name).write_bytes(CSV[name].encode())
    (tmp_path / "m.ode").write_text(f'x\'=Z+z(0)+z(2*t)\ntable Z "{name}"\nx(0)=z\n@ t0=1.5')
    model = read_model(tmp_path / "m.ode")
    assert [table for table, _ in model.tables] == ["Z"]
    found = evaluated(model, t=0.5)
    assert found["x'"] == pytest.approx(2 + 1 + 3)
    assert found["x(0)"] == pytest.approx(5)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", 2.25 + 0.25 * (6.25 - 2.25)),
        ("linear", 2.25 + 0.25 * (6.25 - 2.25)),
        ("spline", 3.0625),
        ("smooth spline 2 3", 3.0625),
        ("SMOOTH Hermite 2.6, 4.8", 3.0625),
        ("hermite 2", 3.0625),
        ("smooth hermite", 3.0625),
    ],
)
def test_table_options(tmp_path, options, expected):
    rows = [f"{t},{t * t}" for t in [k + 0.5 for k in range(8)]]
    (tmp_path / "z.csv").write_text("\n".join(rows))
    model = model_from_text(f"x'=z\ntable z z.csv {options}", folder=tmp_path)
    assert evaluated(model, t=1.75)["x'"] == pytest.approx(expected)


TABLE_ERRORS = [
    ("0,1\n1,2", "cubic", "expected linear, [smooth] spline or [smooth] hermite"),
    ("0,1\n1,2", "smooth linear", "expected linear"),
    ("0,1\n1,2", "linear 3", "`3`: expected joints"),
    ("0,1\n1,2", "spline a", "`a`: expected joints"),
    ("0,1\n1,2", "spline 7", "joint 7 is not inside the data"),
    ("0,1\n1,2\n1,3", "", "two points at t = 1"),
    ("0,1\nzwei,2", "", "line 2: expected two numbers"),
    ("0,1,5\n1,2,5", "", "line 1: expected two numbers"),
    ("0,1\n1", "", "line 2"),
    ("t,z\n", "", "has no numbers"),
    ("", "", "has no numbers"),
    ("4\n0\n1\n1\n2\n", "", "the number of points, first time, last time"),
    ("\0\1\2", "", "not a text file"),
    ("0,1\n1,1e999", "", "not finite"),
]


@pytest.mark.parametrize(("content", "options", "message"), TABLE_ERRORS)
def test_tables_that_cannot_be_used(tmp_path, content, options, message):
    (tmp_path / "z.csv").write_text(content)
    with pytest.raises(ModelError) as caught:
        model_from_text(f"x'=z\ntable z z.csv {options}", folder=tmp_path)
    assert message in str(caught.value)
    assert caught.value.line == 2


def test_a_table_takes_one_argument(tmp_path):
    (tmp_path / "z.csv").write_text("0,1\n1,2")
    with pytest.raises(ModelError, match="expected z"):
        model_from_text("x'=z(1,2)\ntable z z.csv", folder=tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "is empty"), (b"\x7fELF\0\0\1", "not a text file"), (bytes(range(256)), "not a text file")],
)
def test_files_that_hold_no_text(tmp_path, content, message):
    path = tmp_path / "m.ode"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=message) as caught:
        read_model(path)
    assert str(path) in str(caught.value)


def test_files_that_are_none(tmp_path):
    with pytest.raises(ModelError, match="is a directory"):
        read_model(tmp_path)
    with pytest.raises(ModelError, match="no such file"):
        read_model(tmp_path / "missing.ode")
    with pytest.raises(ModelError, match="cannot be read"):
        read_model("nul\0.ode")
    with pytest.raises(ModelError, match="not a file"):
        read_model("/dev/zero")
    with pytest.raises(ModelError, match=r"`\.`: is a directory"):
        model_from_text("x'=1\ntable w .", folder=tmp_path)


def test_a_file_gives_its_name_and_its_encoding_does_not_matter(tmp_path):
    path = tmp_path / "decay.ode"
    for encoding in ("utf-8", "utf-8-sig", "latin-1", "utf-16"):
        path.write_bytes("# Zerfall, größer\r\nx'=-x\r\n".encode(encoding))
        model = read_model(path)
        assert (model.name, model.states) == ("decay", ("x",))


def test_reading_executes_nothing_and_imports_no_sympy():
    code = (
        'import sys; from parfit.model.language.reader import model_from_text; model_from_text("x\'=exp(-x)");'
        "sys.exit(any(name in sys.modules for name in ('sympy', 'scipy.interpolate')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    with pytest.raises(ModelError, match="unknown function `__import__`"):
        model_from_text("x'=__import__(1)")


def test_functions_of_functions_end_in_an_error_before_memory_does(monkeypatch):
    monkeypatch.setattr(names, "MAX_NODES", 20_000)
    growing = [f"f{i}(x)=f{i - 1}(x)*f{i - 1}(x+1)" for i in range(1, 60)]
    unused = [f"f{i}(x)=z(f{i - 1}(x),f{i - 1}(x))" for i in range(1, 60)]
    deep = [f"f{i}(x)=1+f{i - 1}(x)" for i in range(1, 600)]
    for lines in (growing, ["z(a,b)=0", *unused], deep):
        with pytest.raises(ModelError, match="too large or too deep"):
            model_from_text("\n".join(["f0(x)=x*x", *lines, "x'=f59(x)"]))


def test_a_large_model_is_read_completely():
    n = 300
    lines = ["par " + ", ".join(f"k{i}={i}" for i in range(n)), "hill(x,n)=x^n/(1+x^n)"]
    lines += [f"q{i}=k{i % n}*x{i % n}+hill(x{(i + 1) % n},2)+q{i + 1}*1e-3" for i in range(1000)]
    lines += ["q1000=0", *(f"x{i}'=q{i}-q{i + 600}" for i in range(n))]
    model = model_from_text("\n".join(lines))
    assert (len(model.states), len(model.parameters), len(model.quantities)) == (n, n, 1001)


WORDS = [
    *"xyt=+-*/^(),012ab!#@\\\"'<&|[]{}%.",
    *(
        "x'",
        "y'",
        "dx/dt",
        "==",
        "2.5",
        "pi",
        "f(",
        "f(u)=",
        "if(",
        "then(",
        "else(",
        "exp(",
        "(0)=",
        "(t+1)=",
    ),
    *("par", "number", "init", "aux", "table", "done", "t0=", "int{", "delay(", "set", "z.csv", "spline"),
]
soup = st.lists(st.sampled_from([*WORDS, "\n", "\n", " ", "\nx'=", "\na="]), max_size=60).map("".join)
spaced = st.lists(st.sampled_from([*WORDS, "\n", "\n"]), max_size=60).map(" ".join)


@st.composite
def mutated(draw):
    text = draw(st.sampled_from([ENZYME, *(good[0] for good in GOOD)]))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        stop = min(len(text), start + draw(st.integers(0, 6)))
        text = text[:start] + draw(st.sampled_from([*WORDS, "\n", ""])) + text[stop:]
    return text


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(max_size=80) | soup | spaced | mutated())
def test_any_text_is_a_model_or_a_model_error(text):
    try:
        model = model_from_text(text)
    except ModelError:
        return
    assert {f"{name}'" for name in model.states} <= set(evaluated(model)), "every name is defined, in the right order"


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60) | mutated().map(str.encode))
def test_any_file_is_a_model_or_a_model_error(tmp_path, content):
    for name, text in (("m.ode", content), ("t.ode", b"x'=z\ntable z m.ode")):
        (tmp_path / name).write_bytes(text)
    for name in ("m.ode", "t.ode"):
        try:
            model = read_model(tmp_path / name)
        except ModelError:
            continue
        assert model.states
