"""A run as its report wants it: from what `bifilar fit` has at hand, or from a run's folder and the logs it names."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bifilar.cli.fit_folder import RUN, RunError, about_run, inputs_of, run_settings
from bifilar.cli.typed_log import log_options
from bifilar.errors import BifilarError, Finding, Note
from bifilar.estimate.estimate import BaseEstimate
from bifilar.estimate.saved import load_estimate
from bifilar.export.carried_error import FileVerdict
from bifilar.export.run_reader import at_once
from bifilar.recording.recording import Recording
from bifilar.report.page import Page
from bifilar.report.run import Run
from bifilar.report.run_page import run_page
from bifilar.validate.holdout import Validation
from bifilar.validate.residuals import Dependence
from bifilar.validate.verdict import Verdict

Named = Sequence[tuple[str, Recording]]


def run_of(about: Mapping[str, Any], estimate: BaseEstimate, train: Named, test: Named, missing: Sequence[str] = ()) -> Run:
    """From what `run.json` says, and the logs as they were fitted and judged on."""
    settings = about["settings"]
    return Run(
        estimate=estimate,
        verdict=verdict_of(about["verdict"]),
        title=str(about["robot"]),
        robot=str(settings["robot"]),
        train=train,
        test=test,
        judged_on=str(about["judged_on"]),
        findings=[(name, [_finding(one) for one in found]) for name, found in about["findings"].items()],
        folder=str(about["folder"]),
        command=shlex.join(map(str, about["command"])),
        lock=tuple(settings.get("lock", ())),
        read_with=log_options(settings),
        score=_score(about.get("score")),
        files=[FileVerdict.from_facts(dict(file)) for file in about.get("files", ())],
        inputs=[(str(entry["given"]), str(entry["sha256"] or "")) for entry in about["inputs"]],
        versions=dict(about["versions"]),
        missing=missing,
    )


def page_of(run: Run) -> Page:
    """The report."""
    logs = ", ".join(dict.fromkeys(Path(name).name for name, _ in run.train)) or "logs that are not at hand"
    judged = run.judged_on if run.judged_on != "nothing" else "nothing"
    names = ", ".join(Path(part).name for part in judged.split(", ")) if "%" not in judged else judged
    lead = f"{run.described.name} with {len(run.joint_names)} joints, fitted to {logs}; judged on {names}."
    version = run.versions.get("bifilar", "")
    return run_page(run, lead=lead, foot=f"Made by bifilar {version}: {run.command}")


def stored_run(folder: str) -> Run:
    """From a run's folder; logs that are gone or were changed are named, and nothing of them is drawn.

    >>> stored_run("nowhere")
    Traceback (most recent call last):
    ...
    bifilar.cli.fit_folder.RunError: there is no run here
    ...
    """
    from bifilar.cli.fit_run import parted, read_as

    place = Path(folder)
    about, settings, estimate, inputs = at_once(
        place, lambda: (about_run(place), run_settings(place), load_estimate(place), inputs_of(place))
    )
    about = {**about, "folder": folder}
    changed, given = {name for _, name, same in inputs if not same}, {name: word for word, name, _ in inputs}
    missing = [given.get(name, name) for name in (*settings.logs, *settings.test) if name in changed]
    train: list[tuple[str, Recording]] = []
    test: list[tuple[str, Recording]] = []
    judged = settings.test != ("none",)
    for names, into in ((settings.logs, train), (settings.test if judged else (), test)):
        for name in names:
            try:
                if name not in changed:
                    into.append((given.get(name, name), read_as(settings, name, estimate.described)))
            except BifilarError:
                missing.append(given.get(name, name))
    if judged and not settings.test:
        kept = [name for name, _ in train]
        fit_on, judge_on = parted([recording for _, recording in train])
        train, test = list(zip(kept, fit_on)), list(zip(kept, judge_on))
    try:
        return run_of(about, estimate, train, test, missing)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RunError("run.unreadable/fit_folder", where=str(place / RUN), error=error) from None


def verdict_of(facts: Mapping[str, Any]) -> Verdict:
    """A verdict from what `Verdict.facts` wrote.

    >>> verdict_of(Verdict("poor", ("why",)).facts()).reasons
    ('why',)
    """
    said = facts.get("findings")  # of runs since they are written
    reasons = tuple(map(Note.of, facts["reasons"])) if said is None else tuple(map(Note.from_data, said))
    if "joints" not in facts:
        return Verdict(facts["level"], reasons)

    def column(key: str) -> Any:
        return np.array([np.nan if joint[key] is None else joint[key] for joint in facts["joints"]], dtype=float)

    with np.errstate(divide="ignore", invalid="ignore"):
        floor = column("rmse") / column("error_over_noise")
    errors = [Dependence(d["joint"], d["on"], d["share"], d["chance"]) for d in facts.get("residuals", ())]
    seen = Validation(
        joint_names=tuple(str(joint["joint"]) for joint in facts["joints"]),
        rows=int(facts["rows"]),
        relative=float(facts["relative_error"]),
        raw=facts["relative_error_raw"],
        described=float(facts["relative_error_of_description"]),
        rmse=column("rmse"),
        per_joint=column("relative_error"),
        r2=column("r2"),
        floor=np.where(np.isfinite(floor), floor, 0.0),
        described_per_joint=column("relative_error_of_description"),
        dependences=tuple(errors),
        repeated=float(facts.get("repeated", 0.0)),
        still=tuple(map(str, facts.get("still", ()))),
    )
    return Verdict(facts["level"], reasons, seen)


def _score(facts: Mapping[str, Any] | None) -> str:
    """A score at a cut-off that was asked for, in words."""
    from bifilar.cli.scored import Scored

    return "" if facts is None else f"{Scored(*facts.values())}."


def _finding(facts: Mapping[str, Any]) -> Finding:
    words = {word: str(facts.get(word, "")) for word in ("where", "what", "remedy", "likely")}
    known = {str(name): value for name, value in facts.get("facts", facts.get("numbers", {})).items()}
    return Finding(str(facts.get("code", "")), facts["severity"], **(known | words))
