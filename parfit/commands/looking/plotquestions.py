"""What PLOT may ask."""

from __future__ import annotations

from parfit.commands.replacing import REPLACE
from parfit.session.questions import YES_NO, Item, Question

ITEMS = Question(
    "items",
    "SEQUENCE OF ITEMS TO PLOT (END WITH 0)",
    "Enter numbers or words of items; 0 or RETURN ends. Names of variables among them have only those drawn; alone "
    "they, and nothing at all, draw observations and solutions. TITLE, XLABEL and YLABEL are followed by a text, SIZE "
    "by inches, such as 6x4. MOVE has arrow keys pan and zoom the picture, at a terminal. "
    "The name of a file (fit.png, fit.svg, fit.pdf) among them has "
    "the picture written there as well. EACH gives every variable a small plot with its own scale, LOGX and LOGY make "
    "axes logarithmic: near zero, and through it, they are linear, so that nothing is left out. After MARKS two names "
    "of marks follow; with BAND, a number from 20 to 99 is its percentile, PROFILES or BOOT "
    "is what it stands on, and ERRORS makes it one of new observations.",
    (
        Item(1, "STATE VARIABLES", "STATES"),
        Item(2, "OBSERVATIONS", "OBSERVATIONS"),
        Item(3, "SMOOTHED OBSERVATIONS", "SMOOTHED"),
        Item(4, "GUESSED OBSERVATIONS", "GUESSED"),
        Item(5, "PHASE PLOT", "PHASE"),
        Item(6, "SUCCESSIVE GUESSES", "ROUNDS"),
        Item(7, "SUCCESSIVE INTEGRATIONS", "INTEGRATIONS"),
        Item(8, "WEIGHTED RESIDUALS OVER TIME", "RESIDUALS"),
        Item(9, "RESIDUALS AGAINST COMPUTED VALUES", "COMPUTED"),
        Item(10, "CONFIDENCE BAND OF THE CURVES", "BAND"),
        Item(11, "SENSITIVITIES TO PARAMETERS", "SENSITIVITIES"),
        Item(12, "COMPARISON OF MARKS", "MARKS"),
        Item(13, "SINGULAR VECTORS", "VECTORS"),
        Item(14, "EACH VARIABLE IN A PLOT OF ITS OWN", "EACH"),
        Item(15, "LOGARITHMIC AXIS ACROSS", "LOGX"),
        Item(16, "LOGARITHMIC AXIS UPWARDS", "LOGY"),
        Item(17, "PROFILES OF THE SUM OF SQUARES", "PROFILES"),
        Item(18, "OTHER PARAMETERS ALONG THE PROFILES", "ALONG"),
        Item(19, "FITS TO DATA DRAWN ANEW", "BOOT"),
    ),
    names="variables",
    words=("TITLE", "XLABEL", "YLABEL", "SIZE", "MOVE", "ERRORS"),
)
TEXT = Question("text", "TEXT", "Enter a title, or the name of an axis; in quotes if it has several words.")
LENGTHS = Question(
    "size", "SIZE IN INCHES", "Enter the width and height of a picture in a file, in inches, such as 6x4."
)
STATES = Question(
    "state variables",
    "STATE VARIABLES (END WITH 0)",
    "Enter names or subscripts of states or aux quantities to be plotted; 0 ends.",
    names="variables",
)
OBSERVED = Question(
    "observed variables",
    "OBSERVED VARIABLES TO PLOT (END WITH 0)",
    "Enter names of observed variables, or their subscripts among the state variables; 0 ends.",
    names="variables",
)
SMOOTHED = Question(
    "smoothed observations",
    "SMOOTHED OBSERVATIONS TO PLOT (END WITH 0)",
    "Enter names of observed variables, or their subscripts among the state variables; 0 ends.",
    names="variables",
)
GUESSED = Question(
    "guessed observations",
    "GUESSED OBSERVATIONS TO PLOT (END WITH 0)",
    "Enter names of states for which observations were guessed, or their subscripts; 0 ends.",
    names="variables",
)
ACROSS = Question(
    "across", "VARIABLE ACROSS", "Enter the name or subscript of a state, an aux quantity, or t.", names="variables"
)
UP = Question("up", "VARIABLE UP", "Enter the name or subscript of a state, an aux quantity, or t.", names="variables")
PERCENTILE = Question(
    "percentile",
    "ENTER (INTEGER) PERCENTILE FOR THE CONFIDENCE BAND",
    "Enter a whole number from 1 to 99, such as 95: with this probability, in per cent, the band holds the true curve "
    "at any one time.",
)
PARAMETERS = Question(
    "parameters",
    "PARAMETERS TO WHICH THE SENSITIVITIES ARE PLOTTED (END WITH 0)",
    "Enter names or subscripts of parameters; 0 ends.",
    names="parameters",
)
FIRST_MARK = Question(
    "name of the first mark",
    "FIRST MARK TO COMPARE",
    "Enter the name of a mark, whose curves are drawn as unbroken lines. NOW stands for the present parameters.",
    names="marks",
    words=("NOW",),
)
SECOND_MARK = Question(
    "name of the second mark",
    "SECOND MARK TO COMPARE",
    "Enter the name of a mark, whose curves are drawn as dashed lines. NOW stands for the present parameters.",
    names="marks",
    words=("NOW",),
)
PERMANENT = Question(
    "permanent plot",
    "IS A PERMANENT PLOT REQUIRED ANS. Y OR N",
    "Y adds the plot to the file graphs.txt of this run, under a number that the report mentions with the parameters. "
    "The name of a file (fit.png, fit.svg, fit.pdf) writes a picture there.",
    words=YES_NO,
)
QUESTIONS = (
    ITEMS,
    TEXT,
    LENGTHS,
    STATES,
    OBSERVED,
    SMOOTHED,
    GUESSED,
    ACROSS,
    UP,
    PERCENTILE,
    PARAMETERS,
    FIRST_MARK,
    SECOND_MARK,
    PERMANENT,
    REPLACE,
)
