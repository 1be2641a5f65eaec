from pathlib import Path

import numpy as np
import pytest
from conversation import model_of
from handmade import enzyme, outcome_of
from hypothesis import given
from hypothesis import strategies as st

from parfit.data.cards import cards_text, read_cards
from parfit.data.csvfile import read_csv
from parfit.data.loading import read_data, read_problem
from parfit.data.observations import make_observations
from parfit.errors import DataError
from parfit.model.textfile import write_text

MODEL = enzyme()
NAN = np.nan

# Table 3.2.1 of the thesis as a user of 1977 would have punched it, with the guess of section 3.2.
TABLE_3_2_1 = """\
STIFF
0
2 3 2 23 50
.9998 .9997 .9996 .9996 .9996 .9995 .9995 .9995 .9995 .9995 .9993 .9993
.9991 .9989 .9989 .9945 .9895 .9747 .9502 .9260 .9021 .8786 .8553
.1648 .2753 .3493 .3990 .4322 .4545 .4695 .4795 .4862 .4907 .4998 .4998
.4998 .4997 .4997 .4986 .4974 .4936 .4872 .4808 .4743 .4677 .4610
2E-4 4E-4 6E-4 8E-4 1D-3 1.2D-3 1.4D-3 1.6D-3 1.8D-3 2.0D-3
.02 .04 .06 .08 .1 1 2 5 10 15 20 25 30
1 2
50 5 .5
"""
SMALL = "NAME\n0\n2 3 1 2 3\n.5 .25E+02\n1 2\n2\n50, 5, -.5\n"
MODELS = Path(__file__).parents[2] / "models"


@pytest.fixture
def punch(tmp_path):
    """Write a text into a card file."""

    def write(text):
        path = tmp_path / "file.dat"
        path.write_text(text)
        return path

    return write


def test_the_stiff_problem_agrees_with_its_csv_file(punch):
    path = punch(TABLE_3_2_1)
    cards = read_cards(path)
    assert (cards.model_name, cards.t0, cards.max_samples) == ("STIFF", 0, 50)
    assert (cards.n_states, cards.n_params, cards.n_observed, cards.n_times) == (2, 3, 2, 23)
    assert cards.observed == (0, 1)
    assert cards.start.tolist() == [50, 5, 0.5]
    assert cards.weights is None
    observations, table = read_data(path, MODEL), read_data(MODELS / "enzyme.csv", MODEL)
    assert observations.names == table.names == ("y1", "y2")
    assert observations.n_observations == 46
    np.testing.assert_array_equal(observations.times, table.times)
    np.testing.assert_array_equal(observations.values, table.values)
    np.testing.assert_array_equal(observations.weights, np.ones((23, 2)))


def test_numbers_run_on_over_cards_and_weights_begin_a_new_one(punch):
    text = "name\n-1.\n\n3 1 2 2 9\n1 2 3\n4 .5 1 3 1 7\n.1,.2,\n.3 4D-1\n"
    cards = read_cards(punch(text))
    assert cards.values.tolist() == [[1, 3], [2, 4]]
    assert cards.times.tolist() == [0.5, 1]
    assert cards.observed == (2, 0)
    assert cards.start.tolist() == [7]
    assert cards.weights.tolist() == [[0.1, 0.3], [0.2, 0.4]]


def test_observations_take_names_and_weights(punch):
    observations = read_cards(punch(SMALL + "3 4\n")).observations(MODEL)
    assert observations.names == ("y2",)
    assert observations.values.tolist() == [[0.5], [25]]
    assert observations.weights.tolist() == [[3], [4]]
    assert observations.source.endswith("file.dat")


