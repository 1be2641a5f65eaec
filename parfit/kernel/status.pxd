# Why an integration stopped; the sentences are in parfit/simulation/status.py.

cdef enum:
    OK = 0
    START = 1            # an initial value is not finite
    NOT_FINITE = 2       # a derivative is not finite
    NO_CONVERGENCE = 3   # Newton's method did not converge on a given step
    SINGULAR = 4         # singular Newton matrix on a given step
    ERROR_TEST = 5       # the error could not be met with the smallest step
    CORRECTOR = 6        # the corrector did not converge with the smallest step
    TOO_MANY_STEPS = 7
    NOT_SMOOTH = 8       # a derivative of g or of an initial value is not finite
    JUMP = 9             # a jump gave something that is not finite
    SLIDING = 10         # on both sides of a switch the equations lead back to it
    ENDLESS = 11         # jumps set off each other without end
    EARLY = 13           # something that is to be given has a time before the beginning (12 is of simulation/rest.py)
    HOPELESS = 14        # whoever wanted the run needs no more of it
    LONG = 15            # it takes more steps than whoever wanted it would wait for
    LOOSE = 16           # it takes more steps than it should with larger errors
