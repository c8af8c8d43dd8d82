"""Sentences about filters, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
    "belief.counts": Message(
        "{filtered_count} beliefs, {predicted_count} predictions, {transition_count} transitions",
        remedy="give one prediction and one transition between two beliefs",
    ),
    "belief.name_unknown": Message("the belief has no '{name}'", listed=("names",)),
    "belief.not_finite": Message(
        "a belief with numbers that are NaN or infinite", remedy="look at what was measured before it is taken in"
    ),
    "belief.shapes": Message(
        "a mean of {mean_count} numbers, a covariance of {shape}, {name_count} names",
        remedy="give n numbers, n x n numbers, n names or none",
    ),
    "belief.variance/belief": Message("a variance of {smallest:.3g} is negative", remedy="give a covariance matrix"),
    "belief.variance/negative": Message(
        "a variance is negative or not finite", remedy="give one variance, one for each, or a covariance matrix"
    ),
    "belief.variance/shape": Message(
        "a noise of the shape {shape} does not suit {size} numbers",
        remedy="give one variance, one for each, or a covariance matrix",
    ),
    "clock.not_rising/smoother": Message(
        "timestamps must rise and positions must be finite", remedy="leave out the samples that are not"
    ),
    "covariance.not_positive/factors": Message(
        "the covariance is not positive definite", remedy="give every state a variance above zero"
    ),
    "covariance.not_positive/unscented": Message(
        "the covariance has no Cholesky factor", remedy="take triangular=False, or add noise"
    ),
    "cutoff.too_high": Message(
        "a cut-off of {cutoff:g} Hz is not possible at {rate:g} samples per second",
        remedy="give more than 0 and less than half the rate",
    ),
    "cutoff.wrong/filtered_differences": Message(
        "a cut-off of {cutoff} rad/s", remedy="give a positive number, infinity for bare differences"
    ),
    "cutoff.wrong/smoother": Message("a cut-off of {given} Hz is none", remedy="give a positive number, or one for each joint"),
    "filter.asymmetric": Message("a filter without delay has an odd number of weights, the same on both sides"),
    "filter.even_span": Message("a moving average over {span} samples has no middle", remedy="give an odd number"),
    "filter.order": Message("a filter of order {order} is none", remedy="give 1 or more"),
    "filter.steps": Message("from {time:g} s to {time_2:g} s in {steps} steps", remedy="go forward in time"),
    "forgetting.range": Message(
        "forgetting {forgetting:g} is not between 0 and 1", remedy="0.999 remembers a thousand samples"
    ),
    "noise.correlated": Message(
        "rows with common noise", remedy="whiten them: multiply by the inverse of the noise's Cholesky factor"
    ),
    "noise.no_covariance": Message(
        "the noise is no covariance", remedy="a covariance is symmetric, and no direction has less than nothing"
    ),
    "noise.not_positive/rls": Message("a reading without noise", remedy="give every row a variance above zero"),
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
        "alpha {alpha:g} and kappa {kappa:g} leave no room for points", remedy="take alpha > 0, kappa > -n"
    ),
}