@pytest.mark.parametrize(
    ("text", "line", "parts"),
    [
        ("", None, ["fewer than three cards"]),
        ("NAME\n0\n", None, ["fewer than three cards"]),
        ("MY MODEL\n0\n2 3 1 2 3\n", 1, ["name of the model", "without blanks", "'MY MODEL'"]),
        (SMALL.replace("\n0\n", "\nzero\n"), 2, ["initial time alone", "'zero'"]),
        (SMALL.replace("\n0\n", "\n0 1\n"), 2, ["initial time alone", "'0 1'"]),
        (SMALL.replace("\n0\n", "\n1E999\n"), 2, ["initial time alone"]),
        (SMALL.replace("2 3 1 2 3", "2 3 1 2"), 3, ["five integers", "observation times", "'2 3 1 2'"]),
        (SMALL.replace("2 3 1 2 3", "2 3 1 2 3 4"), 3, ["five integers"]),
        (SMALL.replace("2 3 1 2 3", "2 3. 1 2 3"), 3, ["five integers"]),
        (SMALL.replace("2 3 1 2 3", "2 3 1 99999999999 3"), 3, ["five integers"]),
        (SMALL.replace("2 3 1 2 3", "2 3 0 2 3"), 3, ["too small"]),
        (SMALL.replace("2 3 1 2 3", "2 3 1 0 3"), 3, ["too small"]),
        (SMALL.replace("2 3 1 2 3", "2 -3 1 2 3"), 3, ["too small"]),
        (SMALL.replace("2 3 1 2 3", "2 3 3 2 3"), 3, ["3 observed states, but 2 states"]),
        (
            SMALL.replace("2 3 1 2 3", "2 3 1 999999999 3"),
            7,
            ["observation 9 of 999999999", "end of the file"],
        ),
        (SMALL.replace(".25E+02", "?"), 4, ["expected observation 2 of 2", "found '?'", "third card"]),
        (SMALL.replace(".25E+02", "1E999"), 4, ["expected observation 2 of 2", "found '1E999'"]),
        (SMALL.replace("50, 5", "50,, 5"), 7, ["expected starting value of parameter 2 of 3", "found ''"]),
        (SMALL.replace("\n1 2\n", "\n1 x\n"), 5, ["expected observation time 2 of 2", "found 'x'"]),
        (SMALL.replace("\n1 2\n", "\n1 1\n"), 5, ["observation time 2 (1) does not follow 1"]),
        (SMALL.replace("\n1 2\n", "\n-1 2\n"), 5, ["observation time 1 (-1) is before the initial time 0"]),
        (SMALL.replace("\n2\n50", "\n3\n50"), 6, ["subscript 1 of 1 is 3", "from 1 to 2"]),
        (SMALL.replace("\n2\n50", "\n0\n50"), 6, ["subscript 1 of 1 is 0"]),
        (SMALL.replace("\n2\n50", "\n1.5\n50"), 6, ["expected subscript 1 of 1", "found '1.5'"]),
        (TABLE_3_2_1.replace("\n1 2\n", "\n2 2\n"), 10, ["subscript 2 of 2 is 2", "each once"]),
        (TABLE_3_2_1.replace(" .8553", ""), 10, ["observation time 23 (1) does not follow 30", "third card"]),
        (SMALL.replace(", -.5", ""), 7, ["starting value of parameter 3 of 3", "end of the file"]),
        (SMALL.replace("-.5\n", "-.5 1 1\n"), 7, ["found '1'", "weights begin on a new card"]),
        (SMALL + "1\n", 8, ["expected weight 2 of 2", "end of the file"]),
        (SMALL + "1 -1\n", 8, ["weight 2 of 2 is negative"]),
        (SMALL + "1 1\n1\n", 9, ["found '1' after the last weight"]),
    ],
)
def test_wrong_files_are_explained(punch, text, line, parts):
    path = punch(text)
    with pytest.raises(DataError) as caught:
        read_cards(path)
    place = f"{path}:" + ("" if line is None else f"{line}:")
    assert (caught.value.line, str(caught.value)[: len(place) + 1]) == (line, place + " ")
    assert [part for part in parts if part not in str(caught.value)] == []


def test_a_file_for_another_model_is_refused(punch):
    for text, message in (
        (SMALL.replace("2 3 1 2 3", "3 3 1 2 3"), "a model with 3 states, but enzyme has 2"),
        (SMALL.replace("2 3 1 2 3", "2 2 1 2 3").replace(", -.5", ""), "2 parameters, but enzyme has 3"),
        (SMALL.replace("\n0\n", "\n0.5\n"), r"begins at time 0\.5, but enzyme at 0"),
    ):
        with pytest.raises(DataError, match=rf"file\.dat: .*{message}"):
            read_data(punch(text), MODEL)


def test_create_needs_three_cards_only(punch):
    for text in ("CREATE\n0\n2 3 0 0 50\n", "create\n0\n2 3 0 0 50\nanything\n"):
        cards = read_cards(punch(text))
        assert (cards.n_states, cards.n_params, cards.max_samples) == (2, 3, 50)
        assert cards.values.size == cards.times.size == cards.start.size == 0
        with pytest.raises(DataError, match="CREATE; simulate them first"):
            cards.observations(MODEL)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("t y1\n0 1\n1 2\n", 2),
        ("t y1 y2 Total P.E.\n0 1 2 3 4\n1 2 3 4 5\n", 8),
        ("t;y1\n0;1\n", 1),
        ("# STIFF\nt,y1\n0,1\n", 1),
        (SMALL, 2),
        ("\n\n" + SMALL, 2),
    ],
)
def test_the_format_is_recognised_by_content(punch, text, expected):
    assert read_data(punch(text), MODEL).n_observations == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("NAME\n0\n2 3 1 2\n", ":3: expected five integers"),
        ("TWO WORDS\n0\n2 3 1 2 3\n", ":1: expected the name of the model"),
        ("t y1\n0\n1 2\n", ":2: expected 2 fields"),
    ],
)
def test_nearly_right_files_get_the_message_of_their_format(punch, text, message):
    with pytest.raises(DataError, match=message):
        read_data(punch(text), MODEL)


def punched(path, model, observations, max_samples=None):
    """A card file that starts where the model does."""
    write_text(path, cards_text(model, observations, model.values, max_samples))


