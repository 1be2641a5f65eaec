"""What differs between experiments, as values."""

from parfit.model.conditions.design import Condition, Design, Dose, Said, settable
from parfit.model.model import Model

MODEL = Model.from_text("par k=1\nnumber c=2\nGut'=-k*Gut*c\ninit Gut=3\ndone\n")


def test_what_can_be_set():
    assert settable(MODEL) == {"k": "k", "c": "c", "gut(0)": "Gut(0)"}


def test_doses_read_like_the_language():
    assert str(Dose("gut", 50.0, (0.0, 24.0))) == "dose gut=50 at 0, 24"
    assert str(Dose("gut", 50.0, (0.0, 24.0, 48.0, 72.0))) == "dose gut=50 at 0(24)72"
    assert str(Dose("gut", 50.0, (0.0, 24.0, 47.0))) == "dose gut=50 at 0, 24, 47"
    assert str(Dose("gut", 50.0, (0.0,), 2.0)) == "dose gut=50 over 2 at 0"
    assert str(Dose("", 0.0, (3.0,), resets=True)) == "reset at 3"
    assert str(Dose("gut", 1.5, (3.0,), resets=True)) == "reset, dose gut=1.5 at 3"


def test_statements_know_their_lines():
    design = Design((Condition("low"),), (Said(3, "local k"), Said(4, "experiment low: init Gut=1")), "data.csv")
    assert [(item.kind, item.line) for item in design.spoken()] == [("local", 3), ("experiment", 4)]
    assert design.names == ("low",)
