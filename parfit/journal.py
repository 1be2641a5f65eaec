"""The files of a run: its journal, the copies of what it read, echo, report and graphs.

The journal is a script. Every command that succeeded is on disk before the next one is asked for, so that a run can be
played again up to there, whatever ended it. A folder that cannot be written to is reported once; the run goes on.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TextIO

from parfit.errors import ParfitError

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
}
STAMP = "#@ "  # before each command of a journal: when it was given, and how many lines it has if there are several
INPUT = "#: "  # at the head of a journal: what was opened
DEFAULTS = "#! defaults: "  # there too: those that it was opened with
REMARK = "#- "  # before what is no command
INPUTS = "inputs"
UP = "up"  # a folder that stands for the one that a model refers to as ..
UTF8 = "utf-8", "surrogateescape"  # names of files may hold any bytes


class Run:
    """What a run writes and where; with no folder, nothing is kept."""

    def __init__(self, folder: Path | None = None, warn: Callable[[str], None] = lambda text: None):
        self.folder = folder
        self.replaying = False
        self.of_1977 = False  # whether it was opened with the manual's defaults
        self._warn = warn
        self._journal: TextIO | None = None
        self._stamp: datetime | None = None  # of the command that is played again
        self._moment: datetime | None = None  # of the one that is being done
        self._counts: dict[str, int] = {}
        self._n_inputs = 0
        self._n_recorded = 0
        self._replayed: list[str] = []
        self._made: list[Path] = []  # what was put into a new folder, and the folder if there was none

    # ---- opening and closing

    @classmethod
    def new(cls, folder: Path, opened: Sequence[str], warn: Callable[[str], None], of_1977: bool = False) -> Run:
        """Begin a run in a folder that holds none yet; `opened` are the paths of model and data."""
        if os.path.exists(folder / FILES["journal"]):
            raise ParfitError(f"{folder} holds a run already; continue it with --resume {folder}")
        run = cls(folder, warn)
        run.of_1977 = of_1977
        head = "".join(f"{INPUT}{os.path.abspath(path)}\n" for path in opened)
        head += f"{DEFAULTS}{'1977' if of_1977 else 'accurate'}\n"
        with run._guarded():
            run._make_folder(folder)
            run._made.append(folder / FILES["journal"])
            run._open("# A run of PARFIT: every command that succeeded, and before it the time.\n" + head)
        return run

    @classmethod
    def resumed(cls, folder: Path, warn: Callable[[str], None]) -> Run:
        """Open a run that ended, to be played again and then continued."""
        run = cls(folder, warn)
        if not os.path.isfile(folder / FILES["journal"]):
            raise ParfitError(f"{folder} holds no run; parfit --runs lists those there are")
        try:
            run._open("")
            run._drop_torn_entry()
            said = [line[len(DEFAULTS) :] for line in run._lines() if line.startswith(DEFAULTS)]
            run.of_1977 = not said or said[0] == "1977"  # a journal without a word about it knew no others
        except OSError as error:
            run.close()
            raise ParfitError(f"{folder}: the run cannot be continued: {error.strerror}") from None
        run.replaying = True
        return run

    def _open(self, head: str) -> None:
        assert self.folder is not None
        encoding, errors = UTF8
        self._journal = open(  # noqa: SIM115
            self.folder / FILES["journal"], "a", encoding=encoding, errors=errors, newline="\n"
        )
        try:
            fcntl.flock(self._journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._made.clear()
            self.close()
            raise ParfitError(f"{self.folder}: the run is in use by another parfit") from None
        except OSError:  # a file system without locks
            pass
        self._put(head)

    def _drop_torn_entry(self) -> None:
        """What a crash left of a command is none."""
        assert self.folder is not None
        assert self._journal is not None
        data = (self.folder / FILES["journal"]).read_bytes()
        end = data.rfind(b"\n") + 1
        stamp = data.rfind(b"\n" + STAMP.encode(), 0, end) + 1
        count = data[stamp:end].partition(b"\n")[0].removeprefix(STAMP.encode()).partition(b" ")[2]
        is_whole = data[stamp:end].count(b"\n") > int(count if count.isdigit() else 1)
        self._journal.truncate(end if is_whole or not stamp else stamp)

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

    # ---- the journal

    def opened(self) -> list[str]:
        """The paths of model and data at the head of the journal."""
        return [line[len(INPUT) :] for line in self._lines() if line.startswith(INPUT)]

    def replay(self) -> Iterator[str]:
        """The journal's lines; as they are read, `now` becomes the time of each."""
        for line in self._lines():
            if line.startswith(STAMP):
                self._stamp = _time(line[len(STAMP) :])
            yield line
        self._stamp = None

    def end_replay(self, complete: bool) -> None:
        """Go on from here; a journal of which not all could be played again is kept, and another one begun."""
        self.replaying, self._stamp = False, None
        if complete or self.folder is None:
            return
        path = self.folder / FILES["journal"]
        head = [line + "\n" for line in self._lines() if line.startswith(("# ", INPUT, DEFAULTS))]
        with self._guarded():
            old = _unused(path.with_name("journal-before.pft"))
            shutil.copyfile(path, old)
            assert self._journal is not None
            self._journal.truncate(0)
            self._put("".join([*head, *self._replayed]))
            self._warn(f"what could not be played again is in {old}")

    def _lines(self) -> list[str]:
        assert self.folder is not None
        text = (self.folder / FILES["journal"]).read_bytes().decode(*UTF8)
        return text.split("\n")[:-1]

    def record(self, entry: str) -> None:
        """Write down a command that succeeded."""
        self._n_recorded += 1
        n_lines = entry.count("\n") + 1
        several = f" {n_lines}" if n_lines > 1 else ""
        text = f"{STAMP}{self.now().isoformat(timespec='seconds')}{several}\n{entry}\n"
        if self.replaying:
            self._replayed.append(text)
            return
        with self._guarded():
            self._put(text)

    def extend(self, lines: str) -> None:
        """Add lines to the command that was written down last, which goes on."""
        if self.replaying:
            self._replayed[-1] += f"{lines}\n"
            return
        with self._guarded():
            self._put(f"{lines}\n")

    def remark(self, text: str) -> None:
        """Write down what is no command but should not be lost."""
        self._n_recorded += 1
        with self._guarded():
            self._put("".join(f"{REMARK}{line}\n" for line in text.split("\n")))

    def last_remarks(self) -> list[str]:
        """What was remarked after the last command."""
        found: list[str] = []
        for line in reversed(self._lines() if self.folder is not None else []):
            if not line.startswith(REMARK):
                break
            found.insert(0, line[len(REMARK) :])
        return found

    def mend(self, line: str) -> None:
        """While a run is played again, write down the line that its last command lacks because the program died."""
        if self.replaying:
            with self._guarded():
                self._put(f"{line}\n")

    def entries(self) -> list[str]:
        """The commands of the run so far, each as it can be given again."""
        if self.folder is None or not (self.folder / FILES["journal"]).exists():
            return []
        return [line for line in self._lines() if not line.startswith("#")]

    def commands(self) -> list[list[str]]:
        """The same, with the lines of each command together."""
        found: list[list[str]] = []
        for line in self._lines() if self.folder is not None else []:
            if line.startswith(STAMP):
                found.append([])
            elif found and not line.startswith("#"):
                found[-1].append(line)
        return found

    def _put(self, text: str) -> None:
        """Into the journal, and through to the disk."""
        if self._journal is not None:
            self._journal.write(text)
            self._journal.flush()
            os.fsync(self._journal.fileno())

    def now(self) -> datetime:
        """The time of the command that is being done; while a run is played again, what it was then."""
        if self._stamp is None:
            self._moment = self._moment or datetime.now().replace(microsecond=0)
        return self._stamp or self._moment or datetime.min

    def begin(self) -> None:
        """Another command is begun."""
        self._moment = None

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
        with self._guarded(), open(path, mode, encoding=encoding, errors=errors, newline="\n") as stream:
            stream.write(text)

    def count(self, what: str) -> int:
        """How many there have been."""
        return self._counts.get(what, 0)

    def counted(self, what: str) -> None:
        """One more."""
        self._counts[what] = self.count(what) + 1

    # ---- what was read

    def located(self, path: str) -> Path:
        """Where to read an input: where it is, or while a run is played again the copy that was kept of it."""
        if self.replaying and self.folder is not None:
            home = self.folder / INPUTS / str(self._n_inputs + 1)
            while home.is_dir():
                if (home / Path(path).name).exists():
                    return home / Path(path).name
                home /= UP
        return Path(path)

    def keep_input(self, path: str, beside: Sequence[str] = ()) -> None:
        """Keep a copy of a file that was read, and of files beside it that it refers to."""
        self._n_inputs += 1
        if self.folder is None or self.replaying:
            return
        names = [Path(path).name, *(name for name in beside if not Path(name).is_absolute())]
        depth = max(Path(name).parts.count("..") for name in names)
        home = (self.folder / INPUTS / str(self._n_inputs)).joinpath(*[UP] * depth)
        with self._guarded():
            self._make_folder(home)
            for name in names:
                self._copy(Path(path).parent / name, Path(os.path.normpath(home / name)))

    def _copy(self, source: Path, target: Path) -> None:
        """Copy a file, as a whole or not at all."""
        if not source.is_file():
            self._warn(f"{source} cannot be read again: without it, this run cannot be resumed")
            return
        self._make_folder(target.parent)
        part = target.with_name(target.name + ".part")
        shutil.copyfile(source, part)
        os.replace(part, target)
        self._made.append(target)

    # ---- copies for the user

    def present(self) -> list[str]:
        """The files that were written, without the journal."""
        if self.folder is None:
            return []
        return [file for file, name in FILES.items() if file != "journal" and (self.folder / name).exists()]

    def keep(self, files: Sequence[str], target: Path) -> Path:
        """Copy files of the run to a folder, which gets a number if it exists."""
        assert self.folder is not None
        folder = _unused(target)
        try:
            while True:
                try:
                    folder.mkdir(parents=True)
                    break
                except FileExistsError:  # by another run, since we looked
                    folder = _unused(target)
            for file in files:
                shutil.copyfile(self.folder / FILES[file], folder / FILES[file])
        except OSError as error:
            raise ParfitError(
                f"{folder} cannot be written: {error.strerror}; the files are in {self.folder}"
            ) from None
        return folder

    def _guarded(self) -> _Guard:
        return _Guard(self)

    def give_up(self, error: OSError) -> None:
        """Say once that nothing can be written any more, and go on without."""
        where, journal = self.folder, self._journal
        self.folder = self._journal = None
        if journal is not None:
            with suppress(OSError):
                journal.close()
        self._warn(
            f"{where} cannot be written ({error.strerror or error}): from here on this run keeps no journal and no "
            "files; the conversation goes on"
        )


class _Guard:
    """Errors of the file system end the keeping of files, not the conversation."""

    def __init__(self, run: Run):
        self._run = run

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        if isinstance(error, OSError):
            self._run.give_up(error)
            return True
        return False


def _unused(path: Path) -> Path:
    """A path, with a number if it exists."""
    found, number = path, 2
    while os.path.lexists(found):
        found, number = path.with_stem(f"{path.stem}-{number}"), number + 1
    return found


def _time(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text.partition(" ")[0])
    except ValueError:
        return None
