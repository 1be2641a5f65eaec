"""What is not supported is refused with its line, its element and its id."""

import pytest

from parfit.errors import ModelError
from parfit.formats.kinds import read_model, sbml_model
from parfit.simulation.simulator import simulate

MATH = '<math xmlns="http://www.w3.org/1998/Math/MathML">'
TWO = f"{MATH}<cn>2</cn></math>"


REACTANT = '<listOfReactants><speciesReference species="A" stoichiometry="1"/></listOfReactants>'


def model(
    parts="", species='compartment="c" initialAmount="1"', attributes="", packages="", law=TWO, reaction="", inside=""
):
    return f"""<sbml xmlns="http://www.sbml.org/sbml/level3/version1/core" level="3" version="1" {packages}>
<model id="m" {attributes}>
<listOfCompartments><compartment id="c" size="1" constant="true"/></listOfCompartments>
<listOfSpecies><species id="A" {species}/></listOfSpecies>
<listOfParameters><parameter id="k" value="1"/></listOfParameters>
{parts}
<listOfReactions><reaction id="r" {reaction}>{inside or REACTANT}
<kineticLaw>{law}</kineticLaw></reaction></listOfReactions>
</model></sbml>"""


def of_event(inside):
    return f'<listOfEvents><event id="e">{inside}</event></listOfEvents>'


TRIGGER = f"<trigger>{MATH}<apply><gt/><ci>A</ci><cn>1</cn></apply></math></trigger>"
ASSIGNMENT = f'<listOfEventAssignments><eventAssignment variable="k">{TWO}</eventAssignment></listOfEventAssignments>'
DELAY = '<csymbol definitionURL="http://www.sbml.org/sbml/symbols/delay">d</csymbol>'
COMP = 'xmlns:comp="http://www.sbml.org/sbml/level3/version1/comp/version1" comp:required="true"'


@pytest.mark.parametrize(
    ("given", "line", "words"),
    [
        ({"parts": f"<listOfRules><algebraicRule>{TWO}</algebraicRule></listOfRules>"}, 6, "<algebraicRule> is not"),
        ({"attributes": 'conversionFactor="k"'}, 2, "<model> `m` has a conversionFactor"),
        ({"species": 'compartment="c" conversionFactor="k"'}, 4, "<species> `A` has a conversionFactor"),
        (
            {"parts": of_event(TRIGGER).replace('id="e"', 'id="e&#10;par x=1"')},
            6,
            "<event> `e par x=1` has an id that is none",
        ),
        ({"species": 'compartment="d"'}, 4, "`A` is in `d`, which is no compartment"),
        ({"reaction": 'fast="true"'}, 7, "<reaction> `r` is fast"),
        (
            {
                "inside": "<listOfReactants><speciesReference species='A'><stoichiometryMath>"
                f"{MATH}<ci>k</ci></math></stoichiometryMath></speciesReference></listOfReactants>"
            },
            7,
            "<stoichiometryMath> of `A` is not supported",
        ),
        ({"parts": of_event(TRIGGER + f"<delay>{TWO}</delay>")}, 6, "<delay> of the event `e` is not supported"),
        ({"parts": of_event(TRIGGER + f"<priority>{TWO}</priority>")}, 6, "<priority> of the event `e`"),
        ({"parts": of_event(f"<trigger>{MATH}<ci>A</ci></math></trigger>" + ASSIGNMENT)}, 6, "trigger of this event"),
        ({"law": f"{MATH}<apply>{DELAY}<ci>A</ci><cn>1</cn></apply></math>"}, 8, "<csymbol> means a delay"),
        ({"law": f"{MATH}<apply><wobble/><ci>A</ci></apply></math>"}, 8, "<wobble> is not supported in a formula"),
        ({"law": f"{MATH}<apply><divide/><ci>A</ci></apply></math>"}, 8, "<divide> has 1 arguments"),
        ({"law": f"{MATH}<ci>B</ci></math>"}, 7, "`B` is used in a formula, but is not defined"),
        ({"law": f"{MATH}<apply><ci>f</ci><cn>1</cn></apply></math>"}, 7, "`f` is called as a function"),
        ({"law": f"{MATH}<cn>1,5</cn></math>"}, 8, "is no number"),
        ({"law": ""}, 7, "<reaction> `r` has no formula"),
        (
            {
                "packages": COMP,
                "parts": '<comp:listOfSubmodels xmlns:comp="http://www.sbml.org/sbml/level3/version1/comp/version1"/>',
            },
            6,
            "<listOfSubmodels> belongs to the package",
        ),
    ],
)
def test_refused(given, line, words):
    with pytest.raises(ModelError) as caught:
        sbml_model(model(**given).encode(), "m.xml")
    assert words in str(caught.value)
    assert str(caught.value).startswith(f"m.xml:{line}: ")


