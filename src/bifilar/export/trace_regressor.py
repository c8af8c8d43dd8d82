"""Regressor of one robot, written out, in the frames and columns of the model itself.

In the frame of body i, joint j has an axis z and gives the body's origin a velocity w (both per unit of its speed); with the
body's acceleration acc and U, its ten numbers enter row j by (Atkeson, An and Hollerbach 1986)

    mass: w . acc          first moments: U' w + acc x z          inertia: z . (I dw + omega x I omega)
"""

from __future__ import annotations

from bifilar.dynamics.tree import Tree
from bifilar.export.expression import Expression
from bifilar.export.trace_motion import Joint, Moved
from bifilar.export.trace_vectors import Vector, cross, dot, plus, vector


def inertial_columns(tree: Tree, joints: list[Joint], motion: list[Moved]) -> list[list[Expression]]:
    """Rows of the coordinates, ten columns per moving body: mass, mcx mcy mcz, Ixx Ixy Iyy Ixz Iyz Izz.

    >>> import numpy as np
    >>> from bifilar.export.expression import Graph
    >>> from bifilar.export.trace_motion import joints_of, moved
    >>> graph, tree = Graph(), Tree([0], [False], [np.eye(3)], [[0, 0, 0]], [[0, 0, 1]])
    >>> q, v, a = ([graph.input(name, 0)] for name in "qva")
    >>> joints = joints_of(tree, q)
    >>> inertial_columns(tree, joints, moved(tree, joints, Moved.still(graph, np.zeros(3)), v, a))[0][9] is a[0]
    True
    """
    graph = joints[0].cosine.graph
    zero = graph.number(0.0)
    rows = [[zero] * (10 * tree.n_joints) for _ in range(tree.n_coordinates)]
    screws: list[dict[int, tuple[Vector, Vector]]] = []
    for i, joint in enumerate(joints):
        parent = int(tree.parent[i]) - 1
        here = {j: _carried(joint, *screw) for j, screw in (screws[parent] if parent >= 0 else {}).items()}
        none = vector(graph, [0.0, 0.0, 0.0])
        here[i] = (none, joint.axis) if joint.slides else (joint.axis, none)
        screws.append(here)
        for j, (z, w) in here.items():
            row = rows[tree.coordinate[j]]
            for k, element in enumerate(_ten(motion[i + 1], z, w)):
                row[10 * i + k] = row[10 * i + k] + element * float(tree.ratio[j])
    return rows


def _carried(joint: Joint, z: Vector, w: Vector) -> tuple[Vector, Vector]:
    """A screw of the parent's frame in the body's."""
    return joint.outwards(z), joint.outwards(plus(w, cross(z, joint.place)))


def _ten(motion: Moved, z: Vector, w: Vector) -> list[Expression]:
    acc, U = motion.acceleration, motion.field
    pull = cross(acc, z)
    first = [dot([U[0][k], U[1][k], U[2][k]], w) + pull[k] for k in range(3)]
    (x, y, s), (a, b, c) = motion.spin, motion.turning
    xx, yy, ss, xy, xs, ys = x * x, y * y, s * s, x * y, x * s, y * s
    inertia = [  # z . (E dw + omega x E omega) for E with one element (or a pair) set to one
        z[0] * a + (z[1] * xs - z[2] * xy),
        z[0] * (b - xs) + z[1] * (a + ys) + z[2] * (xx - yy),
        z[1] * b + (z[2] * xy - z[0] * ys),
        z[0] * (c + xy) + z[1] * (ss - xx) + z[2] * (a - ys),
        z[0] * (yy - ss) + z[1] * (c - xy) + z[2] * (b + xs),
        z[2] * c + (z[0] * ys - z[1] * xs),
    ]
    return [dot(w, acc), *first, *inertia]
