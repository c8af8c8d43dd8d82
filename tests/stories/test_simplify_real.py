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
