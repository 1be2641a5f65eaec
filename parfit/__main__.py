"""The command line: a model with its data, then a conversation, a script or a pipe."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from parfit.errors import DONE, FAILED, INTERNAL, USAGE

if TYPE_CHECKING:
    from parfit.session.console import Console
    from parfit.session.interpreter import Interpreter
    from parfit.session.line import Source
    from parfit.session.runs.results_file import ResultsFile

LONGEST = 1e8  # seconds of a run
ONE_THREAD = "OPENBLAS_NUM_THREADS", "1"  # of BLAS: its matrices are small, threads are made of whole integrations
NEW = "new"  # what writes a model to begin with
CONVERT = "convert"
READ = ("tour", "book", "guide", CONVERT)  # what there is to read or to do instead of a conversation


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program, and give its exit code (`errors` lists them)."""
    os.environ.setdefault(*ONE_THREAD)
    words = sys.argv[1:] if arguments is None else list(arguments)
    what = [word for word in words if word != "--debug"]
    if what and what[0] == NEW:
        return _guarded(lambda: _new(what[1:]), what != words)
    if what and what[0] in READ:
        return _guarded(lambda: _read(what), what != words)
    parser = _parser()
    options, more = parser.parse_known_args(words)
    if more:
        parser.error(f"unrecognized arguments: {' '.join(more)}")
    others = options.resume is not None or options.runs or options.prune is not None
    if options.model is None and not others and _is_script(options):
        parser.error("a model is needed: the name of an .ode file. New here? parfit tour; no model yet? parfit new")
    if options.model is not None and not os.path.exists(options.model) and not options.data:
        from parfit.model.textfile import nearest

        if near := nearest(options.model, (NEW, *READ)):
            parser.error(f"there is no file {options.model}; did you mean parfit {near}?")
    if options.resume is not None and options.model is not None:
        parser.error("--resume opens the model of the run itself: give --resume=RUN and no model")
    if options.json == "-" and not _is_script(options):
        parser.error(
            "--json - needs commands from a script, -e or a pipe: a conversation has standard output for itself"
        )
    if options.force and not options.run_folder:
        parser.error("--force goes with --run-folder: it replaces the run that this folder holds")
    return _guarded(lambda: _run(options), options.debug)


def _new(words: Sequence[str]) -> int:
    """Write a model and data to begin with."""
    if any(word.startswith("-") for word in words):
        from parfit.terminal.usage import NEW_USAGE

        is_asked = any(word in ("-h", "--help") for word in words)
        sys.stdout.write(NEW_USAGE) if is_asked else sys.stderr.write(NEW_USAGE)
        return DONE if is_asked else USAGE
    from parfit.session.console import Console
    from parfit.session.interpreter import PROMPT
    from parfit.terminal.prompt import Terminal
    from parfit.terminal.templates import write_templates

    console = Console()
    asks = sys.stdin is not None and sys.stdin.isatty()
    write_templates(console, Terminal(console, PROMPT) if asks else None, words)
    return DONE


def _read(words: Sequence[str]) -> int:
    if words[0] == CONVERT:
        from parfit.terminal.convert import main as convert

        return convert(words[1:])
    from parfit.book.shell import main

    return main(words)


def _guarded(work: Callable[[], int], debug: bool) -> int:
    """Do the work; whatever goes wrong ends in a line for the user and an exit code."""
    from parfit.errors import ParfitError
    from parfit.session.console import OutputLost, Signalled

    hook = sys.unraisablehook
    try:
        with warnings.catch_warnings():
            if not debug and not sys.warnoptions:
                warnings.simplefilter("ignore")  # they are for programmers, and would be written over the screen
            if not debug:  # so would what destructors raise of objects that Ctrl-C has left half made
                sys.unraisablehook = lambda ignored: None
            return work()
    except Signalled as end:
        signal.signal(end.number, signal.SIG_DFL)
        os.kill(os.getpid(), end.number)
        return FAILED
    except ParfitError as error:
        return _failed(error.told)
    except KeyboardInterrupt:
        return _failed("interrupted")
    except OutputLost as lost:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nor can what is left be written at the end
        if isinstance(lost.error, BrokenPipeError):  # the reader of our output has seen enough
            return FAILED
        return _failed(f"the output cannot be written: {lost.error.strerror}")
    except Exception as error:
        if debug:
            traceback.print_exc()
            return INTERNAL
        if isinstance(error, ImportError) and error.name == "parfit.kernel":  # it is not compiled, and says so
            return _failed(str(error))
        from parfit.session.runs.past import keep_trace

        return _failed(f"internal error ({type(error).__name__}); {keep_trace()}", INTERNAL)
    finally:
        sys.unraisablehook = hook


