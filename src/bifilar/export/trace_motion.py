"""How the bodies of one robot move, written out: angular velocity and acceleration, and acceleration of each origin.

In each body's own frame, seen from its parent (Luh, Walker and Paul 1980), u the joint's axis, p from the parent's origin:

    w = R' w_p + u v        dw = R' dw_p + (R' w_p) x u v + u a        acc = R' (acc_p + U_p p)          turning
    w = R' w_p              dw = R' dw_p           acc = R' (acc_p + U_p p) + u a + 2 w x u v            sliding

U = (dw x) + (w x)(w x) is what makes accelerations of a body's points from their places. Gravity is an acceleration of the base
upwards. A joint's rotation is R = left Rz(angle) right with constant matrices, right being 1 for joints about z.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bifilar.dynamics.tree import Array, Tree
from bifilar.export.expression import COSINE, SINE, Expression, Graph
from bifilar.export.trace_vectors import Matrix, Vector, about_z, apply, cross, plus, times, vector


@dataclass(frozen=True, eq=False)
class Joint:
    """One joint at its symbolic position.

    >>> graph = Graph()
    >>> tree = Tree([0], [False], [np.eye(3)], [[0, 0, 0]], [[0, 0, 1]])
    >>> joints_of(tree, [graph.input("q", 0)])[0].cosine.op
    'cos'
    """

    left: Array
    right: Array
    cosine: Expression
    sine: Expression
    place: Vector  # of the origin in the parent's frame
    axis: Vector  # in the body's own frame
    slides: bool

    def inwards(self, x: Vector) -> Vector:
        """A vector of the body's frame in the parent's.

        >>> tree = Tree([0], [True], [np.eye(3)], [[0, 0, 0]], [[0, 0, 1]])
        >>> graph = Graph()
        >>> x = vector(graph, [1, 2, 3])
        >>> joints_of(tree, [graph.input("q", 0)])[0].inwards(x) == x
        True
        """
        return apply(self.left, about_z(self.cosine, self.sine, apply(self.right, x)))

    def outwards(self, x: Vector) -> Vector:
        """A vector of the parent's frame in the body's.

        >>> tree = Tree([0], [True], [np.eye(3)], [[0, 0, 0]], [[0, 0, 1]])
        >>> graph = Graph()
        >>> x = vector(graph, [1, 2, 3])
        >>> joints_of(tree, [graph.input("q", 0)])[0].outwards(x) == x
        True
        """
        return apply(self.right.T, about_z(self.cosine, -self.sine, apply(self.left.T, x)))


@dataclass(frozen=True, eq=False)
class Moved:
    """Motion of one body in its own frame.

    >>> Moved.still(Graph(), [0.0, 0.0, 9.81]).acceleration[2].value
    9.81
    """

    spin: Vector  # angular velocity
    turning: Vector  # angular acceleration
    acceleration: Vector  # of the origin, gravity included
    field: Matrix  # U

    @classmethod
    def of(cls, spin: Vector, turning: Vector, acceleration: Vector) -> Moved:
        """With U made from the angular parts.

        >>> zero = vector(Graph(), [0, 0, 0])
        >>> Moved.of(zero, zero, zero).field[0][0].value
        0.0
        """
        (x, y, z), (a, b, c) = spin, turning
        xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
        rows = [[-(yy + zz), xy - c, xz + b], [xy + c, -(xx + zz), yz - a], [xz - b, yz + a, -(xx + yy)]]
        return cls(spin, turning, acceleration, rows)

    @classmethod
    def still(cls, graph: Graph, upwards: Array | list[float]) -> Moved:
        """A base that stands, under gravity.

        >>> Moved.still(Graph(), [0.0, 0.0, 9.81]).spin[0].value
        0.0
        """
        zero = vector(graph, np.zeros(3))
        return cls.of(zero, zero, vector(graph, upwards))


def joints_of(tree: Tree, q: list[Expression]) -> list[Joint]:
    """Every joint at q.

    >>> graph = Graph()
    >>> tree = Tree([0], [True], [np.eye(3)], [[0, 0, 0]], [[0, 0, 1]])
    >>> joints_of(tree, [graph.input("q", 0)])[0].place[2].op
    'input'
    """
    joints = []
    for i in range(tree.n_joints):
        angle = q[tree.coordinate[i]] * float(tree.ratio[i]) + float(tree.offset[i])
        graph = angle.graph
        place, axis = vector(graph, tree.translation[i]), vector(graph, tree.axis[i])
        left, right = np.asarray(tree.rotation[i]), np.eye(3)
        cosine, sine = graph.number(1.0), graph.number(0.0)
        if tree.prismatic[i]:
            place = plus(place, times(vector(graph, left @ tree.axis[i]), angle))
        else:
            cosine, sine = graph.call(COSINE, angle), graph.call(SINE, angle)
            right = _z_from(tree.axis[i])
            left = left @ right.T
        joints.append(Joint(left, right, cosine, sine, place, axis, bool(tree.prismatic[i])))
    return joints


def _z_from(axis: Array) -> Array:
    """A rotation that takes an axis to z: of zeros and ones if the axis is a coordinate's."""
    k = int(np.argmax(np.abs(axis)))
    helper = np.eye(3)[(k + 1) % 3]
    x = helper - (helper @ axis) * axis
    x = x / np.linalg.norm(x)
    return np.stack((x, np.cross(axis, x), axis)) + 0.0


def moved(
    tree: Tree, joints: list[Joint], base: Moved, v: list[Expression] | None = None, a: list[Expression] | None = None
) -> list[Moved]:
    """Motion of the base and of every body; without v and a, at rest.

    >>> graph = Graph()
    >>> tree = Tree([0], [False], [np.eye(3)], [[0, 0, 0]], [[0, 0, 1]])
    >>> q, v, a = ([graph.input(name, 0)] for name in "qva")
    >>> moved(tree, joints_of(tree, q), Moved.still(graph, [0.0, 0.0, 9.81]), v, a)[1].spin[2] is v[0]
    True
    """
    bodies = [base]
    zero = base.spin[0].graph.number(0.0)
    for i, joint in enumerate(joints):
        parent, ratio, k = bodies[tree.parent[i]], float(tree.ratio[i]), tree.coordinate[i]
        speed = zero if v is None else v[k] * ratio
        change = zero if a is None else a[k] * ratio
        spin, turning = joint.outwards(parent.spin), joint.outwards(parent.turning)
        acceleration = joint.outwards(plus(parent.acceleration, apply(parent.field, joint.place)))
        along = times(joint.axis, speed)
        if joint.slides:
            acceleration = plus(plus(acceleration, times(cross(spin, along), 2.0)), times(joint.axis, change))
        else:
            turning = plus(plus(turning, cross(spin, along)), times(joint.axis, change))
            spin = plus(spin, along)
        bodies.append(Moved.of(spin, turning, acceleration))
    return bodies
