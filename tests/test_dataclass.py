"""Data classes whose methods are written late do what those of the standard library do."""

import copy
import dataclasses
import inspect
import pickle
from dataclasses import FrozenInstanceError, field, replace
from functools import cached_property

import pytest

from parfit.dataclass import dataclass

KINDS = [{}, {"frozen": True}, {"frozen": True, "eq": False}, {"kw_only": True}, {"frozen": True, "repr": False}]


def made(decorate, how):
    @decorate(**how)
    class Point:
        """Three numbers."""

        x: float
        y: float = 2.0
        z: list[float] = field(default_factory=lambda: [3.0], compare=False, repr=False)
        length: float = field(init=False)

        def __post_init__(self):
            object.__setattr__(self, "length", self.x + self.y)

    return Point


def outcome(act, cls):
    """What an action gives, or how it fails."""
    try:
        return act(cls)
    except (TypeError, AttributeError) as error:
        return type(error), str(error)


@pytest.mark.parametrize("how", KINDS, ids=str)
def test_everything_is_as_in_the_standard_library(how):
    ours, theirs = made(dataclass, how), made(dataclasses.dataclass, how)
    for act in (
        lambda c: c(x=1.0).__dict__,
        lambda c: c(1.0, 2.0).__dict__,
        lambda c: c(),
        lambda c: c(x=1.0, w=1.0),
        lambda c: c(x=1.0, z=[]).__dict__,
        lambda c: replace(c(x=1.0), y=5.0).length,
        lambda c: c(x=1.0) == c(x=1.0),
        lambda c: c(x=1.0) == c(x=2.0),
        lambda c: c(x=1.0) == 1.0,
        lambda c: hash(c(x=1.0)) == hash(c(x=1.0)),
        lambda c: repr(c(x=1.0)) if how.get("repr", True) else "any",
        lambda c: setattr(c(x=1.0), "x", 3.0),
        lambda c: setattr(c(x=1.0), "other", 3.0),
        lambda c: delattr(c(x=1.0), "y"),
        lambda c: copy.deepcopy(c(x=1.0)).__dict__,
        lambda c: [each.name for each in dataclasses.fields(c)],
        lambda c: inspect.signature(c),
        lambda c: inspect.signature(c(x=1.0).__init__),
        lambda c: c.__match_args__,
    ):
        assert outcome(act, ours) == outcome(act, theirs), inspect.getsource(act)


def test_the_first_call_and_the_next_agree():
    point = made(dataclass, {"frozen": True})
    first, second = point(1.0), point(1.0)
    assert first == second
    assert first == second
    assert hash(first) == hash(second) == hash(first)
    assert first != point(1.5)


@dataclass(frozen=True)
class Base:
    a: int

    @cached_property
    def double(self):
        return 2 * self.a


@dataclass(frozen=True)
class Derived(Base):
    b: int = 2


class Plain(Base):
    pass


@dataclass(frozen=True)
class ByHand:
    a: int
    b: int

    def __eq__(self, other):
        return isinstance(other, ByHand) and self.a == other.a

    def __hash__(self):
        return self.a

    def __repr__(self):
        return "by hand"


def test_classes_are_derived():
    assert (Derived(1).a, Derived(1, 3).b, Derived(4).double) == (1, 3, 8)
    assert Derived(1) != Base(1)
    assert Base(1) == Base(1)
    assert Plain(1) == Plain(1) != Base(1)
    assert {Base(1), Derived(1), Derived(1, 2), Base(1)} == {Base(1), Derived(1)}
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'a'"):
        Derived(1).a = 2


def test_help_tells_the_arguments_before_the_first_object_is_made():
    assert str(inspect.signature(made(dataclass, {"frozen": True}))) == str(
        inspect.signature(made(dataclasses.dataclass, {"frozen": True}))
    )

    class Other(Base):
        def __init__(self, c):
            super().__init__(c)

        def __call__(self, d):
            return d

    assert str(inspect.signature(Other)) == "(c)"
    assert str(inspect.signature(Other(1))) == "(d)"


def test_objects_are_pickled():
    assert pickle.loads(pickle.dumps(Derived(3, 4))) == Derived(3, 4)


def test_what_is_written_by_hand_stays():
    assert ByHand(1, 2) == ByHand(1, 3)
    assert (hash(ByHand(7, 2)), repr(ByHand(1, 2))) == (7, "by hand")


def test_a_circle_is_shown():
    @dataclass
    class Ring:
        next: object = None

    ring = Ring()
    ring.next = ring
    assert repr(ring) == "test_a_circle_is_shown.<locals>.Ring(next=...)"
