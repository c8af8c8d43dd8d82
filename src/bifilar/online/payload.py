"""The load in a robot's hand, followed while it is picked up, carried and put down.

    physical  mass, first moment and inertia about the frame, in which the measurement is linear; what is told is the nearest
              body that can exist (`possible`): deviations are those of the linear filter and hold
    ten       the same, told as they are: they may be no body
    log       the ten as a log-Cholesky vector: a body at every instant, but every reading is linearised for good, and where
              the load changes or is hardly known the deviations become too small
    four      mass and three moments at a known centre of mass, between bounds: the state of Joukov et al., IV-B

What is handed to a controller, `with_payload`, can exist in every form. The random walk goes on, so the filter stays awake; a
gate on the innovation notices that something was grasped or released and opens the covariance at once. An empty hand is a
load near zero, not zero: a sigmoid has no argument for its bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from bifilar.errors import RobotError, ShapeError
from bifilar.online.bounds import PAYLOAD_MASS, PAYLOAD_MOMENT, REACH, Bounds
from bifilar.online.measurements import BaseWrench, Measurement, Torque, WristSensor
from bifilar.online.possible import nearest_possible
from bifilar.online.space import Space
from bifilar.online.states import Builder, Constraint, Form
from bifilar.online.tracker import Tracker
from bifilar.online.tuning import Change, Tuning
from bifilar.robot.inertia import PARAMETERS, Array, Inertia
from bifilar.robot.robot import Robot

Kind = Literal["physical", "log", "ten", "four"]
NAME = "payload"
EMPTY = 0.01  # of the largest load, with which an empty hand starts
BALL = 0.05  # [m] radius of the ball that an unknown load is first thought to be
ROUND = 0.05  # of the largest moment, with which the moments start
TRACKING = Tuning(process=0.01, iterations=10, change=Change())
FORMS: dict[str, Form] = {"physical": "ten", "ten": "ten", "log": "log_cholesky", "four": "principal"}
CONSTRAINTS: dict[str, Constraint] = {"physical": "physical", "ten": "none"}
LOOSE = 1e-6  # variance of directions in which "four" knows everything, in units of the body's own numbers


class PayloadFilter(Tracker):
    """Follows what a frame carries; made by `attach`.

    >>> tracker = attach(bf.Robot.load("panda"), "link7", noise=0.2)
    >>> tracker.belief.names[0]
    'payload.mass'
    """

    link: str  # that carries the load

    @property
    def payload(self) -> Inertia:
        """What it carries, about the frame's origin, in the frame; of "ten" and "four" it may be no body.

        >>> round(attach(bf.Robot.load("panda"), "link7", noise=0.2, start=1.0).payload.mass, 6)
        1.0
        """
        return Inertia.from_vector(self._ten()[0])

    def _ten(self) -> tuple[Array, Array]:
        """Ten numbers in the frame and their derivatives by the state."""
        p, dp = self.space.values(self._shown())
        block = self.space.blocks[0]
        ten, by = type(block)(**{**block.__dict__, "move": None}).ten(p)
        slope = np.zeros((10, len(p)))
        for k, place in enumerate(block.slots):
            if place >= 0:
                slope[:, place] = by[:, k] * dp[place]
        return ten, slope

    def with_payload(self) -> Robot:
        """The robot carrying what is believed now, for a controller: a body that can exist, the nearest if the belief is none.

        >>> arm = bf.Robot.load("panda")
        >>> heavier = attach(arm, "link7", noise=0.2, start=1.0).with_payload()
        >>> round(heavier.link("link7").inertia.mass - arm.link("link7").inertia.mass, 6)
        1.0
        """
        ten, slope = self._ten()
        if not Inertia.from_vector(ten).is_consistent:
            size = 1e-3 + np.abs(ten)
            loose = slope @ self._core.factors.covariance @ slope.T / np.outer(size, size) + LOOSE * np.eye(10)
            ten = nearest_possible(ten, np.linalg.inv(np.linalg.cholesky(loose)) / size, [range(10)])
        return self.robot_before.with_payload(self.link, Inertia.from_vector(ten))

    def generally(self) -> PayloadFilter:
        """A fresh filter like this one that takes any noise with each sample.

        >>> attach(bf.Robot.load("panda"), "link7", noise=0.2).generally().link
        'link7'
        """
        same = (self.robot_before, self.space, self.measurements, self.tuning)
        made = PayloadFilter(*same, limits=self._limited, general=True)
        made.link = self.link
        return made

    @property
    def robot(self) -> Robot:
        """The same as `with_payload()`.

        >>> attach(bf.Robot.load("panda"), "link7", noise=0.2).robot.joint_names[0]
        'joint1'
        """
        return self.with_payload()


def attach(
    robot: Robot,
    frame: str,
    *,
    noise: ArrayLike | None = None,
    measurements: Measurement | Sequence[Measurement] | None = None,
    parameters: Kind = "physical",
    center: ArrayLike | None = None,
    start: float | Inertia | None = None,
    largest: float = PAYLOAD_MASS,
    bounds: Bounds = "payload",
    tuning: Tuning = TRACKING,
    limits: bool = True,
) -> PayloadFilter:
    """A filter on the load at a frame (a link's name) of a robot that is otherwise known.

    `noise`: deviation of the torques [N m]; or `measurements`, a wrist sensor for instance. `parameters`:
    "physical" (linear inside, told as a body that can exist), "log", "ten", or "four" (mass and moments about `center` [m], in
    the frame). `start`: mass [kg] or inertia of
    the first guess; left out, almost nothing. `largest`: load [kg] that the prior reaches.

    >>> arm = bf.Robot.load("panda")
    >>> tracker = attach(arm, "link7", noise=0.2)
    >>> box = bf.Inertia.from_center_of_mass(2.0, [0, 0, 0.1], 0.01 * np.eye(3))
    >>> rng = np.random.default_rng(0)
    >>> q, v, a = rng.normal(size=(3, 500, 7)) * 0.5 + np.array([0, 0, 0, -1.5, 0, 1.5, 0]) * np.array([1, 0, 0])[:, None, None]
    >>> codes = tracker.run(np.arange(500) / 100, q, v, a, arm.with_payload("link7", box).inverse_dynamics(q, v, a))
    >>> bool(abs(tracker.payload.mass - 2.0) < 0.02)
    True
    """
    if parameters not in get_args(Kind):
        raise RobotError("payload.unknown", kinds=get_args(Kind), parameters=parameters)
    if (noise is None) == (measurements is None):
        raise ShapeError("noise.or_measurements/payload")
    if not 0 < largest < np.inf:
        raise ShapeError("payload.largest", largest=largest)
    robot._frame(frame)  # refuses an unknown name with the names that there are
    reach = None if isinstance(start, Inertia) else largest  # a body that is given says itself how large it may be
    if bounds == "payload" and largest != PAYLOAD_MASS:  # the recipe is for the paper's arm: moments grow with the load
        bounds = {"*.mass": (0.0, largest), "*.J*": (0.0, PAYLOAD_MOMENT * largest / PAYLOAD_MASS)}
    space = payload_space(robot, frame, parameters, _guess(start, center, largest, parameters), bounds, reach)
    chosen = Torque(noise=noise) if measurements is None else measurements  # type: ignore[arg-type]
    _refuse_unseen(robot, frame, chosen if isinstance(chosen, Sequence) else (chosen,))
    tracker = PayloadFilter(robot, space, chosen, tuning, limits=limits)
    tracker.link = frame
    return tracker


def payload_space(
    robot: Robot, frame: str, kind: Kind, guess: Inertia, bounds: Bounds = "payload", largest: float | None = None
) -> Space:
    """The state that follows a load; `largest` [kg]: for the ten numbers, twice the mass that is one unit of the state.

    >>> ball = Inertia.from_vector([1, 0, 0, 0, 1, 0, 1, 0, 0, 1])
    >>> payload_space(bf.Robot.load("panda"), "link7", "four", ball, {"*": (0, 2)}).names
    ('payload.mass', 'payload.Jxx', 'payload.Jyy', 'payload.Jzz')
    """
    place = robot.link_map()[frame]
    builder = Builder(bounds, CONSTRAINTS.get(kind, "sigmoid"), {}, largest=largest)
    words = ("mass", "Jxx", "Jyy", "Jzz") if kind == "four" else PARAMETERS
    names = [f"{NAME}.{word}" for word in words]
    same = bool(np.allclose(place.matrix, np.eye(10)))
    move = None if same else place.matrix
    builder.body(NAME, guess, names, 10 * place.body, form=FORMS[kind], axes="link", size=REACH, move=move, link=frame)
    return builder.space(np.concatenate([robot.body_parameters.ravel(), robot.drive_values]))


def _refuse_unseen(robot: Robot, frame: str, measurements: Sequence[Measurement]) -> None:
    """A load that no reading can show would be taken for noise, or for changes without end."""
    still = robot.link_map()[frame].body == 0
    for each in measurements:
        moved = isinstance(each, BaseWrench | WristSensor) or not still  # joint torques carry nothing of the base
        if moved and each.sees(robot, frame):
            return
    if measurements:
        raise RobotError("payload.no_effect", frame=frame, thing=[type(each).__name__ for each in measurements])


def _guess(start: float | Inertia | None, center: ArrayLike | None, largest: float, kind: Kind) -> Inertia:
    """The first guess as a body: a ball of that mass, if only a mass is given."""
    if isinstance(start, Inertia):
        return start
    mass = EMPTY * largest if start is None else float(start)
    if not 0 < mass < np.inf:
        raise ShapeError("payload.start", mass=mass)
    at = np.zeros(3) if center is None else np.asarray(center, dtype=float)
    if at.shape != (3,) or not np.isfinite(at).all():
        raise ShapeError("payload.center")
    moment = max(0.4 * mass * BALL**2, ROUND * PAYLOAD_MOMENT) if kind == "four" else 0.4 * mass * BALL**2
    return Inertia.from_center_of_mass(mass, at, moment * np.eye(3))
