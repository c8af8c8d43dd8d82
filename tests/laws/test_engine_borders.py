"""What lies between the engines and the rest: buffers, threads, processes, numbers that two files must agree on."""

from __future__ import annotations

import multiprocessing

import numpy as np
import pytest

import bifilar as bf
from bifilar.dynamics import engine, plan, workspace
from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.parallel import threads
from bifilar.errors import BifilarError, ShapeError

compiled = pytest.mark.skipif("numba" not in engine.available(), reason="numba is not installed")


@compiled
@pytest.mark.parametrize("lanes", [1, workspace.BLOCK])
def test_kernels_and_plans_agree_on_the_layout(lanes):
    """A mismatch would write outside the scratch arrays."""
    layout, regressor = (workspace.kernels(lanes, part) for part in ("layout", "regressor"))
    rows = {"SMALL": plan.SCRATCH, "TAIL": plan.TAIL, "Z": plan.SCREW, "LARGE": workspace.BODY_ROWS}
    assert {name: int(getattr(layout, name)) for name in rows} == {name: count * lanes for name, count in rows.items()}
    assert plan.SCRATCH == workspace.REGRESSOR_ROWS
    assert plan.TAIL + int(layout.UNITS) // lanes < workspace.TEMPORARY_ROWS
    assert int(regressor.NOTHING) == plan.NOTHING
    assert int(workspace.kernels(lanes, "lanes").L) == lanes


@pytest.mark.parametrize("offset", [1, 4])
def test_a_buffer_off_its_alignment_is_refused(offset):
    robot = bf.Robot.load("pendulum")
    raw = np.zeros(40 * 10 * 8 + 8, dtype=np.uint8)
    out = raw[offset : offset + 40 * 10 * 8].view(np.float64).reshape(40, 1, 10)
    state = np.zeros((40, 1))
    with pytest.raises(ShapeError, match="aligned"):
        robot.regressor(state, state, state, out=out)


@pytest.mark.parametrize("shift", range(8))
def test_a_buffer_may_start_anywhere_else(shift):
    robot = bf.Robot.load("two_link")
    q, v, a = np.random.default_rng(0).normal(size=(3, 50, 2))
    wanted = robot.regressor(q, v, a)
    raw = np.full(wanted.size + 16, np.nan)
    out = raw[shift : shift + wanted.size].reshape(wanted.shape)
    assert np.array_equal(robot.regressor(q, v, a, out=out), wanted)
    assert np.isnan(raw[:shift]).all() and np.isnan(raw[shift + wanted.size :]).all()


def _torque_in_child(queue) -> None:
    queue.put(float(bf.Robot.load("panda").gravity_torque(np.ones((5000, 7))).sum()))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
def test_a_forked_process_does_not_wait_for_threads_it_does_not_have():
    expected = bf.Robot.load("panda").gravity_torque(np.ones((5000, 7))).sum()
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_torque_in_child, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == pytest.approx(expected)
    child.join()


def test_a_number_of_threads_is_at_least_one():
    with pytest.raises(BifilarError, match="0 threads"), threads(0):
        pass


def test_blas_gets_its_threads_back_when_uses_overlap():
    from threadpoolctl import threadpool_info

    def counts():
        return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

    before, first, second = counts(), one_blas_thread(), one_blas_thread()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert set(counts()) <= {1}
    second.__exit__(None, None, None)
    assert counts() == before


def test_positions_too_far_to_be_angles_are_refused():
    robot = bf.Robot.load("pendulum")
    with pytest.raises(ShapeError, match="position reaches"):
        robot.gravity_torque([[1e8]])
    far = 1e6 * 2 * np.pi
    assert robot.gravity_torque([[far + 0.3]]) == pytest.approx(robot.gravity_torque([[0.3]]), rel=1e-7)
