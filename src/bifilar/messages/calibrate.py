"""Sentences about calibrate, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
    "calibration.unloaded": Message(
        "the loads do not excite {which:join}: these columns of the matrix are not identifiable",
        remedy="hang masses at points that load every axis",
    ),
    "clipped": Message(
        "the {word} reading, {end:.4g}, occurs {count} times exactly",
        likely="the sensor saturates",
        remedy="give the measuring range, reach=[...], and keep the load inside it",
        cli="give the measuring range with --reach, and keep the load inside it",
    ),
    "clock.not_rising/recalibration": Message(
        "{q_count} samples need {q_count} strictly increasing, finite timestamps", remedy="sort the samples"
    ),
    "drift": Message(
        "the bias drifts during the measurement: {moved:join}; with a constant bias the mass would be {constant:.4g} kg",
        likely="a sensor that warms up",
        remedy="let it warm up and tare it right before use; the bias given here is that of the last pose",
    ),
    "drift.not_followed": Message(
        "the bias seems to drift, but a constant bias predicts held-out poses to {constant:.3g} N, a drifting "
        "one to {followed:.3g} N: it is taken as constant",
        remedy="hold each pose longer and add poses; look for friction or contact of cables",
    ),
    "drift.robust": Message("the robust fit assumes a constant bias", remedy="leave out drift=True or robust=True"),
    "encoders.not_converged": Message(
        "sensor gains, encoder errors and the arm's model did not converge in {steps} iterations",
        remedy=("check the stated mass and frame, or fit without encoder errors: position_gain=False, position_offset=False"),
        cli="check the stated mass and the link it hangs on, or leave out --encoders",
    ),
    "frame": Message(
        "residuals are {force:.3g} N and {1e3*moment:.3g} mN m; under another convention {force_otherwise:.3g} N "
        "and {1e3*moment_otherwise:.3g} mN m",
        likely="{guess}",
    ),
    "frame.unknown": Message("there is no frame '{frame}'", remedy="say 'sensor' or 'base'"),
    "gain/recalibration": Message(
        "the gain is {value:.4g} ± {deviation:.2g}, out of tolerance since {since:.4g} s",
        likely="a sensor that drifted",
        remedy="correct the readings with these numbers, or calibrate again with 'bifilar calibrate'",
    ),
    "gains.not_converged": Message(
        "gains and physically consistent parameters did not converge together; these gains are those of "
        "unconstrained base parameters",
        remedy="check whether the recordings were exchanged, or whether the load is heavier or lighter than stated",
    ),
    "gains.open": Message(
        "the gains of {which:join} are not identifiable from this load",
        remedy="move these joints fast while the load is attached",
    ),
    "gains.scale": Message(
        "gravity does not load {which:join}: their gains are identifiable only from the load's inertia",
        remedy="tilt the base, or take the gain from the data sheet",
    ),
    "gravity.none/tare_poses": Message(
        "the robot model has no gravity, so no tool can be weighed",
        remedy="robot.with_gravity(...)",
        cli="name a robot model with gravity",
    ),
    "gravity.wrong/wrist_sensor": Message(
        "gravity must be a positive number or a vector, not {g}",
        remedy="give its size [m/s^2], or the vector in the base frame",
    ),
    "joints.other/sensor_equations": Message(
        "the poses and the robot have different joints",
        listed=(
            "poses",
            "robot",
        ),
    ),
    "joints.unheard": Message("the readings contain no torque of {named}", remedy="log these joints as well"),
    "load.moved": Message("moved={moved} is not a displacement", remedy="give x, y, z in the tool frame [m]"),
    "load.none/drive_gain": Message("a load of {mass} kg does not determine a gain", remedy="hang a known mass on the arm"),
    "load.none/sensor_equations": Message("the reference mass is {mass} kg", remedy="give a positive number of kilograms"),
    "load.not_felt": Message(
        "the load of {mass:g} kg has no visible effect in the recordings that should carry it",
        remedy="check whether the recordings were exchanged, or use a heavier load",
    ),
    "loads.too_few": Message(
        "{y_count} loads are too few for a matrix and a bias", remedy="hang on seven or more different ones"
    ),
    "mass.not_felt": Message(
        "the gains of {named} are not identifiable: the mass changes the readings by less than their noise",
        remedy="check that the mass was attached in these poses, or use a heavier one",
    ),
    "matrix.singular/calibrate_shape": Message(
        "the calibration matrix is singular: some combination of loads gives no reading", remedy="check the wiring"
    ),
    "matrix.singular/shape_matrix": Message("the nominal matrix must be 6 x 6 and invertible"),
    "no load": Message(
        "the weight is {size:.2g} N ± {spread:.2g} N, within its error: direction of gravity and centre of mass "
        "are not identifiable",
        likely="nothing hangs on the sensor",
        remedy="use the bias; for the rest attach the tool, or a heavier one",
    ),
    "noise.not_positive/recalibration": Message(
        "the noise of a reading must be positive", remedy="give its standard deviation in N m"
    ),
    "not_finite/wrist_model": Message("wrench {argwhere} is not finite", remedy="leave that pose out"),
    "offset/recalibration": Message(
        "the offset is {value:.4g} ± {deviation:.2g} N m, out of tolerance since {since:.4g} s",
        likely="a sensor that drifted",
        remedy="correct the readings with these numbers, or calibrate again with 'bifilar calibrate'",
    ),
    "poses.not_told": Message(
        ("load and bias cannot be separated in these poses: gravity keeps its direction in the sensor, or turns in one plane"),
        likely="the tool was moved without being turned",
        remedy="tilt the sensor about two different axes by 30 degrees or more",
    ),
    "poses.too_few/fitted": Message(
        "{r_count} poses leave no redundant equations, so the fit cannot be checked", remedy="hold the tool in more poses"
    ),
    "poses.too_few/propose_tare_poses": Message(
        "no {count} poses of this arm separate a load from a bias: it cannot turn the sensor about two axes that "
        "are not parallel to gravity",
        remedy="use more poses, wider limits, or a sensor on a link beyond more joints",
    ),
    "poses.too_few/tare_poses": Message("{count} poses cannot separate a load from a bias", remedy="count=8"),
    "poses.too_few/wrist_sensor": Message(
        "{r_count} poses are too few for a bias and a load: twelve unknowns, six equations per pose",
        remedy="hold the tool in at least eight different orientations",
    ),
    "range": Message(
        "the reading {largest:.4g} is at the end of the measuring range {top:g}",
        likely="the load exceeds the measuring range",
        remedy="use a lighter tool or a larger sensor, or poses that keep the weight off this axis",
    ),
    "readings.too_few": Message("{rows} readings are too few for {count} unknowns", remedy="hold the arm in more poses"),
    "reversed/upside_down": Message(
        "the weight points along the base's +z: the wrench has the other sign, or the base hangs from a ceiling",
        likely="the sensor reports the wrench that the tool exerts, not the wrench exerted on it",
        remedy="negate the wrench",
        cli="--reversed",
    ),
    "reversed/wrist_doubts": Message(
        "the weight points against the gravity given",
        likely="a wrench of the tool on its surroundings",
        remedy="negate the wrench",
        cli="--reversed",
    ),
    "rotation.mirrors": Message(
        "a rotation matrix has determinant -1", likely="a left-handed frame", remedy="give right-handed axes"
    ),
    "rotation.not_finite": Message("a rotation contains NaN or infinity", remedy="leave that pose out"),
    "rotation.not_orthogonal/wrist_model": Message(
        "a rotation matrix is not orthogonal: R R^T differs from the identity by {off:.2g}",
        remedy="give rotations, or quaternions xyzw (N, 4)",
    ),
    "rotation.quaternion": Message(
        "a quaternion does not have norm 1", likely="Euler angles, or another column", remedy="give quaternions as x y z w"
    ),
    "sensors.few_poses": Message(
        "the gains of {named} are not identifiable: the effect of the mass on these joints depends on where it "
        "hangs, which is not known",
        remedy="repeat the poses with the mass moved by a known distance, HungMass(mass, moved=[...])",
        cli="repeat the poses with the mass moved by a known distance, and give it with --moved",
    ),
    "sensors.no_gravity": Message(
        "the gains of {named} are not identifiable: gravity does not load these joints",
        remedy="tilt the base; their offsets are identified",
    ),
    "sensors.no_mass": Message(
        "the gains of {named} are not identifiable without a known mass", remedy="attach one and repeat the poses"
    ),
    "sensors.open": Message(
        "the gains of {named} are not identifiable from these poses", remedy="add poses in which gravity loads these joints"
    ),
    "setting.wrong/recalibration": Message(
        "memory and spreads must be positive, tolerances not negative, and false_alarms a probability between 0 and 1"
    ),
    "shape.wrong/wrenches": Message(
        "the wrenches have the shape {shape}", remedy="give ({count}, 6): force then moment per pose"
    ),
    "shape.wrong/wrist_model": Message("rotations have the shape {shape}", remedy="give (N, 3, 3), or quaternions xyzw (N, 4)"),
}
