"""`fit_on_ground`: bodies of a walking machine from its joints' torques, with feet that push on the ground unmeasured.

    minimise over phi   |P Y phi - P (0, torque)|^2 + prior,     every body such that it can exist     (`ground`, `ready_made`)

How far below a foot's frame it touches the ground (`sole`) is seldom written in a description, and it matters: the lever of
the whole weight. Left out, it is found on the same samples, the depth at which plain least squares leaves the least.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bifilar.dynamics import decompose
from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.tree import Array
from bifilar.errors import SolveError
from bifilar.estimate.ready_made import BodiesEstimate, consistent_bodies
from bifilar.robot.robot import Robot
from bifilar.walking.ground import GroundMotion, contact_free_rows

DEEPEST = 0.1  # [m] below a foot's frame
THINNED = 400  # samples that are enough to find the depth
FINE = 1e-4  # [m]


@dataclass(frozen=True, eq=False)
class GroundEstimate:
    """Bodies of a walking machine, as `fit_on_ground` finds them.

    >>> robot = bf.Robot.load("panda", floating=True).with_friction(())
    >>> GroundEstimate(robot, None, 0.0, 0.02).error
    0.02
    """

    robot: Robot  # with the bodies that were found
    bodies: BodiesEstimate
    sole: float  # [m] below the feet's frames
    error: float  # relative, on the samples of the fit

    def score(self, motion: GroundMotion) -> float:
        """Relative error of the torques, without what the ground's forces can explain, on another motion."""
        return ground_error(self.robot, motion, self.sole)


def ground_error(robot: Robot, motion: GroundMotion, sole: float = 0.0) -> float:
    """|P (torque - model)| / |P torque|."""
    columns, right = contact_free_rows(robot, motion, sole)
    return float(np.linalg.norm(columns @ robot.parameters("both").values - right) / np.linalg.norm(right))


def find_sole(robot: Robot, motion: GroundMotion) -> float:
    """Depth [m] of the touching points below the feet's frames that explains the torques best."""
    from scipy.optimize import minimize_scalar

    every = max(1, len(motion.position) // THINNED)
    some = motion.part(slice(None, None, every))

    def left(depth: float) -> float:
        columns, right = contact_free_rows(robot, some, depth)
        flat, wanted = columns.reshape(-1, columns.shape[2]), right.ravel()
        return float(np.linalg.norm(flat @ decompose.lstsq(flat, wanted, rcond=1e-8)[0] - wanted))

    with one_blas_thread():
        answer = minimize_scalar(left, bounds=(0.0, DEEPEST), method="bounded", options={"xatol": FINE})
    return float(answer.x)


def fit_on_ground(
    robot: Robot, motion: GroundMotion, *, sole: float | None = None, prior_weight: float | None = None
) -> GroundEstimate:
    """Physically consistent bodies, near the nominal ones where the motion does not identify them; `sole` left out is found.

    In flight torque and gravity alone move a machine; all its masses can be scaled, but not their ratio:

    >>> robot = bf.Robot.load("panda", floating=True).with_friction(())
    >>> rng, feet = np.random.default_rng(0), (robot.frame_names[-1],)
    >>> q, v, torque = rng.normal(size=(3, 60, 7))
    >>> pose, twist = np.tile([0, 0, 1.0, 0, 0, 0, 1], (60, 1)), rng.normal(size=(60, 6))
    >>> pushed = np.hstack([np.zeros((60, 6)), torque])
    >>> moves = robot.forward_dynamics(q, v, pushed, base=bf.BaseMotion(pose, twist))
    >>> motion = bf.GroundMotion(
    ...     position=q, velocity=v, acceleration=moves[:, 6:], torque=torque,
    ...     base=bf.BaseMotion(pose, twist, moves[:, :6]), contact=np.zeros((60, 1)), feet=feet)
    >>> found = bf.fit_on_ground(robot, motion, sole=0.0, prior_weight=1e-3)
    >>> found.score(motion) < 1e-3
    True
    """
    if robot.parameters("both").values.size != 10 * len(robot.body_parameters):
        raise SolveError("robot.has_friction")
    depth = find_sole(robot, motion) if sole is None else float(sole)
    columns, right = contact_free_rows(robot, motion, depth)
    rows = right.shape[1]
    prior = np.asarray(robot.body_parameters)
    found = consistent_bodies(
        columns.reshape(-1, columns.shape[2]), right.ravel(), prior, period=rows, prior_weight=prior_weight
    )
    better = robot.with_body_parameters(found.bodies)
    return GroundEstimate(better, found, depth, _error(columns, right, found.values))


def _error(columns: Array, right: Array, values: Array) -> float:
    return float(np.linalg.norm(columns @ values - right) / np.linalg.norm(right))
