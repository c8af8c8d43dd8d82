"""Inverse dynamics of one robot, written out: forces of the moving bodies, gathered from the leaves to the base.

A body's points have the acceleration acc + U r, so with its second moments S, first moment h and mass m

    force = m acc + U h              moment = h x acc + integral of r x U r dm      (its nine products of S and U)

Each joint passes on what its body and everything beyond need, and its own row of it is the torque.
"""

from __future__ import annotations

from bifilar.dynamics.tree import Array, Tree
from bifilar.export.code_frames import Arranged
from bifilar.export.expression import Expression
from bifilar.export.trace_motion import Joint, Moved
from bifilar.export.trace_vectors import Vector, apply, cross, dot, plus, times, vector


def forces(body: Array, motion: Moved) -> tuple[Vector, Vector]:
    """Force and moment about the origin that the motion of one body takes; `body` is [[S, h], [h', m]].

    >>> import numpy as np
    >>> from bifilar.export.expression import Graph
    >>> still = Moved.still(Graph(), [0.0, 0.0, 10.0])
    >>> [x.value for x in forces(np.diag([0.0, 0.0, 0.0, 2.0]), still)[0]]
    [0.0, 0.0, 20.0]
    """
    graph = motion.spin[0].graph
    S, h, m = body[:3, :3], vector(graph, body[:3, 3]), float(body[3, 3])
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = motion.field
    x, y, z = motion.spin
    whirl = [
        S[0, 1] * zx - S[0, 2] * yx + S[1, 2] * (y * y - z * z) * -1.0 + S[1, 1] * zy - S[2, 2] * yz,
        S[1, 2] * xy - S[0, 1] * zy + S[0, 2] * (z * z - x * x) * -1.0 + S[2, 2] * xz - S[0, 0] * zx,
        S[0, 2] * yz - S[1, 2] * xz + S[0, 1] * (x * x - y * y) * -1.0 + S[0, 0] * yx - S[1, 1] * xy,
    ]
    force = plus(times(motion.acceleration, m), apply(motion.field, h))
    return force, plus(whirl, cross(h, motion.acceleration))


def torques(given: Arranged, joints: list[Joint], motion: list[Moved]) -> list[Expression]:
    """Torque of every joint (not yet of the coordinates).

    >>> import numpy as np
    >>> from bifilar.export.code_frames import arranged
    >>> from bifilar.export.expression import Graph
    >>> from bifilar.export.trace_motion import joints_of, moved
    >>> graph, tree = Graph(), Tree([0], [False], [np.eye(3)], [[0, 0, 0]], [[0, 0, 1]])
    >>> q, joints = [graph.input("q", 0)], joints_of(tree, [graph.input("q", 0)])
    >>> at_rest = moved(tree, joints, Moved.still(graph, np.zeros(3)))
    >>> torques(arranged(tree, np.ones((2, 10))), joints, at_rest)[0].value
    0.0
    """
    pairs = [forces(body, state) for body, state in zip(given.bodies[1:], motion[1:])]
    result: list[Expression] = []
    for i in reversed(range(len(joints))):
        force, moment = pairs[i]
        joint, parent = joints[i], int(given.tree.parent[i]) - 1
        result.append(dot(joint.axis, force if joint.slides else moment))
        if parent >= 0:
            force, moment = joint.inwards(force), joint.inwards(moment)
            before, turned = pairs[parent]
            pairs[parent] = plus(before, force), plus(turned, plus(moment, cross(joint.place, force)))
    return result[::-1]


def to_coordinates(tree: Tree, rows: list[Expression]) -> list[Expression]:
    """Rows of joints added up where joints follow one coordinate.

    >>> import numpy as np
    >>> from bifilar.export.expression import Graph
    >>> tree = Tree([0, 1], [False] * 2, [np.eye(3)] * 2, np.zeros((2, 3)), [[0, 0, 1]] * 2, coordinate=[0, 0], ratio=[1, 2])
    >>> graph = Graph()
    >>> to_coordinates(tree, [graph.number(1.0), graph.number(1.0)])[0].value
    3.0
    """
    graph = rows[0].graph
    result = [graph.number(0.0)] * tree.n_coordinates
    for i, row in enumerate(rows):
        k = int(tree.coordinate[i])
        result[k] = result[k] + row * float(tree.ratio[i])
    return result
