"""What a user waits for: the import, the first call after installation (kernels compile), the first result of later runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile

import numpy as np

IMPORT = "import bifilar"
ROBOT = "import bifilar as bf, numpy as np; r = bf.Robot.load('panda'); x = np.ones((20, 7));"
CALLS = {
    "inverse_dynamics": "r.inverse_dynamics(x, x, x)",
    "regressor": "r.regressor(x, x, x)",
    "mass_matrix": "r.mass_matrix(x)",
    "coriolis_matrix": "r.coriolis_matrix(x, x)",
    "forward_dynamics": "r.forward_dynamics(x, x, x)",
    "derivatives": "r.derivatives(x, x, x)",
    "tangent": "r.tangent(x, x, x, (x, x, x))",
    "adjoint": "r.adjoint(x, x, x, x)",
    "parameter_gradient": "r.parameter_gradient(x, x, x, x)",
    "energy_regressor": "r.energy_regressor(x, x)",
    "jacobian": "r.jacobian('link7', x)",
    "base_parameters": "bf.base_parameters(r)",
    "reduce": "bf.reduce(r, (x, x, x, x))",
}
TIMER = "import time; t = time.perf_counter(); {code}; print(time.perf_counter() - t)"


def seconds(code: str, cache: str) -> float:
    """Of a fresh process, from the interpreter's first line of ours."""
    environment = {**os.environ, "BIFILAR_CACHE": cache}
    answer = subprocess.run([sys.executable, "-c", TIMER.format(code=code)], capture_output=True, text=True, env=environment)
    if answer.returncode:
        raise RuntimeError(answer.stderr)
    return float(answer.stdout)


def measure() -> dict[str, object]:
    """Seconds; every first call starts from an empty kernel cache."""
    first = {}
    for name, call in CALLS.items():
        with tempfile.TemporaryDirectory() as cache:
            first[name] = round(seconds(ROBOT + call, cache), 2)
    with tempfile.TemporaryDirectory() as cache:
        warm = {name: [seconds(ROBOT + CALLS[name], cache) for _ in range(6)][1:] for name in ("inverse_dynamics", "regressor")}
        imports = [seconds(IMPORT, cache) for _ in range(7)]
    return {
        "import_bifilar": round(float(np.median(imports)), 3),
        "first_call_cold_cache": first,
        "first_result_warm_cache": {name: round(float(np.median(times)), 3) for name, times in warm.items()},
    }


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