def test_a_function_has_its_arguments_and_what_has_no_line_in_the_file_is_quoted():
    twice = f'<functionDefinition id="f">{MATH}<lambda><bvar><ci>x</ci></bvar><ci>x</ci></lambda></math>'
    given = model(
        f"<listOfFunctionDefinitions>{twice}</functionDefinition></listOfFunctionDefinitions>",
        law=f"{MATH}<apply><ci>f</ci><cn>1</cn><cn>2</cn></apply></math>",
    )
    with pytest.raises(ModelError, match=r"^m\.xml:7: `f` is called with 2 arguments; it has 1$"):
        sbml_model(given.encode(), "m.xml")
    with pytest.raises(ModelError, match=r"^m\.xml: .*, read as `par k=.*`$"):
        sbml_model(model().replace('id="k" value="1"', 'id="k" value="INF"').encode(), "m.xml")


def test_what_has_no_value_is_told():
    remarks = sbml_model(model().replace('id="k" value="1"', 'id="k"').encode(), "m.xml").remarks
    assert remarks == ("without a value in the file, 0 here: k",)


@pytest.mark.parametrize(("level", "version"), [("1", "2"), ("3", "3"), ("", "")])
def test_other_levels(level, version):
    text = model().replace('level="3" version="1" ', f'level="{level}" version="{version}" ')
    with pytest.raises(ModelError, match="expected level 2"):
        sbml_model(text.encode(), "m.xml")


def test_packages_that_are_declared_but_not_used_are_no_reason_to_refuse():
    assert sbml_model(model(packages=COMP).encode(), "m.xml").states == ("A",)


def test_an_event_may_change_how_much_a_reaction_makes():
    """Of A two in each unit of time, and from 2 on six."""
    made = '<listOfProducts><speciesReference id="much" species="A" stoichiometry="1"/></listOfProducts>'
    late = TRIGGER.replace("<ci>A</ci><cn>1</cn>", "<ci>A</ci><cn>5</cn>")
    text = model(of_event(late + ASSIGNMENT.replace('"k"', '"much"').replace("2", "3")), inside=made)
    run = simulate(sbml_model(text.encode(), "m.xml"), [1.0, 2.0, 4.0])
    assert run.column("A") == pytest.approx([3.0, 5.0, 17.0], rel=1e-6)


def test_pieces_that_cover_all_need_no_otherwise():
    pieces = [
        f"<piece><cn>{n}</cn><apply><{sign}/><ci>A</ci><cn>2</cn></apply></piece>"
        for n, sign in ((1, "lt"), (4, "geq"))
    ]
    made = '<listOfProducts><speciesReference species="A" stoichiometry="1"/></listOfProducts>'
    law = f"{MATH}<piecewise>{{}}</piecewise></math>"
    text = model(law=law.format("".join(pieces)), inside=made)
    assert simulate(sbml_model(text.encode(), "m.xml"), [1.0, 3.0]).column("A") == pytest.approx([2.0, 10.0], rel=1e-6)
    with pytest.raises(ModelError, match="<piecewise> is empty"):
        sbml_model(model(law=law.format("")).encode(), "m.xml")


@pytest.mark.parametrize("name", ["k&#10;par x=1", "k 1", "1k", "k=2; done", "κ", ""])
def test_a_name_is_one_word(name):
    text = model().replace('id="k"', f'id="{name}"')
    with pytest.raises(ModelError, match=r"^m\.xml:5: <parameter>.* (has an id that is none|has no `id`)"):
        sbml_model(text.encode(), "m.xml")


def test_circles_are_told():
    start = f'<initialAssignment symbol="{{}}">{MATH}<ci>{{}}</ci></math></initialAssignment>'
    text = model(
        f"<listOfInitialAssignments>{start.format('A', 'k')}{start.format('k', 'A')}</listOfInitialAssignments>"
    )
    with pytest.raises(ModelError, match="initial values depend on each other"):
        sbml_model(text.encode(), "m.xml")


def test_an_ode_file_is_read_as_ever(tmp_path):
    (tmp_path / "m.ode").write_text("x'=-x\nx(0)=1\n")
    assert read_model(tmp_path / "m.ode").states == ("x",)
