"""Pictures: an environment or a result becomes a figure. Nobody is asked, nothing is printed."""
