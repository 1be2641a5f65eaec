"""The commands: one explicit table, which feeds the interpreter, the help, completion and the README."""

from __future__ import annotations

from parfit.commands.curves import creobs, dfit, ifit, smooth
from parfit.commands.fitting import contin, fit, integ, scan, seq, shoot
from parfit.commands.looking import compare, equil, plot, probe, profile, report, stats
from parfit.commands.parameters import bounds, freeze, mark, nudge, parameters, scale
from parfit.commands.parameters import set as set_
from parfit.commands.problem import create, data, init, load, model, sample, weight
from parfit.commands.session import guide, help, history, keep, note, quit, save, susp, try_, undo
from parfit.commands.settings import echo, linear, option
from parfit.commands.table import Table

TABLE = Table(
    (
        model.model,
        data.data,
        load.load,
        init.init,
        create.create,
        parameters.parameters,
        set_.set_values,
        freeze.freeze,
        freeze.unfreeze,
        scale.scale,
        bounds.bounds,
        mark.mark,
        mark.recall,
        nudge.nudge,
        option.option,
        sample.sample,
        weight.weight,
        linear.linear,
        echo.echo,
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
        profile.profile,
        compare.compare,
        equil.equil,
        plot.plot,
        report.print_report,
        guide.guide,
        help.show_help,
        note.note,
        note.notes,
        history.history,
        undo.undo,
        undo.redo,
        try_.attempt,
        save.save,
        keep.keep,
        susp.suspend,
        quit.quit_session,
    )
)
