"""What holds for every test: the user's own files are out of reach."""

import locale
import os
import signal

import pytest
from hypothesis import HealthCheck, settings

# The same examples every time, and no clock: a busy machine is no reason to fail.
settings.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")

# Nor is it one how the tests were started: in the background of a script interrupts are ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Programs that tests start find themselves compiled, whatever the environment says: else half of their start is that.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Workers and programs inherit this: their matrices are small, and threads of one would wait for those of another.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_xdist_auto_num_workers(config):
    """As many as were asked for, or one more than processors: who waits for a terminal leaves one to others."""
    asked = os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS")
    if asked:
        return int(asked)
    return 1 + (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def pytest_collection_modifyitems(items):
    """Whole programs first, which are in no room: they take longest, and nobody should wait for one at the end."""
    items.sort(key=lambda item: len(item.path.parts))


@pytest.fixture(autouse=True, scope="session")
def own_folders(tmp_path_factory):
    """State, cache and configuration go to a temporary folder, also in programs that a test starts."""
    base = tmp_path_factory.mktemp("user")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("STATE", "CACHE", "CONFIG"):
            folder = base / name.lower()
            folder.mkdir()
            patch.setenv(f"XDG_{name}_HOME", os.fspath(folder))
        yield base


@pytest.fixture(autouse=True)
def integration_of_1977(request, monkeypatch):
    """Where a test is marked `of_1977`, what is integrated without a word about it goes by the trapezoidal rule."""
    if request.node.get_closest_marker("of_1977") is not None:
        from parfit.simulation import simulator
        from parfit.simulation.method import MANUAL

        monkeypatch.setattr(simulator, "Method", lambda: MANUAL)


@pytest.fixture
def basico():
    """COPASI, which sets the locale of the whole process: whoever comes next would read files as ASCII."""
    found = pytest.importorskip("basico", reason="needs copasi-basico")
    yield found
    locale.setlocale(locale.LC_ALL, "")


@pytest.fixture
def begin(tmp_path, monkeypatch, request):
    """A function that begins a session with a model (or its name) and data (or theirs), in a folder of its own.

    Tests of numbers that the manual's defaults give are marked `of_1977`; their sessions begin with these.
    """
    from conversation import Session, data_of, model_of

    monkeypatch.chdir(tmp_path)
    begun = []
    of_1977 = request.node.get_closest_marker("of_1977") is not None

    def make(model="predator-prey", data="predator-prey", keeping=True, **more):
        if isinstance(data, str):
            data = data_of(data, model)
        model = model_of(model) if isinstance(model, str) else model
        session = Session(
            model, data, tmp_path / f"run-{len(begun)}" if keeping else None, **{"of_1977": of_1977, **more}
        )
        begun.append(session)
        return session

    yield make
    for session in begun:
        session.run.close()


@pytest.fixture
def session(begin):
    """A session on the predator-prey problem and its data."""
    return begin()


@pytest.fixture
def led_to(begin):
    """A function that makes one of the `situations` of GUIDE."""

    def make(situation):
        session = begin(*situation.problem())
        session(*situation.lines)
        return session

    return make


@pytest.fixture
def wash(begin):
    """A session on the wash-out problem, which has an exact solution, integrated accurately."""
    from certified import ACCURATE
    from washing import DATA, wash_model

    session = begin(wash_model(), DATA)
    session(ACCURATE)
    return session


@pytest.fixture
def both(begin):
    """Problem 4.2.1 with its smoothing, from the parameters of 4.2.2."""
    from coarse import SMOOTH, TWO, setting

    session = begin()
    session(setting(TWO), SMOOTH["predator-prey"])
    return session


@pytest.fixture
def prey(begin):
    """Problem 4.4.1: y2 is guessed."""
    from coarse import only, ready

    session = begin(data=only("predator-prey", "y1"))
    ready(session)
    return session
