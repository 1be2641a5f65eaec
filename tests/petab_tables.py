"""Small PEtab problems about the exchange of A and B in a cell, written with bars for tabs, and what happens in it."""

import math
from pathlib import Path

EXCHANGE = Path(__file__).parent / "formats" / "models" / "exchange.xml"
FIRST = (
    "format_version: 1\nparameter_file: parameters.tsv\nproblems:\n- sbml_files: [model.xml]\n"
    "  condition_files: {conditions}\n  observable_files: {observables}\n  measurement_files: {measurements}\n"
)
SECOND = (
    "format_version: 2.0.0\nmodel_files:\n  m:\n    language: sbml\n    location: model.xml\n"
    "parameter_files: {parameters}\ncondition_files: {conditions}\nexperiment_files: {experiments}\n"
    "observable_files: {observables}\nmeasurement_files: {measurements}\n"
)
KINDS = ("parameters", "conditions", "experiments", "observables", "measurements")


def problem(folder, listing=SECOND, sbml=None, **tables):
    """The path of the YAML file of a problem with these tables."""
    (folder / "model.xml").write_text(EXCHANGE.read_text() if sbml is None else sbml)
    for name, rows in tables.items():
        (folder / f"{name}.tsv").write_text("\n".join(rows).replace("|", "\t") + "\n")
    path = folder / "p.yaml"
    path.write_text(listing.format(**{kind: f"[{kind}.tsv]" if kind in tables else "[]" for kind in KINDS}))
    return path


def exchanged(t, a, b, k1, k2):
    """A and B after a time, in closed form."""
    rest = (a + b) * k2 / (k1 + k2)
    now = rest + (a - rest) * math.exp(-(k1 + k2) * t)
    return now, a + b - now


def normal(measured, computed, sd):
    """The square of a residual, and the logarithm of the density of normal errors."""
    z = (measured - computed) / sd
    return z * z, -0.5 * math.log(2.0 * math.pi * sd * sd) - 0.5 * z * z
