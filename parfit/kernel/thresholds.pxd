# What counts as nothing, where several modules must agree on it.

cdef extern from "thresholds.h":
    double DEPENDENT "PARFIT_RANK"
    double SAME_TIME "PARFIT_SAME_TIME"
