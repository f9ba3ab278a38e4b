"""The colours, measured: apart from each other for everyone, and visible on white.

The distance is CIEDE2000 (Sharma, Wu, Dalal 2005), checked against pairs of its published test data; how colours look to
those who lack one sort of cone is that of Machado, Oliveira and Fernandes (2009), at full severity.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from allotment.views import theme
from allotment.views.theme import DARK, FADED, INK, NEUTRAL, ON, PALETTE, QUIET, TINT, group_colour, ink_on

SIGHTS = {
    "normal": np.eye(3),
    "protan": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deutan": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritan": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE_POINT = np.array([0.95047, 1.0, 1.08883])


def linear(colour: str) -> np.ndarray:
    part = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def lab(colour: str, sight: str = "normal") -> np.ndarray:
    x, y, z = TO_XYZ @ np.clip(SIGHTS[sight] @ linear(colour), 0, 1) / WHITE_POINT
    fx, fy, fz = (each ** (1 / 3) if each > 216 / 24389 else (24389 / 27 * each + 16) / 116 for each in (x, y, z))
    return np.array([116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)])


def distance(one: np.ndarray, other: np.ndarray) -> float:
    """Return the CIEDE2000 difference of two colours in CIELAB."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    c_mean = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    g = 0.5 * (1 - np.sqrt(c_mean**7 / (c_mean**7 + 25**7)))
    a1, a2 = (1 + g) * a1, (1 + g) * a2
    c1, c2 = np.hypot(a1, b1), np.hypot(a2, b2)
    h1, h2 = (np.degrees(np.arctan2(b, a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = 0.0 if not c1 * c2 else (h2 - h1 + 180) % 360 - 180
    dl, dc, dh = l2 - l1, c2 - c1, 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2))
    l_mean, c_mean = (l1 + l2) / 2, (c1 + c2) / 2
    h_mean = h1 + h2 if not c1 * c2 else (h1 + turn / 2) % 360
    t = (
        1
        - 0.17 * np.cos(np.radians(h_mean - 30))
        + 0.24 * np.cos(np.radians(2 * h_mean))
        + 0.32 * np.cos(np.radians(3 * h_mean + 6))
        - 0.20 * np.cos(np.radians(4 * h_mean - 63))
    )
    sl = 1 + 0.015 * (l_mean - 50) ** 2 / np.sqrt(20 + (l_mean - 50) ** 2)
    sc, sh = 1 + 0.045 * c_mean, 1 + 0.015 * c_mean * t
    rotation = (
        -2 * np.sqrt(c_mean**7 / (c_mean**7 + 25**7)) * np.sin(np.radians(60 * np.exp(-(((h_mean - 275) / 25) ** 2))))
    )
    return float(np.sqrt((dl / sl) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + rotation * dc / sc * dh / sh))


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of the Web Content Accessibility Guidelines."""
    low, high = sorted(float(TO_XYZ[1] @ linear(colour)) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, -1.3802, -84.2814), (50.0, 0.0, -82.7485), 1.0),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_the_distance_is_that_of_the_published_pairs(one, other, apart):
    assert distance(np.array(one), np.array(other)) == pytest.approx(apart, abs=1e-4)


@pytest.mark.parametrize(("sight", "least"), [("normal", 26), ("protan", 11), ("deutan", 11), ("tritan", 11)])
def test_every_two_hues_can_be_told_apart(sight, least):
    seen = [lab(colour, sight) for colour in PALETTE]
    assert min(distance(one, other) for one, other in combinations(seen, 2)) >= least


def test_every_hue_and_every_grey_that_says_something_is_visible_on_white():
    assert {
        colour: contrast(colour, "#FFFFFF")
        for colour in (*PALETTE, NEUTRAL, FADED, QUIET, DARK)
        if contrast(colour, "#FFFFFF") < 3
    } == {}


def test_words_on_every_fill_can_be_read():
    assert {fill: contrast(fill, word) for fill, word in ON.items() if contrast(fill, word) < 4.5} == {}
    assert set(PALETTE) < set(ON)


def test_a_slice_whose_contract_is_over_is_paler_than_one_that_is_protected():
    for colour in PALETTE:
        parts = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
        pale = "#" + "".join(f"{round(255 - TINT * (255 - part)):02X}" for part in parts)
        assert distance(lab(colour), lab(pale)) > 20
        assert contrast(pale, INK) >= 4.5  # what is written on it


def test_the_seventh_group_has_no_hue_of_its_own():
    assert [group_colour(place) for place in range(6)] == list(PALETTE)
    assert group_colour(6) == group_colour(60) == NEUTRAL


@pytest.mark.parametrize("hue", [*PALETTE, NEUTRAL])
def test_words_on_a_hue_can_be_read_and_contrast_is_what_is_measured_here(hue):
    assert contrast(hue, ink_on(hue)) >= 4.5
    assert theme.contrast(hue, ink_on(hue)) == pytest.approx(contrast(hue, ink_on(hue)), rel=1e-3)
