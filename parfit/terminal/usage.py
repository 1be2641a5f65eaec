"""What the command line says of itself, for a screen of 80 columns."""

from __future__ import annotations

NEW_USAGE = """\
usage: parfit new [NAME [STATE ...]]

Write a model with these states and data for it, NAME.ode and NAME.csv, to
begin with; nothing is overwritten.
"""
CONVERT_USAGE = """\
usage: parfit convert MODEL [DATA ...] OUT

Write a model with its data, or a problem, in another format, which the ending
of OUT tells: .yaml is PEtab (version 2, with SBML), .xml is SBML, .ode is the
model language, with the data beside it as CSV. OUT is replaced if it is there.
"""
EXAMPLES = """\
to begin with:
  parfit tour            five minutes for newcomers
  parfit guide           which command when
  parfit                 a model typed from nothing
  parfit new             files of a model and data of your own to begin with
  parfit book            experiments of the literature: list, play, check
  parfit convert IN OUT  from one format to another: .ode, SBML, PEtab

examples, with a model and data of yours, or models/pk.ode and models/pk.csv:
  parfit m.ode d.csv                       a conversation
  parfit m.ode d.csv --auto                the answer, how far to believe it
  parfit m.ode d.csv -b fit.pft            the commands of a script
  parfit m.ode -e "INTEG N" -e "PLOT 1"    a few commands
  parfit m.ode d.csv --auto --json o.json  the results for other programs
  parfit --resume                          go on with the last run

exit codes:
  0  all was done             3  internal error
  1  a command failed         4  the time of --time was over
  2  wrong usage              5  all was done, but the last fit did not end at
                                 a minimum, or AUTO does not believe it
"""
