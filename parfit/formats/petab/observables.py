"""Observables and measurements: what was observed when, by which formula, with which error.

Placeholders differ from measurement to measurement. Every formula that comes of them is a quantity of its own, so that
rows of a table may differ as they like; the first one of an observable has its name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container, Mapping, Sequence

from parfit.dataclass import dataclass
from parfit.estimation.noise import Form
from parfit.formats.petab.tables import Row, unique
from parfit.formats.sbml.substitution import mapped
from parfit.model.language.expression import Expression, Name, Number, names_in, value
from parfit.model.textfile import real

TRANSFORMED = {"": "", "lin": "", "log": "log-", "log10": "log10-"}
FORMS = {
    "normal": Form.GIVEN,
    "laplace": Form.LAPLACE,
    "log-normal": Form.LOGNORMAL,
    "log-laplace": Form.LOGLAPLACE,
    "log10-normal": Form.LOGNORMAL,
    "log10-laplace": Form.LOGLAPLACE,
}
LOGARITHMIC = (Form.LOGNORMAL, Form.LOGLAPLACE)
LN10 = math.log(10.0)


@dataclass(frozen=True)
class Quantity:
    """A formula that was observed, with the standard deviation of its errors; a number is one of measurements."""

    observable: str
    formula: Expression
    form: Form
    deviation: Expression | None  # None where every measurement has a number of its own


@dataclass(frozen=True)
class Measured:
    """One measurement."""

    quantity: int  # which one
    time: float
    value: float
    sd: float  # NaN where the quantity has a deviation
    row: Row


class Observed:
    """All quantities that were observed, and the measurements of them."""

    def __init__(
        self,
        observables: Sequence[Row],
        fixed: Mapping[str, float],
        meant: Mapping[str, str],
        taken: Container[str] = (),
    ):
        self._meant = meant  # names of the model by those of the tables, where they are others
        self._rows = unique(observables, "observableId")
        self._taken = taken  # names of the model, which mean something there
        self._fixed = fixed  # parameters whose values are known for good
        self._places: dict[tuple[object, ...], int] = {}
        self.quantities: list[Quantity] = []

    def names(self) -> set[str]:
        """All that stands in formulas, whether they were measured or not."""
        texts = [
            (row, column, row.get(column))
            for row in self._rows.values()
            for column in ("observableFormula", "noiseFormula")
        ]
        nodes = [row.formula(text, column) for row, column, text in texts if text]
        nodes += [each.formula for each in self.quantities]
        nodes += [each.deviation for each in self.quantities if each.deviation is not None]
        return {self._meant.get(name, name) for node in nodes for name in names_in(node)}

    def measured(self, row: Row) -> Measured:
        name = row.required("observableId")
        if name not in self._rows:
            raise row.wrong(f"there is no observable {name}")
        about = self._rows[name]
        formula = self._filled(about, row, "observable")
        noise = mapped(self._filled(about, row, "noise"), lambda each: self._computed(each, name, formula))
        form = self._form(about)
        known = mapped(noise, lambda each: Number(self._fixed[each]) if each in self._fixed else Name(each))
        sd = math.nan
        if form is Form.GIVEN and not names_in(known):
            sd = value(known, {})
            if not (math.isfinite(sd) and sd > 0.0):
                raise row.wrong(f"the standard deviation is {sd:g}; expected a positive number")
        key = name, tuple(row.listed("observableParameters")), *self._noise_key(row, form, sd)
        if key not in self._places:
            self._places[key] = len(self.quantities)
            wide = noise * LN10 if self._kind(about).startswith("log10") else noise
            self.quantities.append(Quantity(name, formula, form, wide if math.isnan(sd) else None))
        time = row.number("time")
        if math.isnan(time) or time == -math.inf:
            raise row.wrong(f"a measurement at time {time} means nothing; expected a number, or inf for at rest")
        measurement = row.number("measurement")
        if form in LOGARITHMIC and not measurement > 0.0:
            raise row.wrong(f"measurement is {measurement:g}, but the errors of {name} are those of its logarithm")
        return Measured(self._places[key], time, measurement, sd, row)

    def _noise_key(self, row: Row, form: Form, sd: float) -> tuple[object, ...]:
        """What else tells quantities apart: noise that is no number of the measurement's own."""
        return (form, *row.listed("noiseParameters")) if math.isnan(sd) else (form, "own")

    def _kind(self, about: Row) -> str:
        transformation = about.get("observableTransformation")
        if transformation not in TRANSFORMED:
            raise about.wrong(f"observableTransformation is {transformation!r}; expected lin, log or log10")
        return TRANSFORMED[transformation] + (about.get("noiseDistribution") or "normal")

    def _form(self, about: Row) -> Form:
        kind = self._kind(about)
        if kind not in FORMS:
            raise about.wrong(f"noiseDistribution {kind} is not supported; expected one of {', '.join(FORMS)}")
        return FORMS[kind]

    def _filled(self, about: Row, row: Row, kind: str) -> Expression:
        """The formula of an observable, or of its noise, with what a measurement gives for its placeholders."""
        column = f"{kind}Formula"
        text = about.get(column) or ("1" if kind == "noise" else "")
        node = about.formula(text, column)
        given = row.listed(f"{kind}Parameters")
        names = self._placeholders(about, kind, node)
        if len(names) != len(given):
            raise row.wrong(
                f"{kind}Parameters has {len(given)} entries; {about.get('observableId')} needs {len(names)}"
            )
        values = dict(zip(names, (self._entry(row, each, kind) for each in given), strict=True))
        filled = mapped(node, lambda each: values[each] if each in values else Name(each))
        return mapped(filled, lambda each: Name(self._meant.get(each, each)))

    def _computed(self, name: str, own: str, formula: Expression) -> Expression:
        """What a name in the formula of the noise means, which may be that of an observable."""
        if name in self._taken or name not in self._rows:
            return Name(name)
        other = self._rows[name]
        node = other.formula(other.get("observableFormula"), "observableFormula")
        if name == own or self._placeholders(other, "observable", node):  # which differ between measurements
            return formula if name == own else Name(name)
        return mapped(node, lambda each: Name(self._meant.get(each, each)))

    def _placeholders(self, about: Row, kind: str, node: Expression) -> list[str]:
        """Those that are named, or else those that number themselves."""
        named = about.listed(f"{kind}Placeholders")
        if named or "observablePlaceholders" in about.cells or "noisePlaceholders" in about.cells:
            return named
        form = re.compile(rf"{kind}Parameter(\d{{1,4}})_{re.escape(about.get('observableId'))}")
        numbers = [int(match[1]) for each in names_in(node) if (match := form.fullmatch(each))]
        count = max(numbers, default=0)
        return [f"{kind}Parameter{k}_{about.get('observableId')}" for k in range(1, count + 1)]

    def _entry(self, row: Row, text: str, kind: str) -> Expression:
        number = real(text)
        return row.formula(text, f"{kind}Parameters") if number is None else Number(number)