def _failed(message: str, code: int = FAILED) -> int:
    if sys.stderr is not None:
        from parfit.errors import without_controls

        sys.stderr.write(f"parfit: {without_controls(message)}\n")
    return code


def _parser() -> argparse.ArgumentParser:
    from parfit import __version__
    from parfit.terminal.usage import EXAMPLES

    parser = argparse.ArgumentParser(
        prog="parfit",
        description="Fit the parameters of ordinary differential equations to data, in conversation.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", nargs="?", help="a model (.ode, SBML), or a problem (PEtab)")
    parser.add_argument("data", nargs="*", help="observations: a CSV file, or one for each experiment; cards of 1977")
    parser.add_argument("-b", "--batch", metavar="SCRIPT", help="obey the commands of a script; - is standard input")
    parser.add_argument("-e", "--execute", action="append", metavar="COMMAND", help="obey a command; may be repeated")
    parser.add_argument("--auto", action="store_true", help="find the parameters, whatever they begin with: AUTO")
    parser.add_argument("--time", type=_seconds, metavar="SECONDS", help="end after so long, with what was reached")
    parser.add_argument("--keep-going", action="store_true", help="go on after a command that failed")
    parser.add_argument("--quiet", action="store_true", help="show nothing but warnings and errors")
    parser.add_argument("--run-folder", metavar="FOLDER", help="where to keep journal, report and the other files")
    parser.add_argument("--force", action="store_true", help="replace the run that the folder of --run-folder holds")
    parser.add_argument("--resume", nargs="?", const="", metavar="RUN", help="go on with a run, by default the last")
    parser.add_argument("--runs", action="store_true", help="list the runs that can be resumed")
    parser.add_argument("--prune", type=float, metavar="DAYS", help="remove runs that are older than so many days")
    parser.add_argument("--json", metavar="FILE", help="write the results as JSON at the end; - is standard output")
    parser.add_argument("--curves", action="store_true", help="with --json: the computed curves too")
    parser.add_argument("--debug", action="store_true", help="show where an internal error arose")
    parser.add_argument("--version", action="version", version=f"parfit {__version__}")
    return parser


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < LONGEST:
        raise ValueError
    return seconds


def _run(options: argparse.Namespace) -> int:
    """Do what the command line says, and write the results as JSON if it says that too."""
    from parfit.session.console import Console
    from parfit.session.paths import meant
    from parfit.session.runs.results_file import ResultsFile

    if options.runs or options.prune is not None:
        return _manage(Console(quiet=options.quiet), options.prune)
    with ResultsFile(options.json and meant(options.json), options.curves) as results:
        console = Console(sys.stderr if results.takes_output else None, quiet=options.quiet)
        results.code = _session(options, console, results)
        return results.code


def _session(options: argparse.Namespace, console: Console, results: ResultsFile) -> int:
    """Open what the command line names, and converse."""
    from parfit.session.opening import open_run, resume_run
    from parfit.session.paths import meant
    from parfit.session.runs.past import clear, find_run, is_chosen, new_folder
    from parfit.session.timelimit import TimeLimit

    how = console, options.debug, options.keep_going
    go_on = _Deciding(console, options)
    if options.resume is not None:
        interpreter = resume_run(find_run(meant(options.resume)), *how, go_on=go_on)
    else:
        paths = _named(options, console)
        if not paths:
            return DONE
        folder = Path(meant(options.run_folder)) if options.run_folder else new_folder(paths[0])
        if options.force:
            clear(folder)
        interpreter = open_run(paths, folder, *how)
    results.interpreter, run = interpreter, interpreter.run
    run.is_chosen = run.folder is not None and is_chosen(run.folder)
    try:
        if options.time is not None:
            interpreter.limit = TimeLimit(options.time)
        return _converse(interpreter, options) or (FAILED if go_on.despite else DONE)
    finally:
        interpreter.limit.put_away()
        run.close()


