"""Sentences about simulate, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
    "clock.not_rising/reference": Message("the motion needs two or more increasing times", remedy="sort the samples by time"),
    "controller.output": Message(
        "{kind} returns {sent} at {time:.4g} s",
        remedy="return {joints} finite torques, or wrap the controller in SafeController(...)",
    ),
    "delay.wrong/closed_loop": Message(
        "the delay is {delay} s at a period of {period} s", remedy="give seconds from zero to one period"
    ),
    "event.unknown": Message("unknown event '{strange}'", listed=("events",)),
    "feedback.unknown": Message("unknown feedback '{feedback}'", remedy="choose 'true' or 'measured'"),
    "friction.too_steep": Message(
        "the friction of '{worst}' changes too fast with speed to be integrated: {steps} steps in {period:g} s",
        likely="hard Coulomb friction on a light body",
        remedy="smooth its sign (slip=..., or width=... of the term), or give the joint a rotor inertia",
        cli="reduce Coulomb friction or add a rotor inertia: --friction joint3.coulomb=0.1 joint3.rotor=0.01",
    ),
    "joint.coupled_flexible": Message(
        "flexible joints with coupled motors are not simulated", remedy="leave out their stiffness"
    ),
    "joint.no_rotor": Message(
        "the motor of the flexible joint '{light}' has no rotor inertia",
        remedy="robot.with_friction(robot.friction + RotorInertia(), {{'{light}.rotor_inertia': ...}})",
    ),
    "joint.no_stiffness": Message(
        "spring_damping names '{loose}', which has no stiffness", remedy="give its stiffness as well"
    ),
    "joint.unknown/plant": Message(
        "{thing} names '{name}', which is not a joint", likely="a misspelling of {near:quoted| or }", listed=("joints",)
    ),
    "lag.wrong": Message("the torque lag is {lag} s", remedy="give a time constant in seconds, zero or more"),
    "limits.effort_missing/sensors": Message(
        "Sensors({name}=...) is a fraction of the effort limit, which is not known for {unlimited:join}",
        remedy="or give N m: Sensors(torque_unit='N m', ...)",
        cli=(
            "or give effort limits by --limits FILE ('bifilar design ROBOT --write-limits limits.toml' writes one to "
            "fill in), or --noise none"
        ),
        lead="state the limits in the robot's file, ",
    ),
    "link.massless/plant": Message(
        "link '{link}' moves and has no mass, so no push can act on it in MuJoCo", remedy="push the link that is attached to it"
    ),
    "link.unknown/pushes": Message(
        "a push acts on '{name}', which the robot does not have",
        likely="a misspelling of {near:quoted| or }",
        listed=("names",),
    ),
    "loop.runs_away/closed_loop": Message(
        "the closed loop diverges: '{worst}' at {time:.4g} s",
        likely=(
            "an unstable loop (gains too high for the period, the lag of the torque or of the velocity), or torque "
            "limits too low for the motion"
        ),
        remedy="lower the gains, shorten the period, or slow the motion down",
    ),
    "loop.runs_away/virtual_robot": Message(
        "the closed loop diverges: '{worst}' at {time:.4g} s",
        likely="an unstable loop: gains too high for the control rate{words}, or torque limits too low for the motion",
        remedy="{advice}, or slow the motion down",
    ),
    "mass_matrix.singular/implicit_form": Message("the mass matrix is singular", remedy="give all links mass and inertia"),
    "method.unknown/motion_run": Message("unknown method '{method}'", remedy="choose 'implicit' or 'explicit'"),
    "model.other_joints/virtual_robot": Message(
        "the controller's model and the robot have different joints",
        listed=(
            "model",
            "robot",
        ),
    ),
    "motion.channel_missing/reference": Message("the motion has no {lacking}", remedy="at(time) must give {parts:join}"),
    "motion.duration": Message("the motion lasts {duration} s", remedy="give a motion of positive duration"),
    "motion.endless": Message("a function of time has no duration", remedy="give duration=... [s]"),
    "motion.form": Message(
        "a {kind} is not a motion",
        remedy="give a trajectory (design.motion, joint_names, duration, at(time)) or (time, position, velocity)",
    ),
    "motion.joints_missing/order": Message(
        "the motion contains a joint twice",
        remedy="keep one column per joint",
        cli="keep one column per joint",
        listed=(
            "motion",
            "robot",
        ),
    ),
    "motion.joints_missing/reference": Message(
        "the motion does not contain {list}",
        remedy="hold these joints fixed: robot.locked({{name: position}})",
        cli="--lock holds joints that stay still",
        listed=(
            "motion",
            "robot",
        ),
    ),
    "motion.joints_unknown": Message(
        "the motion moves {list}, which robot '{name}' does not have",
        likely="a misspelling of {near:quoted| or }",
        remedy="robot.renamed(...) gives other names",
        cli="rename the columns of the motion, or the joints of the robot model",
        listed=(
            "motion",
            "robot",
        ),
    ),
    "motion.length/reference": Message(
        "the motion gives {row_count} states at {time_count} times", remedy="at(time) must return one row per time"
    ),
    "motion.length/samples": Message("{wrong} holds {length} samples, time {stamp_count}", remedy="give one row per time"),
    "motion.no_velocity": Message("the motion has no velocity", remedy="give (time, position, velocity)"),
    "motion.outside_limits": Message(
        "the motion moves '{name}' to {q:.4g} at {time:.4g} s",
        remedy="give the robot other limits",
        cli="give other limits by --limits",
        lead="keep it inside its limits, or ",
        listed=("limits",),
    ),
    "motion.too_long/closed_loop": Message(
        "a duration of {duration:g} s is longer than the motion, {time:.4g} s",
        remedy="leave out duration, or extend the motion",
    ),
    "motion.too_long/reference": Message(
        "{duration:g} s at {rate:g} Hz are more than {most_ticks:,} control periods", likely="time that is not in seconds"
    ),
    "package.missing/implicit": Message(
        "the implicit solver is not installed (scikit-sundae)", remedy="pip install 'bifilar[implicit]', or method='explicit'"
    ),
    "period.wrong": Message("the control period is {period} s", remedy="give seconds, such as 0.001"),
    "push.form/checked": Message("{push!r} is not a push", remedy="give finite numbers, and a stop after the start"),
    "push.form/pushes": Message("{push!r} is not a push", remedy="give JointPush(...) or LinkPush(...)"),
    "push.form/three": Message("{name} of a push must be three numbers, it is {value!r}"),
    "rate.too_high/virtual_robot": Message(
        "a controller at {control_rate:g} Hz cannot be recorded at {rate:g} Hz",
        remedy="give a control_rate that is a whole multiple of rate",
    ),
    "robot.floating/implicit_form": Message(
        "the implicit form needs a fixed base", remedy="load it with floating=False", cli="name a robot with a fixed base"
    ),
    "robot.floating/plant": Message(
        "robot '{name}' has a floating base; the virtual robot needs a fixed one",
        remedy="load it with floating=False: its root is then fixed",
        cli="name a robot with a fixed base",
    ),
    "sensors.count": Message(
        "Sensors({name}=...) has {size} values, the robot {effort_count} joints",
        remedy="give one for all joints, or one for each",
        listed=("joints",),
    ),
    "sensors.dropped": Message("Sensors(dropped={dropped}) leaves no samples", remedy="give a fraction below 1"),
    "sensors.setting/sensors": Message("Sensors({name}={value}) must be finite{words}"),
    "sensors.unit_unknown": Message("unknown torque unit '{torque_unit}'", remedy="choose 'N m' or 'limit'"),
    "setting.wrong/divisor": Message("{name} is {value}", remedy="give samples per second"),
    "setting.wrong/plant": Message("the {thing} of '{name}' is {value}", remedy="give a finite positive number"),
    "setting.wrong/virtual_robot": Message("VirtualRobot({name}={getattr}) must be a finite positive number"),
    "shape.wrong/given": Message("torque(t, position, velocity) has the shape {shape}", remedy="return {q_count} numbers"),
    "shape.wrong/implicit_form": Message("torque has the shape {shape}", remedy="give {joints} finite numbers"),
    "shape.wrong/virtual_robot": Message(
        "gains have the shape {shape}, the robot {joint_name_count} joints", remedy="give one per joint"
    ),
    "simulation.stopped/explicit": Message(
        "the integration stops at {when:.4g} s: {message}",
        likely="friction that changes very fast with speed",
        remedy="method='implicit', or a larger slip=...",
    ),
    "simulation.stopped/implicit": Message(
        "IDA stops at {when:.4g} s: {message}",
        likely="a mass matrix that becomes singular, or friction that changes very fast with speed",
        remedy="give a larger slip=...",
    ),
    "step.wrong": Message("the integration step is {step} s", remedy="give a positive time, such as 5e-4"),
    "tolerance.wrong/motion_run": Message("the tolerance is {tolerance}", remedy="give a number between 1e-14 and 1e-2"),
    "torque.limits": Message(
        "the torque limits are {limits!r}", remedy="give one number or {count}, zero or more; infinity for no limit"
    ),
    "torque.saturated": Message(
        "the motor was at its torque limit for {100*share:.2g} % of the time: the joint did not follow its motion",
        remedy="a slower motion, or one that was designed within the effort limits",
    ),
    "tracking.error": Message("largest tracking error {error:.3g} {unit}; {bound:.3g} {unit} are allowed"),
    "tracking.lost": Message(
        "tracking error {error:.3g} {unit}, more than the {bound:.3g} {unit} that are allowed",
        likely="friction, a load or an acceleration that is large for the inertia of the joint",
        remedy="a slower motion, less friction, or the rotor inertia of the joint (bf.RotorInertia)",
        cli="a slower motion, less friction, or the rotor inertia of the joint: --friction {joint}.rotor=0.01",
    ),
    "wall.normal": Message("the normal of the wall has length 0"),
    "wall.setting/post_init": Message(
        "the wall has a stiffness of {stiffness} N/m and a damping of {damping} N s/m",
        remedy="give a positive stiffness, and a damping of zero or more",
    ),
    "wall.setting/wall": Message("{name} of a wall must be three finite numbers, it is {value!r}"),
}
