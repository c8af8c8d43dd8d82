"""Sentences about estimate, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
    "arguments.count": Message(
        "{data_count} arrays were given", remedy="give (position, torque) or (position, velocity, acceleration, torque)"
    ),
    "bars.blocks_chosen": Message("blocks were chosen: standard deviations take the rows' errors as independent"),
    "bars.coloured": Message(
        "the residual is coloured: standard deviations are {factor:.2g} times those of white noise, and "
        "the estimate is not efficient"
    ),
    "bars.too_few_rows": Message("too few rows to estimate the autocorrelation of the residual"),
    "bars.white/both": Message("standard deviations assume white noise: on a real machine they are too small"),
    "blocks.too_few/bootstrap": Message(
        "{blocks} blocks are too few to draw from", remedy="give longer recordings, or Problem.of(..., blocks=24)"
    ),
    "blocks.too_few/inner_blocks": Message(
        "one block cannot be parted into some to fit and some to choose by",
        likely="a very short recording",
        remedy="give a number instead of auto, or a longer recording",
    ),
    "body.impossible/physical_problem": Message(
        "body {bad} of the prior is physically inconsistent", remedy="repair the prior first: physical_prior(robot)"
    ),
    "bounds.order/physical_rules": Message(
        "the bounds of '{pattern}' are {least} and {most}", remedy="give the lower one first"
    ),
    "clock.missing/loop_rows": Message(
        "closed-loop methods need a clock: arrays have none", remedy="give a Recording, or control_rate=..."
    ),
    "clock.missing/raw_pieces": Message(
        "arrays of positions have no sample rate",
        remedy="MaximumLikelihood(rate=...) [Hz], or give a Recording with timestamps",
    ),
    "clock.missing/samples_of": Message(
        "closed-loop methods need a clock: {kind} has none", remedy="give a Recording, or what prepare makes of it"
    ),
    "clock.rate": Message("on a clock of {rate:.4g} Hz"),
    "command.missing": Message("the samples hold no commanded motion", remedy="give reference=..., the motion that was played"),
    "conditions.infeasible": Message(
        ("no robot fulfils all that was asked for (total mass, ellipsoids, symmetry, bounds); the values are the prior's"),
        remedy="leave one of these conditions out",
    ),
    "consistency.cost": Message("physical consistency costs {more} more torque error than unconstrained base parameters"),
    "consistency.costly": Message(
        ("{thing}: torque of another robot, sign or unit, friction that is not modelled, or too strong a prior"),
        remedy="check the recording against the robot; give a smaller prior_weight",
    ),
    "consistency.free": Message("the physically consistent model fits the torque as well as unconstrained base parameters"),
    "controller.disagrees": Message(
        "instrumental variables and the direct inverse disagree, most of all about '{worst}' (p = "
        "{probability:.1e}): the controller model or the robot model is wrong"
    ),
    "controller.form": Message(
        "{odd!r} is no controller",
        remedy="give a JointController(kp=..., kd=...), or anything with a method begin(reference) as it has",
    ),
    "controller.lag": Message(
        "'{joint}' lags {ratio:.2f} times as far behind its reference as the simulated machine: the "
        "controller's gains are wrong"
    ),
    "controller.missing": Message(
        "{name} needs the controller",
        likely="it simulates the closed loop, so it must know the law that moved the robot",
        remedy=(
            "{name}(controller=JointController(kp=..., kd=...)) of bifilar.estimate.closed_loop; without a "
            "controller, bf.MaximumLikelihood() takes noise in positions into account"
        ),
    ),
    "controller.wrong": Message(
        "{reasons:join|; }",
        remedy="state the controller as it is, or use InstrumentalVariables, which does not need the right gains",
    ),
    "cost.falls/max_likelihood": Message(
        "the cost still falls after {iterations} iterations",
        remedy="raise iterations=... or slip=..., or state both noise levels",
    ),
    "delay.compensated": Message(
        "the torque was logged {1e3*size:.1f} ms {way} (deviation {1e3*deviation:.1f} ms) and was moved: "
        "the held-out error falls by {100*gain:.0f} %"
    ),
    "delay.inconsistent": Message(
        "the torque seems to be {1e3*size:.1f} ms {way} (deviation {1e3*deviation:.1f} ms), but "
        "{reasons:join}: it was not moved; if you know the delay, declare it"
    ),
    "design.no_motion": Message(
        "no motion of the arm stays within the effort limits",
        likely="motors that hardly carry the arm",
        remedy="give the robot larger effort limits, or another robot",
    ),
    "ellipsoid.form": Message("an ellipsoid needs a centre and a positive definite 3 x 3 matrix", remedy="Ellipsoid.of_axes"),
    "estimate.missing": Message("there is no estimate here", remedy="name the folder that 'bifilar fit' wrote"),
    "estimate.other_robot/payload": Message(
        "the estimate is of another robot",
        remedy="give the robot that was fitted: estimate.described",
        listed=("robot", "estimate"),
    ),
    "estimate.other_robot/saved": Message("the estimate belongs to another description", likely="robot.urdf was changed"),
    "estimate.unreadable": Message("the estimate cannot be read", likely="damaged ({error})"),
    "experiments.too_few": Message(
        "{experiment_count} experiments have no spread to compare",
        remedy="give {fewest} recordings or more, or one that is long enough to be cut",
    ),
    "folds.count": Message(
        "{given_count} folds for {source_count} recordings",
        remedy="give the fold of each recording, at least two different ones and one of zero or more",
    ),
    "friction.added": Message("the nominal model has no friction: viscous, Coulomb and offset terms were added"),
    "friction.chosen": Message("friction by evidence: {terms:join|; } (held-out errors fall by {100*fall:.2g} %)"),
    "friction.chosen/none": Message("friction by evidence: no candidate predicts held-out segments better"),
    "friction.not_linear/max_likelihood": Message(
        "friction that depends on the load is not linear here", remedy="leave LoadDependent() away"
    ),
    "friction.smooth_sign": Message("the sign of speed is smooth over {width:.2g} rad/s"),
    "gear.not_whole": Message(
        "the gear at '{place}' is {ratio}: only whole turns repeat with the joint",
        remedy="name its motor in a Drivetrain whose matrix holds the ratio: waves there are those of the motor",
    ),
    "gravity.no_effect": Message(
        "{dead:join} act on no joint: their axis is parallel to gravity in every pose",
        remedy="nothing: no torque depends on them",
    ),
    "gravity.open": Message(
        "{parameters:join} are poorly identified by these poses: the nominal values were kept",
        remedy="sweep these joints where their axis is not parallel to gravity",
    ),
    "gravity.poses": Message(
        "{missing:join} are not identifiable from these poses",
        remedy="sweep these joints through more than 90 degrees where their axis is not parallel to gravity",
    ),
    "gravity.poses/both": Message(
        (
            "{dead:join} act on no joint: their axis is parallel to gravity in every pose; {missing:join} "
            "are not identifiable from these poses"
        ),
        remedy="sweep these joints through more than 90 degrees where their axis is not parallel to gravity",
    ),
    "instruments.reference": Message("the reference itself served as instrument: no start could be simulated"),
    "instruments.weak": Message("least squares stood in for instruments that are weak in {weak} of {of} directions"),
    "joint.unknown/stopping": Message("a tolerance for '{strange}', which is no joint", listed=("joints",)),
    "joint_covariance.not_converged": Message(
        "the covariance of the joints did not settle", remedy='weights="per joint" needs no covariance of the joints'
    ),
    "joint_covariance.too_few": Message(
        "too few rows for a covariance of the joints' errors: joints are weighted independently"
    ),
    "joints.other/gravity": Message(
        "the samples are of other joints than the robot's, or in another order",
        remedy="prepare(recording.joints(robot.joint_names))",
        listed=("samples", "robot"),
    ),
    "joints.other/same_joints": Message(
        "the samples are of other joints than the robot's",
        likely="joints in another order",
        remedy=("prepare(recording, robot=robot) puts them in order; robot.select([...]) locks joints that were not logged"),
        listed=("samples", "robot"),
    ),
    "joints.other/sources": Message(
        "the samples are of other joints than the robot's",
        likely="the recording has no '{missing:join}': another robot's",
        remedy=("prepare(recording, robot=robot) puts them in order; robot.select([...]) locks joints that were not logged"),
        listed=("samples", "robot"),
    ),
    "kinematics.logged": Message(
        "logged velocities were used, not derivatives of the positions: the held-out error is {100*gain:.0f} % less"
    ),
    "least_squares.biased": Message(
        "least squares is biased by noise in the positions, most of all '{worst}' (Durbin-Wu-Hausman, p = {probability:.1e})"
    ),
    "least_squares.unbiased": Message("no significant bias of least squares (Durbin-Wu-Hausman, p = {probability:.2g})"),
    "level.wrong/bands": Message("level is {level}", remedy="give a share between 0 and 1, 0.95 is usual"),
    "level.wrong/largest_deviation": Message(
        "the level is {level:g}", remedy="give a probability between 0 and 1, 0.95 is usual"
    ),
    "link.odd/data": Message("{link} is physically implausible: {thing}"),
    "link.odd/prior": Message(
        "{link} is physically implausible: {thing}; its mass alone is not identifiable from torque, only in combination"
    ),
    "link.unknown/payload": Message(
        "no moving link is called '{link}'", remedy="name the moving link that carries the load", listed=("links",)
    ),
    "link.unknown/physical_rules": Message(
        "there is no moving link '{name}'",
        likely="a misspelling of {near:quoted| or }",
        remedy="name a moving link; links fixed to it count as part of it",
    ),
    "loop.not_simulated": Message(
        "the closed loop is not simulated for {thing}", remedy="fit by LeastSquares, or leave it away"
    ),
    "loop.runs_away/loop_rows": Message(
        "samples from {time:.4g} to {time_2:.4g} s, the reference {time_3:.4g} to {time_4:.4g} s",
        remedy="give the reference of the whole recording",
    ),
    "mass.at_limit": Message(
        "masses are held at their limits, torque alone would move them farther: {shown:join}",
        remedy="total_mass=...",
        cli="--total-mass KG",
    ),
    "masses.from_shapes": Message("masses taken from shapes were multiplied by {factor:.3g}, which fits the torque best"),
    "masses.scaled": Message("the nominal masses were multiplied by {factor:.3g} to have the total that is given"),
    "masses.unknown": Message(
        ("the nominal model states neither masses nor sizes: masses mean nothing, this is a model of torque only"),
        remedy="total_mass=...",
        cli="--total-mass KG",
    ),
    "matrix.singular/banded": Message(
        "the normal equations of state {failed} have no Cholesky factor",
        likely="noise levels that are many orders of magnitude apart",
        remedy="state position_noise=... and torque_noise=...",
    ),
    "memory.too_much": Message(
        "{unknowns:,} unknowns with a border of {border} need {size:.2g} GB",
        remedy="use every second sample, or a part of the recording",
    ),
    "method.form/fit": Message(
        "{getattr} is no method", likely="a class without its brackets", remedy="{kinds:join}, or one with a controller=..."
    ),
    "method.form/fit_fit": Message("{getattr} is no method", remedy="{kinds:join}, or one with a controller=..."),
    "method.twice": Message("there is an estimator '{name}' already", remedy="choose another name and word"),
    "method.unknown/gravity": Message("there is no way '{method}'", remedy="choose among {get_args:join}"),
    "method.unknown/init__": Message("there is no method '{word}'", remedy="{typed:join}"),
    "mistake.likely": Message("likely mistake: {place}: {thing}"),
    "model.explains_nothing": Message(
        ("no model of the fitted recordings explains the torque to validate on; the best leaves {100*relative:.3g} % of it"),
        likely="a recording of another robot, other units or signs",
        remedy="'bifilar check LOG --robot ROBOT' looks at signs, units and order",
        listed=("worst",),
    ),
    "model.simplified": Message("simplified from {parameters} to {kept} parameters by {rule}; {zero} are zero"),
    "noise.positions": Message("noise of positions {levels:join}, {source}"),
    "not_finite/physical_problem": Message("factor, target, prior and weight must be finite numbers, the weight not negative"),
    "option.unknown/payload": Message("'{first}' is the estimate's own setting", remedy="leave it out"),
    "outliers.not_converged": Message(
        "reweighting of outliers did not settle",
        remedy='robust="huber" settles where "tukey" does not; look at the rows with the largest errors',
    ),
    "outliers.share": Message("{100*share:.2g} % of the rows lost more than half of their weight as outliers"),
    "parameters.differ": Message(
        "the estimates are of different parameters", remedy="give estimates of one robot and friction"
    ),
    "parameters.from_prior": Message("{count} of {of} values are the nominal model's rather than the data's"),
    "parameters.no_match/physical_rules": Message(
        "no parameter matches '{pattern}'", likely="a misspelling of {near:quoted| or }"
    ),
    "parameters.not_finite/loop_solve": Message("values that are not finite cannot be simulated"),
    "parameters.open": Message("{thing}"),
    "parameters.open/prior": Message("{thing}; the prior decides them"),
    "parameters.open/refuse_open": Message(
        ("the recordings leave {open_direction_count} of {place_count} parameters open, among them {worst:join}"),
        likely="a motion too slow, too short or too much alike in all joints",
        remedy="robot.locked",
        cli="--lock",
        lead="record motion of every joint; hold joints that never move: ",
        listed=("still",),
    ),
    "parameters.open/simplify_refusals": Message(
        ("the recordings leave {open_direction_count} of {place_count} parameters open, among them {worst:join}"),
        likely="{still:join} {still_count:one=hardly moves|hardly move}",
        remedy="robot.locked",
        cli="--lock",
        lead="record motion of every joint; hold joints that never move: ",
        listed=("still",),
    ),
    "payload.arm_scale": Message(
        "the log contradicts the arm's own error bars: they were taken {scale:.2g} times as wide",
        remedy="fit the arm again, at the temperature and with the filter of this log",
    ),
    "payload.not_significant": Message("no significant load: {mass:.3g} ± {deviation:.2g} kg by least squares"),
    "plane.unknown/physical_rules": Message(
        "there is no plane '{plane}'", remedy="choose 'xy', 'xz' or 'yz', of the link's own frame"
    ),
    "poses.too_few/gravity": Message(
        "joint '{joint_name}' was swept through {tau_count} poses, {own_count} unknowns need more",
        remedy="hold it in more poses, the others standing still",
    ),
    "predictor.offered": Message(
        "a torque predictor is handed over too: free base parameters have {100*gain:.2g} % less error on held-out blocks"
    ),
    "prior.at_end": Message("this is the {end} prior that was tried", remedy="prior_weight=...", cli="--prior"),
    "prior.chosen": Message(
        "prior standard deviation {inertias_percent} (inertias); the nominal model seems to be off by {percent}"
    ),
    "prior.chosen/masses": Message(
        "prior standard deviation {inertias_percent} (inertias), {masses_percent} (masses); the nominal "
        "model seems to be off by {percent}"
    ),
    "prior.few_blocks": Message("too few blocks to hold some back: the prior has its standard weight"),
    "prior.given": Message("prior standard deviation {percent} (inertias), as given"),
    "prior.inconsistent_link": Message(
        "the nominal inertia of {links} is physically inconsistent: {count:one=its|their} moments were "
        "raised to the nearest consistent values for the prior"
    ),
    "prior.moved": Message("held-out blocks clearly ask for a {side} prior than the standard weight of {standard:.3g}"),
    "prior.no_mass": Message(
        "the nominal model states no mass for {links}: a solid in its shapes, or a rod to the next "
        "joint, was taken as the prior"
    ),
    "prior.no_masses": Message(
        "the nominal model has no masses to serve as a prior", remedy='use method="all at once": the data alone'
    ),
    "prior.other_robot": Message(
        "the prior is another robot",
        remedy="give one with the same moving links: robot.with_inertia(...) changes their numbers",
        listed=("prior", "robot"),
    ),
    "prior.thin_link": Message("the nominal inertia of {links} is nearly singular: it was regularised for the prior"),
    "recording.kind/raw_pieces": Message(
        "maximum likelihood needs positions and torques as they were measured",
        likely="samples that were filtered and thinned out for least squares",
        remedy="give the recording itself, or prepare(recording, estimate.raw_pieces.RAW)",
    ),
    "recording.kind/samples": Message("maximum likelihood cannot read a {kind}", remedy="give recordings"),
    "recording.kind/sources": Message(
        "a {kind} is neither a recording nor samples",
        remedy="give a Recording, what prepare makes of it, or (position, velocity, acceleration, torque)",
    ),
    "recordings.count/loop_solve": Message(
        "{controller_count} controllers and {reference_count} references for {count} recordings",
        remedy="give one for all recordings, or one for each",
    ),
    "recordings.count/periodic_fourier": Message(
        "there are {log_count} recordings and {motion_count} motions",
        remedy="give the motion of every recording, or one for all",
    ),
    "recordings.count/problem": Message("{weight_count} weights for {source_count} recordings", remedy="give one for each"),
    "recordings.none/simplify_loop": Message(
        "nothing was recorded yet", remedy="run the first motion, and come back with its recording"
    ),
    "recordings.none/sources": Message("no recording was given", remedy="give at least one"),
    "reference.missing": Message(
        "the recording holds no reference motion of the controller",
        remedy="give reference=..., the motion that was played; or fit by LeastSquares, which needs no controller",
        listed=("channels",),
    ),
    "reference.shape": Message("the reference is {shape}", listed=("joints",)),
    "ridge.chosen": Message("{name}: {value:.3g}, chosen on inner blocks"),
    "robot.coupled_joints": Message("the recursion needs one joint per coordinate", remedy='use method="all at once"'),
    "robot.floating/gravity_model": Message(
        "a gravity model needs a base that stands still",
        remedy="load the robot with floating=False",
        cli="a robot that stands on a fixed base",
    ),
    "robot.floating/max_likelihood": Message(
        "maximum likelihood is for robots on a fixed base", remedy="LeastSquares takes floating ones"
    ),
    "robot.form": Message("{robot!r} is no robot", remedy="give bf.Robot.load('arm.urdf'), or the name of a built-in one"),
    "robust.unknown/least_squares": Message("there is no robust method '{robust}'", remedy='choose "huber", "tukey" or None'),
    "robust.unknown/robust": Message("there is no robust method '{kind}'", remedy='choose "huber", "tukey" or None'),
    "rows.missing/joint_covariance": Message(
        "a joint covariance needs every row, of some blocks there are none", remedy='weights="per joint"'
    ),
    "rows.missing/robust": Message(
        "robust weights need every row, of some blocks there are none", remedy="reweight before choosing"
    ),
    "rows.missing/score": Message("there are no rows to score", likely="a mask or a part that leaves none"),
    "rule.alike": Message("'{other}' is like '{one}', as given"),
    "rule.alike/mirrored": Message("'{other}' is like '{one}', mirrored in the {plane} plane, as given"),
    "rule.inside/given": Message("the mass of {count} links lies in the ellipsoids given"),
    "rule.inside/shapes": Message("the mass of {count} of {of} links lies in an ellipsoid around their shapes"),
    "rule.symmetric": Message("'{link}' is its own mirror image in its {plane} plane, as given"),
    "rule.total_mass": Message("the moving links weigh {mass:g} kg together, as given"),
    "rule.total_mass/deviation": Message("the moving links weigh {mass:g} ± {deviation:g} kg together, as given"),
    "rule.unknown/consistent": Message("there is no rule '{rule}'", remedy="choose among {get_args:join}"),
    "rule.unknown/simplify_rules": Message("there is no rule '{rule}'", remedy="choose among {rules:join}"),
    "samples.none/problem": Message("no samples were given", remedy="give at least as many samples as there are parameters"),
    "samples.too_few/raw_pieces": Message(
        "{position_count} samples are too short for a spectrum", remedy="state position_noise=... [rad]"
    ),
    "samples.too_few/trials": Message("there are too few samples to hold some of them back", remedy="record longer"),
    "samples.too_few/true_motion": Message("a segment of the recording is shorter than {stencil} samples"),
    "setting.exclusive/check": Message(
        "a robust fit has a weight for each joint from the scale of its errors",
        remedy='leave weights at "per joint", or robust at None',
    ),
    "setting.exclusive/least_squares": Message("ridge and truncate are two ways to the same end", remedy="choose one of them"),
    "setting.exclusive/least_squares_check": Message(
        "blocks have no factor for the covariance of all joints", remedy='uncertainty="robust", or weights="per joint"'
    ),
    "setting.inside/consistent": Message(
        "inside is {inside!r}", remedy="choose 'anywhere' or 'shapes', or give ellipsoids by link"
    ),
    "setting.inside/physical_rules": Message(
        "inside is '{inside}'", remedy="choose 'anywhere' or 'shapes', or give ellipsoids by link"
    ),
    "setting.mass/fit": Message(
        "{kind} estimates no masses: a total mass says nothing to it", remedy="leave total_mass out, or the method"
    ),
    "setting.mass/total_of": Message(
        "the total mass is {total_mass!r}", remedy="give the mass of the moving links [kg], above zero, or (mass, deviation)"
    ),
    "setting.prior/checked": Message(
        "the prior's weight is {prior_weight}", remedy="give a number above zero: 1/(relative error)^2"
    ),
    "setting.prior/consistent": Message("the prior is {prior!r}", remedy="give a Robot, or prior_weight=... for its strength"),
    "setting.wrong/consistent": Message("{name} is {getattr!r}", remedy="give a dictionary, by name"),
    "setting.wrong/least_squares": Message("{name} is {value!r}", remedy='give a number that is not negative, "auto" or None'),
    "setting.wrong/levels_of": Message(
        "{name} is {levels}", remedy="give a positive number, or {joints}, one for each joint{word}; None finds it"
    ),
    "setting.wrong/likelihood_parts": Message(
        "{name} is {given!r}", remedy="give a positive number, or {joints}, one for each joint{word}; None finds it"
    ),
    "setting.wrong/loop_settings": Message("slip is {slip!r}", remedy="give a speed above zero [rad/s]"),
    "setting.wrong/max_likelihood": Message(
        "{this} makes no sense", remedy="stencil is 1, 2 or None; slip, clock, rate and iterations are positive"
    ),
    "setting.wrong/periodic_fourier": Message("{keep} parameters to keep", remedy="give a whole number from 1"),
    "setting.wrong/post_init": Message("a spread of {spread}", remedy="give a share above 0, such as 0.3"),
    "setting.wrong/simplify": Message(
        "{parts} segments held out in turn", remedy="give 2 or more: one is predicted by the others"
    ),
    "setting.wrong/stopping": Message(
        "slack {slack}, judged by {judged!r}", remedy='a share such as 0.01; "noise" or "torque"'
    ),
    "shape.wrong/closed_loop": Message("feedforward has the shape {shape}", remedy="give one row per tick, {value}"),
    "shape.wrong/gain": Message(
        "{name} has the shape {shape}", remedy="give one per joint, ({joints}, {joints}) or ({ticks}, {joints}, {joints})"
    ),
    "shape.wrong/gravity_model": Message("the covariance has the shape {shape}, there are {count} numbers"),
    "shape.wrong/loop_solve": Message(
        "the start has the shape {shape}",
        remedy="give {base_count} base values, in the order of base_parameters(robot).independent",
    ),
    "shape.wrong/nearest": Message(
        "values must be {base_count} finite numbers, one per base parameter", remedy="see base.independent"
    ),
    "shape.wrong/physical_problem": Message("{name} must hold {p} bounds"),
    "shape.wrong/repetitions": Message(
        "values have the shape {shape}", remedy="give (repetitions, parameters), two repetitions or more"
    ),
    "shape.wrong/root": Message("the covariance must be {count} x {count} finite numbers"),
    "shape.wrong/score": Message("the mask has the shape {shape}", remedy="give {shape_2}, or one for each row"),
    "shape.wrong/sources": Message(
        "{name} has the shape {shape}",
        remedy="give position, velocity, acceleration and torque as (samples, joints), equally long",
    ),
    "shapes.differ/physical_problem": Message("factor {shape}, target {shape_2} and prior {shape_3} do not belong together"),
    "shapes.differ/physical_problem_post_init": Message("{name} has {matrix_count} rows and {side_count} right sides"),
    "shapes.differ/readings": Message("a sensor gives {shape} values per sample, the recording has {shape_2}"),
    "shapes.differ/ready_made": Message("matrix {shape}, right side {shape_2} and prior {shape_3} do not belong together"),
    "simplify.no_model": Message(
        ("no model of the path keeps the tolerance on held-out motion; nearest is that with {size} parameter{value}"),
        likely="a tolerance below what this robot's friction and noise leave",
        remedy="a wider tolerance, richer friction, or more motion to fit",
        listed=("best",),
    ),
    "simulation.no_start": Message(
        "no start can be simulated, the values are those of the regressor along the reference; {last}",
        remedy="check the controller's gains and the reference",
    ),
    "simulation.none": Message(
        "the values found cannot be simulated: {sentence}",
        remedy=("a motion that excites more, friction terms that fit, or PhysicallyConsistent, whose links always exist"),
    ),
    "simulation.stops": Message(
        "the simulated machine stops after {when:.3g} s: {how}",
        remedy="give the controller's own gains, or start from a physically consistent nominal model",
    ),
    "solver.second": Message("{first} stopped ({outcome}); {second} solved the same problem"),
    "solver.stopped": Message("the solver stopped before the optimum ({outcome})", remedy="try solver='clarabel'"),
    "solver.unknown": Message("there is no solver '{solver}'", remedy="choose 'newton' or 'clarabel'"),
    "start.not_simulated": Message("{name} cannot be simulated: {thing}"),
    "status.not_ok": Message("{sentence}"),
    "status.unknown": Message("there is no status '{found_code}'", remedy="choose among {get_args:join}"),
    "stop.none": Message("this rule has no stop of its own", remedy="the default: the least error on held-out motion"),
    "stop.unknown": Message("there is no stop '{stop}'", remedy="choose among {stops:join}"),
    "test.none/stopping": Message(
        "there is no held-out motion to choose by",
        remedy="give validate=..., a longer recording, or another stop",
        cli="--validate LOG, a longer recording, or another --stop",
    ),
    "threshold.wrong/contribution_threshold": Message(
        "the threshold is {threshold:g}", remedy="give a share between 0 and 1, 0.005 is 0.5 %"
    ),
    "threshold.wrong/essential": Message("the condition number is {condition:g}", remedy="give a number above 1, 30 is usual"),
    "tolerance.wrong/stopping": Message(
        "a tolerance is no positive torque", remedy='give {{"joint1": 2.0}} in N m, or one number for all'
    ),
    "torque.friction_alone/doubts": Message(
        "friction alone explains the torque as well as the whole robot does",
        remedy="bf.check(recording, robot) looks at signs, units and order",
        cli="'bifilar check LOG --robot ROBOT' looks at signs, units and order",
        lead="check that robot and recording belong together: ",
    ),
    "torque.friction_alone/doubts_doubts": Message(
        "friction alone explains the torque of '{name}' better than the robot does",
        remedy="bf.check(recording, robot) looks at signs, units and order",
        cli="'bifilar check LOG --robot ROBOT' looks at signs, units and order",
        lead="check that robot and recording belong together: ",
    ),
    "torque.missing/gravity": Message(
        "no joint was swept: no torque to use", remedy="turn one joint at a time, the others standing still"
    ),
    "torque.missing/loop_rows": Message("the recording holds no torque"),
    "torque.opposed": Message(
        "the torque of '{name}' has the opposite sign of the nominal model's",
        remedy="bf.check(recording, robot) looks at signs, units and order",
        cli="'bifilar check LOG --robot ROBOT' looks at signs, units and order",
        lead="check that robot and recording belong together: ",
    ),
    "torque.scale/doubts": Message(
        "the torque is {times:.2g} times the nominal model's: a wrong unit?",
        remedy="bf.check(recording, robot) looks at signs, units and order",
        cli="'bifilar check LOG --robot ROBOT' looks at signs, units and order",
        lead="check that robot and recording belong together: ",
    ),
    "torque.unexplained": Message(
        (
            "the nominal model does not explain the torque: its masses and inertias would have to be wrong "
            "by {100*unexplained:.0f} %, whatever the scale"
        ),
        remedy="bf.check(recording, robot) looks at signs, units and order",
        cli="'bifilar check LOG --robot ROBOT' looks at signs, units and order",
        lead="check that robot and recording belong together: ",
    ),
    "torque.zero/doubts": Message("the torque is zero throughout", remedy="give the torque that was measured"),
    "torque.zero/joint": Message("the torque of '{joint}' is zero throughout", remedy="give the torque that was measured"),
    "torques.too_few": Message(
        "{count} torques are too few for a gravity model",
        remedy="hold the arm in more poses",
        cli="hold the arm in more poses, or --moving, which takes all of the motion",
    ),
    "uncertainty.unknown/consistent": Message("there are no error bars '{uncertainty}'", remedy="choose 'robust' or 'white'"),
    "uncertainty.unknown/least_squares": Message(
        "there are no error bars '{uncertainty}'", remedy='choose "robust", "white" or "bootstrap"'
    ),
    "values.change": Message(
        "the values still change after {simulations} simulations", remedy="allow more iterations=..., or give a start"
    ),
    "velocity.unit": Message(
        "{found} velocity of '{joint_name}' is {slope:.3g} times the rate of its position",
        likely="a wrong unit",
        remedy="give reference=(time, position, velocity), or declare the unit",
    ),
    "weights.not_taken": Message("maximum likelihood takes whole recordings, not weighted rows", remedy="use the recordings"),
    "weights.unknown/consistent": Message(
        "there are no weights '{weights}'", remedy="choose 'per joint' or 'equal', or give numbers"
    ),
    "weights.unknown/least_squares": Message(
        "there are no weights '{weights}'", remedy="choose among {names:join}, or give numbers"
    ),
    "weights.unknown/periodic_fourier": Message("there are no weights '{weights}'", remedy="choose 'equal' or 'per joint'"),
    "weights.wrong/problem": Message("a weight is negative or not finite", remedy="0 leaves a recording or a row out"),
    "weights.wrong/raw_pieces": Message(
        "the weights of {data_count} recordings are {words:joing}",
        remedy="give a positive number for each; zero leaves a recording out, but not all of them",
    ),
}
