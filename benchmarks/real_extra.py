"""Real data beside the table: friction of one joint, what consistency costs, a load in a robot's hand."""

from __future__ import annotations

from typing import Any

import numpy as np
from real_cases import SHARE, staubli_tx40, tx40_classic

import bifilar as bf
from bifilar.estimate.prior_strength import PriorStrength
from bifilar.recording.recipes import Recipe

LOAD = 2.805  # [kg] as published
WIDTH = 0.05  # [rad/s] of the TX40's sign
PUBLISHED = {  # of the TX40, joints 1 to 6
    "viscous": [8.05, 5.53, 1.97, 1.11, 1.86, 0.65],  # [N m s/rad]
    "coulomb": [7.14, 8.26, 6.34, 2.48, 3.03, 0.28],  # [N m]
    "rotor_inertia": [0.362, 0.362, 0.099, 0.031, 0.047, 0.0105],  # [kg m^2]
}


def franka_friction() -> list[str]:
    """Friction torque of one joint: chosen on the first part of the slow run, predicted on the rest."""
    found = franka_errors()
    return [
        "## Friction of one joint (friction_franka, case3_slow)",
        "",
        f"Friction torque of Franka's joint 2, first {SHARE:.0%} fitted, the rest predicted:",
        f"{found['chosen']:.3f} N m RMS with the friction that was chosen ({found['words']}),",
        f"{found['hard']:.3f} with a hard sign. Asked for: 0.174. The joint's gravity is no part of it.",
    ]


def franka_errors() -> dict[str, float | str]:
    """Root mean squares of the part that was not fitted [N m]."""
    run = bf.datasets.load("friction_franka", "slow")
    robot = bf.datasets.robot("friction_franka").with_gravity([0, 0, 0])  # the torque is friction alone
    table = run.position, run.velocity, np.zeros_like(run.velocity), run.torque
    cut = int(SHARE * len(run))
    train, test = (tuple(x[part] for x in table) for part in (slice(0, cut), slice(cut, None)))
    choice = bf.choose_friction(robot, train)
    usual = bf.Viscous() + bf.Coulomb() + bf.Offset()
    errors: dict[str, float | str] = {"words": " + ".join(f"{type(t).__name__}" + _settings(t) for t in choice.friction)}
    for name, friction in (("chosen", choice.friction), ("hard", usual)):
        estimate = bf.LeastSquares(uncertainty="white").fit(robot, train, friction=friction)
        errors[name] = float(np.sqrt(np.mean((estimate.predict(test) - test[3]) ** 2)))
    return errors


def _settings(term: object) -> str:
    words = [f"{name} {getattr(term, name):g}" for name in ("width", "speed", "exponent") if getattr(term, name, 0)]
    return f" ({', '.join(words)})" if words else ""


def consistency() -> list[str]:
    """What links that can exist cost on a TX40, with and without the wrist's coupling."""
    lines = [
        "## What consistency costs (staubli_tx40)",
        "",
        "Published friction model at a sign of 0.05 rad/s width, the whole run fitted at the scored cut-off. Residual in units",
        "of noise, beyond that of free numbers, in per cent: links that can exist, without a prior and with one. Asked for: 1.",
        "A prior costs more on the fitted run and is chosen because it predicts better: in the last column, how much worse the",
        "weight does on held-out blocks than the chosen one, in standard errors of the difference.",
        "",
        "| model | prior's weight | residual beyond free numbers | worse on held-out blocks |",
        "|---|---|---|---|",
    ]
    for name, weight, rise, worse in consistency_costs():
        told = "-" if np.isnan(worse) else f"{worse:.2g}"
        lines.append(f"| {name} | {weight} | {100 * rise:.2g} | {told} |")
    return lines


def consistency_costs(weights: tuple[float | None, ...] = (0.0, 0.01, None)) -> list[tuple[str, str, float, float]]:
    """Model, weight of the prior (None: chosen on held-out blocks), share of the residual that is added, held-out loss."""
    case, rows = staubli_tx40(), []
    names = case.robot.joint_names
    bare = bf.Viscous() + bf.Coulomb(width=WIDTH) + bf.Offset() + bf.RotorInertia()
    models = {
        "without coupling": (case.robot.with_drivetrain(None), bare),
        "joint 6 driven with joint 5": (case.robot, tx40_classic(names, width=WIDTH)),
    }
    for name, (robot, friction) in models.items():
        samples = bf.prepare(bf.datasets.load("staubli_tx40"), case.recipe(case.cutoff, every=100), robot=robot)
        plain = bf.LeastSquares(uncertainty="white").fit(robot, samples, friction=friction)
        free = residual(samples, plain.model, plain.noise)
        fits = {w: bf.PhysicallyConsistent(prior_weight=w).fit(robot, samples, friction=friction) for w in weights}
        table = fits[None].tables["prior weight"] if None in fits else None
        for weight, fit in fits.items():
            told = f"{weight:g}" if weight is not None else f"{table.weight:.2g}, chosen on held-out blocks"
            rows.append((name, told, residual(samples, fit.model, plain.noise) / free - 1, held_loss(table, weight)))
    return rows


def held_loss(table: PriorStrength | None, weight: float | None) -> float:
    """How much worse a weight predicts held-out blocks than the chosen one, in standard errors; NaN if it was not tried."""
    if table is None or weight not in table.weights:
        return np.nan
    more = table.errors[list(table.weights).index(weight)] - table.errors[table.chosen]
    return float(more.mean() / (np.std(more, ddof=1) / np.sqrt(len(more))))


