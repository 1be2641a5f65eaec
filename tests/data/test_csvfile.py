import math
from pathlib import Path

import numpy as np
import pytest
from handmade import enzyme, outcome_of
from hypothesis import given
from hypothesis import strategies as st

from parfit.data.csvfile import read_csv
from parfit.data.loading import read_data
from parfit.data.observations import make_observations
from parfit.data.tabulating import csv_text
from parfit.errors import DataError
from parfit.model.model import Model
from parfit.model.textfile import write_text

MODEL = enzyme()
NAN = np.nan
MODELS = Path(__file__).parents[2] / "models"


@pytest.fixture
def read(tmp_path):
    """Read a text or bytes as a file for the enzyme model."""

    def read_content(content, model=MODEL):
        path = tmp_path / "file.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_csv(path, model)

    return read_content


def same(a, b):
    """Assert that two sets of observations are equal to the last bit."""
    assert a.names == b.names
    for one, other in zip((a.times, a.values, a.weights), (b.times, b.values, b.weights), strict=True):
        np.testing.assert_array_equal(one, other)
    assert (a.sds is None) == (b.sds is None)
    if a.sds is not None:
        np.testing.assert_array_equal(a.sds, b.sds)


def test_everything_at_once(read):
    observations = read(
        "# measured in May\n\n"
        "Time, Y2 ,y2.SD, total, TOTAL.weight, (who), p.e.  # names in any case\n"
        '2,0.5,.1,1.5,2,"Ann, Bob #1",7\n'
        ",,,,,,\n"
        "1,NA,,-,,?,.\n"
        "2, 0.6, 1D-1, 1.4e0, 0, ,nan   # a replicate\n"
        "0,\N{MINUS SIGN}.25,2E-1,+3.,1,,\n"
    )
    assert observations.names == ("y2", "Total", "P.E.")
    assert observations.times.tolist() == [0, 1, 2, 2]
    np.testing.assert_array_equal(
        observations.values, [[-0.25, 3, NAN], [NAN, NAN, NAN], [0.5, 1.5, 7], [0.6, 1.4, NAN]]
    )
    np.testing.assert_array_equal(observations.weights, [[5, 1, 0], [0, 0, 0], [10, 2, 1], [10, 0, 0]])
    np.testing.assert_array_equal(
        observations.sds, [[0.2, NAN, NAN], [NAN, NAN, NAN], [0.1, NAN, NAN], [0.1, NAN, NAN]]
    )


PLAIN = "t,y1,y2\n0.5,1.25,\n1,2.5,-3\n"


@pytest.mark.parametrize(
    "content",
    [
        PLAIN,
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", "\r"),
        PLAIN.rstrip(),
        PLAIN.replace("\n", ",,\n"),
        PLAIN.replace(",", ";"),
        PLAIN.replace(",", "\t"),
        PLAIN.replace(",", " ,\t"),
        PLAIN.replace(",", ";").replace(".", ","),
        PLAIN.replace(",", "\t").replace(".", ","),
        "t  y1 \t y2\n  0.5 1.25  NA \n1\t2.5\t-3\n",
        '"t","y1","y2"\n"0.5","1.25",""\n"1","2.5","-3"\n',
        '"t";"y1";"y2"\n"0,5";"1,25";\n1;2,5;-3\n',
        "t,y1,y2,(a;b)\n0.5,1.25,,x\n1,2.5,-3,1,\n",
        b"\xef\xbb\xbf" + PLAIN.encode(),
        b"\xef\xbb\xbf# a comment behind the mark\n" + PLAIN.encode(),
        PLAIN.encode("utf-16"),
        b"\xfe\xff" + PLAIN.encode("utf-16-be"),
        ("# gem\u00e4\u00dfigt\n" + PLAIN).encode("latin-1"),
    ],
)
def test_dialects_that_mean_the_same(read, content):
    same(read(content), make_observations([0.5, 1], ("y1", "y2"), [[1.25, NAN], [2.5, -3]]))


