"""A smaller model of a real arm, held out: one block of six; `make simpler-models` does all of them, by six rules."""

from __future__ import annotations

from dataclasses import replace

from simpler_models import measured, work_of


def test_a_smaller_model_of_tiago_predicts_a_block_it_has_not_seen(dataset):
    dataset("tiago")
    work = work_of("tiago")
    result = measured(replace(work, folds=work.folds[:1]), ["contribution"], lambda words: None)
    entry = result["rules"]["contribution"]
    assert entry["ratio"] <= 1.02 and entry["dropped_share"] >= 1 / 3


def test_a_smaller_model_of_an_lwr_predicts_its_motion_once_more(dataset):
    dataset("kuka_lwr4")
    result = measured(work_of("kuka_lwr4"), ["contribution"], lambda words: None)
    entry = result["rules"]["contribution"]
    low, high = entry["interval"]
    assert entry["ratio"] <= 1.0 and low < 1.0 < high and entry["dropped_share"] > 0.3
    assert entry["best_ratio"] > 0.99  # nobody could have gained more, knowing the second run: the motion is the same
