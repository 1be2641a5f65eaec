"""The table of the book: every published number beside the one that was computed just now."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from parfit.book.comparing import DIFFERS, EXPLAINED, PRINTED, Comparison
from parfit.book.experiment import Experiment
from parfit.book.playing import check
from parfit.dataclass import dataclass
from parfit.errors import ParfitError
from parfit.text.report import counted

HEADINGS = ("experiment", "quantity", "published", "computed", "agreement", "remark")


@dataclass(frozen=True)
class Checked:
    """An experiment that was played, with its numbers; or why it could not be."""

    experiment: Experiment
    comparisons: tuple[Comparison, ...]
    failure: str = ""

    def count(self, agreement: str) -> int:
        """How many of its numbers agree so."""
        return sum(each.agreement == agreement for each in self.comparisons)

    @property
    def passed(self) -> bool:
        return not self.failure and not self.count(DIFFERS)


def check_all(book: Sequence[Experiment], progress: Callable[[str], None] = lambda line: None) -> list[Checked]:
    """Play experiments without anybody."""
    found = []
    for experiment in book:
        progress(f"{experiment.number}  {experiment.title}")
        try:
            found.append(Checked(experiment, tuple(check(experiment))))
        except ParfitError as error:
            found.append(Checked(experiment, (), str(error)))
    return found


def table(results: Sequence[Checked]) -> str:
    """Experiment, quantity, published, computed, agreement, remark; then the experiments that could not be played."""
    rows = [HEADINGS, *(_row(each.experiment, one) for each in results for one in each.comparisons)]
    widths = [max(len(row[k]) for row in rows) for k in range(len(HEADINGS) - 1)]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(w) if k in (2, 3) else cell.ljust(w)
            for k, (cell, w) in enumerate(zip(row, widths, strict=False))
        ]
        lines.append("  ".join([*cells, row[-1]]).rstrip())
    failures = [f"{each.experiment.name}: {each.failure}" for each in results if each.failure]
    return "\n".join([*lines, *failures])


def _row(experiment: Experiment, one: Comparison) -> tuple[str, ...]:
    figure = one.figure
    agreement, remark = one.agreement, figure.remark
    if one.agreement == PRINTED:
        remark = ""
    elif one.agreement == DIFFERS:
        remark = f"expected {figure.check.text if figure.check else figure.text}; {figure.remark}".rstrip("; ")
    elif math.isfinite(one.difference):
        agreement = f"{one.agreement}, {100 * one.difference:.2g} %"
    return experiment.name, figure.label, figure.text, one.computed, agreement, remark


def verdict(results: Sequence[Checked]) -> str:
    """How many numbers there are, and how they agree."""
    total = {kind: sum(each.count(kind) for each in results) for kind in (PRINTED, EXPLAINED, DIFFERS)}
    failed = sum(bool(each.failure) for each in results)
    stopped = f"; {counted(failed, 'session')} could not be played" if failed else ""
    return (
        f"{counted(sum(total.values()), 'published number')} in {counted(len(results), 'session')}: "
        f"{total[PRINTED]} to the digits printed, {total[EXPLAINED]} explained, {total[DIFFERS]} differ{stopped}"
    )
