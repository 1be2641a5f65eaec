"""Kitty's graphics protocol: the commands hold the PNG that was drawn, in pieces as the protocol wants them."""

import re
from base64 import b64decode
from io import BytesIO

import numpy as np
import pytest

from parfit.plotting import Figure, Series
from parfit.plotting.files import in_pixels
from parfit.plotting.pixels.images import KITTY, image
from parfit.plotting.pixels.kitty import ROW_MARKS

T = np.linspace(0.0, 10.0, 200)
FIGURE = Figure((Series("y", T, np.sin(T), "solid"), Series("z", T[::9], np.cos(T[::9]), "points", 1)), title="curves")
COMMAND = re.compile(r"\x1b_G([a-zA-Z0-9=,]*);([A-Za-z0-9+/=]*)\x1b\\")
WRAPPED = re.compile(r"\x1bPtmux;((?:[^\x1b]|\x1b\x1b)*)\x1b\\")
SIZE = 70, 15, (9, 18)  # columns, lines, and pixels of a cell


def transmitted(text):
    """The keys of the first command, the picture that all of them hold, and what follows."""
    keys, data, at = [], "", 0
    while command := COMMAND.match(text, at):
        keys.append(dict(pair.split("=") for pair in command[1].split(",")))
        assert len(command[2]) <= 4096
        assert len(command[2]) % 4 == 0
        data, at = data + command[2], command.end()
    assert [each["m"] for each in keys] == ["1"] * (len(keys) - 1) + ["0"]
    assert all(each["q"] == "2" for each in keys), "nothing is to be answered"
    assert all(set(each) == {"m", "q"} for each in keys[1:])
    return keys[0], pixels(b64decode(data, validate=True)), text[at:]


def pixels(png):
    from PIL import Image

    return np.asarray(Image.open(BytesIO(png)).convert("RGBA"))


def drawn():
    columns, lines, cell = SIZE
    width, height = columns * cell[0], lines * cell[1]
    rgba = in_pixels(FIGURE, "rgba", width, height, 5.0 * cell[1])
    return np.frombuffer(rgba, np.uint8).reshape(height, width, 4)


def test_the_picture_arrives_as_it_was_drawn():
    keys, found, rest = transmitted(image(FIGURE, KITTY, *SIZE))
    assert (keys["a"], keys["f"], keys["c"], keys["r"]) == ("T", "100", "70", "15")
    assert np.array_equal(found, drawn())
    assert rest == ""


def test_through_tmux_the_picture_goes_past_it_and_characters_hold_its_place():
    text = image(FIGURE, KITTY, *SIZE, in_tmux=True)
    parts = WRAPPED.findall(text)
    keys, found, rest = transmitted("".join(parts).replace("\x1b\x1b", "\x1b"))
    assert rest == ""
    assert (keys["U"], keys["c"], keys["r"]) == ("1", "70", "15")
    assert np.array_equal(found, drawn())
    rows = WRAPPED.sub("", text).split("\n")
    assert len(rows) == 15
    for k, row in enumerate(rows):
        colour = re.fullmatch(r"\x1b\[38;2;(\d+);(\d+);(\d+)m(.*)\x1b\[39m", row)
        red, green, blue = (int(each) for each in colour.groups()[:3])
        assert red << 16 | green << 8 | blue == int(keys["i"])
        assert colour[4] == "\U0010eeee" + ROW_MARKS[k] + ROW_MARKS[0] + "\U0010eeee" * 69


def test_every_picture_through_tmux_has_its_own_number():
    first, second = (transmitted_number(image(FIGURE, KITTY, *SIZE, in_tmux=True)) for _ in range(2))
    assert first != second
    assert max(first, second) < 2**24


def transmitted_number(text):
    return int(re.search(r"i=(\d+)", text)[1])


@pytest.mark.parametrize("k", range(len(ROW_MARKS)))
def test_marks_of_rows_are_marks_above_a_letter(k):
    """As kitty chose them: of combining class 230, in their order, without decomposition into others."""
    import unicodedata

    assert unicodedata.combining(ROW_MARKS[k]) == 230
    assert k == 0 or ROW_MARKS[k - 1] < ROW_MARKS[k]
