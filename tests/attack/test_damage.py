"""Journals that are torn, or in which bytes or lines were changed, lost or moved: noticed, named, nothing guessed."""

import random
import shutil
from io import StringIO
from pathlib import Path

import pytest
from attacked import LONG, known_run
from fingerprints import fingerprint, resumed
from terminals import MODELS, Session, journal_of, parfit

from parfit.errors import ParfitError
from parfit.session.runs.journal import parse
from parfit.session.runs.run import Run

N_RESUMED = 2000 if LONG else 8  # damaged journals that are resumed, too


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    return known_run(tmp_path_factory.mktemp("damage"))


def entries_of(content):
    return [(entry.lines, entry.stamp, entry.inputs) for entry in content.entries]


def whole_entries(data):
    """The entries after each byte of a whole journal, by cutting it after lines with a checksum."""
    found, place = [], 0
    for line in data.splitlines(keepends=True):
        place += len(line)
        if line.startswith(b"#= "):
            found.append((place, entries_of(parse(data[:place])[0])))
    return found


# ---- torn by a crash


def test_a_torn_journal_ends_with_its_last_whole_entry(known):
    """Cut at every byte."""
    data = known.journal
    wholes = whole_entries(data)
    for cut in range(known.sizes[0], len(data)):
        content, _ = parse(data[:cut])
        expected = [entries for place, entries in wholes if place <= cut + 1][-1]  # the last line end may be missing
        assert content.damage == "", data[:cut][-60:]
        assert entries_of(content) == expected, data[:cut][-60:]
    assert len(wholes[-1][1]) == len(known.states) - 1


def test_a_torn_journal_is_resumed_before_its_torn_entry(known):
    data = known.journal
    rng = random.Random(1)
    cuts = range(known.sizes[0], len(data)) if LONG else rng.sample(range(known.sizes[0], len(data)), 12)
    for cut in cuts:
        n_done = sum(size <= cut + 1 for size in known.sizes) - 1
        if (
            b"FIT" in data[known.sizes[n_done] : cut].split(b"\n#= ")[0]
            and b"\n#= " in data[known.sizes[n_done] : cut]
        ):
            continue  # the conversation of FIT 2 is kept as far as it went
        warnings = StringIO()
        again = known.spoiled(data[:cut])
        assert fingerprint(resumed(again, warnings)) == known.states[n_done], data[:cut][-60:]
        assert warnings.getvalue() == ""
        assert parse((again / "journal.pft").read_bytes())[0].is_clean, "and more can be added to it"


def test_an_optimization_by_hand_is_kept_as_far_as_it_went(known):
    data = known.journal
    cut = data.index(b"#+ 1\nQ\n")
    again = known.spoiled(data[:cut])
    first = fingerprint(resumed(again))
    assert journal_of(again)[-4:] == ["FIT INTERACTIVE", "M 1", "M 1", "Q"]
    assert fingerprint(resumed(again)) == first
    assert first == known.states[5]


# ---- damaged


def damaged(data, k):
    """A byte lost, replaced by its neighbour in the table, by a blank, and by a line end."""
    yield data[:k] + data[k + 1 :]
    for byte in {data[k] ^ 1, data[k] ^ 16, 32, 10} - {data[k]}:
        yield data[:k] + bytes([byte]) + data[k + 1 :]


def is_noticed(data, whole):
    """Whether a damaged journal gives the entries before the damage, and says that there is one."""
    content, _ = parse(data)
    if not content.opened:
        return True  # and it is refused
    entries = entries_of(content)
    prefix = entries_of(whole)[: len(entries)]
    if content.damage:
        *_, (lines, *_rest) = [*entries, ((), "", ())]
        return entries == prefix or (entries[:-1] == prefix[:-1] and prefix[-1][0][: len(lines)] == lines)
    return entries == entries_of(whole)


def test_every_byte_that_is_lost_or_replaced_is_noticed(known):
    data = known.journal
    whole, _ = parse(data)
    for k in range(len(data)):
        for spoiled in damaged(data, k):
            assert is_noticed(spoiled, whole), (k, data[max(k - 40, 0) : k], spoiled[k : k + 40])


def test_every_line_that_is_lost_doubled_or_moved_is_noticed(known):
    data = known.journal
    lines = data.splitlines(keepends=True)
    whole, _ = parse(data)
    for k in range(len(lines)):
        without = [*lines[:k], *lines[k + 1 :]]
        if k < len(lines) - 1:  # without its last line a journal is torn
            assert is_noticed(b"".join(without), whole), lines[k]
        assert is_noticed(b"".join([*lines[:k], lines[k], *lines[k:]]), whole), lines[k]
        for place in range(len(lines)):
            moved = [*without[:place], lines[k], *without[place:]]
            if moved != lines and not (k == len(lines) - 1 or place == len(lines) - 1):
                assert is_noticed(b"".join(moved), whole), (lines[k], place)


