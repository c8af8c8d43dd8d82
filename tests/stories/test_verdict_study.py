"""A small version of `make study-verdict`: one machine, without a mistake and with two."""

from __future__ import annotations


def test_a_clean_run_is_good_and_mistakes_that_make_a_model_wrong_are_named(benchmark_module):
    study = benchmark_module("study_verdict")
    rows = study.one(("kuka_lwr4", 0, (study.CLEAN, "torque x2", "load 3 kg")))
    clean, *wrong = rows
    assert clean["level"] == "good" and not clean["named"] and clean["real"] < 0.05, clean
    for row in wrong:
        assert row["right"] and row["level"] != "good", row
    assert study.wrong(wrong[0]) and study.wrong(wrong[1])
    assert study.summary(rows)["wrong_and_good"] == 0 and len(study.table(rows)) == 2 + len(rows)
