"""Commands on the problem itself: model, data, weights, sample times."""
