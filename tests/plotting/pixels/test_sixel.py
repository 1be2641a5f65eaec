"""Sixels, read by a decoder of the standard, are the picture that was drawn."""

import shutil
import subprocess

import numpy as np
import pytest
from sixels import decoded

from parfit.plotting import Figure, Grid, Series
from parfit.plotting.files import in_pixels
from parfit.plotting.pixels.images import SIXEL, image
from parfit.plotting.pixels.sixel import sixel

T = np.linspace(0.0, 10.0, 100)
CURVES = tuple(Series(f"y{k}", T, np.sin(T + k), kind, k) for k, kind in enumerate(("solid", "dashed", "points")))
PICTURES = {
    "figure": Figure(CURVES, title="curves"),
    "grid": Grid(tuple(Figure((each,), "", each.label) for each in CURVES)),
}
ROUNDING = 255 / 100 / 2 + 0.01  # of a colour in per cent


def drawn(picture, columns, lines, cell):
    """The pixels themselves, by matplotlib: less than a band may be missing below."""
    width, height = columns * cell[0], lines * cell[1]
    height -= height % 6
    rgba = in_pixels(picture, "rgba", width, height, 5.0 * cell[1])
    return np.frombuffer(rgba, np.uint8).reshape(height, width, 4)[:, :, :3].astype(float)


@pytest.mark.parametrize("picture", PICTURES.values(), ids=PICTURES)
@pytest.mark.parametrize("cell", [(8, 16), (11, 23)], ids=str)
def test_a_picture_is_read_as_it_was_drawn(picture, cell):
    expected = drawn(picture, 50, 14, cell)
    found = decoded(image(picture, SIXEL, 50, 14, cell)) * 2.55
    assert found.shape == expected.shape
    apart = np.abs(found - expected).max(axis=2)
    assert (apart <= ROUNDING).mean() > 0.85, "the paper, and most of the letters"
    assert apart.max() < 32, "shades of the same colour"
    assert np.isfinite(found).all()


def test_few_colours_are_exact_and_of_many_those_that_are_alike_become_one():
    generator = np.random.default_rng(3)
    few = generator.integers(0, 256, (40, 3)).astype(np.uint8)[generator.integers(0, 40, (18, 50))]
    assert np.abs(decoded(sixel(few)) * 2.55 - few).max() <= ROUNDING
    many = generator.integers(0, 256, (24, 60, 3)).astype(np.uint8)
    found = decoded(sixel(many)) * 2.55
    assert np.abs(found - many).max() < 64
    assert np.abs(found.mean(axis=(0, 1)) - many.mean(axis=(0, 1))).max() <= ROUNDING, "no colour wins"


def test_an_unfinished_band_is_left_out_and_runs_are_counted():
    white = np.full((11, 30, 3), 255, np.uint8)
    assert sixel(white) == '\x1bP0;1q"1;1;30;6#0;2;100;100;100#0!30~\x1b\\'
    left = white[:6].copy()
    left[:, 3:] = 0
    assert sixel(left) == '\x1bP0;1q"1;1;30;6#0;2;0;0;0#1;2;100;100;100#0???!27~$#1~~~\x1b\\'


@pytest.mark.skipif(shutil.which("sixel2png") is None, reason="sixel2png of libsixel is not installed")
def test_libsixel_reads_the_same(tmp_path):
    from matplotlib.image import imread

    text = image(PICTURES["figure"], SIXEL, 50, 14, (8, 16))
    (tmp_path / "a.six").write_text(text)
    subprocess.run(["sixel2png", "-i", tmp_path / "a.six", "-o", tmp_path / "a.png"], check=True)
    assert np.abs(imread(tmp_path / "a.png")[:, :, :3] * 100 - decoded(text)).max() <= 1.0
