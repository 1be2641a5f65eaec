"""Questions and answers: from one line, from cards, and from somebody at a terminal."""

import pytest
from conversation import SCRIPT, Session, Typist, model_of

from parfit.commands.table import Table, command
from parfit.errors import Abandoned, CommandError
from parfit.session import questions
from parfit.session.answering import MORE
from parfit.session.interpreter import PROMPT
from parfit.session.questions import Item, Question
from parfit.session.sources import Commands, Script

COLOUR = Question("colour", "ENTER A COLOUR", "One of three.", (Item(1, "RED", "RED"), Item(2, "BLUE", "BLUE")))
SIZE = Question("size", "ENTER THE SIZE", "A number; it measures the thing from one end to the other, in metres.")
PARTS = Question("parts", "ENTER LIST OF PARTS (0 TO END)", "Names or subscripts.")
COUNT = Question("count", "HOW MANY", "A whole number.")
SURE = Question("sure", "ARE YOU SURE? Y OR N", "Y or N.")
NAMES = ("alpha", "beta", "gamma", "delta")


@pytest.fixture
def paint():
    """A command that asks for a choice, a number with a default, a list with a pair, a list with a default, Y or N."""
    seen = []

    @command("PAINT", "session", (COLOUR, SIZE, PARTS, COUNT, SURE), ("PAINT RED",))
    def work(env, ask):
        """Paint."""
        colour = ask.choice(COLOUR)
        size = ask.number(SIZE, default=2.5, check=questions.positive)
        pairs = ask.many(PARTS, questions.name(NAMES, "part"), lambda part: [(COUNT, questions.whole(1, 9))])
        others = ask.names(PARTS, NAMES, "part", default=("beta", "gamma"))
        sure = ask.yes(SURE, default=False)
        seen.append((colour.word, size, pairs, others, sure))
        return env.with_echo(False)

    @command("NEXT", "session", (), ("NEXT",))
    def following(env, ask):
        """Follow."""
        seen.append("next")
        return env

    session = Session(model_of("predator-prey"), None, table=Table((work, following)))
    session.seen = seen
    return session


RED = ("RED", 1.5, [("alpha", 3), ("beta", 4)], ["delta"], True)


def entry(session):
    """How the last command would be written down."""
    return session.env.origin


# ---- where answers come from


@pytest.mark.parametrize(
    "lines",
    [
        ["PAINT RED 1.5 alpha 3 beta 4 0 delta 0 Y"],
        ["paint 1 1.5 1 3 2 4 0 4 0 yes"],
        ["pa red, 1.5, alpha=3, BETA = 4, 0, delta 0 y"],
        ["PAINT", "RED", "1.5", "alpha", "3", "beta", "4", "0", "delta", "0", "Y"],
        ["PAINT", "RED 1.5", "alpha 3 beta 4 0 delta 0 Y"],
        ["PAINT", "RED", "1.5", "alpha 3", "beta 4", "", "delta", "", "Y"],
        ["PAINT  # with a remark", "  RED # of one", "1.5\talpha  3", "# nothing", "beta 4 0", "4 0 Y"],
    ],
    ids=["line", "numbers", "signs", "cards", "few cards", "empty ends", "comments"],
)
def test_one_line_and_cards_are_the_same(paint, lines):
    paint(*lines)
    assert paint.seen == [RED]
    assert entry(paint) == "PAINT RED 1.5 alpha 3 beta 4 0 delta 0 Y"


def test_question_by_question_at_a_terminal(paint):
    typist = paint.typed("PAINT", "2", "4", "gamma 7", "0", "alpha", "delta", "0", "y")
    assert paint.seen == [("BLUE", 4.0, [("gamma", 7)], ["alpha", "delta"], True)]
    assert typist.questions == [
        "ENTER A COLOUR",
        "ENTER THE SIZE",
        "ENTER LIST OF PARTS (0 TO END)",
        "ENTER LIST OF PARTS (0 TO END)",
        "ARE YOU SURE? Y OR N",
    ]
    assert typist.prompts == [": ", "[2.5]: ", ": ", MORE, "[beta gamma]: ", MORE, MORE, "[N]: "]
    menu = typist.asked[1][1]
    assert [line.rstrip("-0123456789") for line in menu.split("\n")] == ["ENTER A COLOUR", "RED", "BLUE"]
    assert [line[-1] for line in menu.split("\n")[1:]] == ["1", "2"]


def test_defaults_are_taken_by_an_empty_answer(paint):
    paint.typed("PAINT", "RED", "", "1 1", "", "", "")
    assert paint.seen == [("RED", 2.5, [("alpha", 1)], ["beta", "gamma"], False)]
    assert "size" not in paint.output, "who pressed RETURN has seen what it stands for"


