"""The regressor of one sample at a time, into the same array every time: arguments collected once, nothing allocated.

Compiled engine only; `rows_now` calls the kernel that `bifilar.dynamics.fast.regressor` uses for a few samples.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bifilar.dynamics.state import fixed_root
from bifilar.dynamics.workspace import RegressorCall, _aligned, kernels
from bifilar.robot.inertia import Array
from bifilar.robot.robot import Robot


class OneSample:
    """Buffers for one sample of a robot with a fixed base, and W of its joint rows beside them.

    >>> one = OneSample(bf.Robot.load("pendulum"))
    >>> one.compute()
    >>> one.matrix.shape
    (1, 1, 10)
    """

    def __init__(self, robot: Robot) -> None:
        n = len(robot.joint_names)
        self.q, self.v, self.a = np.zeros((1, n)), np.zeros((1, n)), np.zeros((1, n))
        root = fixed_root(robot.tree.gravity)
        columns = robot.drive_columns.columns
        call = RegressorCall(robot.tree, self.q, self.v, self.a, root, "joints", columns, None, lanes=1)
        self.matrix: Array = np.zeros((1, *call.plan.shape))
        flat = self.matrix.reshape(-1)
        scratch, block = _aligned(call.scratch_rows), _aligned(call.plan.block_rows + call.plan.shape[0])
        lines = _aligned(4 * len(call.plan.order) + 1)
        size, zero, one = np.uint64(call.plan.source.size), np.uint64(0), np.uint64(1)
        tail = (call.plan.order, size, lines, flat, np.uint64(flat.ctypes.data // 8 % 4), zero, one)
        self._arguments: tuple[Any, ...] = (scratch, block, *call.state, *call.cells, *call.drives, *tail)
        self._kernel = kernels(1, "write").dense.compiled

    def compute(self) -> None:
        """W of the state that is in q, v, a.

        >>> one = OneSample(bf.Robot.load("pendulum"))
        >>> one.a[0, 0] = 2.0
        >>> one.compute()
        >>> one.matrix[0, 0, 9]
        np.float64(2.0)
        """
        self._kernel(*self._arguments)
