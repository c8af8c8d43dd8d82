"""Intervals of the ratio of two models' errors: they hold the true ratio as often as they say."""

from __future__ import annotations

import numpy as np
import pytest

TRUE = 1.1  # of the root mean squares
DRAWS = 200


@pytest.fixture(scope="module")
def paired(benchmark_module):
    return benchmark_module("paired_blocks")


@pytest.mark.parametrize("stays", [0.0, 0.8])
def test_the_interval_holds_the_true_ratio_as_often_as_it_says(paired, stays):
    rng, hits, wide = np.random.default_rng(1), 0, []
    for _ in range(DRAWS):
        ours, theirs = paired.noise_pair(rng, 800, stays, TRUE)
        block, _ = paired.block_length([(ours, theirs)])
        ratio, low, high = paired.ratio_interval(ours, theirs, block)
        assert low <= ratio <= high
        hits += low <= TRUE <= high
        wide.append(high - low)
    assert 0.90 <= hits / DRAWS <= 0.99  # 0.95 within three deviations of a share of 200
    assert np.median(wide) < 0.1


def test_blocks_that_are_too_short_would_promise_too_much(paired):
    """Which is why blocks follow the memory: pieces that are alike for long, drawn one by one, make intervals too narrow."""
    ours, theirs = paired.noise_pair(np.random.default_rng(2), 4000, 0.95, TRUE)
    block, longest = paired.block_length([(ours, theirs)])
    _, low, high = paired.ratio_interval(ours, theirs, block)
    _, low_1, high_1 = paired.ratio_interval(ours, theirs, 1)
    assert block == 8 * longest > 80 and high - low > 2 * (high_1 - low_1)


def test_units_and_models_that_are_the_same(paired):
    ours, theirs = np.random.default_rng(3).normal(size=(2, 300)) ** 2
    assert paired.ratio_interval(theirs, theirs, 7) == (1.0, 1.0, 1.0)
    np.testing.assert_allclose(paired.ratio_interval(9 * ours, 9 * theirs, 7), paired.ratio_interval(ours, theirs, 7))
    swapped = paired.ratio_interval(theirs, ours, 7)
    ratio, low, high = paired.ratio_interval(ours, theirs, 7)
    np.testing.assert_allclose(swapped, (1 / ratio, 1 / high, 1 / low), rtol=1e-9)
