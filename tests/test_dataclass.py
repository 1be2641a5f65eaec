"""Data classes whose methods are written late do what those of the standard library do."""

import copy
import dataclasses
import importlib
import inspect
import pickle
import pkgutil
import re
import typing
from dataclasses import FrozenInstanceError, field, replace
from functools import cached_property

import pytest

import parfit
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


ACTS = [
    lambda c: c(x=1.0).__dict__,
    lambda c: c(1.0, 2.0).__dict__,
    lambda c: c(),
    lambda c: c(x=1.0, w=1.0),
    lambda c: c(x=1.0, z=[]).__dict__,
    lambda c: replace(c(x=1.0), y=5.0).length,
    lambda c: c(x=1.0) == c(x=1.0),
    lambda c: c(x=1.0) == c(x=2.0),
    lambda c: c(x=1.0) == 1.0,
    lambda c: len({c(x=1.0), c(x=1.0), c(x=2.0)}),
    lambda c: repr(c(x=1.0)),
    lambda c: setattr(c(x=1.0), "x", 3.0),
    lambda c: setattr(c(x=1.0), "other", 3.0),
    lambda c: delattr(c(x=1.0), "y"),
    lambda c: delattr(c(x=1.0), "other"),
    lambda c: copy.deepcopy(c(x=1.0)).__dict__,
    lambda c: [each.name for each in dataclasses.fields(c)],
    lambda c: inspect.signature(c),
    lambda c: inspect.signature(c(x=1.0).__init__),
    lambda c: c.__match_args__,
    lambda c: c.__doc__,
    lambda c: (c.__init__.__name__, c.__init__.__qualname__, c.__init__.__module__),
    lambda c: (c(x=1.0), c.__init__.__name__, c.__init__.__qualname__)[1:],
    lambda c: (c(x=1.0), typing.get_type_hints(c.__init__))[1],
    lambda c: repr(c.__dataclass_params__),
    lambda c: dataclasses.dataclass(frozen=True)(type("More", (c,), {})).__name__,
    lambda c: dataclasses.dataclass(type("More", (c,), {})).__name__,
]


@pytest.mark.parametrize("how", KINDS, ids=str)
@pytest.mark.parametrize("act", ACTS, ids=lambda act: inspect.getsource(act).strip().rstrip(","))
def test_everything_is_as_in_the_standard_library(act, how):
    """Each on a class of which nothing has been written yet."""
    ours, theirs = (outcome(act, made(decorate, how)) for decorate in (dataclass, dataclasses.dataclass))
    assert _without_addresses(ours) == _without_addresses(theirs)


def _without_addresses(value):
    return re.sub(r" at 0x\w+", "", value) if isinstance(value, str) else value


def test_methods_are_written_when_they_are_first_called():
    point = made(dataclass, {"frozen": True})
    assert all(hasattr(vars(point)[name], "write") for name in ("__init__", "__eq__", "__hash__"))
    one = point(1.0)
    assert not hasattr(vars(point)["__init__"], "write")
    assert hasattr(vars(point)["__eq__"], "write")
    assert one == point(1.0)
    assert not hasattr(vars(point)["__eq__"], "write")


def test_a_method_that_was_put_into_another_stays_there():
    point, calls = made(dataclass, {}), []
    inner = point.__init__

    def around(self, *arguments):
        calls.append(arguments)
        inner(self, *arguments)

    point.__init__ = around
    assert [point(1.0).x, point(2.0).x] == [1.0, 2.0]
    assert calls == [(1.0,), (2.0,)]


def test_every_class_of_the_package_can_be_written():
    """What the standard library would refuse where a class is defined must not wait for its first object."""
    n_found = 0
    for module in pkgutil.walk_packages(parfit.__path__, "parfit."):
        if module.name.endswith("__main__") or ".models" in module.name or ".sessions" in module.name:
            continue
        for cls in vars(importlib.import_module(module.name)).values():
            if isinstance(cls, type) and "__dataclass_fields__" in vars(cls) and cls.__module__ == module.name:
                n_found += 1
                for name in ("__init__", "__eq__", "__hash__"):
                    write = getattr(vars(cls).get(name), "write", None)
                    assert write is None or callable(write())
                assert inspect.signature(
                    cls
                ).parameters.keys() <= cls.__dataclass_fields__.keys() or "__init__" in vars(cls)
    assert n_found > 250


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
    with pytest.raises(TypeError, match="cannot inherit non-frozen"):
        dataclass(type("Other", (Base,), {}))


def test_classes_derived_by_hand_have_attributes_of_their_own():
    one = Plain(1)
    one.note = "mine"
    assert (one.note, one.a) == ("mine", 1)
    del one.note
    assert not hasattr(one, "note")
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'a'"):
        one.a = 2
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'a'"):
        del one.a


@dataclass(frozen=True)
class Equal:
    a: int

    def __eq__(self, other):
        return isinstance(other, Equal)


def test_who_writes_when_objects_are_equal_still_gets_a_hash():
    assert hash(Equal(1)) == hash(Equal(1)) != hash(Equal(2))


def test_help_tells_the_arguments_before_the_first_object_is_made():
    assert str(inspect.signature(made(dataclass, {"frozen": True}))) == str(
        inspect.signature(made(dataclasses.dataclass, {"frozen": True}))
    )

    class Other(Base):
        def __init__(self, c):
            super().__init__(c)

        def __call__(self, d):
            return d

    assert str(inspect.signature(type("Same", (made(dataclass, {}),), {}))) == str(
        inspect.signature(type("Same", (made(dataclasses.dataclass, {}),), {}))
    )
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