def test_table_3_2_1_is_written_on_cards_of_80_columns(tmp_path):
    observations = read_csv(MODELS / "enzyme.csv", MODEL)
    path = tmp_path / "out.dat"
    punched(path, MODEL, observations)
    lines = path.read_text().splitlines()
    assert lines[:3] == ["enzyme", "0.0", "2 3 2 23 24"]
    assert lines[-2:] == ["1 2", "50.0 5.0 0.5"]
    assert max(map(len, lines)) <= 80
    np.testing.assert_array_equal(read_data(path, MODEL).values, observations.values)


def test_standard_deviations_become_weights(tmp_path):
    observations = make_observations([0, 1], ("y2", "y1"), [[1, 2], [3, 4]], sds=[0.5, 0.25])
    punched(tmp_path / "out.dat", MODEL, observations, max_samples=7)
    cards = read_cards(tmp_path / "out.dat")
    assert (cards.observed, cards.max_samples) == ((1, 0), 7)
    assert cards.weights.tolist() == [[2, 4], [2, 4]]


@pytest.mark.parametrize(
    ("name", "card"),
    [("two words", "two_words"), ("x" * 40, "x" * 30), ("Create", "MODEL"), ("", "MODEL")],
)
def test_a_model_name_is_made_to_fit(tmp_path, name, card):
    punched(tmp_path / "out.dat", enzyme(name=name), make_observations([0], ("y1",), [[1]]))
    assert read_cards(tmp_path / "out.dat").model_name == card


@pytest.mark.parametrize(
    ("times", "names", "values", "message"),
    [
        ([0, 1], ("Total",), [[1], [2]], "states only, and Total is none"),
        ([0, 1], ("y1", "y2"), [[1, 2], [3, NAN]], "missing values"),
        ([1, 1], ("y1",), [[1], [2]], "several observations at the same time"),
        ([-1, 1], ("y1",), [[1], [2]], "before the initial time"),
        ([], ("y1",), np.empty((0, 1)), "no observations"),
    ],
)
def test_what_cards_cannot_hold_is_refused(tmp_path, times, names, values, message):
    with pytest.raises(DataError, match=message):
        punched(tmp_path / "out.dat", MODEL, make_observations(times, names, values))
    assert not (tmp_path / "out.dat").exists()


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    return tmp_path_factory.mktemp("cards") / "file.dat"


finite = st.floats(allow_nan=False, allow_infinity=False)


@given(data=st.data())
def test_round_trip_is_exact(scratch, data):
    times = data.draw(st.lists(st.floats(0, allow_infinity=False), min_size=1, max_size=8, unique=True))
    names = data.draw(st.sampled_from((("y1",), ("y2",), ("y1", "y2"), ("y2", "y1"))))
    row = st.lists(finite, min_size=len(names), max_size=len(names))
    table = st.lists(row, min_size=len(times), max_size=len(times))
    values = data.draw(table)
    weights = data.draw(st.none() | table.map(np.abs))
    observations = make_observations(times, names, values, weights)
    punched(scratch, MODEL, observations)
    again = read_data(scratch, MODEL)
    assert again.names == names
    np.testing.assert_array_equal(again.times, observations.times)
    np.testing.assert_array_equal(again.values, observations.values)
    np.testing.assert_array_equal(again.weights, observations.weights)


pieces = st.sampled_from(["1", "2", "0", "-1", ".5", "1D3", "9999999999", "x", " ", " ", ",", "\n", "\r\n"])


@given(
    content=st.binary(max_size=100).map(lambda tail: SMALL[:20].encode() + tail)
    | st.lists(pieces, max_size=40).map(lambda parts: ("NAME\n0\n2 3 1 2 3\n" + "".join(parts)).encode())
    | st.lists(pieces, max_size=40).map(lambda parts: ("NAME\n" + "".join(parts)).encode())
)
def test_any_bytes_give_cards_or_a_data_error(scratch, content):
    scratch.write_bytes(content)
    outcome = outcome_of(read_cards, scratch)
    if isinstance(outcome, DataError):
        assert str(outcome).startswith(f"{scratch}:")
    else:
        assert outcome.values.shape == (outcome.n_times, outcome.n_observed)
        assert (np.diff(outcome.times) > 0).all()


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        ("CREATE\n5\n2 3 2 4 12\n", "begins at time 5, but enzyme at 0"),
        ("CREATE\n0\n7 3 2 4 12\n", "is for a model with 7 states, but enzyme has 2"),
        ("CREATE\n0\n2 9 2 4 12\n", "is for a model with 9 parameters, but enzyme has 3"),
    ],
)
def test_cards_for_create_are_checked_like_others(tmp_path, cards, message):
    (tmp_path / "c.dat").write_text(cards)
    with pytest.raises(DataError, match=message):
        read_problem(tmp_path / "c.dat", model_of("enzyme"))


def test_cards_for_create_that_fit_the_model(tmp_path):
    (tmp_path / "c.dat").write_text("CREATE\n0\n2 3 2 4 12\n")
    assert read_problem(tmp_path / "c.dat", model_of("enzyme")) == (None, None)
