"""Identification from walking under feedback: least squares is biased, instruments less, maximum likelihood is not."""

from __future__ import annotations

import numpy as np

from bifilar.papers.dolinsky_closed_loop import estimates, machine


def test_bias_under_feedback() -> None:
    """Twenty walks: bifilar reproduce dolinsky2017."""
    truth, found = machine().truth, estimates(100)
    off = {name: np.abs(np.asarray(values) / truth - 1) for name, values in found.items()}
    assert off["WLS"][:4].min() > 0.3
    assert off["IV"][:4].max() < 0.5 * off["WLS"][:4].min() + 0.3
    assert off["ML"].max() < 0.03
