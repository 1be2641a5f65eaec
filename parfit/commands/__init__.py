"""The commands: one explicit table, which feeds the interpreter, the help, completion and the README."""

from __future__ import annotations

from parfit.commands.curves import creobs, dfit, ifit, smooth
from parfit.commands.fitting import contin, fit, integ, scan, seq, shoot
from parfit.commands.looking import equil, plot, probe, report, stats
from parfit.commands.parameters import bounds, nudge, parameters
from parfit.commands.problem import create, problem, sample, weight
from parfit.commands.session import guide, session
from parfit.commands.settings import linear, settings
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
        nudge.nudge,
        settings.option,
        sample.sample,
        weight.weight,
        linear.linear,
        settings.echo,
        integ.integ,
        smooth.smooth,
        smooth.resmooth,
        creobs.creobs,
        dfit.dfit,
        ifit.ifit,
        contin.contin,
        shoot.shoot,
        seq.seq,
        scan.scan,
        fit.fit,
        probe.probe,
        stats.stats,
        equil.equil,
        plot.plot,
        report.print_report,
        guide.guide,
        session.show_help,
        session.note,
        session.notes,
        session.history,
        session.undo,
        session.redo,
        session.attempt,
        session.save,
        session.keep,
        session.suspend,
        session.quit_session,
    )
)