@pytest.mark.parametrize(
    ("content", "labels"),
    [
        ("(Subject),t,y1\n7,0.5,2\n7,1,3\n", {}),
        ("(Subject),Time [h],y1 [mg/L]\n7,0.5,2\n7,1,3\n", {"t": "Time [h]", "y1": "y1 [mg/L]"}),
        ("y1,time\n2,0.5\n3,1\n", {}),
        ("Y1 (mg/L),Year\n2,0.5\n3,1\n", {"t": "Year", "y1": "y1 [mg/L]"}),
        ("Time [h]\ty1 [mg, per L]\n0.5\t2\n1\t3\n", {"t": "Time [h]", "y1": "y1 [mg, per L]"}),
        ("(sample no)\tHours\ty1\n7\t0.5\t2\n7\t1\t3\n", {"t": "Hours"}),
        ("Zeit [h]\ty1\n0.5\t2\n1\t3\n", {"t": "Zeit [h]"}),
        ("Zeit nach Gabe\ty1 [mg je L]\n0,5\t2\n1\t3\n", {"t": "Zeit nach Gabe", "y1": "y1 [mg je L]"}),
        ("(sample no);Days;y1 [a];y1 [a].sd\n7;0,5;2;1\n7;1;3;1\n", {"t": "Days", "y1": "y1 [a]"}),
        ("moment,y1\n0.5,2\n1,3\n", {"t": "moment"}),
    ],
)
def test_the_time_is_found_by_its_name_and_units_are_labels(read, content, labels):
    found = read(content)
    assert found.times.tolist() == [0.5, 1.0]
    assert found.values.tolist() == [[2.0], [3.0]]
    assert dict(found.labels) == labels


def test_labels_survive_writing(read, tmp_path):
    found = read("y1 [mg/L],Time [h]\n2,0.5\n3,1\n")
    write_text(tmp_path / "again.csv", csv_text(found))
    again = read((tmp_path / "again.csv").read_text())
    assert again.labels == found.labels
    same(again, found)


