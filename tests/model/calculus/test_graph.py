"""The graph: equal subexpressions are one node, constants are folded, and a tape computes what the nodes mean."""

import numpy as np
import pytest

from parfit.model.calculus.graph import Graph, arguments, lower, needed

T, Y, P = 0, 1, 2  # the inputs of a graph with one state and one parameter


@pytest.fixture
def graph():
    return Graph(1, 1)


def computed(graph, *nodes, t=2.0, y=3.0, p=5.0):
    """The values of nodes at a point."""
    tape = lower(graph, [list(nodes)])
    return tape.evaluate(np.array([t]), np.array([[y]]), np.array([p]), 1)[0][0].tolist()


def test_equal_subexpressions_are_one_node(graph):
    assert graph.add(Y, P) == graph.add(P, Y)
    assert graph.multiply(T, Y) == graph.multiply(Y, T)
    assert graph.subtract(Y, P) != graph.subtract(P, Y)


def test_nothing_is_added_and_one_is_no_factor(graph):
    zero, one, minus = map(graph.constant, (0.0, 1.0, -1.0))
    assert graph.add(Y, zero) == graph.add(zero, Y) == graph.subtract(Y, zero) == Y
    assert graph.multiply(Y, one) == graph.multiply(one, Y) == Y
    assert graph.multiply(minus, Y) == graph.multiply(Y, minus) == graph.subtract(zero, Y) == graph.negate(Y)


def test_a_factor_0_stays_because_what_it_multiplies_may_not_be_finite(graph):
    product = graph.multiply(graph.constant(0.0), graph.reciprocal(Y))
    assert np.isnan(computed(graph, product, y=0.0)).all()


def test_constants_are_folded(graph):
    two, three = graph.constant(2.0), graph.constant(3.0)
    values = graph.add(two, three), graph.subtract(two, three), graph.multiply(two, three), graph.negate(two)
    assert [graph.value(node) for node in (*values, graph.reciprocal(two))] == [5.0, -1.0, 6.0, -2.0, 0.5]
    assert graph.value(Y) is None


@pytest.mark.parametrize("n", range(-3, 9))
def test_whole_powers(graph, n):
    assert computed(graph, graph.power(Y, n), y=1.5) == pytest.approx([1.5**n], rel=1e-15)


def test_a_product_uses_what_is_there(graph):
    pair = graph.multiply(Y, P)
    n = len(graph.nodes)
    product = graph.product([Y, T, P])
    assert pair in arguments(graph.nodes[product])
    assert len(graph.nodes) == n + 1
    assert computed(graph, product) == [30.0]


def test_sections_are_computed_one_after_another(graph):
    total, product = graph.add(Y, P), graph.multiply(Y, P)
    tape = lower(graph, [[total], [product, Y]])
    t, y, p = np.array([0.0, 1.0]), np.array([[2.0], [4.0]]), np.array([10.0])
    first, second = tape.evaluate(t, y, p, 2)
    assert first.tolist() == [[12.0], [14.0]]
    assert second.tolist() == [[20.0, 2.0], [40.0, 4.0]]


def test_what_a_result_needs(graph):
    graph.multiply(T, T)
    total = graph.add(Y, P)
    assert needed(graph, [total]) == {Y, P, total}


def test_what_is_merged_computes_the_same(graph):
    """A product within a sum and a reciprocal within a product are single instructions of the tape."""
    nodes = graph.add(graph.multiply(T, Y), P), graph.multiply(Y, graph.reciprocal(P))
    assert computed(graph, *nodes) == [2.0 * 3.0 + 5.0, 3.0 / 5.0]
