"""Playing sessions: alone, to somebody who types, and in parts."""

import io
from collections import deque

import pytest
from conversation import MODELS

from parfit.book.comparing import PRINTED
from parfit.book.experiment import chosen, experiments, read_experiment
from parfit.book.playing import played
from parfit.book.reading import Reading, Recorder
from parfit.errors import ParfitError
from parfit.session.interpreter import PROMPT

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


def played_out(experiment, folder, reader=None):
    """What was played, and what was shown."""
    out = io.StringIO()
    find = None if reader is None else lambda interpreter: reader
    with played(experiment, Recorder(out, out), folder, find) as result:
        return result, out.getvalue()


def test_its_head(experiment):
    assert (experiment.number, experiment.title) == ("9.9", "An experiment")
    assert experiment.source == "Somebody, somewhere, page 1."
    assert [path.rpartition("/")[2] for path in experiment.opened] == ["enzyme.ode", "enzyme.csv"]


def test_it_plays_by_itself(experiment, tmp_path):
    result, said = played_out(experiment, tmp_path / "run")
    order = ["The first words.", "> SET 1 900.", "p1: published 900., computed 900", "More words.", "> INTEG", "N\n"]
    places = [said.index(part) for part in order]
    assert places == sorted(places)
    assert "The integration is done." in said
    assert [each.agreement for each in result.comparisons if each.figure.label != "steps"] == [PRINTED, PRINTED]
    assert not result.left_early


def test_numbers_behind_answers_are_those_of_the_command(experiment, tmp_path):
    result, _ = played_out(experiment, tmp_path / "run")
    steps = next(each for each in result.comparisons if each.figure.label == "steps")
    assert steps.computed.isdigit()  # it was found in what INTEG said


def test_what_is_tried_may_fail(experiment, tmp_path):
    result, said = played_out(experiment, tmp_path / "run")
    assert "9.9-x.pft:16" in said
    assert result.interpreter.env.values[1] == 0.5


def test_prose_and_numbers_behind_what_failed_are_not_passed_over(tmp_path):
    path = tmp_path / "9.9-t.pft"
    head = SCRIPT.partition("# The first")[0]
    path.write_text(f"{head}TRY SET p9=3\n#= p1: 1000.\n\n# There is no p9.\n\n# And no other.\n\nSET p2=.5\n")
    result, said = played_out(read_experiment(path), tmp_path / "run")
    assert said.index("> TRY") < said.index("There is no p9.") < said.index("And no other.") < said.index("> SET p2")
    assert [each.agreement for each in result.comparisons] == [PRINTED]


def test_somebody_sees_every_command_first(experiment, tmp_path):
    reader = Reader()
    _, said = played_out(experiment, tmp_path / "run", reader)
    assert reader.proposed == ["SET 1 900.  # a remark", "INTEG", "FREEZE p1", "TRY SET p9=3", "SET p2=.5"]
    assert "> SET 1 900." not in said  # the terminal has shown it


def test_commands_in_between_are_taken_back(experiment, tmp_path):
    reader = Reader("", "set p1=3", "set p2=7", "nonsense", "", "", "", "")
    result, said = played_out(experiment, tmp_path / "run", reader)
    assert "taken back" in said
    assert "there is no command" in said
    assert result.interpreter.env.values[0] == 900
    assert reader.proposed.count("INTEG") == 4  # again after each of the three, but not after they were taken back
    assert any("UNDO 2" in line for line in result.interpreter.run.entries())
    assert "> INTEG" in said  # shown again, behind what was taken back


def test_what_was_undone_and_changed_is_done_again(experiment, tmp_path):
    """Somebody goes back into the session and takes another way; the journal tells how it came home."""
    reader = Reader("", "", "", "undo 2", "set p3=7", "set p2=8", "")
    result, _ = played_out(experiment, tmp_path / "run", reader)
    env = result.interpreter.env
    assert env.parameters.frozen == frozenset({0}) or env.parameters.frozen
    assert env.values.tolist() == [900, 0.5, env.first_values[2]]
    entries = result.interpreter.run.entries()
    again = next(k for k, line in enumerate(entries) if line == "UNDO 2" and "SET p2 8" in entries[k - 1])
    assert [line.split()[0] for line in entries[again + 1 : again + 3]] == ["INTEG", "FREEZE"]


def test_what_was_only_undone_is_redone(experiment, tmp_path):
    result, said = played_out(experiment, tmp_path / "run", Reader("", "", "undo", ""))
    assert "> REDO 1" in said
    assert result.interpreter.env.integration is not None


@pytest.mark.parametrize("line", ["set 1 900.", "SET  1   900."])
def test_the_proposed_command_typed_by_hand_is_the_same(experiment, tmp_path, line):
    reader = Reader(line)
    played_out(experiment, tmp_path / "run", reader)
    assert reader.proposed.count("SET 1 900.  # a remark") == 1


def test_mistakes_of_who_types_have_no_place_in_the_session(experiment, tmp_path):
    _, said = played_out(experiment, tmp_path / "run", Reader("SETT p1=3"))
    line = next(line for line in said.splitlines() if "SETT" in line)
    assert ".pft" not in line