@pytest.mark.parametrize(
    ("content", "line", "parts"),
    [
        ("", None, ["no lines with data", "t,y1,y2"]),
        ("# only\n\n  # comments\n", None, ["no lines with data"]),
        ("t,y1\n", None, ["no observation at all"]),
        ("t,y1\n0,NA\n1,\n", None, ["no observation at all"]),
        ("0,1\n1,2\n", 1, ["numbers where the names belong, '0,1'", "t,y1,y2"]),
        ("0,5;1\n1;2\n", 1, ["numbers where the names belong, '0,5;1'"]),
        ('"0","1"\n', 1, ["numbers where the names belong"]),
        ("# t,y1\n0,1\n", 2, ["where the names belong"]),
        ("t\n0\n", 1, ["no column with observations", "t,y1,y2"]),
        (",y1\n0,1\n", 1, ["first column is ''", "t or time"]),
        ("y1,y2\n0,1\n", 1, ["first column is 'y1'", "t or time"]),
        (
            "\n\nt,y1,totl\n0,1,2\n",
            3,
            ["'totl'", "did you mean Total?", "y1, y2, Total, P.E.", "parentheses"],
        ),
        ("t,y1,zzz.sd\n0,1,2\n", 1, ["'zzz.sd'", "has y1, y2"]),
        ("batch,t,y1\n1,0,1\n", 1, ["'batch'", "put its name in parentheses"]),
        ("run,(Time [h]),y1\n1,0,1\n", 1, ["'(Time [h])' is left out", "remove its parentheses"]),
        ("t,time,y1\n1,0,1\n", 1, ["'time'", "another column is the time already"]),
        ("t,y1,,y2\n0,1,,2\n", 1, ["column ''"]),
        ("t,y1,Y1\n0,1,2\n", 1, ["'y1' and 'Y1' are the same", "rows of their own"]),
        ("t,y1,y1.sd,y1.SD\n0,1,2,2\n", 1, ["'y1.sd' and 'y1.SD' are the same"]),
        ("t,y1,y2.sd\n0,1,2\n", 1, ["'y2.sd' needs a column 'y2'"]),
        ("t,y1,y2.weight\n0,1,2\n", 1, ["'y2.weight' needs a column 'y2'"]),
        ("t,y1,y1.sd,y1.weight\n0,1,2,3\n", 1, ["both 'y1.sd' and 'y1.weight'", "keep one"]),
        ("t,y1;y2\n0,1;2\n", 1, ["separated in several ways", "use commas"]),
        ("t,y1,y2\n0,1,2\n\n1,2\n", 4, ["expected 3 fields separated by commas", "found 2"]),
        ("t,y1\n0,5,1,2\n", 2, ["expected 2 fields", "found 4", "decimal comma needs semicolons"]),
        ("t y1\n0,1\n", 2, ["expected 2 fields separated by blanks", "found 1"]),
        ("t,y1\n0,1\n1,2.5x\n", 3, ["'2.5x' in column 'y1' is not a number", "blank"]),
        ("t,y1\n0,1_000\n", 2, ["'1_000'", "not a number"]),
        ("t,y1\n0,\u0661\n", 2, ["not a number"]),
        ('t,y1\n0,"1,5"\n', 2, ["'1,5' in column 'y1' is not a number"]),
        (
            "t;y1\n0;1.5\n1;2,5\n",
            2,
            ["'1.5' in column 'y1' has a decimal point", "line 3 has a decimal comma"],
        ),
        ("t;y1\n0;1,234.5\n1;2,5\n", 2, ["'1,234.5'", "decimal point"]),
        ("t;y1\n0;1,234,567\n1;2,5\n", 2, ["'1,234,567'", "not a number"]),
        ("t,y1\n0,inf\n", 2, ["'inf' in column 'y1' is infinite"]),
        ("t,amt,y1\n0,inf,\n", 2, ["'inf' in column 'amt' is infinite", "if nothing was given"]),
        ("t,y1\n0,-1e999\n", 2, ["'-1e999' in column 'y1' is infinite"]),
        ("t,y1\n-infinity,1\n", 2, ["'-infinity' in column 't' is infinite"]),
        ("t,y1\n0,1\n,2\n", 3, ["time is missing in column 't'"]),
        ("t,y1\nnan,2\n", 2, ["time is missing"]),
        ("t,y1\nnoon,2\n", 2, ["'noon' in column 't' is not a number"]),
        ("t,y1\n0,1\n-0.5,2\n", 3, ["time '-0.5' is before the initial time 0", "@ t0="]),
        ("t,y1,y1.sd\n0,1,0\n", 2, ["'0' in column 'y1.sd'", "greater than 0"]),
        ("t,y1,y1.sd\n0,1,-1\n", 2, ["'-1' in column 'y1.sd'", "greater than 0"]),
        ("t,y1,y1.sd\n0,,-1\n", 2, ["'-1' in column 'y1.sd'", "greater than 0"]),
        ("t,y1,y1.sd\n0,1,1e-320\n", 2, ["'1e-320' in column 'y1.sd' is too small"]),
        ("t,y1,y1.sd\n0,1,\n", 2, ["'y1.sd' is blank beside a value of y1"]),
        ("t,y1,y1.weight\n0,1,-2\n", 2, ["'-2' in column 'y1.weight' is negative"]),
        ("t,y1,y1.weight\n0,1,NA\n", 2, ["'y1.weight' is blank beside a value of y1"]),
        ('t,y1\n0,1\n1,"2\n2,3\n', 3, ["cannot be split", "check the quotes"]),
        ("t,y1\n0," + "1" * 200_000 + "\n", 2, ["cannot be split"]),
        (b"t,y1\n0,\x00\x01\n", None, ["not a text file"]),
        (b"\x89PNG\r\n\x1a\n\x00\x00", None, ["not a text file"]),
        (b"\xff\xfet", None, ["not a text file"]),
    ],
)
def test_wrong_files_are_explained(read, tmp_path, content, line, parts):
    with pytest.raises(DataError) as caught:
        read(content)
    place = f"{tmp_path / 'file.csv'}:" + ("" if line is None else f"{line}:")
    assert (caught.value.line, str(caught.value)[: len(place) + 1]) == (line, place + " ")
    assert [part for part in parts if part not in str(caught.value)] == []
    assert "\n" not in str(caught.value)


