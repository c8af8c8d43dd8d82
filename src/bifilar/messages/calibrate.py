"""Sentences about calibrate, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
    "calibration.unloaded": Message(
        "the loads do not span {which:join}", remedy="hang masses at points that bend and twist about every axis"
    ),
    "clipped": Message(
        "its {word} reading {end:.4g} comes {count} times, to the last digit",
        likely="the sensor clips",
        remedy="state reach=... and look at it",
    ),
    "clock.not_rising/recalibration": Message("{q_count} samples need {q_count} rising times", remedy="sort the samples"),
    "drift": Message(
        ("wanders while the poses are taken: {moved:join}; taken as constant, the mass would be {constant:.4g} kg"),
        likely="a sensor that warms up",
        remedy="let it warm up, tare it right before use; the bias given is that of the last pose",
    ),
    "drift.not_followed": Message(
        (
            "seems to wander, but held-out poses are predicted to {constant:.3g} N by a constant bias and to "
            "{followed:.3g} N by one that is followed: it is taken as constant"
        ),
        remedy="hold still for longer, in more poses; look at friction or contact of cables",
    ),
    "drift.robust": Message("a robust fit takes the bias as constant", remedy="leave drift=True or robust=True out"),
    "encoders.not_converged": Message(
        "sensors, mass and arm were not brought together in {steps} steps",
        remedy="look at the stated mass and at the frame; leave the encoders out",
    ),
    "frame": Message(
        (
            "readings are explained to {force:.3g} N and {1e3*moment:.3g} mN m only, and to "
            "{force_otherwise:.3g} N and {1e3*moment_otherwise:.3g} mN m otherwise"
        ),
        likely="{guess}",
    ),
    "frame.unknown": Message("there is no frame '{frame}'", remedy="say 'sensor' or 'base'"),
    "gain/recalibration": Message(
        "gain is {value:.4g} ± {deviation:.2g}, out of tolerance since {since:.4g} s",
        likely="a sensor that drifted",
        remedy="correct its readings with these numbers, or calibrate it: bifilar calibrate",
    ),
    "gains.not_converged": Message(
        "gains and physically consistent links did not settle; these gains go with free base parameters",
        remedy="look whether the recordings were exchanged, or whether the load is heavier or lighter than stated",
    ),
    "gains.open": Message(
        "the gains of {which:join} are not identifiable from this load", remedy="move these joints with the load, fast"
    ),
    "gains.scale": Message(
        "gravity never loads {which:join}: its gain is identifiable only from the load's inertia",
        remedy="tilt the base, or take the gain from the maker's data",
    ),
    "gravity.none/tare_poses": Message(
        "there is no gravity to weigh a tool with", remedy="robot.with_gravity(...)", cli="a robot that gravity pulls at"
    ),
    "gravity.wrong/wrist_sensor": Message("gravity is {g}", remedy="give its size [m/s^2], or the vector in the base frame"),
    "joints.other/sensor_equations": Message("the poses are of other joints than the robot's", listed=("poses", "robot")),
    "joints.unheard": Message("{named} gave no reading", remedy="log them too"),
    "load.moved": Message("the mass was moved by {moved}", remedy="give x, y, z in the tool frame [m]"),
    "load.none/drive_gain": Message("a load of {mass} kg does not determine a gain", remedy="hang a known mass on the arm"),
    "load.none/sensor_equations": Message("a reference mass of {mass} kg", remedy="give a positive number of kilograms"),
    "load.not_felt": Message(
        "a load of {mass:g} kg is not felt in the recordings that are said to carry it",
        remedy="look whether the recordings were exchanged, or take a heavier load",
    ),
    "loads.too_few": Message(
        "{y_count} loads are too few for a matrix and a bias", remedy="hang on seven or more different ones"
    ),
    "mass.not_felt": Message(
        "the gains of {named} are lost in the noise: the mass hardly changes the readings",
        remedy="look whether the mass hung there in these poses, or take a heavier one",
    ),
    "matrix.singular/calibrate_shape": Message(
        "readings do not follow the loads: some combination of them reads nothing", remedy="look at the wiring"
    ),
    "matrix.singular/shape_matrix": Message("the nominal matrix must be 6 x 6 and have an inverse"),
    "no load": Message(
        "a weight of {size:.2g} N ± {spread:.2g} N: direction of gravity and centre of mass mean nothing",
        likely="nothing hangs on the sensor",
        remedy="the bias can be used; mount the tool, or a heavier one, for the rest",
    ),
    "noise.not_positive/recalibration": Message(
        "the noise of a reading must be positive", remedy="give its standard deviation in N m"
    ),
    "not_finite/wrist_model": Message("wrench {argwhere} is not finite", remedy="leave that pose out"),
    "offset/recalibration": Message(
        "offset is {value:.4g} ± {deviation:.2g} N m, out of tolerance since {since:.4g} s",
        likely="a sensor that drifted",
        remedy="correct its readings with these numbers, or calibrate it: bifilar calibrate",
    ),
    "poses.not_told": Message(
        ("load and bias cannot be separated in these poses: gravity keeps its direction in the sensor, or turns in one plane"),
        likely="the tool was moved without being turned",
        remedy="tilt the sensor about two different axes by 30 degrees or more",
    ),
    "poses.too_few/fitted": Message(
        "{r_count} poses leave no equation to judge the fit by", remedy="hold the tool in more poses"
    ),
    "poses.too_few/propose_tare_poses": Message(
        ("no {count} poses of this arm separate a load from a bias: it cannot turn the sensor about two axes across gravity"),
        remedy="more poses, wider limits, or a sensor on a link beyond more joints",
    ),
    "poses.too_few/tare_poses": Message("{count} poses cannot separate a load from a bias", remedy="count=8"),
    "poses.too_few/wrist_sensor": Message(
        "{r_count} poses are too few for a bias and a load: twelve unknowns, six equations per pose",
        remedy="hold the tool in at least eight different orientations",
    ),
    "range": Message(
        "reads {largest:.4g}, its range ends at {top:g}",
        likely="the load is heavier than the range",
        remedy="a lighter tool or a larger sensor; poses that keep this axis away from the weight",
    ),
    "readings.too_few": Message("{rows} readings are too few for {count} unknowns", remedy="hold the arm in more poses"),
    "reversed/upside_down": Message(
        ("the weight points along the base's +z: the wrench has the other sign, or the base hangs from a ceiling"),
        likely="the sensor reports what the tool exerts, not what the tool feels",
        remedy="give -wrench",
        cli="--reversed",
    ),
    "reversed/wrist_doubts": Message(
        "the weight points against the gravity that is given",
        likely="a wrench of the tool on its surroundings",
        remedy="give -wrench",
        cli="--reversed",
    ),
    "rotation.mirrors": Message("a rotation matrix mirrors", likely="a left-handed frame", remedy="give right-handed axes"),
    "rotation.not_finite": Message("a rotation is not finite", remedy="leave that pose out"),
    "rotation.not_orthogonal/wrist_model": Message(
        "a rotation matrix is off by {off:.2g}", remedy="give rotations, or quaternions xyzw (N, 4)"
    ),
    "rotation.quaternion": Message(
        "a quaternion does not have length 1", likely="Euler angles, or another column", remedy="give xyzw"
    ),
    "sensors.few_poses": Message(
        ("the gains of {named} are open: these joints feel the mass only by where it hangs, which is not known"),
        remedy="repeat the poses with the mass moved by a known way, HungMass(mass, moved=[...])",
    ),
    "sensors.no_gravity": Message(
        "the gains of {named} are open: gravity never loads them", remedy="tilt the base; their offsets are identified"
    ),
    "sensors.no_mass": Message(
        "the gains of {named} are open: no known mass was hung on", remedy="hang one on, and repeat the poses"
    ),
    "sensors.open": Message("the gains of {named} are open", remedy="sweep these joints through more poses that gravity bends"),
    "setting.wrong/recalibration": Message(
        "memory and spreads must be positive, tolerances not negative, a chance between 0 and 1"
    ),
    "shape.wrong/wrenches": Message(
        "the wrenches have the shape {shape}", remedy="give ({count}, 6): force then moment per pose"
    ),
    "shape.wrong/wrist_model": Message("rotations have the shape {shape}", remedy="give (N, 3, 3), or quaternions xyzw (N, 4)"),
}
