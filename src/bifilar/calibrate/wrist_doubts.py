"""Mistakes in a wrist sensor's data that a fit cannot mend but can name: another frame, saturation, a load beyond the range."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bifilar.calibrate.wrist_model import Frame, sensor_frame
from bifilar.dynamics.state import table
from bifilar.dynamics.tree import Array
from bifilar.errors import Finding, Remedy

CLEARLY = 3.0  # times smaller errors under another reading of the data are no chance
NEARLY = 1.5  # times larger errors of forces are allowed for, where moments are that much smaller
UP = 150.0  # [degrees] from gravity: a weight that points up
HEAVY = 4.0  # times its deviation that a weight must have to be one
FULL = 0.98  # share of the range that counts as full
AXES = ("Fx", "Fy", "Fz", "Mx", "My", "Mz")
Noise = Callable[[Array, Array], tuple[float, float]]


def suspicions(
    R: Array, wrench: Array, frame: Frame, noise: tuple[float, float], reach: ArrayLike | None, refit: Noise
) -> list[Finding]:
    """What looks wrong; `refit` gives the noise of force and moment under other readings of the same numbers.

    >>> rotation, wrench = bf.calibrate_example()
    >>> turned = np.einsum("nab,nkb->nka", rotation, wrench.reshape(-1, 2, 3)).reshape(-1, 6)
    >>> bf.tare(rotation, turned).findings[0].code
    'frame'
    """
    return [*_other_frame(R, wrench, frame, noise, refit), *_full(wrench, reach)]


def _other_frame(R: Array, wrench: Array, frame: Frame, noise: tuple[float, float], refit: Noise) -> list[Finding]:
    other: Frame = "base" if frame == "sensor" else "sensor"
    back = np.swapaxes(R, 1, 2)
    guesses = {
        f"the wrenches have the {other} frame's axes": (
            R,
            sensor_frame(wrench, R, other),
            Remedy(f'frame="{other}"', cli=f"--axes {other}"),
        ),
        "the rotations are sensor_from_base": (
            back,
            sensor_frame(wrench, back, frame),
            Remedy("give base_from_sensor, the transposed", cli="--inverted"),
        ),
        "both: rotations are sensor_from_base and the axes are the other frame's": (
            back,
            sensor_frame(wrench, back, other),
            Remedy(f'the transposed rotations and frame="{other}"', cli=f"--inverted --axes {other}"),
        ),
    }
    kinds = dict(zip(guesses, ("axes", "rotations", "both"), strict=True))
    errors = {likely: refit(rotation, readings) for likely, (rotation, readings, _) in guesses.items()}
    best = min(errors, key=lambda likely: np.prod(errors[likely]))  # forces alone cannot tell the first two apart
    force, moment = (before / max(after, 1e-300) for before, after in zip(noise, errors[best]))
    # inverted rotations and base axes together exchange weight and bias: forces are then explained, moments are not
    if force < CLEARLY and not (moment > CLEARLY and force > 1 / NEARLY):
        return []
    sizes = (noise[0], errors[best][0], noise[1], errors[best][1])
    facts: dict[str, Any] = dict(zip(("force", "force_otherwise", "moment", "moment_otherwise"), sizes, strict=True))
    return [Finding("frame", "error", "wrench", remedy=guesses[best][2], about=kinds[best], guess=best, **facts)]


def upside_down(weight: Array, known: Array | None) -> list[Finding]:
    """A weight that points up: the wrench has the other sign, or the base hangs from a ceiling.

    >>> upside_down(np.array([0.0, 0.1, 9.0]), None)[0].code
    'reversed'
    >>> upside_down(np.array([0.0, 0.1, -9.0]), None)
    []
    """
    down = np.array([0.0, 0.0, -1.0]) if known is None else known
    turned = float(np.degrees(np.arccos(np.clip(weight @ down / np.linalg.norm(weight), -1.0, 1.0))))
    if turned < UP:
        return []
    if known is not None:
        return [Finding("reversed/wrist_doubts", "error", "wrench", degrees=turned)]
    return [Finding("reversed/upside_down", "warning", "wrench", degrees=turned)]


def not_followed(told: Sequence[Any]) -> Finding:
    """That the bias seems to wander, but following it predicts held-out poses worse; `told`: predictions, the best first.

    >>> from bifilar.calibrate.wrist_sensor import Prediction
    >>> zero = np.zeros((1, 6))
    >>> not_followed([Prediction("constant", 1, 0.6, 0.01, zero, zero), Prediction("followed", 1, 7.0, 0.1, zero, zero)]).code
    'drift.not_followed'
    """
    best, followed = told[0], next(each for each in told if each.way == "followed")
    return Finding("drift.not_followed", "note", "bias", constant=best.force, followed=followed.force)


def _full(wrench: Array, reach: ArrayLike | None) -> list[Finding]:
    found = []
    if reach is not None:
        top = table("reach", reach, AXES, "axis")[0][0]
        for k in map(int, np.flatnonzero(np.any(np.abs(wrench) >= FULL * top, axis=0))):
            found.append(Finding("range", "error", AXES[k], largest=np.abs(wrench[:, k]).max(), top=top[k]))
    for k, readings in enumerate(wrench.T if len(wrench) >= 8 else ()):
        for end, word in ((readings.max(), "highest"), (readings.min(), "lowest")):
            count = int(np.sum(readings == end))
            if count >= max(3, len(wrench) // 10) and np.ptp(readings) > 0:
                found.append(Finding("clipped", "warning", AXES[k], word=word, end=end, count=count))
    return found


def no_load(weight: Array, covariance: Array) -> list[Finding]:
    """A weight that noise explains: then neither its direction nor a centre of mass can be told.

    >>> no_load(np.array([0.0, 0.0, -0.1]), 0.01 * np.eye(3))[0].code
    'no load'
    """
    size, spread = float(np.linalg.norm(weight)), float(np.sqrt(np.trace(covariance)))
    if size > HEAVY * spread:
        return []
    return [Finding("no load", "warning", "load", size=size, spread=spread)]


def drifts(step: Array, poses: int, noise: tuple[float, float], constant: float) -> list[Finding]:
    """Axes whose bias wanders by more than the noise over all poses; `constant`: the mass [kg] if it did not.

    >>> drifts(np.array([0, 0, 0.2, 0, 0, 0]), 25, (0.1, 0.1), 1.2)[0].code
    'drift'
    """
    wide = step * np.sqrt(poses)
    moved = [f"{AXES[k]} by about {wide[k]:.2g} {'N' if k < 3 else 'N m'}" for k in range(6) if wide[k] > noise[k // 3]]
    if not moved:
        return []
    return [Finding("drift", "warning", "bias", moved=moved, constant=constant)]