def test_defaults_of_a_line_are_said(paint):
    said = paint("PAINT RED 3 beta 2")
    assert paint.seen == [("RED", 3.0, [("beta", 2)], ["beta", "gamma"], False)]
    assert "(parts beta gamma; sure N)" in said
    assert "size" not in said, "it was given"


def test_a_line_that_gives_all_takes_no_default(paint):
    assert "(" not in paint("PAINT RED 1.5 alpha 3 0 delta 0 Y")


def test_the_rest_is_asked_for_where_there_is_no_default(paint):
    typist = paint.typed("PAINT RED 3", "alpha 3 0")
    assert typist.prompts == [": "]
    assert typist.questions == ["ENTER LIST OF PARTS (0 TO END)"]
    assert paint.seen == [("RED", 3.0, [("alpha", 3)], ["beta", "gamma"], False)]


def test_a_list_on_the_line_may_be_completed_below(paint):
    """A value that the line leaves open is asked for, and the list goes on there."""
    paint("PAINT RED 3 alpha", "5 beta 6 0")
    assert paint.seen[0][2] == [("alpha", 5), ("beta", 6)]


def test_a_name_counts_once(paint):
    paint("PAINT RED 1 alpha 1 0 beta 2 BETA alpha 0 N")
    assert paint.seen[0][3] == ["beta", "alpha"]


# ---- wrong answers


def test_at_a_terminal_a_wrong_answer_is_asked_for_again(paint):
    typist = paint.typed(
        "PAINT", "GREEN", "", "1", "-3", "much", "2", "zeta", "alpha ten", "10", "3", "0", "omega", "", "maybe", "n"
    )
    assert paint.seen == [("RED", 2.0, [("alpha", 3)], ["beta", "gamma"], False)]
    wrong = paint.errors.strip().split("\n")
    assert len(wrong) == 9
    assert "'GREEN' is not on the menu; enter 1 or RED, 2 or BLUE" in wrong[0]
    assert "an answer is needed here (colour)" in wrong[1]
    assert "'-3' is not greater than 0" in wrong[2]
    assert "'much' is not a number" in wrong[3]
    assert "'zeta' is no part; did you mean beta?" in wrong[4]
    assert "'ten' will not do here; enter a whole number from 1 to 9" in wrong[5]
    assert "'10' will not do here" in wrong[6]
    assert "'omega' is no part" in wrong[7]
    assert "'maybe' is not an answer here; enter Y or N" in wrong[8]
    assert typist.n_left == 0


def test_a_wrong_word_on_the_line_fails_the_command(paint):
    for line in (
        "PAINT GREEN",
        "PAINT RED -3",
        "PAINT RED 3 zeta 1",
        "PAINT RED 3 alpha 10",
        "PAINT RED 1 alpha 1 0 x",
    ):
        typist = Typist([line, "1"])
        env = paint.env
        paint.obey(typist)
        assert paint.env is env
        assert typist.prompts == [], "nothing is asked after a wrong line"
    assert paint.seen == []


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        (["PAINT", "GREEN"], "'GREEN' is not on the menu"),
        (["PAINT", "RED", "-3"], "'-3' is not greater than 0"),
        (["PAINT", "RED", "1", "alpha 3 zeta 1 0"], "'zeta' is no part"),
        (["PAINT", "RED", "1", "alpha 3", "0", "zeta"], "'zeta' is no part"),
        (["PAINT", "RED", "1", "alpha 3.5 0"], "'3.5' will not do here"),
        (["PAINT", "RED", "1", ""], "an answer is needed here (parts)"),
        (["PAINT", "RED", "1", "alpha", ""], "an answer is needed here (count)"),
        (["PAINT", "RED", "1", "alpha"], "the input ends where an answer is needed: HOW MANY"),
        (["PAINT"], "the input ends where an answer is needed: ENTER A COLOUR"),
    ],
)
def test_in_a_script_a_wrong_answer_fails_the_command_with_its_place(paint, cards, message):
    told = paint.failing(Script(["# a remark", *cards], SCRIPT))
    assert message in told
    assert told.startswith(f"{SCRIPT}:{1 + len(cards)}: "), "the line of the answer, not of the command"
    assert told.split("\n")[-2].strip() == cards[-1], "the line is shown below"
    assert paint.seen == []


@pytest.mark.parametrize(
    "cards", [["PAINT RED 1 alpha 3 0 beta 0 Y and more"], ["PAINT", "RED 1", "alpha 3 0 beta 0 Y and more"]]
)
def test_words_left_over_fail_the_command(paint, cards):
    assert "'and more' is more than the command can use" in paint.failing(Script(cards, SCRIPT))


