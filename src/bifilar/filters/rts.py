"""The smoother of Rauch, Tung and Striebel: a filter's beliefs looked at again, knowing what came later.

    x_k = x_k + C (x_(k+1) - x-_(k+1)),    P_k = P_k + C (P_(k+1) - P-_(k+1)) C',    C = P_k F' (P-_(k+1))^-1

x- is the prediction from k to k + 1 and F its transition. For measured positions of joints `smoother.smooth` does the
same in a form without inverses, on any stamps, and finds the noise itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics import decompose
from bifilar.errors import ShapeError
from bifilar.filters.belief import Belief


def smooth_beliefs(
    filtered: Sequence[Belief], predicted: Sequence[Belief], transitions: Sequence[ArrayLike]
) -> tuple[Belief, ...]:
    """Beliefs given all measurements. `predicted[k]` and `transitions[k]` lead from `filtered[k]` to the next one.

    >>> now, then = Belief([0.0], [[1.0]]), Belief([1.0], [[0.5]])
    >>> smooth_beliefs([now, then], [now], [np.eye(1)])[0]
    Belief(x0 1 +- 0.71)
    """
    if not len(filtered) == len(predicted) + 1 == len(transitions) + 1:
        raise ShapeError(
            "belief.counts", filtered_count=len(filtered), predicted_count=len(predicted), transition_count=len(transitions)
        )
    done = [filtered[-1]]
    for now, ahead, step in zip(filtered[-2::-1], predicted[::-1], transitions[::-1]):
        f = np.asarray(step, dtype=float)
        gain = decompose.lstsq(ahead.covariance, f @ now.covariance, rcond=None)[0].T
        mean = now.mean + gain @ (done[-1].mean - ahead.mean)
        done.append(now.with_(mean, now.covariance + gain @ (done[-1].covariance - ahead.covariance) @ gain.T))
    return tuple(done[::-1])
