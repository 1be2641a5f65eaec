"""The compiled kernel: tapes, curves, linear algebra and integrators over plain arrays."""
