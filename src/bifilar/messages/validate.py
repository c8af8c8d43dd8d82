"""Sentences about validate, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
    "consistency.costly/verdict": Message("{sentence}; on test motion it predicts better all the same"),
    "error.held_out": Message("{said}{more}"),
    "error.joints": Message("the model does not explain {value:join}"),
    "error.over_noise": Message("the error of {few} is more than {over_noise:g} times the noise of the fit"),
    "friction.drives": Message("'{parameter}' is negative beyond its error bars: friction that drives"),
    "inertia": Message(
        "the fitted inertia about '{joint}' is negative ({ratio:.2g} times the nominal model's)",
        likely="a wrong sign, or too little motion",
        remedy="Recording.load(..., sign={{'{joint}': -1}}); or look for a delay between torque and motion",
        cli="--sign {joint}=-1; or look for a delay between torque and motion",
    ),
    "joints.still": Message("the fitted motion hardly moves {shown}: what they would show is the prior's, not measured"),
    "link.mass": Message("the identified {link} has {mass:.3g} kg, the nominal one {nominal:.3g} kg"),
    "link.mass/whole": Message("the identified {link} has {mass:.3g} kg, the whole nominal model {total:.3g} kg"),
    "link.odd": Message("the identified {link} is physically implausible: {thing}"),
    "mistake.likely/clock.factor": Message(
        ("likely mistake: timestamps that are {size:.3g} times the true ones explain the log best{also_words}"),
        remedy="Recording.load(..., rate=...)",
        cli="--rate HZ with the true rate",
        lead="compare the clocks: ",
    ),
    "mistake.likely/gravity.tilt": Message(
        "likely mistake: gravity tilted by {size:.2g} degrees explains the log best{also_words}",
        remedy="robot.with_gravity(...)",
        cli="turn the base in the nominal model's file",
        lead="level the base, or ",
    ),
    "mistake.likely/load.undeclared": Message(
        "likely mistake: a load of {size:.2g} kg at '{place}' explains the log best{also_words}",
        remedy="then bf.identify_payload tells what it is",
        cli="then 'bifilar payload RUN LOG' tells what it is",
        lead="record without the load, or state it in the nominal model; ",
    ),
    "mistake.likely/position.gear": Message(
        ("likely mistake: position of '{place}' that is {size:.3g} times the true one explains the log best{also_words}"),
        remedy="compare its gear ratio: ratio of [channels.position] in the mapping",
    ),
    "mistake.likely/position.offset": Message(
        "likely mistake: an encoder offset of {size:.2g} rad at '{place}' explains the log best{also_words}",
        remedy="zero this encoder, or offset of [channels.position] in the mapping",
    ),
    "mistake.likely/robot": Message(
        (
            "likely mistake: links would have to differ from the nominal model by {100*share:.0f} %, "
            "whatever else is wrong: the log of another robot, or a nominal model whose masses are guesses"
        ),
        remedy="make sure that robot and log belong together",
    ),
    "mistake.likely/sign": Message(
        "likely mistake: torque of '{place}' with the opposite sign explains the log best{also_words}",
        remedy="Recording.load(..., sign={{'{place}': -1}})",
        cli="--sign {place}=-1",
    ),
    "mistake.likely/sign_all": Message(
        "likely mistake: torque of all joints with the opposite sign explains the log best{also_words}",
        remedy="Recording.load(..., sign={{'*': -1}})",
        cli="--sign '*=-1'",
    ),
    "mistake.likely/torque.scale": Message(
        (
            "likely mistake: torque that is {size:.2g} times the nominal model's at every joint explains the "
            "log best{also_words}. It is the torque constants, or a robot that much heavier or lighter: "
            "torque alone cannot tell which"
        ),
        remedy="calibrate the drives by a known load (bf.calibrate), or PhysicallyConsistent(total_mass=...)",
        cli=("a known load: bifilar calibrate ROBOT --free LOG --loaded LOG --mass KG; or a known weight: --total-mass KG"),
    ),
    "mistake.likely/torque.scale_joint": Message(
        ("likely mistake: torque of '{place}' {size:.2g} times that of the other joints explains the log best{also_words}"),
        remedy="calibrate the drives by a known load (bf.calibrate), or PhysicallyConsistent(total_mass=...)",
        cli=("a known load: bifilar calibrate ROBOT --free LOG --loaded LOG --mass KG; or a known weight: --total-mass KG"),
    ),
    "model.mass_matrix": Message(
        "the mass matrix is not positive definite everywhere (least eigenvalue {least_eigenvalue:.2g})"
    ),
    "model.torque_only": Message("{reason}: it predicts torque, and is no model to simulate or to control by"),
    "nominal.as_good": Message("no better than the nominal model, whose error is that of the noise"),
    "nominal.better": Message("on unseen motion it errs by {now}, the nominal model by {removesuffix}"),
    "nominal.better_joints": Message("the nominal model is better at {worse:join}"),
    "offset": Message(
        "an offset of {offset:.3g}, the torque varies by {std:.3g}",
        likely="a sensor's zero, or a constant load",
        remedy="zero the sensor, or look for a load, a spring or a tilted base",
    ),
    "parameters.not_finite": Message("values are not finite"),
    "parameters.not_identified": Message("{count} of {of} base parameters are not identified"),
    "rate/mistakes": Message(
        "inertia is {median:.2g} times the nominal model's, gravity {gravity:.2g} times: a clock, no robot",
        likely="a wrong declared rate",
        remedy="Recording.load(..., rate=...), about {k:.2g} times the present one",
        cli="--rate ..., about {k:.2g} times the present one",
    ),
    "recordings.none/mistakes": Message(
        "nothing to examine", likely="no torque, too few samples, or joints that the robot does not have"
    ),
    "residual.follows": Message("{thing}"),
    "residual.more": Message("and {count} more errors that follow something, see residuals"),
    "sign/mistakes": Message(
        "friction of '{joint}' drives: viscous {viscous:.3g}, Coulomb {coulomb:.3g}",
        likely="the opposite sign of torque or position",
        remedy="Recording.load(..., sign={{'{joint}': -1}})",
        cli="--sign {joint}=-1",
    ),
    "sign_all/mistakes": Message(
        "the fitted mass matrix is negative",
        likely="torque on the robot",
        remedy="Recording.load(..., sign={{'*': -1}})",
        cli="--sign '*=-1', or sign = -1 for torque in the mapping",
    ),
    "status.doubtful": Message("{sentence}"),
    "status.infeasible": Message("{sentence}"),
    "status.not_converged": Message("{sentence}"),
    "strain": Message(
        "'{name}' leaves {other:.1%} where plain least squares leaves {error:.1%}",
        likely="numbers that cannot be those of this robot: a wrong rate, unit, sign or order, or another robot",
        remedy="run check on the recording; then look at the joints",
    ),
    "test.none/verdict": Message("no recording was kept apart: nothing says how it predicts unseen motion"),
    "test.repeats": Message("the test repeats the training motion: it shows repeatability, not prediction of other motion"),
    "test.too_little": Message(
        "the model predicts the torque of no joint (R² below 0 everywhere): the test is too short, or nothing moves in it"
    ),
    "threshold.wrong/verdict": Message("the threshold {name} is {value!r}", remedy="give a number that is not negative"),
    "torque.not_finite": Message("the model predicts torques that are not finite"),
    "unit/meaning": Message(
        "gravity is {gravity:.2g} times the nominal model's",
        likely="kN m",
        remedy="Recording.load(..., unit={{'torque': '{name}'}})",
        cli="--unit torque='{name}'",
    ),
    "unit/mistakes": Message(
        "gravity is {gravity:.2g} times the nominal model's",
        likely="mN m",
        remedy="Recording.load(..., unit={{'torque': '{name}'}})",
        cli="--unit torque='{name}'",
    ),
}