def test_every_entry_that_is_lost_or_moved_is_noticed(known):
    data = known.journal
    places = [place for place, _ in whole_entries(data)]
    chunks = [data[start:end] for start, end in zip([0, *places[:-1]], places, strict=True)]
    whole, _ = parse(data)
    for k in range(1, len(chunks) - 1):
        assert is_noticed(b"".join([*chunks[:k], *chunks[k + 1 :]]), whole), chunks[k]
        assert is_noticed(b"".join([*chunks[:k], chunks[k + 1], chunks[k], *chunks[k + 2 :]]), whole), chunks[k]


def test_a_damaged_run_is_resumed_up_to_the_damage_which_is_named(known):
    data = known.journal
    rng = random.Random(2)
    for k in rng.sample(range(known.sizes[0], len(data)), N_RESUMED):
        again = known.spoiled(data[:k] + bytes([data[k] ^ 1]) + data[k + 1 :])
        n_done = sum(size <= k for size in known.sizes) - 1
        if b"FIT" in data[known.sizes[n_done] :][:40]:
            continue  # of its conversation something may be left
        warnings = StringIO()
        assert fingerprint(resumed(again, warnings)) == known.states[n_done], k
        told = warnings.getvalue()
        assert f"entry {n_done + 1} (" in told
        assert "journal as it was is in" in told
        assert data[:k] in (again / "journal-before.pft").read_bytes()
        quiet = StringIO()
        assert fingerprint(resumed(again, quiet)) == known.states[n_done]
        assert quiet.getvalue() == "", "the second time there is nothing wrong any more"


@pytest.mark.parametrize("garbage", [b"XYZZY 1 2", b"\x00\xff\xfe\x1b[2J", b"SET m nothing", b"x" * 100_000])
def test_garbage_in_a_journal_is_told(garbage, known):
    again = known.spoiled(known.journal.replace(b"NOTE what was done", garbage))
    warnings = StringIO()
    assert fingerprint(resumed(again, warnings)) == known.states[7]
    assert "\x1b" not in warnings.getvalue()
    assert "entry 8 (" in warnings.getvalue()
    assert "7 commands before it could be played again" in warnings.getvalue()


# ---- what is said, and asked


def test_a_script_does_not_go_on_with_half_a_run(known, tmp_path):
    data = known.journal.replace(b"NOTE what", b"NOTE that")
    again = known.spoiled(data)
    for given in (["-e", "SET m 5"], [], ["-b", "-"]):
        done = parfit(tmp_path, f"--resume={again}", *given, input="SET m 5\n")
        assert done.returncode == 1
        assert "entry 8 (NOTE that was done" in done.stderr
        assert done.stderr.endswith(f"parfit: {again} was not resumed, and is as it was\n")
        assert (again / "journal.pft").read_bytes() == data
        assert not (again / "journal-before.pft").exists()


def test_a_script_may_be_told_to_go_on_and_says_that_something_failed(known, tmp_path):
    again = known.spoiled(known.journal.replace(b"NOTE what", b"NOTE that"))
    done = parfit(tmp_path, f"--resume={again}", "--keep-going", "-e", "SET m 5")
    assert done.returncode == 1
    assert journal_of(again)[-1] == "SET m 5"


@pytest.mark.parametrize("answer", ["n", "y"])
def test_who_is_at_a_terminal_decides(answer, known, tmp_path):
    data = known.journal.replace(b"NOTE what", b"NOTE that")
    again = known.spoiled(data)
    with Session(tmp_path, f"--resume={again}") as session:
        session.wait("GO ON WITH WHAT WAS REACHED")
        session.type(answer + "\r")
        if answer == "n":
            assert session.end() == 1
            assert (again / "journal.pft").read_bytes() == data
            return
        session.wait()
        session.give("SET m 5")
        session.type("QUIT 0\r")
        assert session.end() == 0
    assert journal_of(again)[-1] == "SET m 5"
    assert b"NOTE that" in (again / "journal-before.pft").read_bytes()


@pytest.mark.parametrize("data", [b"", b"\x00" * 5000, b"SET 1 3\n", b"#: \n"])
def test_a_journal_without_its_head_is_refused(data, known, tmp_path):
    again = known.spoiled(data)
    done = parfit(tmp_path, f"--resume={again}", "-e", "SET 1 3")
    assert done.returncode == 1
    assert done.stderr.startswith("parfit: ")
    assert done.stderr.count("\n") == 1
    assert again.is_dir()


def test_a_damaged_head_is_refused_with_what_can_be_done(known, tmp_path):
    again = known.spoiled(known.journal.replace(b"a.ode\n", b"b.ode\n", 1))
    done = parfit(tmp_path, f"--resume={again}")
    assert done.returncode == 1
    assert "damaged at line 1, in its head" in done.stderr
    assert f"-b {again / 'journal.pft'}, with the files in {again / 'inputs'}" in done.stderr


# ---- runs of earlier versions


