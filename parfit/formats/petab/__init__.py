"""PEtab: tables of a problem (parameters, conditions, observables, measurements) and its own mathematics."""