def test_a_script_stops_at_the_first_failure_and_goes_on_when_told_to(paint):
    cards = ["PAINT", "GREEN", "3", "NEXT"]
    paint.failing(Script(cards, SCRIPT))
    assert paint.seen == []
    going = Session(model_of("predator-prey"), None, table=paint.interpreter.table, keep_going=True)
    code, _, warned = going.obey(Script(cards, SCRIPT))
    assert code == 1, "but the failure is not forgotten"
    assert paint.seen == ["next"], "the cards of the failed command are passed over"
    assert "test.pft:3: this line is taken for answers to the command that failed, and left out\n    3" in warned
    assert warned.count("\n") == 4


# ---- help, abandoning, the end


def test_a_question_mark_explains_and_asks_again(paint):
    typist = paint.typed("PAINT", "?", "RED", "?", "1", "?", "1 1", "?", "0", "1 0", "N")
    assert paint.seen == [("RED", 1.0, [("alpha", 1)], ["alpha"], False)]
    assert paint.output.count("One of three.") == 1
    assert paint.output.count("from one end to the other") == 1
    assert paint.output.count("Names or subscripts.") == 2
    assert typist.questions.count("ENTER A COLOUR") == 2
    assert "?" not in entry(paint)


def test_a_question_mark_after_a_command_explains_the_command(paint):
    assert paint("PAINT ?").split("\n")[1] == "PAINT: Paint."
    assert paint.seen == []


@pytest.mark.parametrize("n", range(5))
def test_abandoned_at_any_question_nothing_is_changed(paint, n):
    env, answers = paint.env, ["RED", "1", "alpha 3", "0", "beta 0"]
    paint.typed("PAINT", *answers[:n], Abandoned("abandoned; nothing was changed"), "NEXT")
    assert paint.env is env
    assert paint.seen == ["next"], "the session goes on"
    assert "abandoned; nothing was changed" in paint.errors


def test_interrupted_at_a_question_nothing_is_changed(paint):
    env = paint.env
    paint.typed("PAINT", "RED", KeyboardInterrupt(), "NEXT")
    assert paint.env is env
    assert paint.seen == ["next"]
    assert "interrupted; nothing was changed" in paint.errors


def test_the_end_of_input_takes_defaults_but_no_answers(paint):
    paint("PAINT", "RED", "1", "alpha 3")
    assert paint.seen == [("RED", 1.0, [("alpha", 3)], ["beta", "gamma"], False)]
    assert "the input ends" in paint.failing(Script(["PAINT", "RED", "1"], SCRIPT))


def test_complete_commands_never_take_the_next_line(paint):
    message = paint.failing(Commands(["PAINT RED 3", "alpha 3 0"], PROMPT))
    assert "the input ends where an answer is needed" in message
    paint.commands("PAINT RED 3 alpha 1", "NEXT")
    assert paint.seen == [("RED", 3.0, [("alpha", 1)], ["beta", "gamma"], False), "next"]


# ---- a command where an answer was expected


def test_a_command_in_place_of_an_answer_takes_the_default(paint):
    paint("PAINT", "RED", "1", "alpha 3 0", "NEXT")
    assert paint.seen == [("RED", 1.0, [("alpha", 3)], ["beta", "gamma"], False), "next"]


def test_a_command_in_place_of_an_item_ends_a_list_that_has_some(paint):
    paint("PAINT", "RED", "1", "alpha 3", "NEXT")
    assert paint.seen == [("RED", 1.0, [("alpha", 3)], ["beta", "gamma"], False), "next"]


@pytest.mark.parametrize(
    "cards",
    [
        ["PAINT", "NEXT"],  # no default
        ["PAINT", "RED", "1", "NEXT"],  # a list without items
        ["PAINT", "RED", "1", "alpha", "NEXT"],  # in the middle of a pair
        ["PAINT", "RED", "1 NEXT"],  # not at the beginning of a line
        ["PAINT", "RED", "NEX"],  # not the full name
        ["PAINT RED NEXT"],  # on the command's own line
    ],
)
def test_elsewhere_a_command_is_a_wrong_answer(paint, cards):
    paint.failing(Script(cards, SCRIPT))
    assert paint.seen == []


def test_at_a_terminal_a_command_in_place_of_an_answer_is_asked_again(paint):
    paint.typed("PAINT", "RED", "NEXT", "2", "alpha 1 0", "", "")
    assert paint.seen == [("RED", 2.0, [("alpha", 1)], ["beta", "gamma"], False)]
    assert "NEXT is a command, not an answer" in paint.errors


# ---- readers


@pytest.mark.parametrize(
    ("text", "value"), [("3", 3.0), ("-.5", -0.5), ("1e-4", 1e-4), ("1.5D-3", 1.5e-3), ("6.", 6.0)]
)
def test_numbers_read_back(text, value):
    read = questions.number()
    answer = read(text)
    assert answer.value == value
    assert read(answer.text).value == value


