"""The YAML file of a PEtab problem: which files belong to it."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from parfit.dataclass import dataclass
from parfit.errors import DataError
from parfit.model.textfile import Read, read_lines

MOST_BYTES = 1_000_000  # of a list of files
VERSIONS = ("1", "2")


@dataclass(frozen=True)
class Files:
    """The files of a problem, by what they hold."""

    path: str
    version: str  # 1 or 2
    model: str
    parameters: tuple[str, ...]
    conditions: tuple[str, ...]
    experiments: tuple[str, ...]
    observables: tuple[str, ...]
    measurements: tuple[str, ...]
    mappings: tuple[str, ...]


def read_files(path: str | PathLike[str], read: Read) -> Files:
    """What a YAML file lists; names of files are relative to its folder."""
    import yaml

    data = read(path)
    if len(data) > MOST_BYTES:
        raise DataError("is too large for a list of files", path)
    try:
        found = yaml.safe_load("\n".join(read_lines(path, lambda _: data)))
    except yaml.MarkedYAMLError as error:
        line = None if error.problem_mark is None else error.problem_mark.line + 1
        raise DataError(f"is not YAML: {error.problem or error.context or 'it cannot be read'}", path, line) from None
    except (yaml.YAMLError, RecursionError, ValueError):
        raise DataError("is not YAML", path) from None
    if not isinstance(found, dict) or "format_version" not in found:
        raise DataError("is no PEtab problem; expected format_version: 1 or 2.0.0", path)
    version = str(found["format_version"]).partition(".")[0]
    if version not in VERSIONS:
        raise DataError(f"has format_version {found['format_version']}, which is not supported; expected 1 or 2", path)
    return _Listing(str(path), found).first() if version == "1" else _Listing(str(path), found).second()


class _Listing:
    def __init__(self, path: str, content: dict[str, Any]):
        self.path, self.content = path, content

    def first(self) -> Files:
        problems = self.content.get("problems")
        if not isinstance(problems, list) or len(problems) != 1 or not isinstance(problems[0], dict):
            raise DataError("is a PEtab problem without one entry below `problems`; expected one", self.path)
        one = problems[0]
        return Files(
            self.path,
            "1",
            self._single(self._named(one, "sbml_files"), "sbml_files"),
            self._named(self.content, "parameter_file", needed=True),
            self._named(one, "condition_files"),
            (),
            self._named(one, "observable_files", needed=True),
            self._named(one, "measurement_files", needed=True),
            (),
        )

    def second(self) -> Files:
        if self.content.get("extensions"):
            raise DataError("uses extensions of PEtab, which are not supported", self.path)
        models = self.content.get("model_files")
        if not isinstance(models, dict) or not all(isinstance(each, dict) for each in models.values()):
            raise DataError("expected models with language and location below `model_files`", self.path)
        for name, each in models.items():
            if each.get("language") != "sbml":
                raise DataError(f"model {name} is in {each.get('language')}; expected sbml", self.path)
        locations = [self._name(each.get("location"), "location") for each in models.values()]
        return Files(
            self.path,
            "2",
            self._single(tuple(locations), "model_files"),
            self._named(self.content, "parameter_files", needed=True),
            self._named(self.content, "condition_files"),
            self._named(self.content, "experiment_files"),
            self._named(self.content, "observable_files", needed=True),
            self._named(self.content, "measurement_files", needed=True),
            self._named(self.content, "mapping_files"),
        )

    def _single(self, names: tuple[str, ...], key: str) -> str:
        if len(names) != 1:
            raise DataError(f"has {len(names)} models below `{key}`; expected one", self.path)
        return names[0]

    def _named(self, where: dict[str, Any], key: str, needed: bool = False) -> tuple[str, ...]:
        given = where.get(key) or []
        listed = given if isinstance(given, list) else [given]
        if needed and not listed:
            raise DataError(f"names no file below `{key}`", self.path)
        return tuple(self._name(each, key) for each in listed)

    def _name(self, name: object, key: str) -> str:
        if not isinstance(name, str) or not name:
            raise DataError(f"expected names of files below `{key}`", self.path)
        return str(Path(self.path).parent / name)
