"""XML that is broken, hostile or huge is refused with a line, or survived; nothing else happens."""

import random

import pytest

from parfit.errors import ModelError
from parfit.formats.kinds import sbml_model
from parfit.formats.sbml import tree

HEAD = '<sbml xmlns="http://www.sbml.org/sbml/level3/version2/core" level="3" version="2">'
MATH = '<math xmlns="http://www.w3.org/1998/Math/MathML">'
SMALL = f"""<?xml version="1.0"?>
{HEAD}<model id="m">
<listOfParameters><parameter id="k" value=".5" constant="true"/><parameter id="x" value="2" constant="false"/>
</listOfParameters>
<listOfRules><rateRule variable="x">{MATH}<apply><times/><cn>-1</cn><ci>k</ci><ci>x</ci></apply></math></rateRule>
</listOfRules></model></sbml>"""


def read(text):
    return sbml_model(text if isinstance(text, bytes) else text.encode(), "m.xml")


def test_a_small_one_is_read():
    model = read(SMALL)
    assert (model.states, model.parameters) == (("x",), ("k",))


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1", "utf-8-sig"])
def test_encodings(encoding):
    name = "utf-8" if encoding == "utf-8-sig" else encoding
    text = SMALL.replace('version="1.0"', f'version="1.0" encoding="{name}"', 1)
    assert read(text.encode(encoding)).states == ("x",)


BOMB = '<!DOCTYPE a [<!ENTITY b "b"><!ENTITY c "&b;&b;&b;&b;">]>'


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (SMALL.replace(HEAD, BOMB + HEAD), 2, "document type or entities"),
        (SMALL.replace(HEAD, '<!DOCTYPE a SYSTEM "file:///etc/passwd">' + HEAD), 2, "document type"),
        (SMALL.replace("<cn>-1</cn>", "<cn>&b;</cn>"), 5, "not well-formed"),
        (SMALL.replace("</model>", ""), 6, "not well-formed"),
        (SMALL[:-30], 5, "not well-formed"),
        (SMALL.encode() + b"\0\1\2", 6, "not well-formed"),
        (SMALL.replace('encoding="utf-8"', "").replace("?>", ' encoding="klingon"?>'), 1, "not well-formed"),
    ],
)
def test_what_is_no_plain_xml_is_refused_with_its_line(text, line, words):
    with pytest.raises(ModelError, match=words) as caught:
        read(text)
    assert (caught.value.line, caught.value.path) == (line, "m.xml")


@pytest.mark.parametrize("tag", ["apply", "math", "model", "listOfRules", "annotation", "a"])
def test_elements_may_nest_as_deep_as_they_like(tag):
    deep = f"<{tag}>" * 10_000 + f"</{tag}>" * 10_000
    if tag == "annotation":
        assert read(SMALL.replace('<model id="m">', f'<model id="m">{deep}')).states == ("x",)
    else:
        with pytest.raises(ModelError):
            read(SMALL.replace("<cn>-1</cn>", deep))


def nested(levels, operator):
    inner = "<ci>x</ci>"
    for _ in range(levels):
        inner = f"<apply><{operator}/>{inner}<cn>1</cn></apply>"
    return SMALL.replace("<ci>x</ci>", inner)


@pytest.mark.parametrize(
    ("operator", "levels", "expected"),
    [("plus", 10_000, 10_002.0), ("times", 5_000, 2.0), ("power", 1_000, 2.0), ("minus", 700, -698.0)],
)
def test_formulas_may_nest_as_deep_as_they_like(operator, levels, expected):
    from parfit.simulation.simulator import Simulator

    model = read(nested(levels, operator))
    run = Simulator(model, [0.0, 1e-6])()
    assert (run.y[1, 0] - 2.0) / 1e-6 == pytest.approx(-0.5 * expected, rel=1e-2)


def test_more_elements_than_a_model_has(monkeypatch):
    monkeypatch.setattr(tree, "MOST_ELEMENTS", 20)
    with pytest.raises(ModelError, match="more than 20 elements"):
        read(nested(30, "plus"))


def test_whatever_is_changed_in_a_file_nothing_but_a_sentence_comes_of_it():
    """Bytes lost, doubled and changed: a model, or an error with one line."""
    chance = random.Random(20)
    told = []
    for _ in range(300):
        data = bytearray(SMALL.encode())
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(data))
            how = chance.randrange(4)
            if how == 0:
                del data[at : at + chance.randrange(1, 30)]
            elif how == 1:
                data[at:at] = data[at : at + chance.randrange(1, 60)]
            elif how == 2:
                data[at] = chance.randrange(256)
            else:
                data[at:at] = chance.choice(
                    [b"<", b">", b"&lt;", b"</apply>", b"<apply>", b'"', b"]]>", b"<ci>t</ci>"]
                )
        try:
            read(bytes(data))
        except ModelError as error:
            told.append(str(error))
    assert 100 < len(told) < 300
    assert not any("\n" in each for each in told)
