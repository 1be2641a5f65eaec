"""Models and data: `.ode` text to exact derivatives and tapes, data files to observations."""
