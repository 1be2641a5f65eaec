"""Other machines, or processes of this one, that do work in pieces: dask.distributed behind the usual executor."""

from __future__ import annotations

import atexit
import logging
import re
from pathlib import Path
from typing import Any

from parfit.dataclass import dataclass
from parfit.errors import CommandError
from parfit.estimation.strategies.parallel import Crew, employ

LOCAL, OFF = "LOCAL", "OFF"
MOST = 1000  # processes of this machine
SECONDS = 10  # to wait for a scheduler
AHEAD = 2  # chunks for each thread of a worker, so that none waits for the next
ADDRESS = re.compile(r"(tcp|tls|ws|wss|ucx)://\S+", re.IGNORECASE)


@dataclass(frozen=True)
class Cluster:
    """A connection; `where` is what was asked for."""

    where: str
    client: Any
    processes: Any = None  # of this machine, if they were begun here

    @property
    def n_threads(self) -> int:
        workers = self.client.scheduler_info(n_workers=-1)["workers"].values()
        return sum(int(each["nthreads"]) for each in workers)

    def close(self) -> None:
        self.client.close()
        if self.processes is not None:
            self.processes.close()


class _Connection:
    """The cluster that works for this program, if one does."""

    present: Cluster | None = None


def present() -> Cluster | None:
    return _Connection.present


def check(where: str) -> None:
    """Refuse what no waiting would help: there is no dask, or no such scheduler's file."""
    _distributed()
    if where != LOCAL and not ADDRESS.fullmatch(where) and not Path(where).is_file():
        raise CommandError(f"{where} is neither an address, such as tcp://host:8786, nor a scheduler's file")


def connect(where: str, n: int = 0) -> Cluster:
    """Have work done by the scheduler at an address or in its file, or by n processes of this machine (LOCAL).

    Whoever does it now goes on to do so if that fails.
    """
    check(where)
    distributed = _distributed()
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what is wrong is told by what it ends in
    processes = None
    try:
        if where == LOCAL:
            processes = distributed.LocalCluster(n, threads_per_worker=1, dashboard_address=None, silence_logs=50)
            client = distributed.Client(processes, set_as_default=False)
        elif ADDRESS.fullmatch(where):
            client = distributed.Client(where, timeout=SECONDS, set_as_default=False)
        else:
            client = distributed.Client(scheduler_file=where, timeout=SECONDS, set_as_default=False)
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError where processes cannot begin
        if processes is not None:
            processes.close()
        if where == LOCAL:
            raise CommandError(f"no processes could be started here: {error}") from None
        raise CommandError(f"no scheduler answers at {where}: {error}") from None
    found = Cluster(f"{LOCAL} {n}" if where == LOCAL else where, client, processes)
    if not found.n_threads:
        found.close()
        raise CommandError(f"the scheduler at {where} has no workers", "start some, and give CLUSTER again")
    disconnect()
    _Connection.present = found
    employ(Crew(client.get_executor(pure=False), AHEAD * found.n_threads))
    atexit.register(disconnect)
    return found


def disconnect() -> None:
    """Back to the cores of this machine."""
    employ(None)
    atexit.unregister(disconnect)
    cluster, _Connection.present = _Connection.present, None
    if cluster is not None:
        cluster.close()


def _distributed() -> Any:
    try:
        import distributed  # late, because hardly anybody has a cluster
    except ImportError:
        raise CommandError("CLUSTER needs dask.distributed", "pip install 'parfit[cluster]' installs it") from None
    return distributed
