"""Names of ours as identifiers of SBML and PEtab: letters, digits and underscores of ASCII, each unlike all others."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping

TAKEN = {"time", "true", "false", "inf", "nan", "pi", "e", "avogadro"}  # words of PEtab's formulas, and of others
UNFIT = re.compile(r"\W+", re.ASCII)


class Identifiers(Mapping[str, str]):
    """Identifiers by name; one that was not asked for before is made."""

    def __init__(self) -> None:
        self._given: dict[str, str] = {}
        self._used = set(TAKEN)

    def __getitem__(self, name: str) -> str:
        if name not in self._given:
            self._given[name] = self.fresh(name)
        return self._given[name]

    def also(self, name: str, wanted: str) -> None:
        """Give a name an identifier that is near to something else."""
        self._given[name] = self.fresh(wanted)

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)

    def fresh(self, wanted: str) -> str:
        """One that nothing has yet, as near as possible to what is wanted."""
        plain = unicodedata.normalize("NFKD", wanted).encode("ascii", "ignore").decode()
        base = UNFIT.sub("_", plain)
        base = base.rstrip("_") if "[" in wanted else base  # k[low] is k_low
        base = f"x{base}" if not base or base[0].isdigit() else base
        found, count = base, 1
        while found.lower() in self._used:
            count += 1
            found = f"{base}_{count}"
        self._used.add(found.lower())
        return found
