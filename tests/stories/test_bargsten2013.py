"""The circle and the counts of bargsten2013; `bifilar reproduce bargsten2013` runs the rest."""

from __future__ import annotations

from bifilar.papers import bargsten2013, bargsten_control


def test_counts_of_parameters():
    claims = bargsten2013.counts().claims
    assert [claim.ours for claim in claims] == ["57 of 84", "53 of 84", "59 of 84", "64 of 91", "62 of 91"]


def test_a_faster_stiffer_loop_follows_the_circle_five_times_closer():
    part = bargsten_control.circle(bargsten2013.arm())
    assert part.numbers["ratio"] <= 0.2
    assert len(part.plots) == 4 and all(claim.good is not False for claim in part.claims)
