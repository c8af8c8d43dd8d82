"""A leg to simplify: two joints, coupled friction, 12 parameters, tight limits; a stand-in for the iLeg of Wang et al. 2018.

The paper's 12 parameters are not printed in it. It says that a usual arm of two joints has 10, and that coupling of the joints'
friction makes them more. So here: six base parameters of two links in a vertical plane, viscous and Coulomb friction of both
joints (10), and friction of each joint that the speed of the other causes (12). Limits are as tight as a leg in a machine
allows (0.15 rad/s, 0.06 rad/s^2), which makes inertia hardly visible beside gravity and the condition number large.

The machine itself is not quite the model: its friction also rises at low speed (Stribeck) and changes along the way. It follows
the motion exactly, its positions are read to 0.2 mrad and its torques to 0.3 N m, every 30 ms, for 12 periods.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.experiment.fourier import Fourier
from bifilar.recording.prepare import prepare
from bifilar.recording.recording import Recording
from bifilar.recording.samples import Samples
from bifilar.robot.friction import Coulomb, PositionDependent, Stribeck, Viscous
from bifilar.robot.read_dh import from_dh
from bifilar.robot.robot import Robot

PERIODS, STEP = 12, 0.03  # as the paper has them
DURATION, HARMONICS = 20.0, 5  # [s] of a period; ours, as the paper does not state them
WIDTH = 0.005  # [rad/s] of the sign of speed
MODELLED = Viscous() + Coulomb(width=WIDTH) + Viscous(at=("hip",), driven_by="knee") + Viscous(at=("knee",), driven_by="hip")
BEYOND = Stribeck(speed=0.05, width=WIDTH) + PositionDependent(harmonic=3, width=WIDTH)
FRICTION = {
    "hip.viscous": 12.0,
    "knee.viscous": 8.0,
    "hip.coulomb": 1.2,
    "knee.coulomb": 0.8,
    "hip.viscous_by_knee": 1.0,
    "knee.viscous_by_hip": 0.6,
}
STRUCTURE = {"hip.stribeck": 0.4, "knee.stribeck": 0.3, "hip.position_sin3": 0.6, "knee.position_sin3": 0.4}
ROWS = (
    {
        "joint": "hip",
        "theta": 0.0,
        "alpha": np.pi / 2,
        "mass": 6.0,
        "com": [0.16, 0.01, 0.0],
        "inertia_com": {"xx": 0.02, "yy": 0.12, "zz": 0.12},
        "limits": {"lower": np.radians(10), "upper": np.radians(50), "velocity": 0.15, "acceleration": 0.06, "effort": 200.0},
    },
    {
        "joint": "knee",
        "a": 0.38,
        "mass": 3.5,
        "com": [0.18, -0.008, 0.0],
        "inertia_com": {"xx": 0.01, "yy": 0.06, "zz": 0.06},
        "limits": {"lower": -np.pi / 2, "upper": np.radians(-20), "velocity": 0.15, "acceleration": 0.06, "effort": 200.0},
    },
)


@cache
def leg() -> Robot:
    """The model: 12 base parameters.

    >>> len(bf.base_parameters(leg()))
    12
    """
    return Robot.build(from_dh([dict(row) for row in ROWS], convention="modified", name="leg")).with_friction(MODELLED)


@dataclass(frozen=True)
class Machine:
    """The leg that runs motions: its friction has more to it than the model.

    >>> Machine().read(circle(0), seed=1, periods=2).name
    'leg'
    """

    noise: float = 0.3  # [N m] of the torque sensors
    encoder: float = 2e-4  # [rad] of the position sensors
    structure: float = 1.0  # times the friction beyond the model

    def torque(self, position: Array, velocity: Array, acceleration: Array) -> Array:
        """What the motors give, without noise.

        >>> Machine().torque(*np.zeros((3, 1, 2))).shape
        (1, 2)
        """
        extra = {name: self.structure * value for name, value in STRUCTURE.items()}
        whole = leg().with_friction(MODELLED + BEYOND, {**FRICTION, **extra})
        return whole.inverse_dynamics(position, velocity, acceleration)

    def read(self, motion: Fourier, *, seed: int, periods: int = PERIODS) -> Recording:
        """A recording of so many periods.

        >>> len(Machine().read(circle(0), seed=1, periods=2)) > 100
        True
        """
        rng, period = np.random.default_rng(seed), motion.series.period
        time = np.arange(0.0, periods * period, STEP)
        state = motion.at(np.mod(time, period))
        torque = self.torque(state.position, state.velocity, state.acceleration)
        return Recording(
            joint_names=leg().joint_names,
            time=time,
            position=state.position + self.encoder * rng.normal(size=torque.shape),
            torque=torque + self.noise * rng.normal(size=torque.shape),
            name="leg",
        )

    def play(self, motion: Fourier, *, seed: int, periods: int = PERIODS) -> Samples:
        """A recording, prepared as the paper has it.

        >>> Machine().play(circle(0), seed=1, periods=3).history[-1]
        'left out the first and the last period'
        """
        return prepare(self.read(motion, seed=seed, periods=periods), "wang2018", robot=leg(), motion=motion)


def circle(seed: int) -> Fourier:
    """A round in joint space, as training has it: another place, size and pace for every seed.

    >>> circle(0).duration == circle(1).duration
    False
    """
    rng = np.random.default_rng(seed)
    period = rng.uniform(11.0, 16.0)
    middle = np.array([rng.uniform(25.0, 35.0), rng.uniform(-62.0, -48.0)])
    size, turn = rng.uniform(0.12, 0.18, 2), rng.uniform(0, 2 * np.pi) + np.array([0.0, rng.choice([-1, 1]) * np.pi / 2])
    speed = size * 2 * np.pi / period
    coefficients = np.column_stack([speed * np.cos(turn), speed * np.sin(turn)])
    return Fourier(
        joint_names=leg().joint_names,
        base_frequency=1 / period,
        harmonics=(1,),
        coefficients=coefficients,
        offset=np.radians(middle),
    )
