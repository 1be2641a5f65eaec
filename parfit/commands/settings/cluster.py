"""CLUSTER: who does the work of START, PROFILE and BOOT."""

from __future__ import annotations

from parfit.commands.table import command
from parfit.errors import CommandError
from parfit.estimation.strategies import workers
from parfit.estimation.strategies.parallel import n_cores
from parfit.estimation.strategies.workers import LOCAL, MOST, OFF
from parfit.model.textfile import integer
from parfit.session.dialogue import REST, Dialogue
from parfit.session.environment import Environment
from parfit.session.paths import meant
from parfit.session.questions import Answer, Question

WHERE = Question(
    "scheduler",
    "ENTER ADDRESS OR FILE OF A SCHEDULER, LOCAL AND A NUMBER, OR OFF",
    "tcp://host:8786, or the file that a scheduler of dask has written; LOCAL 4 begins four processes here; "
    "OFF goes back to the cores of this machine.",
    words=(LOCAL, OFF),
)


@command(
    "CLUSTER",
    "settings",
    (WHERE,),
    ("CLUSTER", "CLUSTER tcp://host:8786", "CLUSTER scheduler.json", "CLUSTER LOCAL 4", "CLUSTER OFF"),
    journaled=False,
)
def cluster(env: Environment, ask: Dialogue) -> Environment:
    """Have the work of START, PROFILE and BOOT done by a cluster; alone it says who does it now.

    The cluster is one of dask.distributed (pip install 'parfit[cluster]'), whose workers have PARFIT installed. The
    results are the same to the last bit, wherever and in whatever order they are computed; a worker that dies is
    replaced by others. On a cluster with SLURM:

      srun dask scheduler --scheduler-file s.json &
      srun -n 64 dask worker --scheduler-file s.json --nthreads 1 &
      parfit model.ode data.csv -e "CLUSTER s.json" -e "START 10000"
    """
    if not ask.more:
        ask.say(_who())
        return env
    where, n = ask.one(WHERE, _read, pattern=REST)
    if where == OFF:
        workers.disconnect()
    else:
        workers.check(where)
        ask.say("waiting for the workers")
        workers.connect(where, n)
    ask.say(_who())
    return env


def _who() -> str:
    found = workers.present()
    if found is None:
        n = n_cores()
        return f"the work is done by this machine, on {n} core{'s' * (n != 1)}"
    n = found.n_threads
    return f"the work is done by {found.where}, on {n} thread{'s' * (n != 1)}"


def _read(line: str) -> Answer[tuple[str, int]]:
    """Reads an address, a file, LOCAL with a number, or OFF."""
    words = line.split()
    if words and words[0].upper() == OFF and len(words) == 1:
        return Answer((OFF, 0), OFF)
    if words and words[0].upper() == LOCAL:
        n = integer(words[1]) if len(words) == 2 else None
        if n is None or not 1 <= n <= MOST:
            raise CommandError(f"LOCAL needs a number of processes from 1 to {MOST} after it, as in CLUSTER LOCAL 4")
        return Answer((LOCAL, n), f"{LOCAL} {n}")
    return Answer((meant(line.strip()), 0), line.strip())
