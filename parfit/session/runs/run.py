"""The files of a run: its journal, the copies of what it read, echo, report and graphs.

Every command that succeeded is on disk before the next one is asked for, so that a run can be played again up to
there, whatever ended it. A folder that cannot be written to is reported once; the run goes on, and what was done is
still known.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from parfit.errors import ParfitError
from parfit.session.paths import full
from parfit.session.runs.inputs import Inputs, has_changed
from parfit.session.runs.journal import (
    UTF8,
    Content,
    Entry,
    Input,
    Journal,
    entry_lines,
    head_lines,
    more_lines,
    sync_folder,
)

FILES = {
    "journal": "journal.pft",
    "echo": "echo.txt",  # -ECHO
    "fit-echo": "fit-echo.txt",  # -AECHO
    "report": "report.txt",  # -REPRT
    "graphs": "graphs.txt",  # -GRAPHSTORE
    "details": "details.txt",  # -SC2
    "weights": "weights.csv",  # -WEIGHT
    "data": "data.csv",  # -DATA
    "model": "model.ode",
    "marks": "marks.json",
    "pieces": "pieces.jsonl",  # finished ones of long work
}
INPUTS = "inputs"


class Run:
    """What a run did, and what it writes and where; with no folder, nothing is written."""

    def __init__(
        self, folder: Path | None = None, warn: Callable[[str], None] = lambda text: None, opened: Sequence[str] = ()
    ):
        self.folder = folder
        self.is_chosen = False  # whether the user said where its files are to be
        self.replaying = False
        self.of_1977 = False  # whether it was opened with the manual's defaults
        self._warn = warn
        self._journal: Journal | None = None
        self._opened = [full(path) for path in opened]
        self._opened_with: tuple[Input, ...] | None = None  # what was read for that; none yet if there is no head
        self._entries: list[Entry] = []
        self._content = Content()  # of the journal of a run that is played again
        self._is_mended = False
        self._inputs = Inputs(folder and folder / INPUTS, warn)
        self._stamp: datetime | None = None  # of the command that is played again
        self._moment: datetime | None = None  # of the one that is being done
        self._counts: dict[str, int] = {}
        self._n_recorded = 0
        self._written: set[str] = set()  # files beside the journal
        self._made: list[Path] = []  # what was put into a new folder, and the folder if there was none

    # ---- opening and closing

    @classmethod
    def new(cls, folder: Path, opened: Sequence[str], warn: Callable[[str], None], of_1977: bool = False) -> Run:
        """Begin a run in a folder that holds none yet; `opened` are the paths of model and data."""
        if os.path.lexists(folder / FILES["journal"]):
            ways = f"continue it with --resume {folder}, or replace it with --force"
            raise ParfitError(f"{folder} holds a run already; {ways}")
        run = cls(folder, warn, opened)
        run.of_1977 = of_1977
        with run._guarded():
            run._make_folder(folder)
            run._made.append(folder / FILES["journal"])
            run._journal = Journal(folder / FILES["journal"])
            try:
                run._journal.open()
            except ParfitError:
                run._made.clear()
                raise
            sync_folder(folder)
        return run

    def begun(self) -> None:
        """Write down what was opened; what was read since belongs to it."""
        self._keep_inputs()
        self._put_head(self._inputs.taken())
        self._inputs.begin()

    def _put_head(self, inputs: tuple[Input, ...] = ()) -> None:
        """Begin the journal, unless that was done."""
        if self._opened_with is None:
            self._opened_with = inputs
            self._put(head_lines(self._opened, self.of_1977, inputs))

    @classmethod
    def resumed(cls, folder: Path, warn: Callable[[str], None]) -> Run:
        """Open a run that ended, to be played again and then continued."""
        run = cls(folder, warn)
        if not os.path.isfile(folder / FILES["journal"]):
            raise ParfitError(f"{folder} holds no run; parfit --runs lists those there are")
        try:
            run._journal = Journal(folder / FILES["journal"])
            run._journal.open()
            run._content = run._journal.read()
        except OSError as error:
            run.close()
            raise ParfitError(f"{folder}: the run cannot be continued: {error.strerror}") from None
        run._opened, run.of_1977 = list(run._content.opened), run._content.of_1977
        run.replaying = True
        if run._content.is_checked:
            run._inputs.play(run._content.inputs)
        else:
            run._inputs.play_old()
        return run

    def close(self) -> None:
        """Let go of the folder; a run in which nothing was done leaves none, and takes nothing else away."""
        if self._journal is None:
            return
        if self._n_recorded == 0:
            for path in reversed(self._made):
                with suppress(OSError):
                    path.rmdir() if path.is_dir() else path.unlink()
        self._journal.close()
        self._journal = None

    def _make_folder(self, path: Path) -> None:
        assert self.folder is not None
        missing = [each for each in (path, *path.parents) if each.is_relative_to(self.folder) and not each.exists()]
        path.mkdir(parents=True, exist_ok=True)
        self._made += reversed(missing)

    # ---- playing a run again

    @property
    def damage(self) -> str:
        """Which entry of the journal is damaged, so that the run can be played again only up to there."""
        return self._content.damage

    @property
    def n_played(self) -> int:
        """How many commands have been played again."""
        return sum(not entry.is_remark for entry in self._entries)

    @property
    def n_to_play(self) -> int:
        """How many commands are to be played again in all."""
        return sum(not entry.is_remark for entry in self._content.entries)

    def changed_files(self) -> list[str]:
        """Files that hold something else now than when the run read them last; not those that are gone."""
        read = [*self._content.inputs, *(each for entry in self._content.entries for each in entry.inputs)]
        return [path for path, held in {each.path: each.checksum for each in read}.items() if has_changed(path, held)]

    def replay(self) -> Iterator[Entry]:
        """The commands of the journal; as each is given, `now` becomes its time, and what it read is read again."""
        for entry in self._content.entries:
            if entry.is_remark:
                self._entries.append(entry)
                continue
            self._stamp = _time(entry.stamp)
            if self._content.is_checked:
                self._inputs.play(entry.inputs)
            yield entry
        self._stamp = None

    def end_replay(self, complete: bool) -> None:
        """Go on from here; a journal of which not all could be played again is kept, and another one begun."""
        self.replaying, self._stamp = False, None
        is_as_it_was = complete and self._content.is_clean and not self._is_mended
        self._inputs.end_replay()
        if is_as_it_was or self.folder is None or self._journal is None:
            return
        with self._guarded():
            if not complete:
                before = unused(self._journal.path.with_name("journal-before.pft"))
                shutil.copyfile(self._journal.path, before)
                self._warn(f"the journal as it was is in {before}")
            head = head_lines(self._opened, self.of_1977, self._opened_with or ())
            self._journal.rewrite([head, *map(entry_lines, self._entries)])

    # ---- what was done

    def opened(self) -> list[str]:
        """The paths of model and data."""
        return list(self._opened)

    def record(self, text: str) -> None:
        """Write down a command that succeeded."""
        self._put_head()
        self._n_recorded += 1
        self._keep_inputs()
        stamp = self.now().isoformat(timespec="seconds")
        entry = Entry(tuple(text.split("\n")), stamp, self._inputs.taken())
        self._entries.append(entry)
        self._put(entry_lines(entry))

    def extend(self, text: str) -> None:
        """Add lines to the command that was written down last, which goes on."""
        lines = tuple(text.split("\n"))
        self._entries[-1] = replace(self._entries[-1], lines=self._entries[-1].lines + lines)
        self._put(more_lines(lines))

    def remark(self, text: str) -> None:
        """Write down what is no command but should not be lost."""
        self._put_head()
        self._n_recorded += 1
        entry = Entry(tuple(text.split("\n")), is_remark=True)
        self._entries.append(entry)
        self._put(entry_lines(entry))

    def last_remarks(self) -> list[str]:
        """What was remarked after the last command."""
        found: list[str] = []
        for entry in reversed(self._entries):
            if not entry.is_remark:
                break
            found = [*entry.lines, *found]
        return found

    def mend(self) -> None:
        """While a run is played again, have its last command written down with the end that it lacked."""
        self._is_mended = self._is_mended or self.replaying

    def entries(self) -> list[str]:
        """The commands of the run so far, each as it can be given again."""
        return [line for lines in self.commands() for line in lines]

    def commands(self) -> list[list[str]]:
        """The same, with the lines of each command together."""
        return [list(entry.lines) for entry in self._entries if not entry.is_remark]

    def _put(self, lines: Sequence[str]) -> None:
        """Into the journal, unless it comes from there."""
        if self._journal is not None and not self.replaying:
            with self._guarded():
                self._journal.add(lines)

    def now(self) -> datetime:
        """The time of the command that is being done; while a run is played again, what it was then."""
        if self._stamp is None:
            self._moment = self._moment or datetime.now().replace(microsecond=0)
        return self._stamp or self._moment or datetime.min

    def begin(self) -> None:
        """Another command is begun."""
        self._moment = None
        self._inputs.begin()

    # ---- what was read

    def read(self, path: str | os.PathLike[str]) -> bytes:
        """The content of a file; while a run is played again, what it was then."""
        return self._inputs.read(path)

    def checksums(self) -> dict[str, str]:
        """The files that were read, by their full names, each with the checksum of what it held the last time."""
        inputs = [*(self._opened_with or ()), *(each for entry in self._entries for each in entry.inputs)]
        return {each.path: each.checksum for each in inputs}

    def _keep_inputs(self) -> None:
        """Keep copies of what the command that succeeded has read."""
        with self._guarded():
            for path in self._inputs.missing():
                self._make_folder(path.parent)
                self._made.append(path)
            self._inputs.keep()

    # ---- the other files

    def append(self, file: str, text: str) -> None:
        """Add a text to a file."""
        self._write(file, text + "\n", "a")

    def replace(self, file: str, text: str) -> None:
        """Give a file another content."""
        self._write(file, text, "w")

    def _write(self, file: str, text: str, mode: str) -> None:
        if self.folder is None or self.replaying:
            return
        path, (encoding, errors) = self.folder / FILES[file], UTF8
        if file not in self._written and not path.exists():
            self._made.append(path)
        self._written.add(file)
        with self._guarded(), open(path, mode, encoding=encoding, errors=errors, newline="\n") as stream:
            stream.write(text)

    def count(self, what: str) -> int:
        """How many there have been."""
        return self._counts.get(what, 0)

    def counted(self, what: str) -> None:
        """One more."""
        self._counts[what] = self.count(what) + 1

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Errors of the file system end the keeping of files, not the conversation."""
        try:
            yield
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        """Say once that nothing can be written any more, and go on without."""
        where, journal = self.folder, self._journal
        self.folder = self._journal = self._inputs.folder = None
        if journal is not None:
            journal.close()
        self._warn(
            f"{where} cannot be written ({error.strerror or error}): from here on this run keeps no journal and no "
            "files; the conversation goes on, and SAVE writes its commands where there is room"
        )


def unused(path: Path) -> Path:
    """A path, with a number if it exists."""
    found, number = path, 2
    while os.path.lexists(found):
        found, number = path.with_stem(f"{path.stem}-{number}"), number + 1
    return found


def _time(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
