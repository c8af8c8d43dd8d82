"""How fast anything on the robot can change: bounds from joint rates alone, true for every pose.

A certificate must say what happens between samples, so it needs rates that are bounds, not samples. Lengths of vectors are
enough: a vector of length l fixed to a body that turns with |w| <= W, |w'| <= A, |w''| <= J has

    |x'| <= W l      |x''| <= (A + W^2) l      |x'''| <= (J + 2 A W + W (A + W^2)) l

and sums and products of vectors obey the triangle and the product rule. One pass outwards bounds the motion of all bodies, one
pass inwards the rate of the joint torques (Newton and Euler, in lengths). Bounds are per interval of time, (intervals,).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array, Tree


class Span(NamedTuple):
    """What each coordinate does at most during each interval, (intervals, coordinates); absolute values.

    >>> Span(*np.ones((4, 1, 7))).velocity.shape
    (1, 7)
    """

    position: Array  # [rad] or [m]
    velocity: Array
    acceleration: Array
    jerk: Array


class Turning(NamedTuple):
    """Bounds of angular velocity, acceleration and jerk of a body, and of the derivatives of a unit vector fixed to it.

    >>> Turning(np.array([1.0]), np.array([0.0]), np.array([0.0])).unit[1]
    array([1.])
    """

    velocity: Array  # (intervals,) [rad/s]
    acceleration: Array
    jerk: Array

    @property
    def unit(self) -> tuple[Array, Array, Array]:
        """First, second and third derivative of a unit vector.

        >>> [float(x[0]) for x in Turning(*np.full((3, 1), 2.0)).unit]
        [2.0, 6.0, 22.0]
        """
        w, a, j = self
        return w, a + w * w, j + 2 * a * w + w * (a + w * w)


@dataclass(frozen=True, eq=False)
class Bodies:
    """Bounds for all bodies of a tree; body 0 stands still.

    >>> robot = bf.Robot.load("two_link")
    >>> Bodies(robot.tree, Span(*np.ones((4, 3, 2)))).point(2, 0.5)[0].shape
    (3,)
    """

    tree: Tree
    span: Span

    @cached_property
    def joints(self) -> list[tuple[Array, Array, Array, Array]]:
        """Bounds of position, velocity, acceleration, jerk of every joint (several may follow one coordinate).

        >>> len(Bodies(bf.Robot.load("two_link").tree, Span(*np.ones((4, 3, 2)))).joints)
        2
        """
        tree, span = self.tree, self.span
        size = np.abs(tree.ratio)
        return [
            (
                size[i] * span.position[:, c] + abs(tree.offset[i]),
                size[i] * span.velocity[:, c],
                size[i] * span.acceleration[:, c],
                size[i] * span.jerk[:, c],
            )
            for i, c in enumerate(tree.coordinate)
        ]

    @cached_property
    def _moving(self) -> tuple[list[Turning], list[tuple[Array, Array, Array]], list[tuple[Array, Array]]]:
        """Turning and origin (velocity, acceleration, jerk) of every body; arm from the parent's origin (length, rate)."""
        none = np.zeros(len(self.span.velocity))
        turns, origins, arms = [Turning(none, none, none)], [(none, none, none)], []
        lengths = np.linalg.norm(self.tree.translation, axis=1)
        for i, parent in enumerate(self.tree.parent):
            s, s1, s2, s3 = self.joints[i]
            turn, origin = turns[parent], origins[parent]
            u1, u2, u3 = turn.unit
            if self.tree.prismatic[i]:
                reach = lengths[i] + s
                slide = (s1, 2 * u1 * s1 + s2, 3 * u2 * s1 + 3 * u1 * s2 + s3)
                turns.append(turn)
            else:
                reach, slide = lengths[i] + 0 * s, (0 * s, 0 * s, 0 * s)
                w, a, j = turn
                turns.append(Turning(w + s1, a + w * s1 + s2, j + u2 * s1 + 2 * u1 * s2 + s3))
            steps = (u1 * reach + slide[0], u2 * reach + slide[1], u3 * reach + slide[2])
            origins.append(tuple(o + d for o, d in zip(origin, steps)))  # type: ignore[arg-type]
            arms.append((reach, steps[0]))
        return turns, origins, arms

    def point(self, body: int, distance: float) -> tuple[Array, Array]:
        """Speed and acceleration of a point so far from a body's origin [m].

        >>> speed, _ = Bodies(bf.Robot.load("pendulum").tree, Span(*np.full((4, 1, 1), 2.0))).point(1, 0.5)
        >>> speed
        array([1.])
        """
        turns, origins, _ = self._moving
        u1, u2, _ = turns[body].unit
        return origins[body][0] + distance * u1, origins[body][1] + distance * u2

    def torque_rate(self, parameters: Array, *, at_rest: bool = False) -> Array:
        """Bound of the rate of every coordinate's torque [N m/s], of bodies (bodies, 10) without friction.

        `at_rest`: of the torque that holds the pose, which changes with the pose only.

        >>> robot = bf.Robot.load("pendulum")
        >>> Bodies(robot.tree, Span(*np.ones((4, 1, 1)))).torque_rate(robot.body_parameters).shape
        (1, 1)
        """
        tree, (turns, origins, arms) = self.tree, self._moving
        gravity = float(np.linalg.norm(tree.gravity))
        wrench = _weight if at_rest else _wrench
        wrenches = [wrench(turns[b], origins[b], parameters[b], gravity) for b in range(tree.n_joints + 1)]
        rate = np.zeros((len(self.span.velocity), tree.n_coordinates))
        for i in reversed(range(tree.n_joints)):
            parent, (force, force_rate, moment, moment_rate) = int(tree.parent[i]), wrenches[i + 1]
            w = turns[parent].velocity  # the joint's axis turns with the parent
            along = (force, force_rate) if tree.prismatic[i] else (moment, moment_rate)
            rate[:, tree.coordinate[i]] += abs(tree.ratio[i]) * (w * along[0] + along[1])
            arm, arm_rate = arms[i]
            carried = (force, force_rate, moment + arm * force, moment_rate + arm * force_rate + arm_rate * force)
            wrenches[parent] = tuple(own + other for own, other in zip(wrenches[parent], carried))  # type: ignore[assignment]
        return rate


