"""Whose sign Coulomb friction is compensated with: the table of docs/control.md.

    python benchmarks/friction_sign.py

The virtual LWR runs a circle in 2 s at omega = 20 and 2 ms, torque lags by 5 ms, links are wrong by 5 %; on a slower circle
joint 4 is pushed by 20 N m for half a second. Then an arm whose friction is believed to be larger than it is holds a goal that
stands still, from 10 mrad beside it; told is the joint that swings most in the last second.
"""

from __future__ import annotations

import json
import os
from typing import Any, Literal, get_args

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import bifilar as bf
from bifilar.papers.bargsten2013 import arm

Sign = Literal["wanted", "actual"]
SIGNS: tuple[Sign, ...] = get_args(Sign)
CIRCLE = bf.Circle(np.array([-0.4, 0.0, 0.6]), 0.15, plane="yz")
OMEGA, PERIOD, LAG, WRONG = 20.0, 2e-3, 5e-3, 0.05
START, STOP, END = 0.5, 1.0, 1.8  # [s] of the push and of its run
HELD = 4.0  # [s] at a goal that stands still


def followed(robot: bf.Robot, share: float, sign: Sign) -> dict[str, Any]:
    """The circle, and the push."""
    law = bf.ComputedTorque(bf.wrong_by(robot, WRONG), omega=OMEGA, friction=share, friction_at=sign)
    loop: dict[str, Any] = {"period": PERIOD, "torque_lag": LAG}
    quick, slow = (bf.cartesian_motion(robot, CIRCLE, duration=time) for time in (2.0, 4.0))
    error = bf.tracking(robot, bf.run_loop(robot, law, quick, **loop), quick.frame).tool_rms
    push = bf.JointPush(joint="joint4", torque=20.0, start=START, stop=STOP)
    pushed, free = (bf.run_loop(robot, law, slow, pushes=pushes, duration=END, **loop) for pushes in (push, ()))
    told = bf.push_response(pushed, free, "joint4", STOP, OMEGA)
    return {
        "compensated": share,
        "at": sign,
        "tool rms [mm]": 1e3 * error,
        "settled [s]": told.settling,
        "theory [s]": told.theory,
    }


def held(robot: bf.Robot, more: float, share: float, sign: Sign) -> dict[str, Any]:
    """A goal that stands still, with `more` friction in the model than in the arm."""
    believed = robot.with_parameters(dict(zip(robot.drive_columns.names, (1 + more) * robot.drive_values, strict=True)))
    law = bf.ComputedTorque(believed, omega=OMEGA, friction=share, friction_at=sign)
    pose = bf.cartesian_motion(robot, CIRCLE, duration=2.0).at(0.0).position[0]
    still = bf.quintic(robot.joint_names, np.vstack([pose, pose]), [0.0, HELD])
    start = bf.State(pose + 0.01, np.zeros(len(pose)))
    run = bf.run_loop(robot, law, still, period=PERIOD, torque_lag=LAG, start=start)
    last = run.position[run.time > HELD - 1.0]
    swing = last.std(axis=0)
    worst = int(np.argmax(swing))
    found = {"swings most": robot.joint_names[worst], "by [rad], deviation": float(swing[worst])}
    return {"friction believed": 1 + more, "compensated": share, "at": sign, **found}


def main() -> None:
    """Measure, print."""
    robot = arm()
    table = [followed(robot, share, sign) for share in (0.7, 1.0) for sign in SIGNS]
    still = [held(robot, more, share, sign) for more in (0.2, 0.4) for share in (0.7, 1.0) for sign in SIGNS]
    print(json.dumps({"circle and push": table, "held": still}, indent=1))


if __name__ == "__main__":
    main()
