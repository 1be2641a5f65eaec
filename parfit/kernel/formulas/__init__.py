"""Numbers of the formulas by which equations are integrated."""
