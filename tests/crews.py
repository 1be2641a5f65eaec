"""Who does pieces of work in tests: one after the other, so that nothing is left to chance."""

from concurrent.futures import Executor, Future

from parfit.estimation.strategies.parallel import Crew


class AtOnce(Executor):
    """Does work when it is given."""

    def submit(self, work, /, *given, **more):
        future = Future()
        try:
            future.set_result(work(*given, **more))
        except BaseException as error:
            future.set_exception(error)
        return future


AT_ONCE = Crew(AtOnce(), 1)


class Idle(Executor):
    """Does nothing: who gives it work has forgotten that it was done."""

    def submit(self, work, /, *given, **more):
        raise AssertionError("this was done before")


NOBODY = Crew(Idle(), 1)


class Memory(dict):
    """Keeps pieces, as a run does."""

    def put(self, piece, found):
        self[piece] = found
