"""What is told of the parts of a search."""

from parfit.estimation.strategies.starting.rungs import Rungs


def climbed(totals):
    """Rungs by name and what each leads to."""
    best = [float("inf")]
    rungs = Rungs(lambda: best[0])

    def work(total):
        yield
        best[0] = min(best[0], total)

    for name, total in totals:
        list(rungs.climbed(name, "", work(total)))
    return [(each.name, each.total) for each in rungs.all]


def test_every_rung_has_what_it_led_to():
    assert climbed([("here", 5.0), ("there", 3.0)]) == [("here", 5.0), ("there", 3.0)]


def test_the_same_again_is_one_as_long_as_nothing_better_was_found_elsewhere():
    assert climbed([("a", 5.0), ("b", 5.0), ("a", 5.0), ("b", 4.0)]) == [("a", 5.0), ("b", 4.0)]
    assert climbed([("a", 5.0), ("b", 4.0), ("a", 3.0)]) == [("a", 5.0), ("b", 4.0), ("a", 3.0)]
