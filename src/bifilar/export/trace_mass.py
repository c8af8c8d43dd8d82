"""Mass matrix of one robot, written out: composite bodies from the leaves inwards (Walker and Orin 1982).

A joint carries everything beyond it as one body with second moments S, first moment h and mass m. If it alone accelerates
by one, that takes

    force = u x h,  moment = (tr S 1 - S) u          turning about u
    force = m u,    moment = h x u                   sliding along u

and the rows of the joints before it read their part of this wrench on its way to the base.
"""

from __future__ import annotations

from dataclasses import dataclass

from bifilar.export.code_frames import Arranged
from bifilar.export.expression import Expression, Graph
from bifilar.export.trace_motion import Joint
from bifilar.export.trace_vectors import Matrix, Vector, apply, cross, dot, plus, times, total, vector


@dataclass(frozen=True, eq=False)
class Composite:
    """Second moments, first moment and mass of a piece of the tree, in the frame of its first body.

    >>> from bifilar.export.expression import Graph
    >>> import numpy as np
    >>> Composite.of(Graph(), np.eye(4)).mass.value
    1.0
    """

    second: Matrix
    first: Vector
    mass: Expression

    @classmethod
    def of(cls, graph: Graph, body: object) -> Composite:
        """One body, from [[S, h], [h', m]].

        >>> import numpy as np
        >>> [x.value for x in Composite.of(Graph(), np.eye(4)).first]
        [0.0, 0.0, 0.0]
        """
        rows = [vector(graph, row) for row in body]  # type: ignore[attr-defined]
        return cls([row[:3] for row in rows[:3]], rows[3][:3], rows[3][3])

    def inwards(self, joint: Joint) -> Composite:
        """In the frame of the body before the joint."""
        first, turned = joint.inwards(self.first), _turned(joint, self.second)
        p, half = joint.place, plus(first, times(joint.place, self.mass * 0.5))
        second = [[turned[i][k] + (p[i] * half[k] + half[i] * p[k]) for k in range(3)] for i in range(3)]
        return Composite(second, plus(first, times(p, self.mass)), self.mass)

    def plus(self, other: Composite) -> Composite:
        """Two pieces as one."""
        second = [plus(one, two) for one, two in zip(self.second, other.second, strict=True)]
        return Composite(second, plus(self.first, other.first), self.mass + other.mass)


def _turned(joint: Joint, S: Matrix) -> Matrix:
    """R S R' for R = left Rz right: twice the rotation of columns; about z the trace of the xy block stays."""
    S = _both(joint.right, S)
    c, s = joint.cosine, joint.sine
    a, b = c * S[0][0] - s * S[0][1], c * S[0][1] - s * S[1][1]
    xx = c * a - s * b
    xy = s * a + c * b
    yy = (S[0][0] + S[1][1]) - xx
    xz, yz = c * S[0][2] - s * S[1][2], s * S[0][2] + c * S[1][2]
    return _both(joint.left, [[xx, xy, xz], [xy, yy, yz], [xz, yz, S[2][2]]])


def _both(matrix: object, S: Matrix) -> Matrix:
    rows = [apply(matrix, [S[i][k] for i in range(3)]) for k in range(3)]  # type: ignore[arg-type]  # columns of matrix S
    half = [[rows[k][i] for k in range(3)] for i in range(3)]
    return [apply(matrix, row) for row in half]  # type: ignore[arg-type]


def mass_matrix(given: Arranged, joints: list[Joint]) -> Matrix:
    """Of the bodies, without rotors, (coordinates, coordinates).

    >>> import numpy as np
    >>> from bifilar.dynamics.tree import Tree
    >>> from bifilar.export.code_frames import arranged
    >>> from bifilar.export.trace_motion import joints_of
    >>> graph, tree = Graph(), Tree([0], [False], [np.eye(3)], [[0, 0, 0]], [[0, 0, 1]])
    >>> body = np.array([np.zeros(10), [1, 0, 0, 0, 1, 0, 1, 0, 0, 2]])
    >>> mass_matrix(arranged(tree, body), joints_of(tree, [graph.input("q", 0)]))[0][0].value
    2.0
    """
    tree, graph = given.tree, joints[0].cosine.graph
    n = tree.n_coordinates
    B = [[graph.number(0.0)] * n for _ in range(n)]
    pieces = [Composite.of(graph, body) for body in given.bodies[1:]]
    for j in reversed(range(len(joints))):
        parent = int(tree.parent[j]) - 1
        if parent >= 0:
            pieces[parent] = pieces[parent].plus(pieces[j].inwards(joints[j]))
        force, moment = _wrench(joints[j], pieces[j])
        i = j
        while i >= 0:
            element = dot(joints[i].axis, force if joints[i].slides else moment)
            scaled = element * float(tree.ratio[i] * tree.ratio[j])
            row, column = int(tree.coordinate[i]), int(tree.coordinate[j])
            B[row][column] = B[row][column] + scaled
            if i != j:
                B[column][row] = B[column][row] + scaled
            force, moment = joints[i].inwards(force), joints[i].inwards(moment)
            moment = plus(moment, cross(joints[i].place, force))
            i = int(tree.parent[i]) - 1
    return B


def _wrench(joint: Joint, piece: Composite) -> tuple[Vector, Vector]:
    u = joint.axis
    if joint.slides:
        return times(u, piece.mass), cross(piece.first, u)
    trace = total([piece.second[k][k] for k in range(3)])
    turned = apply(piece.second, u)
    inertia = [trace * u[k] - turned[k] for k in range(3)]
    if all(one.is_zero for one in u[:2]) and u[2].value == 1.0:  # about z, S zz is not needed
        inertia = [-piece.second[0][2], -piece.second[1][2], piece.second[0][0] + piece.second[1][1]]
    return cross(u, piece.first), inertia