def _wrench(turn: Turning, origin: tuple[Array, Array, Array], phi: Array, g: float) -> tuple[Array, Array, Array, Array]:
    """Force and its rate, moment about the body's origin and its rate, that move a body with parameters phi."""
    m, first = abs(phi[0]), float(np.linalg.norm(phi[1:4]))
    xx, xy, yy, xz, yz, zz = phi[4:]
    inertia = float(np.abs(decompose.eigvalsh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))).max())
    (w, a, j), (_, u2, u3), (_, p2, p3) = turn, turn.unit, origin
    force = m * (p2 + g) + first * u2
    moment = first * (p2 + g) + inertia * (a + w * w)
    moment_rate = first * (w * (p2 + g) + p3) + inertia * (j + 4 * w * a + w**3)
    return force, m * p3 + first * u3, moment, moment_rate


def _weight(turn: Turning, origin: tuple[Array, Array, Array], phi: Array, g: float) -> tuple[Array, Array, Array, Array]:
    """The same for a body that stands still in every pose: only its weight."""
    force, first, none = abs(phi[0]) * g, float(np.linalg.norm(phi[1:4])), np.zeros_like(turn.velocity)
    return none + force, none, none + first * g, first * g * turn.velocity


def levers(tree: Tree, body: int, distance: float, excursion: Array) -> Array:
    """How far [m] a point at most is from each joint that moves its body, (joints,); -1 where a joint does not move it.

    `excursion`: the largest displacement of every joint, which counts for sliding ones. A sliding joint's lever is 1.

    >>> levers(bf.Robot.load("pendulum").tree, 1, 0.5, np.zeros(1))
    array([0.5])
    """
    arms = np.full(tree.n_joints, -1.0)
    reach = distance
    while body > 0:
        i = body - 1
        if tree.prismatic[i]:
            arms[i] = 1.0
            reach += excursion[i]
        else:
            arms[i] = reach
        reach += float(np.linalg.norm(tree.translation[i]))
        body = int(tree.parent[i])
    return arms
