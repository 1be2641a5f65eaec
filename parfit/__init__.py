"""PARFIT: fit the parameters of ordinary differential equations to data."""
