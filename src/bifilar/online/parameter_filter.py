"""The parameter filter of Joukov et al. (IROS 2015): any named subset of a robot's parameters, followed while it moves.

    state        sigmoids' arguments (8)-(10), or log-Cholesky numbers, or the parameters themselves
    process      random walk (11), annealed to nothing or going on
    measurement  any stack of `measurements`; predicted by the regressor, which is exact where the printed (12)-(14) are not
    Jacobian     regressor x d(ten numbers)/d(parameters) x dSig/ds (16)

>>> import bifilar as bf
>>> robot = bf.Robot.load("two_link")
>>> tracker = bf.ParameterFilter(robot, ("*.mass",), noise=0.05)
>>> tracker.never_excited
('link1.mass', 'link2.mass')
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from numpy.typing import ArrayLike

from bifilar.errors import ShapeError
from bifilar.online.bounds import Bounds
from bifilar.online.measurements import Measurement, Torque
from bifilar.online.states import Constraint, Form, space_of
from bifilar.online.tracker import Tracker
from bifilar.online.tuning import Tuning
from bifilar.robot.robot import Robot


class ParameterFilter(Tracker):
    """Follows masses, moments, first moments, friction, rotor inertia: those whose names match.

    >>> robot = bf.Robot.load("two_link")
    >>> rng = np.random.default_rng(0)
    >>> q, v, a = rng.normal(size=(3, 2000, 2))
    >>> torque = robot.inverse_dynamics(q, v, a) + 0.05 * rng.normal(size=(2000, 2))
    >>> wrong = {"link2.mass": 1.2 * robot.link("link2").inertia.mass}
    >>> tracker = ParameterFilter(robot, ("link2.mass",), noise=0.05, start=wrong)
    >>> codes = tracker.run(np.arange(2000) / 100, q, v, a, torque)
    >>> bool(abs(tracker.belief["link2.mass"] / robot.link("link2").inertia.mass - 1) < 0.01)
    True
    """

    def __init__(
        self,
        robot: Robot,
        parameters: Sequence[str] = ("*.mass", "*.J*"),
        *,
        noise: ArrayLike | None = None,
        measurements: Measurement | Sequence[Measurement] | None = None,
        form: Form = "principal",
        axes: str = "principal",
        bounds: Bounds = "twice",
        constraint: Constraint = "sigmoid",
        start: Mapping[str, float] | None = None,
        tuning: Tuning | None = None,
        limits: bool = True,
    ) -> None:
        if (noise is None) == (measurements is None):
            raise ShapeError("noise.or_measurements/parameter_filter")
        space = space_of(robot, parameters, form=form, axes=axes, bounds=bounds, constraint=constraint, start=start)
        chosen = Torque(noise=noise) if measurements is None else measurements  # type: ignore[arg-type]
        super().__init__(robot, space, chosen, tuning, limits=limits)