@pytest.fixture
def old(tmp_path):
    """A run as earlier versions wrote it: no checksums, and copies by number."""
    (tmp_path / "home").mkdir()
    run = tmp_path / "old"
    texts = {
        "1/up/sub/m.ode": "table w ../drive.csv\npar k=1\nx'=-k*x*w\nx(0)=1\n",
        "1/up/drive.csv": "0,1\n10,3\n",
        "2/m.csv": "t,x\n1,.4\n2,.1\n",
        "3/m.csv": "t,x\n1,.3\n2,.1\n",
    }
    for name, text in texts.items():
        (run / "inputs" / name).parent.mkdir(parents=True, exist_ok=True)
        (run / "inputs" / name).write_text(text)
    home = tmp_path / "home" / "sub"
    lines = [
        "# A run of PARFIT: every command that succeeded, and before it the time.",
        f"#: {home}/m.ode",
        f"#: {home}/m.csv",
        "#@ 2026-01-02T03:04:05",
        "NOTE then",
        "#@ 2026-01-02T03:04:06 2",
        "FIT INTERACTIVE",
        "Q",
        "#- a remark",
        "#@ 2026-01-02T03:04:07",
        f"LOAD DATA {home}/m.csv",
        "#@ 2026-01-02T03:04:08",
        "SET k 3",
    ]
    (run / "inputs" / "1" / "up" / "sub" / "m.ode").rename(run / "inputs" / "1" / "up" / "m.ode")
    (run / "inputs" / "1" / "drive.csv").write_text("0,1\n10,3\n")
    (run / "inputs" / "1" / "up" / "drive.csv").unlink()
    (run / "journal.pft").write_text("\n".join(lines) + "\n")
    return run


def test_a_run_without_checksums_is_resumed_from_its_copies_and_gets_them(old):
    warnings = StringIO()
    env = resumed(old, warnings)
    assert warnings.getvalue() == ""
    assert (env.values[0], env.notes[0].time.year) == (3, 2026)
    assert env.observations.values[0, 0] == 0.3
    content, _ = parse((old / "journal.pft").read_bytes())
    assert content.is_checked
    assert len(content.entries) == 5, "with the remark"
    for number in "123":
        shutil.rmtree(old / "inputs" / number)
    assert fingerprint(resumed(old)) == fingerprint(env)


def test_a_torn_run_without_checksums(old):
    data = (old / "journal.pft").read_bytes()
    (old / "journal.pft").write_bytes(data[:-3])
    assert resumed(old).values[0] == 1
    (old / "journal.pft").write_bytes(data + b"#@ 2026-01-02T03:04:09 4\nMODEL TEXT\n| par k=3\n")
    assert resumed(old).values[0] == 3


def test_a_command_that_cannot_be_played_again_is_told(old):
    with open(old / "journal.pft", "a") as journal:
        journal.write("#@ 2026-01-02T03:04:09\nXYZZY\n#@ 2026-01-02T03:04:09\nSET k 4\n")
    warnings = StringIO()
    assert resumed(old, warnings).values[0] == 3
    assert f"{old / 'journal.pft'}:15: there is no command 'XYZZY'" in warnings.getvalue()
    assert b"SET k 4" in (old / "journal-before.pft").read_bytes()


# ---- one at a time, and to the end


def test_a_run_cannot_be_resumed_twice_at_once(known):
    again = known.spoiled(known.journal)
    first = Run.resumed(again, lambda text: None)
    with pytest.raises(ParfitError, match="in use by another parfit"):
        resumed(again)
    first.close()
    assert fingerprint(resumed(again)) == known.states[-1]


def test_ctrl_c_while_a_run_is_played_again_cuts_nothing_off(known, monkeypatch):
    again = known.spoiled(known.journal)
    record = Run.record

    def interrupted(self, entry):
        record(self, entry)
        if entry == "INTEG Y":
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Run, "record", interrupted)
        with pytest.raises(KeyboardInterrupt):
            resumed(again)
    assert (again / "journal.pft").read_bytes() == known.journal
    assert fingerprint(resumed(again)) == known.states[-1]


def test_who_waits_for_a_run_that_is_played_again_sees_how_far_it_is(known, monkeypatch):
    told = []

    class Watched:
        def __init__(self, console, label):
            told.append(label)

        def __enter__(self):
            return told.append

        def __exit__(self, *error):
            pass

    monkeypatch.setattr("parfit.session.opening.working", Watched)
    resumed(known.spoiled(known.journal))
    assert told[0] == "PLAYING THE RUN AGAIN"
    assert told[1:] == pytest.approx([k / 10 for k in range(10)])


def test_a_pipe_in_place_of_a_journal_keeps_nobody_waiting(tmp_path):
    import os

    run = tmp_path / "state" / "parfit" / "runs" / "x"
    run.mkdir(parents=True)
    os.mkfifo(run / "journal.pft")
    assert parfit(tmp_path, "--runs").stdout == ""
    for name in (str(run), "x", ""):
        done = parfit(tmp_path, f"--resume={name}")
        assert done.returncode == 1
        assert "run" in done.stderr
    done = parfit(tmp_path, str(MODELS / "enzyme.ode"), "--run-folder", str(run), "-e", "SET 1 3")
    assert done.returncode == 1
    assert Path(run / "journal.pft").is_fifo()
