"""What stands between a command that fails after TRY and the next one is prose, and is shown; its numbers count."""

import io

from conversation import MODELS

from parfit.book.experiment import read_experiment
from parfit.book.figures import PRINTED
from parfit.book.playing import Listener, play

SCRIPT = f"""\
# 9.9 An experiment
# Somebody, somewhere, page 1.
# Replay with: parfit {MODELS}/enzyme.ode {MODELS}/enzyme.csv -b sessions/x.pft
#
TRY SET p9=3
#= p1: 1000.

# There is no p9.

# And no other.

SET p2=.5
"""


def test_prose_and_numbers_after_a_command_that_failed(tmp_path):
    path = tmp_path / "9.9-x.pft"
    path.write_text(SCRIPT)
    out = io.StringIO()
    played = play(read_experiment(path), Listener(out, out), tmp_path / "run")
    played.interpreter.run.close()
    said = out.getvalue()
    assert said.index("> TRY") < said.index("There is no p9.") < said.index("And no other.") < said.index("> SET p2")
    assert [each.agreement for each in played.comparisons] == [PRINTED]
    assert played.interpreter.env.values[1] == 0.5
