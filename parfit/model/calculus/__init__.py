"""From expressions to a graph, to derivatives, to tapes; and which parameter occurs where."""
