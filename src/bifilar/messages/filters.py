"""Sentences about filters, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
    "belief.counts": Message(
        "{filtered_count} estimates, {predicted_count} predictions and {transition_count} transitions do not match",
        remedy="give one prediction and one transition between two estimates",
    ),
    "belief.name_unknown": Message("the state estimate has no '{name}'", listed=("names",)),
    "belief.not_finite": Message(
        "a state estimate contains NaN or infinity", remedy="check the measurements before they are used"
    ),
    "belief.shapes": Message(
        "mean of {mean_count} numbers, covariance of shape {shape} and {name_count} names do not match",
        remedy="give n numbers, an n x n matrix, and n names or none",
    ),
    "belief.variance/belief": Message("a variance is negative: {smallest:.3g}", remedy="give a covariance matrix"),
    "belief.variance/negative": Message(
        "a variance is negative or not finite", remedy="give one variance, one for each, or a covariance matrix"
    ),
    "belief.variance/shape": Message(
        "noise of the shape {shape} does not match {size} numbers",
        remedy="give one variance, one for each, or a covariance matrix",
    ),
    "clock.not_rising/smoother": Message(
        "timestamps must increase, and positions must be finite", remedy="leave out the other samples"
    ),
    "covariance.not_positive/factors": Message(
        "the covariance is not positive definite", remedy="give every state a variance above zero"
    ),
    "covariance.not_positive/unscented": Message(
        "the covariance is not positive definite", remedy="set triangular=False, or add noise"
    ),
    "cutoff.too_high": Message(
        "a cut-off of {cutoff:g} Hz is not possible at a sampling rate of {rate:g} Hz",
        remedy="give more than 0 and less than half the rate",
    ),
    "cutoff.wrong/filtered_differences": Message(
        "the cut-off is {cutoff} rad/s", remedy="give a positive number, or infinity for plain differences"
    ),
    "cutoff.wrong/smoother": Message("the cut-off is {given} Hz", remedy="give a positive number, or one for each joint"),
    "filter.asymmetric": Message("a filter without delay needs an odd number of symmetric weights"),
    "filter.even_span": Message("a moving average over {span} samples is not centred", remedy="give an odd number"),
    "filter.order": Message("the order of the filter is {order}", remedy="give 1 or more"),
    "filter.steps": Message(
        "integration from {time:g} s to {time_2:g} s in {steps} steps is not possible", remedy="integrate forward in time"
    ),
    "forgetting.range": Message(
        "the forgetting factor {forgetting:g} is not between 0 and 1", remedy="give 0.999 for a memory of a thousand samples"
    ),
    "noise.correlated": Message(
        "the rows have correlated noise", remedy="whiten them: multiply by the inverse Cholesky factor of the noise covariance"
    ),
    "noise.no_covariance": Message(
        "the noise is not a covariance matrix", remedy="give a symmetric, positive semidefinite matrix"
    ),
    "noise.not_positive/rls": Message("the noise of a reading is not positive", remedy="give every row a variance above zero"),
    "shape.wrong/butterworth": Message("samples have the shape {shape}", remedy="give (samples, columns)"),
    "shape.wrong/differences": Message(
        "samples have the shape {shape}", remedy="give (samples, columns), {least} samples or more"
    ),
    "shape.wrong/kalman": Message("{name} has the shape {shape}", remedy="give {rows} rows of {columns} numbers"),
    "shape.wrong/rls": Message("matrix has the shape {shape}", remedy="give {z_count} rows of {belief_count} numbers"),
    "shapes.differ/smoother": Message(
        "time has the shape {shape}, position {shape_2}",
        remedy="give one timestamp per sample and (samples, joints), four samples or more",
    ),
    "unscented.spread": Message(
        "alpha {alpha:g} and kappa {kappa:g} give no sigma points", remedy="use alpha > 0 and kappa > -n"
    ),
}