def test_a_session_goes_on_with_somebody_after_a_command_failed(tmp_path):
    path = tmp_path / "9.9-y.pft"
    path.write_text(SCRIPT.replace("TRY SET p9=3", "SET p9=3"))
    result, _ = played_out(read_experiment(path), tmp_path / "run", Reader())
    assert not result.left_early


def test_questions_of_typed_commands_are_put_to_who_typed(experiment, tmp_path):
    reader = Reader("integ", "y", "", "")
    played_out(experiment, tmp_path / "run", reader)
    assert any("JACOBIAN" in text for text in reader.asked)


@pytest.mark.parametrize("word", ["QUIT", "quit", "qui", "quit 0"])
def test_leaving(experiment, tmp_path, word):
    result, _ = played_out(experiment, tmp_path / "run", Reader("", word))
    assert result.left_early
    assert result.interpreter.env.values[0] == 900


def test_a_command_that_fails_unexpectedly_is_an_error(experiment, tmp_path):
    broken = SCRIPT.replace("TRY SET p9=3", "SET p9=3")
    path = tmp_path / "9.9-y.pft"
    path.write_text(broken)
    with pytest.raises(ParfitError, match=r"9\.9-y\.pft:16: the session stopped here"):
        played_out(read_experiment(path), tmp_path / "run")


def test_a_session_without_the_way_to_play_it(tmp_path):
    path = tmp_path / "x.pft"
    path.write_text("# 9.9 Title\nINTEG N\n")
    with pytest.raises(ParfitError, match="Replay with"):
        read_experiment(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("INTEG N\n", "x.pft:1: a session begins with a line like"),
        ("# abc-1 Title\n# Replay with: parfit m.ode -b s.pft\n", "x.pft:1: a session begins with a line like"),
        ("# 9.9 Title\n# Replay with: parfit m.ode\n", "Replay with"),
        (SCRIPT.replace("#= p1: 900.", "# = p1: 900."), "x.pft:8: published numbers stand in lines that begin"),
        (SCRIPT.replace("#= p1: 900.", " #= p1: 900."), "x.pft:8: published numbers stand in lines that begin"),
        (SCRIPT.replace("#= p1: 900.", "#= p1: x"), "x.pft:8: .* is no line of published numbers"),
    ],
)
def test_a_session_that_cannot_be_read_says_why(tmp_path, text, message):
    path = tmp_path / "x.pft"
    path.write_text(text)
    with pytest.raises(ParfitError, match=message):
        read_experiment(path)


def test_the_order_of_the_book():
    numbers = [each.number for each in experiments()]
    assert numbers.index("1.3") < numbers.index("4.3") < numbers.index("6.5") < numbers.index("peide-1")
    assert numbers.index("peide-6") < numbers.index("odeparest-1")


def test_experiments_by_section_name_and_chapter():
    assert {each.number for each in chosen(["4.3"])} == {"4.3"}
    assert [each.name for each in chosen(["4.3-first", "4.3-FIRST"])] == ["4.3-first"]
    assert chosen(["PEIDE"]) == chosen(["peide-"]) == chosen(["peide"])
    assert {each.number for each in chosen(["4"])} == {"4.2", "4.3", "4.4", "4.5"}
    assert len(chosen(["peide"])) >= 6
    with pytest.raises(ParfitError, match=r"no experiment '4\.33'; it has 1\.3, "):
        chosen(["4.33"])


def test_the_place_of_a_line(experiment, tmp_path):
    console = Recorder(io.StringIO(), io.StringIO())
    reading = Reading(experiment, None, console, None)
    assert reading.read(PROMPT) == "SET 1 900."
    assert reading.place.endswith("9.9-x.pft:7")


def test_numbers_among_the_answers_of_a_command_are_not_passed_over(tmp_path):
    path = tmp_path / "9.9-z.pft"
    path.write_text(SCRIPT.replace("INTEG\nN\n", "INTEG\n#= p1: 900.\nN\n"))
    with pytest.raises(ParfitError, match="1 of 4 lines of published numbers stand among the answers"):
        played_out(read_experiment(path), tmp_path / "run")


@pytest.mark.parametrize("reader", [None, Reader()])
def test_a_view_is_shown_to_who_reads(tmp_path, reader):
    """NUDGE in a session fills the screen of somebody who looks on, and is passed over where nobody does."""
    path = tmp_path / "9.9-x.pft"
    path.write_text(SCRIPT.split("\n\n")[0] + "\nTRY NUDGE p2\nSET p2=.5\n")
    shown = []

    def show(view):
        shown.append(view.name)
        return view.press("escape")

    out = io.StringIO()
    console = Recorder(out, out)
    console.show_view = show
    find = None if reader is None else lambda interpreter: reader
    with played(read_experiment(path), console, tmp_path / "run", find) as result:
        assert result.interpreter.env.values[1] == 0.5
    assert shown == ([] if reader is None else ["p2"])
    assert ("needs a terminal" in out.getvalue()) == (reader is None)
    assert ("9.9-x.pft:" in out.getvalue()) == (reader is None), "who leaves it is told of no line of the session"