def _named(options: argparse.Namespace, console: Console) -> list[str]:
    """The files of the command line; who is at a terminal types a model that there is none of yet, or leaves."""
    from parfit.session.paths import meant

    paths = [meant(path) for path in (options.model, *options.data) if path]
    if _is_script(options) or (paths and os.path.exists(paths[0])):
        return paths
    from parfit.session.interpreter import PROMPT
    from parfit.terminal.composing import compose, fits, is_new
    from parfit.terminal.prompt import Terminal

    if paths and not is_new(paths[0]):
        return paths
    typed = compose(console, Terminal(console, PROMPT), paths[0] if paths else "")
    if typed and not paths[1:]:
        console.say("LOAD DATA FILE.csv goes on with data, CREATE simulates some")
    return [typed, *(each for each in paths[1:] if fits(console, typed, each))] if typed else []


class _Deciding:
    """Whether to go on with a run of which not all could be played again: who is at the terminal decides."""

    def __init__(self, console: Console, options: argparse.Namespace):
        self._console, self._options = console, options
        self.despite = False  # whether a script goes on though something is missing

    def __call__(self) -> bool:
        if _is_script(self._options):
            self.despite = bool(self._options.keep_going)
            return self.despite
        while True:
            self._console.say("GO ON WITH WHAT WAS REACHED? Y OR N (N LEAVES THE RUN AS IT IS)")
            answer = sys.stdin.readline()
            if answer.strip().lower() in ("y", "yes"):
                return True
            if not answer or answer.strip().lower() in ("n", "no"):
                return False


def _is_script(options: argparse.Namespace) -> bool:
    """Whether commands come from anywhere but somebody at a terminal."""
    return (
        bool(options.execute or options.auto)
        or options.batch is not None
        or sys.stdin is None
        or not sys.stdin.isatty()
    )


def _manage(console: Console, days: float | None) -> int:
    """List the runs there have been, or remove old ones."""
    from parfit.session.runs.past import past_runs, prune
    from parfit.text.report import counted

    for run in past_runs() if days is None else prune(days):
        removed = "" if days is None else "removed "
        console.say(f"{removed}{run.folder.name}  {run.changed}  {counted(run.n_commands, 'command')}  {run.opened}")
    return DONE


def _converse(interpreter: Interpreter, options: argparse.Namespace) -> int:
    """Obey what the command line gives, or else whoever is at the terminal."""
    sources = list(_given(options))
    if sources:
        code = DONE
        for source in sources:
            if isinstance(interpreter.error, KeyboardInterrupt) or (code != DONE and not options.keep_going):
                break
            try:
                code = max(code, interpreter.converse(source))
            except KeyboardInterrupt:
                code = interpreter.cut_off(source)
        interpreter.limit.put_away()
        if not interpreter.ended:
            interpreter.keep_usual()
        return interpreter.verdict(code)
    from parfit.errors import ParfitError
    from parfit.session.runs import keepsakes, pieces
    from parfit.session.runs.past import personal_script
    from parfit.session.sources import Script, script_lines
    from parfit.terminal.prompt import terminal_of
    from parfit.text import report

    if options.resume is not None:
        remarks = [*interpreter.run.last_remarks(), *pieces.cut_off(interpreter.run)]
        interpreter.console.say("\n".join([f"resumed {interpreter.run.folder}", *remarks]))
    opening = [report.opening(interpreter.env), "" if options.resume is not None else keepsakes.offer(interpreter.run)]
    interpreter.console.say("\n".join(line for line in (*opening, "HELP lists the commands, QUIT ends.") if line))
    personal = personal_script()
    if personal.exists() and options.resume is None:
        try:
            interpreter.converse(Script(script_lines(str(personal)), str(personal)))
        except ParfitError as error:
            interpreter.console.warn(error.told)
    return interpreter.converse(terminal_of(interpreter))


def _given(options: argparse.Namespace) -> Iterator[Source]:
    """The commands of the command line, of a script, and of a pipe."""
    from parfit.session.interpreter import PROMPT
    from parfit.session.paths import meant
    from parfit.session.sources import Commands, Script, piped_lines, script_lines

    commands = [*(["AUTO"] if options.auto else []), *(options.execute or [])]
    if commands:
        yield Commands(commands, PROMPT)
    is_piped = sys.stdin is None or not sys.stdin.isatty()
    if options.batch == "-" or (not commands and options.batch is None and is_piped):
        yield Script(piped_lines(sys.stdin), "stdin")
    elif options.batch:
        yield Script(script_lines(meant(options.batch)), options.batch)


if __name__ == "__main__":
    sys.exit(main())
