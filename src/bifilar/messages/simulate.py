"""Sentences about simulate, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
    "clock.not_rising/reference": Message(
        "the motion's time must be at least two increasing numbers", remedy="sort the samples by time"
    ),
    "controller.output": Message(
        "{kind} sends {sent} at {time:.4g} s",
        remedy="a controller returns {joints} finite torques; put it behind SafeController(...)",
    ),
    "delay.wrong/closed_loop": Message(
        "a delay of {delay} s at a period of {period} s", remedy="give seconds between zero and one period"
    ),
    "event.unknown": Message("there is no event '{strange}' that could end the motion", listed=("events",)),
    "feedback.unknown": Message("there is no feedback '{feedback}'", remedy="choose 'true' or 'measured'"),
    "friction.too_steep": Message(
        "the friction of '{worst}' is too steep to be integrated: {steps} steps in {period:g} s",
        likely="hard Coulomb friction on a light body",
        remedy="make its sign smoother (slip=..., or width=... of the term), or give the joint a rotor inertia",
        cli="less Coulomb friction, or a rotor inertia: --friction joint3.coulomb=0.1 joint3.rotor=0.01",
    ),
    "joint.coupled_flexible": Message(
        "flexible joints with coupled motors are not simulated", remedy="leave their stiffness away"
    ),
    "joint.no_rotor": Message(
        "the flexible joint '{light}' has a motor without rotor inertia",
        remedy=("give it one: robot.with_friction(robot.friction + RotorInertia(), {{'{light}.rotor_inertia': ...}})"),
    ),
    "joint.no_stiffness": Message("spring_damping names '{loose}', which has no stiffness", remedy="give its stiffness too"),
    "joint.unknown/plant": Message(
        "{thing} names '{name}', which is no joint", likely="a misspelling of {near:quoted| or }", listed=("joints",)
    ),
    "lag.wrong": Message("a torque lag of {lag} s", remedy="give a time constant in seconds, zero or more"),
    "limits.effort_missing/sensors": Message(
        "Sensors({name}=...) is a share of the effort limit, and {unlimited:join} has none",
        remedy="or give N m: Sensors(torque_unit='N m', ...)",
        cli=(
            "or give effort limits by --limits FILE ('bifilar design ROBOT --write-limits limits.toml' "
            "writes one to fill in), or --noise none"
        ),
        lead="state the limits in the robot's file, ",
    ),
    "link.massless/plant": Message(
        "link '{link}' moves and has no mass: MuJoCo has no such body to push", remedy="push the link that it carries"
    ),
    "link.unknown/pushes": Message(
        "a push on '{name}', which the robot does not have", likely="a misspelling of {near:quoted| or }", listed=("names",)
    ),
    "loop.runs_away/closed_loop": Message(
        "the robot runs away: '{worst}' at {time:.4g} s",
        likely=(
            "an unstable loop: gains too high for the period, the lag of the torque or of the velocity; or "
            "torque limits too low for the motion"
        ),
        remedy="lower the gains, shorten the period, or slow the motion down",
    ),
    "loop.runs_away/virtual_robot": Message(
        "the virtual robot runs away: '{worst}' at {time:.4g} s",
        likely=("an unstable loop: gains too high for the control rate{words}, or torque limits too low for the motion"),
        remedy="{advice}, or slow the motion down",
    ),
    "mass_matrix.singular/implicit_form": Message("the mass matrix is singular"),
    "method.unknown/motion_run": Message("there is no method '{method}'", remedy="choose 'implicit' or 'explicit'"),
    "model.other_joints/virtual_robot": Message(
        "the controller's model has other joints than the robot", listed=("model", "robot")
    ),
    "motion.channel_missing/reference": Message("the motion has no {lacking}", remedy="at(time) must give {parts:join}"),
    "motion.duration": Message("the motion lasts {duration} s", remedy="give a motion that lasts a while"),
    "motion.endless": Message("a function of time does not say when it ends", remedy="give duration=... [s]"),
    "motion.form": Message(
        "a {kind} is no motion",
        remedy="give a trajectory (design.motion, joint_names, duration, at(time)) or (time, position, velocity)",
    ),
    "motion.joints_missing/order": Message(
        "the motion names a joint twice",
        remedy="hold joints that stay still: robot.locked({{name: position}})",
        cli="--lock holds joints that stay still",
        listed=("motion", "robot"),
    ),
    "motion.joints_missing/reference": Message(
        "the motion says nothing about {list}",
        remedy="hold joints that stay still: robot.locked({{name: position}})",
        cli="--lock holds joints that stay still",
        listed=("motion", "robot"),
    ),
    "motion.joints_unknown": Message(
        "the motion moves {list}, which robot '{name}' does not have",
        likely="a misspelling of {near:quoted| or }",
        remedy="robot.renamed(...) gives other names",
        cli="rename the columns of the motion, or the joints of the description",
        listed=("motion", "robot"),
    ),
    "motion.length/reference": Message(
        "the motion gives {row_count} states at {time_count} times", remedy="at(time) must return one row per time"
    ),
    "motion.length/samples": Message("{wrong} holds {length} samples, time {stamp_count}", remedy="give one row per time"),
    "motion.no_velocity": Message("the motion has no velocity", remedy="give (time, position, velocity)"),
    "motion.outside_limits": Message(
        "the motion takes '{name}' to {q:.4g} at {time:.4g} s",
        remedy="give the robot others",
        cli="give others by --limits",
        lead="keep it inside its limits, or ",
        listed=("limits",),
    ),
    "motion.too_long/closed_loop": Message(
        "{duration:g} s of a motion that lasts {time:.4g} s", remedy="leave duration away, or let the motion last longer"
    ),
    "motion.too_long/reference": Message(
        "{duration:g} s at {rate:g} Hz are more than {most_ticks:,} ticks", likely="time not in seconds"
    ),
    "package.missing/implicit": Message(
        "the implicit solver is not installed (scikit-sundae)", remedy="pip install 'bifilar[implicit]', or method='explicit'"
    ),
    "period.wrong": Message("a period of {period} s", remedy="give the controller's period in seconds: 0.001"),
    "push.form/checked": Message("{push!r} is no push", remedy="give finite numbers, and a stop behind the start"),
    "push.form/pushes": Message("{push!r} is no push", remedy="give JointPush(...) or LinkPush(...)"),
    "push.form/three": Message("{name} of a push must be three numbers, it is {value!r}"),
    "rate.too_high/virtual_robot": Message(
        "a controller at {control_rate:g} Hz cannot be recorded at {rate:g} Hz",
        remedy="give a control_rate that is a whole multiple of rate",
    ),
    "robot.floating/implicit_form": Message(
        "the implicit form is for a robot on a fixed base",
        remedy="load it with floating=False",
        cli="a robot that stands on a fixed base",
    ),
    "robot.floating/plant": Message(
        "robot '{name}' floats; the virtual robot stands on a fixed base",
        remedy="load it with floating=False: its root is then held",
        cli="a robot that stands on a fixed base",
    ),
    "sensors.count": Message(
        "Sensors({name}=...) has {size} values, the robot {effort_count} joints",
        remedy="give one for all joints, or one for each",
        listed=("joints",),
    ),
    "sensors.dropped": Message("Sensors(dropped={dropped}) leaves no samples", remedy="give a share below 1"),
    "sensors.setting/sensors": Message("Sensors({name}={value}) must be finite{words}"),
    "sensors.unit_unknown": Message("there is no torque unit '{torque_unit}'", remedy="choose 'N m' or 'limit'"),
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
        likely="stiff friction",
        remedy="method='implicit', or a larger slip=...",
    ),
    "simulation.stopped/implicit": Message(
        "IDA stops at {when:.4g} s: {message}",
        likely="a mass matrix that becomes singular on the way, or friction that is too steep",
        remedy="give a larger slip=...",
    ),
    "step.wrong": Message("the plant's step of {step} s makes no sense", remedy="give something like 5e-4"),
    "tolerance.wrong/motion_run": Message("a tolerance of {tolerance}", remedy="give a number between 1e-14 and 1e-2"),
    "torque.limits": Message("torque limits of {limits!r}", remedy="give one, or {count}, of zero or more; infinity for none"),
    "wall.normal": Message("the normal of a wall has no length"),
    "wall.setting/post_init": Message("a wall of {stiffness} N/m and {damping} N s/m", remedy="give a stiffness above zero"),
    "wall.setting/wall": Message("{name} of a wall must be three finite numbers, it is {value!r}"),
}
