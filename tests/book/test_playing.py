"""Playing sessions: alone, to somebody who types, and in parts."""

import io
from collections import deque

import pytest
from conversation import MODELS

from parfit.book.experiment import chosen, experiments, read_experiment
from parfit.book.figures import PRINTED
from parfit.book.playing import Listener, Reading, play
from parfit.errors import ParfitError
from parfit.interpreter import PROMPT

SCRIPT = f"""\
# 9.9 An experiment
# Somebody, somewhere, page 1.
# Replay with: parfit {MODELS}/enzyme.ode {MODELS}/enzyme.csv -b sessions/x.pft
#
# The first
# words.
SET 1 900.            # a remark
#= p1: 900.

# More words.
INTEG
N
# The integration is done.
#= steps @ "steps": 23
FREEZE p1
TRY SET p9=3
SET p2=.5
#= p2: .5
"""


class Reader:
    """Somebody at a terminal who types prepared lines; an empty one takes what is proposed."""

    def __init__(self, *lines):
        self._lines = deque(lines)
        self.proposed = []
        self.asked = []

    def read(self, prompt, text="", placeholder=""):
        if prompt != PROMPT:
            self.asked.append(text)
        elif placeholder:
            self.proposed.append(placeholder)
        line = self._lines.popleft() if self._lines else ""
        return line or placeholder.partition("  #")[0]


@pytest.fixture
def experiment(tmp_path):
    path = tmp_path / "9.9-x.pft"
    path.write_text(SCRIPT)
    return read_experiment(path)


def played(experiment, folder, reader=None):
    out = io.StringIO()
    result = play(experiment, Listener(out, out), folder, lambda interpreter: reader)
    result.interpreter.run.close()
    return result, out.getvalue()


def test_its_head(experiment):
    assert (experiment.number, experiment.title) == ("9.9", "An experiment")
    assert experiment.source == "Somebody, somewhere, page 1."
    assert [path.rpartition("/")[2] for path in experiment.opened] == ["enzyme.ode", "enzyme.csv"]


def test_it_plays_by_itself(experiment, tmp_path):
    result, said = played(experiment, tmp_path / "run")
    order = ["The first words.", "> SET 1 900.", "p1: published 900., computed 900", "More words.", "> INTEG", "N\n"]
    places = [said.index(part) for part in order]
    assert places == sorted(places)
    assert "The integration is done." in said
    assert [each.agreement for each in result.comparisons if each.figure.label != "steps"] == [PRINTED, PRINTED]
    assert not result.left_early


def test_numbers_behind_answers_are_those_of_the_command(experiment, tmp_path):
    result, _ = played(experiment, tmp_path / "run")
    steps = next(each for each in result.comparisons if each.figure.label == "steps")
    assert steps.computed.isdigit()  # it was found in what INTEG said


def test_what_is_tried_may_fail(experiment, tmp_path):
    result, said = played(experiment, tmp_path / "run")
    assert "9.9-x.pft:16" in said
    assert result.interpreter.env.values[1] == 0.5


def test_somebody_sees_every_command_first(experiment, tmp_path):
    reader = Reader()
    _, said = played(experiment, tmp_path / "run", reader)
    assert reader.proposed == ["SET 1 900.  # a remark", "INTEG", "FREEZE p1", "TRY SET p9=3", "SET p2=.5"]
    assert "> SET 1 900." not in said  # the terminal has shown it


def test_commands_in_between_are_taken_back(experiment, tmp_path):
    reader = Reader("", "set p1=3", "set p2=7", "nonsense", "", "", "", "")
    result, said = played(experiment, tmp_path / "run", reader)
    assert "taken back" in said
    assert "there is no command" in said
    assert result.interpreter.env.values[0] == 900
    assert reader.proposed.count("INTEG") == 4  # again after each of the three, but not after they were taken back
    assert any("UNDO 2" in line for line in result.interpreter.run.entries())


def test_questions_of_typed_commands_are_put_to_who_typed(experiment, tmp_path):
    reader = Reader("integ", "y", "", "")
    played(experiment, tmp_path / "run", reader)
    assert any("JACOBIAN" in text for text in reader.asked)


def test_leaving(experiment, tmp_path):
    result, _ = played(experiment, tmp_path / "run", Reader("", "QUIT"))
    assert result.left_early
    assert result.interpreter.env.values[0] == 900


def test_a_command_that_fails_unexpectedly_is_an_error(experiment, tmp_path):
    broken = SCRIPT.replace("TRY SET p9=3", "SET p9=3")
    path = tmp_path / "9.9-y.pft"
    path.write_text(broken)
    with pytest.raises(ParfitError, match=r"9\.9-y\.pft:16: the session stopped here"):
        played(read_experiment(path), tmp_path / "run")


def test_a_session_without_the_way_to_play_it(tmp_path):
    path = tmp_path / "x.pft"
    path.write_text("# 9.9 Title\nINTEG N\n")
    with pytest.raises(ParfitError, match="Replay with"):
        read_experiment(path)


def test_other_scripts_are_no_experiments(tmp_path):
    path = tmp_path / "x.pft"
    path.write_text("INTEG N\n")
    assert read_experiment(path) is None


def test_the_order_of_the_book():
    numbers = [each.number for each in experiments()]
    assert numbers.index("1.3") < numbers.index("4.3") < numbers.index("6.5") < numbers.index("peide-1")
    assert numbers.index("peide-6") < numbers.index("odeparest-1")


def test_experiments_by_section_name_and_chapter():
    assert {each.number for each in chosen(["4.3"])} == {"4.3"}
    assert [each.name for each in chosen(["4.3-first"])] == ["4.3-first"]
    assert {each.number for each in chosen(["4"])} == {"4.2", "4.3", "4.4", "4.5"}
    assert len(chosen(["peide"])) >= 6
    with pytest.raises(ParfitError, match=r"no experiment '4\.33'; it has 1\.3, "):
        chosen(["4.33"])


def test_the_place_of_a_line(experiment, tmp_path):
    console = Listener(io.StringIO(), io.StringIO())
    reading = Reading(experiment, None, console, None)
    assert reading.read(PROMPT) == "SET 1 900."
    assert reading.place.endswith("9.9-x.pft:7")


def test_numbers_among_the_answers_of_a_command_are_not_passed_over(tmp_path):
    path = tmp_path / "9.9-z.pft"
    path.write_text(SCRIPT.replace("INTEG\nN\n", "INTEG\n#= p1: 900.\nN\n"))
    with pytest.raises(ParfitError, match="1 of 4 lines of published numbers stand among the answers"):
        played(read_experiment(path), tmp_path / "run")
