"""LOAD: another model, other data."""

from __future__ import annotations

from pathlib import Path

from parfit.commands.problem.remarks import remarks, summary, tell_lost
from parfit.commands.problem.storing import found
from parfit.commands.table import command
from parfit.data.loading import checked, read_data, read_problem
from parfit.data.stacking import added
from parfit.errors import CommandError, StateError
from parfit.formats.kinds import ENDINGS, is_petab, read_model
from parfit.library import from_library
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.paths import full
from parfit.session.questions import WORD, Answer, Item, Question, item, path, quoted_path, shown
from parfit.session.runs import keepsakes
from parfit.text import report

WHAT = Question(
    "what",
    "WHAT IS TO BE LOADED",
    "MODEL and the name of an .ode file, or DATA and the name of a data file. A name alone is taken by its ending. "
    "ADD: data of further experiments, beside those that there are. "
    "MARKS: what was marked and noted in the last run of this model and data, or in that of which a file is named.",
    (
        Item(1, "MODEL", "MODEL"),
        Item(2, "DATA", "DATA"),
        Item(3, "MARKS AND NOTES OF AN EARLIER RUN", "MARKS"),
        Item(4, "DATA OF FURTHER EXPERIMENTS", "ADD"),
    ),
)
ADD = "ADD"
FILE = Question("file", "NAME OF THE FILE", "Enter the name of the file, in quotes if it has blanks.", names="files")


@command(
    "LOAD",
    "problem",
    (WHAT, FILE),
    (
        "LOAD DATA other.csv",
        "LOAD other.csv",
        "LOAD other.ode other.csv",
        "LOAD ADD second.csv",
        "LOAD MARKS",
    ),
)
def load(env: Environment, ask: Dialogue) -> Environment:
    """Go on with another model or other data, or with both.

    With another model the settings, notes and the observations that it can use stay. UNDO brings back what was there.
    LOAD ADD puts the experiments of another file beside those that there are; one without a name is called like its
    file. LOAD MARKS brings in the marks and notes of an earlier run.
    """
    chosen = ask.one(WHAT, _kind_or_file, pattern=WORD)
    if isinstance(chosen, Item) and chosen.word == "MARKS":
        return _with_marks(env, ask)
    what, file = (chosen.word, ask.path(FILE)) if isinstance(chosen, Item) else (_kind_of(chosen), chosen)
    data = ask.path(FILE) if what == "MODEL" and ask.more else ""
    ask.refuse_rest()
    new = _loaded(env.with_observations(None) if data else env, ask, what, file)
    if data:
        new = _loaded(new, ask, "DATA", data)
    if what == "MODEL":
        ask.say("\n".join([report.opening(new), *remarks(new)]))
    else:
        is_new = env.observations is None or what == ADD
        instead = "" if is_new else "\nin place of the data before, which UNDO brings back"
        ask.say(f"{summary(new)}{instead}")
    if not data:
        tell_lost(env, new, ask)
    return new


def _loaded(env: Environment, ask: Dialogue, what: str, file: str) -> Environment:
    """The environment with a file that was read."""
    source = full(found(ask.run, from_library(file)))
    if what == "MODEL" and is_petab(source, ask.run.read):
        from parfit.session.adoption import read_environment

        new = read_environment(source, ask.run.read, env)
    elif what == "MODEL":
        new = env.with_other_model(read_model(source, ask.run.read), str(Path(source).parent))
    elif what == ADD:
        more = read_data(source, env.model, ask.run.read, env.observations is not None)
        new = env.with_observations(checked(added(env.observations, more), env.model))
    else:
        new = env.with_observations(*read_problem(source, env.model, ask.run.read))
    ask.replace_path(file, source)
    return new


def _with_marks(env: Environment, ask: Dialogue) -> Environment:
    """The marks and notes of a run before; the line that is written down names the file."""
    given = ask.path(FILE) if ask.more else ""
    file = full(given or keepsakes.earlier(ask.run))
    if given:
        ask.replace_path(given, file)
    else:
        ask.assume(quoted_path(file))
    ask.refuse_rest()
    new, added = keepsakes.with_keepsakes(env, keepsakes.from_text(ask.run.read(file), file))
    if not added.told:
        raise StateError("all marks and notes of that run are here already")
    ask.say("\n".join(text for text in (report.marks(env, added.marks), report.notes(added.notes)) if text))
    return new


def _kind_or_file(token: str) -> Answer[Item | str]:
    return Answer[Item | str](*(path(token) if "." in token else item(WHAT.menu)(token)))


def _kind_of(file: str) -> str:
    suffix = Path(file).suffix.lower()
    if not suffix:
        raise CommandError(f"{shown(file)}: say LOAD MODEL or LOAD DATA")
    return "MODEL" if suffix in (".ode", *ENDINGS) else "DATA"
