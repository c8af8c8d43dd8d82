"""Sign and unit of the torque, against the description, and where that is silent against friction and the effort limits.

    sign    s_i < 0 of a joint that speaks (see checks_model); or friction that would feed power into the joint, P = f(v) v < 0
    unit    median |s| near 1000: mN m; near 1/1000: kN m; else far from 1: motor side, current, percent

Friction only ever takes power away, whatever the description says: it decides for joints without gravity, and for robots
whose description has no masses.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.errors import Finding, Place
from bifilar.recording.checks_model import Comparison
from bifilar.recording.checks_view import View

DISSIPATES = 0.9  # |mean power| over mean |power|: viscous and Coulomb friction agree
SHARE = 0.3  # of what the model leaves that friction must explain to accuse
PASSIVE = 0.5  # of the model's torque: less is not what moves the joint, but what a balancing controller adds
MOST = 0.6  # left of a torque that friction may explain: beyond it something else is at work
SCALE = 5.0  # a description's masses are not that wrong, and rotors are fitted beside them
THOUSAND = (2.2, 3.8)  # log10 of s around 1000, as wide as bad descriptions need
TURNS = 2  # times a joint must turn back before its friction is told from an offset, or from gravity that is off
SLOW = 0.3  # of the speed's deviation: less has no direction
BEYOND = 20.0  # times the effort limit: not a torque in N m
TINY = 2e-3  # of the effort limit, in every joint


def sign(view: View, comparison: Comparison) -> Iterator[Finding]:
    """Joints whose torque has the wrong sign; one finding for all if all have it.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> view = View.of(recording.with_channel("torque", -recording.torque), robot)
    >>> [finding.code for finding in sign(view, Comparison.of(view))]
    ['sign_all']
    """
    model, vote, turned = votes(view, comparison)
    wrong = vote < 0
    if not wrong.any():
        return
    if turned.any() and not ((vote > 0) & (model != 0)).any() and turned.sum() >= 2:
        yield _upside_down(view, comparison, turned)
        return
    wrong &= ~turned
    if wrong.any() and not (vote > 0).any() and (wrong.sum() > 1 or len(wrong) == 1):
        whole = (Place("torque", "", float(view.time[0]), float(view.time[-1])),)
        yield Finding(
            "sign_all/checks_torque",
            "error",
            "torque",
            names=[view.joint_names[i] for i in np.flatnonzero(wrong)],
            evidence=_evidence(view, comparison, wrong),
            at=whole,
        )
        return
    for i in np.flatnonzero(wrong):
        joint = view.joint_names[i]
        one = np.arange(len(wrong)) == i
        place = (Place("torque", joint, float(view.time[0]), float(view.time[-1])),)
        yield Finding(
            "sign/checks_torque",
            "error",
            f"torque of '{joint}'",
            evidence=_evidence(view, comparison, one),
            joint=joint,
            at=place,
        )


def votes(view: View, comparison: Comparison) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Of every joint -1, 0 or 1: what the description says of the sign, and what is said after all, by friction where that is
    silent; and where not the torque is turned round but gravity, or the joint's axis: gravity against it, friction with it.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> view = View.of(recording.with_channel("torque", recording.torque * [1, -1]), robot)
    >>> votes(view, Comparison.of(view))[1]
    array([ 1., -1.])
    """
    model, friction = _voices(comparison)
    model, friction = model * view.moves, friction * view.moves * driven(view, comparison) * turns_back(view)
    return model, np.where(model != 0, model, friction), (model < 0) & (friction > 0)


def driven(view: View, comparison: Comparison) -> NDArray[np.bool_]:
    """Joints whose torque is not far below what the description's motion takes; a passive joint has no sign to speak of.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> view = View.of(recording.with_channel("torque", recording.torque * [1, 0.01]), robot)
    >>> driven(view, Comparison.of(view))
    array([ True, False])
    """
    assert view.torque is not None
    return np.asarray(view.torque.std(axis=0) > PASSIVE * (comparison.gravity + comparison.inertial).std(axis=0))


