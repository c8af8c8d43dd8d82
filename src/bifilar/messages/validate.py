"""Sentences about validate, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
    "consistency.costly/verdict": Message("{sentence}; but it predicts test motion better"),
    "error.held_out": Message("{said}{more}"),
    "error.joints": Message("the model does not explain {value:join}"),
    "error.over_noise": Message("the error of {few} exceeds {over_noise:g} times the noise of the fit"),
    "friction.drives": Message(
        "'{parameter}' is negative by more than its standard deviations allow: friction that accelerates"
    ),
    "inertia": Message(
        "the fitted inertia about '{joint}' is negative ({ratio:.2g} times the nominal model's)",
        likely="a wrong sign, or too little motion",
        remedy="Recording.load(..., sign={{'{joint}': -1}}); or look for a delay between torque and motion",
        cli="--sign {joint}=-1; or look for a delay between torque and motion",
    ),
    "joints.still": Message("the training motion hardly moves {shown}: parameters of these joints come from the prior"),
    "link.mass": Message("the identified mass of {link} is {mass:.3g} kg, the nominal one {nominal:.3g} kg"),
    "link.mass/whole": Message(
        "the identified mass of {link} is {mass:.3g} kg, that of the whole nominal model {total:.3g} kg"
    ),
    "link.odd": Message("the identified {link} is physically implausible: {thing}"),
    "mistake.likely/clock.factor": Message(
        "likely mistake: the log is explained best by timestamps that are {size:.3g} times the true ones{also_words}",
        remedy="Recording.load(..., rate=...)",
        cli="--rate HZ with the true rate",
        lead="compare the clocks, or declare the rate: ",
    ),
    "mistake.likely/gravity.tilt": Message(
        "likely mistake: the log is explained best by gravity tilted by {size:.2g} degrees{also_words}",
        remedy="robot.with_gravity(...)",
        cli="rotate the base in the nominal model",
        lead="level the base, or ",
    ),
    "mistake.likely/load.undeclared": Message(
        "likely mistake: the log is explained best by a load of {size:.2g} kg at '{place}'{also_words}",
        remedy="bf.identify_payload identifies it",
        cli="'bifilar payload RUN LOG' identifies it",
        lead="record without the load, or add it to the nominal model; ",
    ),
    "mistake.likely/position.gear": Message(
        "likely mistake: the log is explained best by a position of '{place}' that is {size:.3g} times the true "
        "one{also_words}",
        remedy="check its gear ratio: ratio of [channels.position] in the mapping",
    ),
    "mistake.likely/position.offset": Message(
        "likely mistake: the log is explained best by an encoder offset of {size:.2g} rad at '{place}'{also_words}",
        remedy="zero this encoder, or declare offset of [channels.position] in the mapping",
    ),
    "mistake.likely/robot": Message(
        "likely mistake: links would have to differ from the nominal model by {100*share:.0f} % even with any "
        "other mistake: the log is of another robot, or the nominal masses are guesses",
        remedy="make sure that robot and log belong together",
    ),
    "mistake.likely/sign": Message(
        "likely mistake: the log is explained best by torque of '{place}' with the opposite sign{also_words}",
        remedy="Recording.load(..., sign={{'{place}': -1}})",
        cli="--sign {place}=-1",
    ),
    "mistake.likely/sign_all": Message(
        "likely mistake: the log is explained best by torque of all joints with the opposite sign{also_words}",
        remedy="Recording.load(..., sign={{'*': -1}})",
        cli="--sign '*=-1'",
    ),
    "mistake.likely/torque.scale": Message(
        "likely mistake: the log is explained best by torque that is {size:.2g} times the nominal model's at every joint "
        "(wrong torque constants, or a robot heavier or lighter by this factor, which torque alone cannot distinguish)"
        "{also_words}",
        remedy="calibrate the drives by a known load (bf.calibrate), or PhysicallyConsistent(total_mass=...)",
        cli=(
            "give a known load: bifilar calibrate ROBOT --free LOG --loaded LOG --mass KG; or a known total mass: "
            "--total-mass KG"
        ),
    ),
    "mistake.likely/torque.scale_joint": Message(
        "likely mistake: the log is explained best by torque of '{place}' that is {size:.2g} times that of the "
        "other joints{also_words}",
        remedy="calibrate the drives by a known load (bf.calibrate), or PhysicallyConsistent(total_mass=...)",
        cli=(
            "give a known load: bifilar calibrate ROBOT --free LOG --loaded LOG --mass KG; or a known total mass: "
            "--total-mass KG"
        ),
    ),
    "model.mass_matrix": Message(
        "the mass matrix is not positive definite in every pose (smallest eigenvalue {least_eigenvalue:.2g})"
    ),
    "model.torque_only": Message(
        "{reason}: the model predicts torque, but must not be used for simulation or model-based control"
    ),
    "nominal.as_good": Message("no better than the nominal model, whose error is at the noise level"),
    "nominal.better": Message("on test motion its error is {now}, the nominal model's {removesuffix}"),
    "nominal.better_joints": Message("the nominal model is better at {worse:join}"),
    "offset": Message(
        "the offset is {offset:.3g}, while the torque varies by {std:.3g}",
        likely="the zero of a sensor, or a constant load",
        remedy="zero the sensor, or check for a load, a spring or a tilted base",
    ),
    "parameters.not_finite": Message("some values are not finite"),
    "parameters.not_identified": Message("{count} of {of} base parameters are not identified"),
    "rate/mistakes": Message(
        "inertia is {median:.2g} times the nominal model's, gravity {gravity:.2g} times, as with a wrong sampling rate",
        likely="a wrong declared rate",
        remedy="Recording.load(..., rate=...) with about {k:.2g} times the present rate",
        cli="--rate with about {k:.2g} times the present rate",
    ),
    "recordings.none/mistakes": Message(
        "no samples to examine",
        likely="no torque, too few samples, or joints that the robot does not have",
        remedy="see what 'bifilar check' says about the recordings",
    ),
    "residual.follows": Message("{thing}"),
    "residual.more": Message("and {count} more dependencies of the residual"),
    "sign/mistakes": Message(
        "friction of '{joint}' accelerates: viscous {viscous:.3g}, Coulomb {coulomb:.3g}",
        likely="the opposite sign of torque or position",
        remedy="Recording.load(..., sign={{'{joint}': -1}})",
        cli="--sign {joint}=-1",
    ),
    "sign_all/mistakes": Message(
        "the fitted mass matrix is negative",
        likely="torque exerted on the motors, not by them",
        remedy="Recording.load(..., sign={{'*': -1}})",
        cli="--sign '*=-1', or sign = -1 for torque in the mapping",
    ),
    "status.doubtful": Message("{sentence}"),
    "status.infeasible": Message("{sentence}"),
    "status.not_converged": Message("{sentence}"),
    "strain": Message(
        "'{name}' has an NRMSE of {other:.1%}, least squares {error:.1%}",
        likely="data that this robot cannot have produced: a wrong rate, unit, sign or order, or another robot",
        remedy="run bf.check on the recording; then look at the joints",
        cli="run 'bifilar check' on the recording; then look at the joints",
    ),
    "test.none/verdict": Message("no recording was held out: prediction of other motion was not evaluated"),
    "test.repeats": Message(
        "the test motion repeats the training motion: it evaluates repeatability, not prediction of other motion"
    ),
    "test.too_little": Message(
        "the model predicts the torque of no joint (all R² below 0): the test is too short, or hardly moves"
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