def published() -> list[str]:
    """Friction and rotors of the TX40 beside the published ones."""
    count, found = published_ratios()
    lines = [
        "## Published numbers (staubli_tx40)",
        "",
        f"The classic model (viscous, Coulomb, offset, rotors; motor 6 turns with joint 5) at a sign of {WIDTH:g} rad/s width,",
        f"the whole run fitted at the scored cut-off: {count} base parameters (published: 61). Found over published, joints 1",
        "to 6; numbers of joints 5 and 6 contain motor 6, as the published ones do. Asked for: 8 % in joints 1 to 5, of the",
        "rotors in 3 to 5.",
        "A dash: no base parameter by itself, but part of the link's inertia.",
        "",
        "| | 1 | 2 | 3 | 4 | 5 | 6 |",
        "|---|---|---|---|---|---|---|",
    ]
    words = {"viscous": "Fv", "coulomb": "Fc", "rotor_inertia": "Ia"}
    for word, ratios in found.items():
        lines.append(f"| {words[word]} | " + " | ".join("-" if np.isnan(x) else f"{x:.3f}" for x in ratios) + " |")
    return lines


def published_ratios() -> tuple[int, dict[str, np.ndarray]]:
    """Number of base parameters, and found over published values of joints 1 to 6; NaN where none is found by itself."""
    case = staubli_tx40()
    friction = tx40_classic(case.robot.joint_names, width=WIDTH)
    samples = bf.prepare(bf.datasets.load("staubli_tx40"), case.recipe(case.cutoff, every=100), robot=case.robot)
    estimate = bf.LeastSquares(uncertainty="white").fit(case.robot, samples, friction=friction)
    values = dict(zip(estimate.names, estimate.values, strict=True))
    found = {word: np.array([values.get(f"joint_{k}.{word}", np.nan) for k in range(1, 7)]) for word in PUBLISHED}
    for word in ("viscous", "rotor_inertia"):
        found[word][4:] += values[f"motor_6.{word}"]
    return len(estimate.names), {word: x / PUBLISHED[word] for word, x in found.items()}


def residual(samples: bf.Samples, model: bf.Model, noise: np.ndarray) -> float:
    """Norm of what a model leaves, in units of the joints' noise."""
    return float(np.linalg.norm((samples.torque - samples.predict(model)) * samples.mask / noise))


RUNS = [  # without and with the load
    ("ur-20_02_19_14harm50sec", "ur-20_02_19_14harm50secLoad"),
    ("ur-20_01_31-unload", "ur-20_01_31-load"),
    ("ur-20_02_12-50sec_12harm", "ur-20_02_19_14harm50secLoad"),
]


def payload() -> list[str]:
    """The mass in the hand of a UR10e, from two pairs of runs."""
    lines = [
        "## A load of 2.805 kg (ur10e_mamedov)",
        "",
        "Mass found from runs with and without the load, torque being current times the published drive gains. All pairs agree",
        "with each other, not with the stated mass; if that is right, the gains are too small by the last column.",
        "",
        "| without | with | mass [kg] | stated / found |",
        "|---|---|---|---|",
    ]
    for free, held, load in payloads():
        gain = load.gain(LOAD)
        lines.append(f"| {free} | {held} | {load.mass:.3f} +- {load.deviations[0]:.3f} | {gain[0]:.3f} +- {gain[1]:.3f} |")
    lines += [
        "",
        "With gains that one pair of runs and the stated mass give, the load in runs that were not used for the gains, from",
        "the estimate of the arm without it (`bf.identify_payload(robot, estimate, loaded)`, as `bifilar payload` does):",
        "",
        "| gains from | arm from | load in | mass [kg] | off by [deviations] |",
        "|---|---|---|---|---|",
    ]
    for gains, arm, held, load in calibrated_payloads():
        off = (load.mass - LOAD) / load.deviations[0]
        lines.append(f"| {gains} | {arm} | {held} | {load.mass:.3f} +- {load.deviations[0]:.3f} | {off:+.1f} |")
    return lines


def calibrated_payloads() -> list[tuple[str, str, str, bf.Payload]]:
    """Gains from one pair of runs, then the load in the loaded run of the other pair, by a run of the arm without it."""
    robot, found = bf.datasets.robot("ur10e_mamedov"), []
    first, second = RUNS[:2]

    def prepared(name: str, gain: Any = 1.0) -> bf.Samples:
        log = bf.datasets.load("ur10e_mamedov", name)
        assert isinstance(log, bf.Recording) and log.torque is not None
        log = log.with_channel("torque", np.asarray(log.torque) * gain)
        return bf.prepare(log, Recipe(cutoff=5.0, slow=0.0), robot=robot)

    for pair, arms, held in ((first, (second[0], RUNS[2][0]), second[1]), (second, (first[0],), first[1])):
        gain = bf.identify_drive_gains(robot, *map(prepared, pair), mass=LOAD).gain
        for arm in arms:
            estimate = bf.PhysicallyConsistent().fit(robot, prepared(arm, gain), friction="choose")
            found.append((", ".join(pair), arm, held, bf.identify_payload(robot, estimate, prepared(held, gain))))
    return found


def payloads(pairs: int = 3) -> list[tuple[str, str, bf.Payload]]:
    """The same motion with and without the load, twice, and another motion without it."""
    robot, found = bf.datasets.robot("ur10e_mamedov"), []
    for names in RUNS[:pairs]:
        free, held = (
            bf.prepare(bf.datasets.load("ur10e_mamedov", n), Recipe(cutoff=5.0, slow=0.0), robot=robot) for n in names
        )
        friction = bf.choose_friction(robot, free).friction
        found.append((*names, bf.identify_payload(robot, free, held, friction=friction)))
    return found
