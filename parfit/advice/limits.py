"""The numbers that GUIDE decides by, all in one place; each compares like with like."""

from __future__ import annotations

# Of a solution.
FAR = 0.25  # of the spread of the data about their means: a solution with a larger sum of squares does not follow them
POOR = 0.1  # the same for a minimum
COARSE = 10.0  # times the sum of squares of curves through the data: the equations could do better
UNLIKELY = 0.05  # probability below which an order of signs is no chance
INCONSISTENT = 99.9  # percentile of chi-square, where the errors of the observations are known
PERCENTILE = 95.0  # of the confidence regions that are looked at
DIFFERENT = 0.001  # probability below which experiments differ in a parameter; several are tested

# Of errors that are not all of one size.
ENOUGH = 12  # observations of a variable, for their errors to tell anything
GROWING = 1e-3  # probability below which an order of sizes is no chance; several variables are looked at
RANGE = 3.0  # factor over which values must go, for errors to follow them
OUTLYING = 8.0  # standard deviations, by the median size: a residual that belongs to something else

# Of two sums of squares.
SAME = 1e-3  # relative difference of those that two ways lead to
BETTER = 0.99  # of a sum of squares: what is smaller is better
WON = 0.9  # of the sum of squares, for another FIT to be worth its time
CHANCE = 4.0  # squared standard errors of the fit by which F may rise: 95 % of Student's t, squared

# Of parameters.
STRAIGHTER = 0.5  # of the logarithm of the worst factor on the boundary, to be worth a scaling
RUNAWAY = 1e6  # factor by which a fit has changed what the data do not see

# Of initial values.
BEGUN = 0.02  # of the largest observation: a state that was observed to begin there does not begin at 0
GROWN = 0.25  # the same where it was observed only later, and may have grown from 0

# Of the work.
SHORT, LONG = 60, 300  # evaluations of a fit that is made only to see where it leads
ITERATIONS = 25  # of Marquardt's method on curves, for one trial
MOST_WAYS = 5  # that are looked into
MOST_BENT = 20  # parameters, each of whose logarithms is tried
N_SCANNED = 20  # values of a parameter that acts only through a switch
DIGITS = 4  # of a number that is proposed
