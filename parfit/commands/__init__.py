"""The commands: one explicit table, which feeds the interpreter, the help, completion and the README.

A command's file is imported when the command is first asked for, so that the prompt need not wait for all of them.
"""

from __future__ import annotations

from parfit.commands.table import Entry, Table

TABLE = Table(
    (
        Entry("MODEL", "problem.model.model"),
        Entry("DATA", "problem.data.data"),
        Entry("LOAD", "problem.load.load"),
        Entry("EXPERIMENT", "problem.experiment.experiment"),
        Entry("INIT", "problem.init.init"),
        Entry("CREATE", "problem.create.create"),
        Entry("PARAMETERS", "parameters.parameters.parameters", ("SHOW", "PARAMS", "LIST", "PRINT")),
        Entry("SET", "parameters.set.set_values"),
        Entry("FREEZE", "parameters.freeze.freeze"),
        Entry("UNFREEZE", "parameters.freeze.unfreeze"),
        Entry("SCALE", "parameters.scale.scale"),
        Entry("BOUNDS", "parameters.bounds.bounds"),
        Entry("PRIOR", "parameters.prior.prior"),
        Entry("MARK", "parameters.mark.mark"),
        Entry("RECALL", "parameters.mark.recall"),
        Entry("NUDGE", "parameters.nudge.nudge"),
        Entry("OPTION", "settings.option.option"),
        Entry("SAMPLE", "problem.sample.sample"),
        Entry("WEIGHT", "problem.weight.weight"),
        Entry("NOISE", "problem.noise.noise"),
        Entry("LINEAR", "settings.linear.linear"),
        Entry("CLUSTER", "settings.cluster.cluster"),
        Entry("ECHO", "settings.echo.echo"),
        Entry("INTEG", "fitting.integ.integ"),
        Entry("SMOOTH", "curves.smooth.smooth"),
        Entry("RESMOOTH", "curves.smooth.resmooth"),
        Entry("CREOBS", "curves.creobs.creobs"),
        Entry("DFIT", "curves.dfit.dfit"),
        Entry("IFIT", "curves.ifit.ifit"),
        Entry("CONTIN", "fitting.contin.contin"),
        Entry("SHOOT", "fitting.shoot.shoot"),
        Entry("SEQ", "fitting.seq.seq"),
        Entry("SCAN", "fitting.scan.scan"),
        Entry("FIT", "fitting.fit.fit"),
        Entry("START", "fitting.start.start"),
        Entry("AUTO", "fitting.auto.auto"),
        Entry("PROBE", "looking.probe.probe"),
        Entry("STATS", "looking.stats.stats"),
        Entry("PROFILE", "looking.profile.profile"),
        Entry("BOOT", "looking.boot.boot"),
        Entry("COMPARE", "looking.compare.compare"),
        Entry("EQUIL", "looking.equil.equil"),
        Entry("PLOT", "looking.plot.plot"),
        Entry("REPORT", "looking.report.print_report"),
        Entry("GUIDE", "session.guide.guide"),
        Entry("HELP", "session.help.show_help"),
        Entry("NOTE", "session.note.note"),
        Entry("NOTES", "session.note.notes"),
        Entry("HISTORY", "session.history.history"),
        Entry("UNDO", "session.undo.undo"),
        Entry("REDO", "session.undo.redo"),
        Entry("TRY", "session.try_.attempt"),
        Entry("SAVE", "session.save.save"),
        Entry("KEEP", "session.keep.keep"),
        Entry("SUSP", "session.susp.suspend"),
        Entry("QUIT", "session.quit.quit_session", ("EXIT", "BYE")),
    )
)
