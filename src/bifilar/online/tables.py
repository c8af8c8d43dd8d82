"""Numbers that the compiled filter and its callers agree on: status codes, places in its memory, kinds of maps and blocks."""

from __future__ import annotations

# what became of a sample
ACCEPTED, CHANGED, NOT_FINITE, STALE, LIMITS, OUTLIER, SINGULAR, UNUSABLE, MALFORMED = range(9)
STATUS = {
    ACCEPTED: ("accepted", "taken in"),
    CHANGED: ("changed", "taken in; several innovations in a row were not believable, so the covariance was opened"),
    NOT_FINITE: ("not finite", "refused: a number is NaN or infinite"),
    STALE: ("stale", "refused: its stamp is not newer than the last one"),
    LIMITS: ("out of limits", "refused: a position, a speed or a reading is beyond the robot's limits"),
    OUTLIER: ("outlier", "refused: the innovation is not believable, and it is the first such"),
    SINGULAR: ("singular", "refused: near this pose the operational-space image does not exist"),
    UNUSABLE: ("unusable", "refused: the model gives no numbers to compute with here"),
    MALFORMED: ("malformed", "refused: not one number for each joint and each reading"),
}

# places in the filter's memory
LAST, STARTED, TURN, STRANGE, SURPRISE, BEGAN, UPDATES, OLDER, REFUSED = range(9)
MEMORY = 9
CLOCK = 50  # stamps in a row that are older than the last one, each newer than the one before: the clock was set back
HUGE = 1e30  # in a row or an innovation: nothing to compute with, squares and products of it must be finite
FOLDED = 1e10  # deviations of a reading: beyond, all other rows of a triangle would drown in rounding
WIDEST = 100.0  # times its first variance: the random walk alone makes no state less sure than that

# maps of one state to one number
AFFINE, SIGMOID = 0, 1  # offset + scale x;  lower + (upper - lower) / (1 + exp(-slope x))

# what the numbers of a block are
TEN, PRINCIPAL, LOG_CHOLESKY, SCALAR, SECOND = range(5)
FIXED = 2**63  # a slot that is not a state
SLOTS = 10
AXES, REST, MOVE = 10, 19, 25  # places in a block's constants, after its ten fixed numbers
CONSTANTS = 125  # ten fixed numbers, nine of the axes, six of the rest, hundred of the move

# places in the settings
STRENGTH, ANNEALED, FORGETTING, ITERATIONS, GATE, PATIENCE = range(6)