@pytest.mark.parametrize("text", ["", "x", "1e999", "nan", "inf", "1,5", "0x10", "1_000", "9" * 500, "--1"])
def test_what_is_no_number_is_refused(text):
    with pytest.raises(CommandError, match="is not a number"):
        questions.number()(text)


def test_long_and_strange_answers_are_shown_short_and_plain():
    with pytest.raises(CommandError) as refusal:
        questions.number()("\x1b[31m" + "x" * 10_000)
    assert "\x1b" not in str(refusal.value)
    assert len(str(refusal.value)) < 120


@pytest.mark.parametrize("text", ["", "1.0", "x", "0", "10", "1e0"])
def test_whole_numbers_keep_their_limits(text):
    with pytest.raises(CommandError, match="a whole number from 1 to 9"):
        questions.whole(1, 9)(text)


def test_names_go_before_subscripts_and_case_does_not_matter():
    read = questions.name(("b", "A", "c"), "thing")
    assert [read(word).value for word in ("a", "B", "2", "+3")] == ["A", "b", "A", "c"]
    for word in ("0", "4", "-1", "", "d"):
        with pytest.raises(CommandError, match="is no thing"):
            read(word)


def test_many_names_are_not_all_listed():
    with pytest.raises(CommandError) as refusal:
        questions.name([f"k{i}" for i in range(500)], "parameter")("zzz")
    assert len(str(refusal.value)) < 200
    assert str(refusal.value).endswith("...")
    with pytest.raises(CommandError, match="there is no parameter at all"):
        questions.name([], "parameter")("1")


def test_menu_words_may_be_shortened_while_unique():
    menu = (Item(1, "", "STATES"), Item(2, "", "STATISTICS"), Item(3, "", "STATE"))
    read = questions.item(menu)
    assert [read(word).value.number for word in ("1", "states", "stati", "STATE")] == [1, 1, 2, 3]
    with pytest.raises(CommandError, match="could be several; enter 1 or STATES, 2 or STATISTICS, 3 or STATE"):
        read("sta")
    with pytest.raises(CommandError, match="is not on the menu"):
        read("4")


@pytest.mark.parametrize("text", ["a b", "a,b", "a=b", "#a", "", "plain"])
def test_quoted_words_read_back_as_one(paint, text):
    word = questions.quoted(text)
    match = questions.TOKEN.fullmatch(word)
    assert match
    assert next(group for group in match.groups() if group is not None) == text


# ---- what newcomers type


def test_a_command_typed_as_an_answer_is_told_from_a_wrong_one(session):
    session.typed("INTEG", "stats", "blue", Abandoned(""))
    first, second = [line for line in session.errors.split("\n") if "not an answer" in line]
    assert first.endswith("(Ctrl-C leaves INTEG; then type STATS)")
    assert "Ctrl-C" not in second


def test_a_whole_command_typed_as_an_answer_keeps_the_name_of_its_file(session):
    session("FIT MORE")
    session.typed("PROFILE", "plot My.png", Abandoned(""))
    assert "PLOT is a command, not an answer (Ctrl-C leaves PROFILE; then type PLOT My.png)" in (
        session.errors.replace("\n", " ")
    )
    assert "unknown name" not in session.errors


def test_a_decimal_comma_in_a_script_is_refused_with_the_remedy(session):
    said = session.refused("SET p1=1,5")
    assert "'1,5' has a comma; write 1.5 or, for two answers, 1 5" in said


@pytest.mark.parametrize("line", ["SET p1=1,5", "SET p1 1,5 p2 -2,25"])
def test_a_decimal_comma_is_asked_about(session, line):
    typist = session.typed(line, "y", "y")
    assert typist.questions[0] == "IS 1.5 MEANT? Y OR N"
    assert session.env.values[0] == 1.5
    assert session.entries == ["SET p1 1.5 p2 -2.25" if "p2" in line else "SET p1 1.5"]


def test_a_comma_between_two_answers_stays_one(session):
    session.typed("SET 1,5,2,7", "n", "n")
    assert session.env.values[:2].tolist() == [5, 7]
    session("SET 1,3.,2,4.")
    assert session.env.values[:2].tolist() == [3, 4]


def test_how_a_question_is_left_is_said_to_who_sees_it(session):
    seen = []

    class Looking(Typist):
        def read(self, prompt, text=""):
            seen.append(session.interpreter.console.way_out if prompt != PROMPT else "")
            return super().read(prompt, text)

    session.obey(Looking(["INTEG", Abandoned("")]))
    assert seen[1] == "? explains the question, Ctrl-C leaves INTEG"
    assert "Ctrl-C" not in session.output
