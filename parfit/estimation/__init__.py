"""What is fitted to what: problems, optimizers, curves, and what is said of a point. Imports simulation and below."""