def test_times_may_begin_at_the_initial_time_and_not_before(read):
    assert read("t,y1\n0.1,1\n", enzyme(t0=0.1)).times.tolist() == [0.1]
    with pytest.raises(DataError, match=r"file\.csv:2: time '0\.09' is before the initial time 0\.1"):
        read("t,y1\n0.09,1\n", enzyme(t0=0.1))


def test_a_missing_file_a_directory_and_an_impossible_name(tmp_path):
    for path, message in (
        (tmp_path / "none.csv", "no such file"),
        (tmp_path, "is a directory"),
        ("a\0b.csv", "cannot be read"),
        (tmp_path / ("x" * 300), "cannot be read"),
    ):
        with pytest.raises(DataError, match=message):
            read_csv(path, MODEL)


def test_a_file_that_cannot_be_written(tmp_path):
    with pytest.raises(DataError, match="cannot be written"):
        write_text(tmp_path / "no" / "folder.csv", "t,y1")


def test_long_lists_of_names_are_cut_short(read):
    big = Model("big", (), np.empty(0), tuple(f"x{i}" for i in range(300)), (), ())
    with pytest.raises(DataError, match=r"x11, \.\.\. \(300 in all\)"):
        read("t,unheard\n0,1\n", big)


finite = st.floats(allow_nan=False, allow_infinity=False)
times = st.floats(0, allow_infinity=False)


@st.composite
def observation_sets(draw):
    names = draw(st.lists(st.sampled_from(("y1", "y2", "Total", "P.E.")), min_size=1, unique=True))
    n_rows = draw(st.integers(1, 6))

    def table(elements):
        row = st.lists(elements, min_size=len(names), max_size=len(names))
        return draw(st.lists(row, min_size=n_rows, max_size=n_rows))

    values = np.array(table(finite | st.just(NAN)))
    values[0, 0] = draw(finite)
    weighting = draw(st.sampled_from(("none", "sds", "some sds", "weights", "both")))
    sds = np.array(table(st.floats(1e-300, 1e300))) if weighting in ("sds", "some sds", "both") else None
    if weighting == "some sds":
        sds[:, -1] = NAN
    weights = table(st.floats(0, 1e300)) if weighting in ("weights", "both") else None
    return make_observations(
        draw(st.lists(times, min_size=n_rows, max_size=n_rows)), names, values, weights, sds, "drawn"
    )


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    return tmp_path_factory.mktemp("csv") / "file.csv"


@given(observations=observation_sets())
def test_round_trip_is_exact(scratch, observations):
    write_text(scratch, csv_text(observations))
    again = read_csv(scratch, MODEL)
    assert again.names == observations.names
    np.testing.assert_array_equal(again.times, observations.times)
    np.testing.assert_array_equal(again.values, observations.values)
    np.testing.assert_array_equal(again.weights, observations.weights)
    assert np.signbit(again.values).tolist() == np.signbit(observations.values).tolist()


@given(observations=observation_sets())
def test_standard_deviations_that_give_the_weights_survive(scratch, observations):
    plain = make_observations(
        observations.times, observations.names, observations.values, None, observations.sds, "drawn"
    )
    write_text(scratch, csv_text(plain))
    same(read_csv(scratch, MODEL), plain)


def test_only_what_is_not_default_is_written(tmp_path):
    path = tmp_path / "file.csv"
    values = [[1, 2, 3], [NAN, 5, 6]]
    write_text(path, csv_text(make_observations([0, 1], ("y1", "y2", "Total"), values, sds=[NAN, 0.5, NAN])))
    assert path.read_text() == "t,y1,y2,y2.sd,Total\n0.0,1.0,2.0,0.5,3.0\n1.0,,5.0,0.5,6.0\n"
    write_text(path, csv_text(make_observations([0, 1], ("y1", "y2", "Total"), values, weights=[2, 1, 1])))
    assert path.read_text() == "t,y1,y1.weight,y2,Total\n0.0,1.0,2.0,2.0,3.0\n1.0,,,5.0,6.0\n"


