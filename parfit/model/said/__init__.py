"""What a model says of its data: `noise`, `prior` and `linear`. Imports what is below model, and its language."""
