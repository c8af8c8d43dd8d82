"""The methods a study compares, each made for a case: some must be told the controller and the motion that was wanted."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from bifilar.estimate.fit import Method
from bifilar.estimate.least_squares import LeastSquares
from bifilar.estimate.max_likelihood import MaximumLikelihood
from bifilar.recording.recording import Recording
from bifilar.robot.robot import Robot
from bifilar.simulate.reference import Playable, reference
from bifilar.simulate.virtual_robot import VirtualRobot


class Case(NamedTuple):
    """What one fit is given.

    >>> Case._fields
    ('described', 'recording', 'machine', 'motion')
    """

    described: Robot  # as the user believes the machine to be
    recording: Recording
    machine: VirtualRobot  # whose controller was at work
    motion: Playable  # that was asked of it


Maker = Callable[[Case], Any]  # a Method for this case


def available_methods() -> dict[str, Maker]:
    """Every method there is, by name, in the order of a table.

    >>> list(available_methods())[:2]
    ['ordinary least squares', 'weighted least squares']
    """
    methods: dict[str, Maker] = {
        "ordinary least squares": lambda case: LeastSquares(weights="equal"),
        "weighted least squares": lambda case: LeastSquares(),
        "robust (Huber)": lambda case: LeastSquares(robust="huber"),
        "ridge to description": lambda case: LeastSquares(ridge="auto"),
        "instrumental variables": _in_closed_loop("instrumental", "InstrumentalVariables"),
        "direct inverse (DIDIM)": _in_closed_loop("direct_inverse", "DirectInverse"),
        "maximum likelihood": lambda case: MaximumLikelihood(),
        "physically consistent": lambda case: _named("consistent", "PhysicallyConsistent")(),
    }
    needed = {"instrumental variables": "instrumental", "direct inverse (DIDIM)": "direct_inverse"}
    needed |= {"physically consistent": "consistent"}
    return {name: make for name, make in methods.items() if name not in needed or _exists(needed[name])}


def _in_closed_loop(module: str, name: str) -> Maker:
    def make(case: Case) -> Method:
        controller = _named("closed_loop", "JointController")
        wanted = reference(case.described, case.motion, 1.0 / _period(case.recording))
        return _named(module, name)(controller=controller.of(case.machine, wanted), reference=case.motion)

    return make


def _period(recording: Recording) -> float:
    return float(recording.time[-1] - recording.time[0]) / (len(recording.time) - 1)


def _exists(module: str) -> bool:
    return find_spec(f"bifilar.estimate.{module}") is not None


def _named(module: str, name: str) -> Any:
    return getattr(import_module(f"bifilar.estimate.{module}"), name)