fragments = st.sampled_from(
    [
        "t",
        "y1",
        "y2.sd",
        "y1.weight",
        "1",
        "-.5",
        "1e999",
        "nan",
        "(x)",
        ",",
        ";",
        "\t",
        " ",
        "\n",
        "\r\n",
        '"',
        "#",
    ]
)
headed = st.lists(fragments, max_size=30).map(lambda parts: ("t,y1,y2\n" + "".join(parts)).encode())
loose = st.lists(fragments, max_size=30).map(lambda parts: "".join(parts).encode())


@given(content=st.binary(max_size=200) | st.text(max_size=60).map(str.encode) | headed | loose)
def test_any_bytes_give_observations_or_a_data_error(scratch, content):
    scratch.write_bytes(content)
    for read_file in (read_csv, read_data):
        outcome = outcome_of(read_file, scratch, MODEL)
        if isinstance(outcome, DataError):
            assert str(outcome).startswith(f"{scratch}:")
            assert "\n" not in str(outcome)
        else:
            assert outcome.n_observations > 0
            assert outcome.sample_times(MODEL.t0)[0] == MODEL.t0
            assert np.isfinite(outcome.weights).all()


def test_bards_weights_are_those_of_the_thesis():
    """Section 2.4: residuals are weighted by 200, 200, 2000, 20000 and 200000."""
    states = tuple(f"y{i}" for i in range(1, 6))
    bard = read_csv(MODELS / "bard.csv", Model("bard", (), np.empty(0), states, (), ()))
    np.testing.assert_allclose(bard.weights, np.tile([200, 200, 2e3, 2e4, 2e5], (8, 1)), rtol=1e-15)
    assert bard.values[-1].tolist() == [0.917277, 0.907529, 0.0779259, 0.00320025, 0.000361969]


def test_files_as_a_spreadsheet_writes_them(read):
    observations = read("sep=;\nt;y1;y2\n1;#N/A;2,5  # comment\n2;1,5;#DIV/0!\n3;#n/a;0,5\n")
    np.testing.assert_array_equal(observations.times, [1, 2, 3])
    np.testing.assert_array_equal(observations.values, [[NAN, 2.5], [1.5, NAN], [NAN, 0.5]])


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ('t,y1\n0,"1,5"\n', 2, "'1,5' in column 'y1' is not a number; write a decimal point, or separate"),
        ("Experiment 3\n\nt,y1\n0,1\n", 1, "names of the columns stand in line 3; remove what stands above line 3"),
        ("Experiment 3\nt,y1\n0,1\n", 1, "names of the columns stand in line 2; remove line 1"),
        ("t,y1\nh,mM\n0,1\n", 2, "behind the names: t [h],y1 [mM]"),
        ("t;y1\n0;1.000,5\n", 2, "without marks between the thousands: 1000.5"),
        ("t;y1\n0;0,5\n1;-1.234.567,25\n", 3, "without marks between the thousands: -1234567.25"),
        ('t,y1\n0,"1,234.5"\n', 2, "without marks between the thousands: 1234.5"),
        ("t,y1\n0,1\n1,BLQ\n", 3, "which biases the fit"),
        ("t,y1\n0,1\n1,<0.5\n", 3, "which biases the fit"),
    ],
)
def test_what_is_meant_is_said(read, content, line, message):
    with pytest.raises(DataError) as caught:
        read(content)
    assert message in str(caught.value)
    assert f":{line}:" in str(caught.value)


@pytest.mark.parametrize("word", ["inf", "Inf", "+infinity"])
def test_the_end_of_time_is_a_time(tmp_path, word):
    path = tmp_path / "end.csv"
    path.write_text(f"t,x\n{word},2\n1,3\n")
    found = read_csv(path, Model.from_text("x'=-x\ndone"))
    assert found.times.tolist() == [1.0, math.inf]
    assert found.has_rest
    assert found.on_the_way.times.tolist() == [1.0]
    path.write_text(csv_text(found))
    assert read_csv(path, Model.from_text("x'=-x\ndone")).times.tolist() == [1.0, math.inf]
    path.write_text("t,x\n-inf,2\n")
    with pytest.raises(DataError, match="is infinite"):
        read_csv(path, Model.from_text("x'=-x\ndone"))
