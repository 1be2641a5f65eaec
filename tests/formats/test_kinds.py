"""Models of other programs in the conversation: opened, loaded, looked at, saved, fitted; and large ones."""

import io
import random
from pathlib import Path

import numpy as np
import pytest

import parfit
from parfit.errors import DataError
from parfit.formats.kinds import is_sbml, read_model
from parfit.formats.naming import Names, renamed_in
from parfit.model.language.reader import read_model as read_ode
from parfit.session.console import Console
from parfit.session.opening import open_run
from parfit.session.sources import Script
from parfit.simulation.simulator import Simulator

MODELS = Path(__file__).parent / "models"
MATH = '<math xmlns="http://www.w3.org/1998/Math/MathML">'


def conversation(tmp_path, paths, *lines):
    out = io.StringIO()
    opened = open_run([str(path) for path in paths], tmp_path / "run", Console(out, out))
    code = opened.converse(Script(list(lines), "test"))
    opened.run.close()
    return opened.env, out.getvalue(), code


def test_a_model_is_opened_shown_and_saved(tmp_path):
    saved = tmp_path / "chain.ode"
    env, said, code = conversation(tmp_path, [MODELS / "chain.xml"], "MODEL", "SET k1=.25", f"SAVE {saved}")
    assert code == 0
    assert "k1" in said
    assert "# r2: 2 B -> C" in saved.read_text()
    again = read_ode(saved)
    t = [0.0, 1.0, 3.0]
    np.testing.assert_array_equal(Simulator(again, t)().y, Simulator(env.model, t)(env.values).y)


def test_it_is_loaded_into_a_conversation_and_fitted(tmp_path):
    """k1 of A' = -k1 A, as it was simulated."""
    data = tmp_path / "chain.csv"
    t = np.linspace(0.2, 4, 10)
    data.write_text("t,A\n" + "\n".join(f"{a},{4 * np.exp(-0.35 * a)}" for a in t))
    (tmp_path / "other.ode").write_text("x'=-x\nx(0)=1\n")
    env, said, code = conversation(
        tmp_path, [tmp_path / "other.ode"], f"LOAD {MODELS / 'chain.xml'} {data}", "FREEZE k2", "FIT"
    )
    assert code == 0, said
    assert env.values[env.model.parameters.index("k1")] == pytest.approx(0.35, rel=1e-4)


def test_it_is_read_from_python():
    run = parfit.load(MODELS / "forced.xml").simulate([1.0, 2.0])
    assert run.model.states == ("A",)
    assert parfit.load_model(MODELS / "forced.xml").states == ("A",)


def test_a_run_with_it_is_played_again(tmp_path):
    from parfit.session.opening import resume_run

    path = tmp_path / "m.xml"
    path.write_bytes((MODELS / "chain.xml").read_bytes())
    opened = open_run([str(path)], tmp_path / "run", Console(io.StringIO(), io.StringIO()))
    opened.converse(Script(["SET k1=.25"], "test"))
    opened.run.close()
    path.unlink()
    resumed = resume_run(tmp_path / "run", Console(io.StringIO(), io.StringIO()))
    resumed.run.close()
    env = resumed.env
    assert env.values[env.model.parameters.index("k1")] == 0.25


def test_names_that_clash_are_other_names_here_and_known_there():
    model = read_model(MODELS / "names.xml")
    assert renamed_in(model.source) == {
        "A_2": "A",
        "t_2": "t",
        "Exp_2": "Exp",
        "K_2": "K",
        "if_2": "if",
        "at_2": "at",
    } | {
        "R_2": "R",
        "then_2": "then",
    }


def test_names_never_coincide():
    names = Names()
    given = [names[each] for each in ("a", "A", "a_2", "r.k", "r_k", "1x", "µ", "exp")]
    assert len({each.lower() for each in given}) == len(given)
    assert given[0] == "a"


@pytest.mark.parametrize("text", ["\N{BYTE ORDER MARK}<sbml ", "<?xml?><!-- a --><s:sbml x", "<sbml>"])
def test_sbml_is_told_by_its_content(text):
    assert is_sbml(text.encode())
    assert is_sbml(text.encode("utf-16"))
    assert not is_sbml(b"x'=-x")


def generated(n_species, n_reactions, chance):
    """Reactions between species that are chosen at random, most of them between two neighbours."""
    species = "".join(
        f'<species id="S{k}" compartment="c" initialConcentration="{chance.random():.3f}" boundaryCondition="false"'
        ' hasOnlySubstanceUnits="false" constant="false"/>'
        for k in range(n_species)
    )
    reactions = []
    for k in range(n_reactions):
        a = k % n_species
        b, c = (a + 1) % n_species, (a + chance.randrange(2, 20)) % n_species
        used = "".join(f'<speciesReference species="S{j}" stoichiometry="1" constant="true"/>' for j in (a, c))
        made = f'<speciesReference species="S{b}" stoichiometry="1" constant="true"/>'
        law = f"<apply><times/><ci>c</ci><ci>k{k}</ci><ci>S{a}</ci><ci>S{c}</ci></apply>"
        reactions.append(
            f'<reaction id="R{k}" reversible="false"><listOfReactants>{used}</listOfReactants><listOfProducts>{made}'
            f"</listOfProducts><kineticLaw>{MATH}{law}</math></kineticLaw></reaction>"
        )
    parameters = "".join(f'<parameter id="k{k}" value="{chance.random():.3f}"/>' for k in range(n_reactions))
    return f"""<sbml xmlns="http://www.sbml.org/sbml/level3/version2/core" level="3" version="2"><model id="large">
<listOfCompartments><compartment id="c" size="1" constant="true"/></listOfCompartments>
<listOfSpecies>{species}</listOfSpecies><listOfParameters>{parameters}</listOfParameters>
<listOfReactions>{"".join(reactions)}</listOfReactions></model></sbml>"""


def test_a_large_model_is_loaded_and_simulated_by_the_sparse_path(tmp_path):
    """500 species and 827 reactions: what takes two species and makes one loses one each time."""
    path = tmp_path / "large.xml"
    path.write_text(generated(500, 827, random.Random(8)))
    model = read_model(path)
    assert (len(model.states), len(model.parameters)) == (500, 827)
    run = Simulator(model, [0.0, 0.1, 1.0], active=[])()
    assert run.status
    assert (np.diff(run.y.sum(axis=1)) < 0.0).all()
    assert (run.y >= -1e-6).all()


@pytest.mark.parametrize(
    ("text", "message"),
    [("a: 1\n", "is no PEtab problem"), ("hello: [\n", "is not YAML"), ("x'=-x\n", "is no PEtab problem")],
)
def test_what_is_called_a_problem_is_read_as_one(tmp_path, text, message):
    """Not as a model, whose reader would wonder about its brackets."""
    (tmp_path / "bad.yaml").write_text(text)
    with pytest.raises(DataError, match=message):
        parfit.load(tmp_path / "bad.yaml")