def turns_back(view: View) -> NDArray[np.bool_]:
    """Joints that change direction more than once. In one sweep friction, offset and gravity look alike.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> turns_back(View.of(recording, robot))
    array([ True,  True])
    >>> bool(turns_back(View.of(recording.part(0, 0.5), robot)).any())
    False
    """
    v = view.velocity
    ways = [np.sign(column[np.abs(column) > SLOW * column.std()]) for column in v.T]
    return np.array([np.count_nonzero(np.diff(way)) >= TURNS for way in ways], dtype=bool)


def _voices(comparison: Comparison) -> tuple[Array, Array]:
    """-1, 0 or 1 per joint: what the description says of the sign, and what friction says."""
    model = np.where(comparison.speaks, np.sign(comparison.scale), 0.0)
    clear = (np.abs(comparison.dissipation) > DISSIPATES) & (comparison.friction_share > SHARE) & (comparison.left < MOST)
    return model, np.where(clear, np.sign(comparison.dissipation), 0.0)


def _evidence(view: View, comparison: Comparison, joints: NDArray[np.bool_]) -> str:
    told = np.flatnonzero(joints & comparison.speaks)
    if len(told):
        best = told[np.argmin(comparison.left[told])]
        s, gravity = comparison.scale[best], comparison.gravity[:, best]
        assert view.torque is not None
        torque = view.torque[:, best]
        where = int(np.argmin(gravity * torque))  # where they are most clearly opposed, if they are anywhere
        said = f"the torque of '{view.joint_names[best]}' is {s:.2g} times the model's"
        if gravity[where] * torque[where] < 0:
            said += f"; at {view.time[where]:.4g} s gravity needs {gravity[where]:+.3g}, recorded is {torque[where]:+.3g}"
        return said
    best = np.flatnonzero(joints)[np.argmax(comparison.friction_share[joints])]
    return f"friction of '{view.joint_names[best]}' would drive the joint instead of braking it"


def _upside_down(view: View, comparison: Comparison, turned: NDArray[np.bool_]) -> Finding:
    whole = (Place("torque", "", float(view.time[0]), float(view.time[-1])),)
    return Finding("gravity", "error", "torque", evidence=_evidence(view, comparison, turned), at=whole)


def unit(view: View, comparison: Comparison) -> Iterator[Finding]:
    """Torque in another unit than N m.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> view = View.of(recording.with_channel("torque", 1000 * recording.torque), robot)
    >>> [finding.what for finding in unit(view, Comparison.of(view))]
    ["is 1e+03 times the model's torque (median of the informative joints)"]
    """
    told = np.flatnonzero(comparison.speaks)
    whole = (Place("torque", "", float(view.time[0]), float(view.time[-1])),)
    if not len(told):
        yield from _by_limits(view, whole, silent=not np.any(comparison.gravity.std(axis=0) > 0))
        return
    scales = np.abs(comparison.scale[told])
    middle = float(np.median(scales))
    size = np.log10(middle)
    if THOUSAND[0] < abs(size) < THOUSAND[1]:
        name = "mN m" if size > 0 else "kN m"
        yield Finding("unit/checks_torque", "error", "torque", middle=middle, name=name, at=whole)
    elif abs(size) > np.log10(SCALE):
        yield Finding(
            "torque_scale",
            "warning",
            "torque",
            scale=middle,
            each=[f"{view.joint_names[i]} {scale:.2g}" for i, scale in zip(told, scales)],
            at=whole,
        )


def _by_limits(view: View, whole: tuple[Place, ...], silent: bool) -> Iterator[Finding]:
    """A description without masses, or `silent` for another reason, still states what the drives can do."""
    if view.robot is None or view.torque is None:
        return
    limit = view.robot.limits.effort
    known = np.isfinite(limit) & (limit > 0) & view.moves
    if not known.any():
        return
    share = np.abs(view.torque).max(axis=0)[known] / limit[known]
    if np.median(share) > BEYOND:
        yield Finding("unit/by_limits", "error", "torque", median=np.median(share), at=whole)
    elif silent and share.max() < TINY and limit[known].max() < 5000:  # more is no drive's limit but a placeholder
        yield Finding("unit/checks_torque_by_limits", "warning", "torque", largest=share.max(), at=whole)
