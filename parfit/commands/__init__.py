"""The commands: one explicit table, which feeds the interpreter, the help, completion and the README."""

from __future__ import annotations

from parfit.commands import (
    bounds,
    create,
    fitting,
    integrating,
    parameters,
    plots,
    probe,
    problem,
    reporting,
    sampling,
    session,
    settings,
    stats,
    weighting,
)
from parfit.commands.table import Table

TABLE = Table(
    (
        problem.model,
        problem.data,
        problem.load,
        create.create,
        parameters.set_values,
        parameters.freeze,
        parameters.unfreeze,
        parameters.scale,
        bounds.bounds,
        parameters.mark,
        parameters.recall,
        settings.option,
        sampling.sample,
        weighting.weight,
        settings.echo,
        integrating.integ,
        fitting.fit,
        probe.probe,
        stats.stats,
        plots.plot,
        reporting.print_report,
        session.show_help,
        session.note,
        session.notes,
        session.history,
        session.undo,
        session.redo,
        session.save,
        session.keep,
        session.suspend,
        session.quit_session,
    )
)
