"""The estimators that come with bifilar."""

from __future__ import annotations

from bifilar.estimate.methods import Estimator

_LEAST_SQUARES = "bifilar.estimate.least_squares:LeastSquares"

ORDINARY = Estimator(name="ordinary least squares", method=_LEAST_SQUARES, settings={"weights": "equal"})
WEIGHTED = Estimator(
    name="weighted least squares",
    method=_LEAST_SQUARES,
    word="least-squares",
    about="base parameters by least squares",
    assumes="velocity and acceleration are known after filtering",
    wrong_if="bias towards zero with noisy encoders",
)
ROBUST = Estimator(name="robust (Huber)", method=_LEAST_SQUARES, settings={"robust": "huber"})
RIDGE = Estimator(name="ridge to description", method=_LEAST_SQUARES, settings={"ridge": "auto"})
INSTRUMENTAL = Estimator(
    name="instrumental variables",
    method="bifilar.estimate.instrumental:InstrumentalVariables",
    needs_controller=True,
    assumes="controller and reference",
    wrong_if="large error bars if they are wrong",
)
DIRECT_INVERSE = Estimator(
    name="direct inverse (DIDIM)",
    method="bifilar.estimate.direct_inverse:DirectInverse",
    needs_controller=True,
    assumes="controller, reference, friction",
    wrong_if='a bias if they are wrong; it says "doubtful" when instruments disagree',
)
LIKELIHOOD = Estimator(
    name="maximum likelihood",
    method="bifilar.estimate.max_likelihood:MaximumLikelihood",
    assumes="white noise in positions and torques; how much in positions is chosen on the recordings",
    wrong_if="a model that is wrong at high frequency (springs): lower `clock`",
)
CONSISTENT = Estimator(
    name="physically consistent",
    method="bifilar.estimate.consistent:PhysicallyConsistent",
    word="consistent",
    about="physically consistent inertial parameters",
    options={
        "prior": lambda share: {"prior_weight": 1 / share**2},
        "total_mass": lambda mass: {"total_mass": mass[0] if len(mass) == 1 else tuple(mass)} if mass else {},
    },
    consistent=True,
    default=True,
    assumes="as least squares; the nominal model is roughly right where the data say nothing",
    wrong_if='values of the prior taken for measured ones: read "from prior"',
)
