"""What a run reads: every file through here, with a copy and its checksum, so that the run can be played again."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from parfit.errors import DataError
from parfit.model.textfile import file_bytes
from parfit.session.paths import full
from parfit.session.runs.journal import Input, checksum, sync_folder

UP = "up"  # in runs of earlier versions, a folder that stands for the one that a model refers to as ..


class Inputs:
    """The files that the present command reads, each once, and the copies of those of all commands."""

    def __init__(self, folder: Path | None = None, warn: Callable[[str], None] = lambda text: None):
        self.folder = folder  # of the copies
        self._warn = warn
        self._read: dict[str, bytes] = {}
        self._recorded: Sequence[Input] | None = None  # what the command read then, while a run is played again
        self._old: OldCopies | None = None

    def begin(self) -> None:
        """Another command is begun; what one that failed has read is forgotten."""
        self._read = {}

    def play(self, recorded: Sequence[Input] | None) -> None:
        """From here on read the copies that were recorded; None reads files again."""
        self._recorded = recorded
        self._read = {}

    def play_old(self) -> None:
        """From here on read the copies of a run of an earlier version."""
        assert self.folder is not None
        self._old = OldCopies(self.folder)

    def end_replay(self) -> None:
        self._recorded, self._old, self._read = None, None, {}

    def read(self, path: str | os.PathLike[str]) -> bytes:
        """The content of a file, or while a run is played again of the copy that was kept of it."""
        name = full(path)
        if name not in self._read:
            self._read[name] = self._content(path, name)
        return self._read[name]

    def _content(self, path: str | os.PathLike[str], name: str) -> bytes:
        if self._old is not None:
            copy = self._old.find(name)
            if copy is None:
                self._warn(f"{name}: no copy was kept of it; it is read as it is now")
            return file_bytes(path if copy is None else copy)
        return file_bytes(path) if self._recorded is None else self._copy(name, self._recorded)

    def _copy(self, name: str, recorded: Sequence[Input]) -> bytes:
        same_name = [each for each in recorded if os.path.basename(each.path) == os.path.basename(name)]
        found = next((each for each in recorded if each.path == name), None) or next(iter(same_name), None)
        if found is None:
            raise DataError("the journal does not say what it held when this command was given", name)
        copy = self.path_of(found)
        try:
            data = copy.read_bytes()
        except OSError:
            raise DataError(f"its copy {copy} is gone, and the file itself may have changed", name) from None
        if checksum(data) != found.checksum:
            raise DataError(f"its copy {copy} was changed after it had been made", name)
        return data

    def path_of(self, given: Input) -> Path:
        """Where the copy of a file is."""
        assert self.folder is not None
        return self.folder / given.checksum[:16] / os.path.basename(given.path)

    def taken(self) -> tuple[Input, ...]:
        """What the present command has read."""
        return tuple(Input(name, checksum(data)) for name, data in self._read.items())

    def missing(self) -> list[Path]:
        """Where copies of what the present command has read are still to be made."""
        return [] if self.folder is None else [path for path in map(self.path_of, self.taken()) if not path.exists()]

    def keep(self) -> None:
        """Copy what the present command has read: each file as a whole or not at all."""
        if self.folder is None:
            return
        for given, data in zip(self.taken(), self._read.values(), strict=True):
            path = self.path_of(given)
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                _write_whole(path, data)


def has_changed(path: str, held: str) -> bool:
    """Whether a file is there and holds something else than what had this checksum."""
    try:
        return checksum(Path(path).read_bytes()) != held
    except OSError:
        return False


def _write_whole(path: Path, data: bytes) -> None:
    part = path.with_name(".part")
    with open(part, "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(part, path)
    sync_folder(path.parent)


class OldCopies:
    """The copies of runs of earlier versions: folders with numbers, in the order in which files were read."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._n_found = 0
        self._beside: dict[str, Path] = {}  # folders of models, and those of their copies

    def find(self, name: str) -> Path | None:
        """The copy of a file, if there is one."""
        is_model = name.lower().endswith(".ode")
        found = None if is_model else self._found_beside(name)
        return found or self._next(name, is_model)

    def _next(self, name: str, is_model: bool) -> Path | None:
        home = self._folder / str(self._n_found + 1)
        while home.is_dir():
            copy = home / os.path.basename(name)
            if copy.exists():
                self._n_found += 1
                if is_model:
                    self._beside[os.path.dirname(name)] = home
                return copy
            home /= UP
        return None

    def _found_beside(self, name: str) -> Path | None:
        """The copy of a table, which lies beside that of its model as the table did beside the model."""
        for folder, home in reversed(self._beside.items()):
            copy = Path(os.path.normpath(home / os.path.relpath(name, folder)))
            if copy.is_relative_to(self._folder) and copy.is_file():
                return copy
        return None
