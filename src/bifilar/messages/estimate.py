"""Sentences about estimate, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
    "arguments.count": Message(
        "{data_count} arrays were given", remedy="give (position, torque) or (position, velocity, acceleration, torque)"
    ),
    "bars.blocks_chosen": Message("only some blocks were used: standard deviations assume independent errors of the rows"),
    "bars.coloured": Message(
        "the residual is coloured: standard deviations are {factor:.2g} times those of white noise, and "
        "the estimate is not efficient"
    ),
    "bars.too_few_rows": Message("too few rows to estimate the autocorrelation of the residual"),
    "bars.white/both": Message("standard deviations assume white noise: on a real machine they are too small"),
    "blocks.too_few/bootstrap": Message(
        "{blocks} blocks are too few for a bootstrap", remedy="give longer recordings, or Problem.of(..., blocks=24)"
    ),
    "blocks.too_few/inner_blocks": Message(
        "one block cannot be divided for cross-validation",
        likely="a very short recording",
        remedy="give a number instead of auto, or a longer recording",
    ),
    "body.impossible/physical_problem": Message(
        "body {bad} of the prior is physically inconsistent", remedy="repair the prior first: physical_prior(robot)"
    ),
    "bounds.order/physical_rules": Message(
        "the bounds of '{pattern}' are {least} and {most}, in the wrong order", remedy="give the lower one first"
    ),
    "clock.missing/loop_rows": Message(
        "closed-loop methods need timestamps or a rate; arrays have none", remedy="give a Recording, or control_rate=..."
    ),
    "clock.missing/raw_pieces": Message(
        "arrays of positions have no sample rate",
        remedy="MaximumLikelihood(rate=...) [Hz], or give a Recording with timestamps",
    ),
    "clock.missing/samples_of": Message(
        "closed-loop methods need timestamps; {kind} has none", remedy="give a Recording, or samples made by bf.prepare"
    ),
    "clock.rate": Message("evaluated at {rate:.4g} Hz"),
    "command.missing": Message(
        "the samples hold no commanded trajectory", remedy="give reference=..., the trajectory that was played"
    ),
    "conditions.infeasible": Message(
        "no robot fulfils all conditions (total mass, ellipsoids, symmetry, bounds); the values are the prior's",
        remedy="leave one of these conditions out",
    ),
    "consistency.cost": Message("physical consistency raises the torque error by {more} over unconstrained base parameters"),
    "consistency.costly": Message(
        ("{thing}: torque of another robot, sign or unit, friction that is not modelled, or too strong a prior"),
        remedy="check the recording against the robot; give a smaller prior_weight",
    ),
    "consistency.free": Message("the physically consistent model fits the torque as well as unconstrained base parameters"),
    "controller.disagrees": Message(
        "instrumental variables and the direct inverse disagree, most about '{worst}' (p = {probability:.1e}): "
        "the controller's or the robot's model is wrong"
    ),
    "controller.form": Message(
        "{odd!r} is not a controller",
        remedy="give a JointController(kp=..., kd=...), or an object with a method begin(reference)",
    ),
    "controller.lag": Message(
        "'{joint}' lags {ratio:.2f} times as far behind its reference as the simulated machine: the "
        "controller's gains are wrong"
    ),
    "controller.missing": Message(
        "{name} needs the controller",
        likely="the method simulates the closed loop, so it needs the control law that moved the robot",
        remedy=(
            "{name}(controller=JointController(kp=..., kd=...)) of bifilar.estimate.closed_loop; without a "
            "controller, bf.MaximumLikelihood() takes noise in positions into account"
        ),
    ),
    "controller.wrong": Message(
        "{reasons:join|; }",
        remedy="give the controller that was used, or use InstrumentalVariables, which does not need exact gains",
    ),
    "cost.falls/max_likelihood": Message(
        "not converged: the cost still decreases after {iterations} iterations",
        remedy="raise iterations=... or slip=..., or state both noise levels",
    ),
    "delay.compensated": Message(
        "the torque was logged {1e3*size:.1f} ms {way} (standard deviation {1e3*deviation:.1f} ms) and was "
        "shifted: the held-out error decreases by {100*gain:.0f} %"
    ),
    "delay.inconsistent": Message(
        "the torque seems to be {1e3*size:.1f} ms {way} (standard deviation {1e3*deviation:.1f} ms), but "
        "{reasons:join}: it was not shifted; declare the delay if you know it"
    ),
    "design.no_motion": Message(
        "no motion within the effort limits was found",
        likely="actuators that hardly hold the arm against gravity",
        remedy="give the robot larger effort limits, or use another robot",
    ),
    "ellipsoid.form": Message(
        "an ellipsoid needs a centre and a positive definite 3 x 3 matrix", remedy="use Ellipsoid.of_axes"
    ),
    "estimate.missing": Message("this folder holds no estimate", remedy="name the folder that 'bifilar fit' wrote"),
    "estimate.other_robot/payload": Message(
        "the estimate is of another robot",
        remedy="give the robot that was fitted: estimate.described",
        listed=("robot", "estimate"),
    ),
    "estimate.other_robot/saved": Message(
        "the estimate belongs to another robot model",
        likely="robot.urdf was changed",
        remedy="name the robot that was fitted, or fit again",
    ),
    "experiments.too_few": Message(
        "{experiment_count} experiments do not give a spread",
        remedy="give {fewest} recordings or more, or one that is long enough to be cut",
    ),
    "folds.count": Message(
        "{given_count} folds for {source_count} recordings",
        remedy="give the fold of each recording, at least two different ones and one of zero or more",
    ),
    "friction.added": Message("the nominal model has no friction: viscous, Coulomb and offset terms were added"),
    "friction.chosen": Message(
        "friction terms chosen by cross-validation: {terms:join|; } (held-out error lower by {100*fall:.2g} %)"
    ),
    "friction.chosen/none": Message("friction terms by cross-validation: no additional term lowers the held-out error"),
    "friction.not_linear/max_likelihood": Message(
        "friction that depends on the load is not linear in the parameters here", remedy="leave out LoadDependent()"
    ),
    "friction.smooth_sign": Message("the sign of speed is smooth over {width:.2g} rad/s"),
    "gear.not_whole": Message(
        "the gear ratio at '{place}' is {ratio}: ripple of the motor repeats with the joint only for whole ratios",
        remedy=(
            "name its motor in a Drivetrain whose matrix holds the ratio: the ripple is then periodic in the motor's angle"
        ),
    ),
    "gravity.no_effect": Message(
        "{dead:join} have no effect on the torque: the joint axes are parallel to gravity in every pose",
        remedy="nothing: no torque depends on them",
    ),
    "gravity.open": Message(
        "{parameters:join} are poorly identified by these poses: the nominal values were kept",
        remedy="sweep these joints in poses where their axis is not parallel to gravity",
    ),
    "gravity.poses": Message(
        "{missing:join} are not identifiable from these poses",
        remedy="sweep these joints through more than 90 degrees in poses where their axis is not parallel to gravity",
    ),
    "gravity.poses/both": Message(
        "{dead:join} have no effect on the torque: the joint axes are parallel to gravity in every pose; "
        "{missing:join} are not identifiable from these poses",
        remedy="sweep these joints through more than 90 degrees in poses where their axis is not parallel to gravity",
    ),
    "instruments.reference": Message("the reference trajectory served as instrument: the closed loop could not be simulated"),
    "instruments.weak": Message("least squares is used in {weak} of {of} directions in which the instruments are weak"),
    "joint.unknown/stopping": Message("a tolerance is given for '{strange}', which is not a joint", listed=("joints",)),
    "joint_covariance.not_converged": Message(
        "the covariance of the joints' errors did not converge",
        remedy='use weights="per joint", which needs no such covariance',
    ),
    "joint_covariance.too_few": Message(
        "too few rows for a covariance of the joints' errors: joints are weighted independently"
    ),
    "joints.other/gravity": Message(
        "the samples and the robot have different joints, or another order",
        remedy="prepare(recording.joints(robot.joint_names))",
        listed=(
            "samples",
            "robot",
        ),
    ),
    "joints.other/same_joints": Message(
        "the samples and the robot have different joints",
        likely="joints in another order",
        remedy=("prepare(recording, robot=robot) puts them in order; robot.select([...]) locks joints that were not logged"),
        listed=(
            "samples",
            "robot",
        ),
    ),
    "joints.other/sources": Message(
        "the samples and the robot have different joints",
        likely="the recording lacks '{missing:join}': it is of another robot",
        remedy=("prepare(recording, robot=robot) puts them in order; robot.select([...]) locks joints that were not logged"),
        listed=(
            "samples",
            "robot",
        ),
    ),
    "kinematics.logged": Message(
        "logged velocities were used instead of derivatives of the positions: the held-out error is {100*gain:.0f} % lower"
    ),
    "least_squares.biased": Message(
        "least squares is biased by noise in the positions, most in '{worst}' (Durbin-Wu-Hausman test, p = {probability:.1e})"
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
        "'{link}' is not a moving link", remedy="name the moving link that carries the load", listed=("links",)
    ),
    "link.unknown/physical_rules": Message(
        "there is no moving link '{name}'",
        likely="a misspelling of {near:quoted| or }",
        remedy="name a moving link; links fixed to it count as part of it",
    ),
    "loop.not_simulated": Message(
        "closed-loop simulation does not support {thing}", remedy="fit with LeastSquares, or leave it out"
    ),
    "loop.runs_away/loop_rows": Message(
        "the samples cover {time:.4g} to {time_2:.4g} s, the reference only {time_3:.4g} to {time_4:.4g} s",
        remedy="give the reference of the whole recording",
    ),
    "mass.at_limit": Message(
        "masses are at their bounds; torque alone would move them further: {shown:join}",
        remedy="give the known mass of the robot, total_mass=...",
        cli="give the known mass of the robot with --total-mass KG",
    ),
    "masses.from_shapes": Message("masses computed from shapes were multiplied by {factor:.3g}, which fits the torque best"),
    "masses.scaled": Message("the nominal masses were multiplied by {factor:.3g} to match the total mass given"),
    "masses.unknown": Message(
        "the nominal model states neither masses nor sizes: the identified masses are arbitrary, and the model "
        "predicts torque only",
        remedy="give the known mass of the robot, total_mass=...",
        cli="give the known mass of the robot with --total-mass KG",
    ),
    "matrix.singular/banded": Message(
        "the normal equations of state {failed} are not positive definite",
        likely="noise levels that are many orders of magnitude apart",
        remedy="give position_noise=... and torque_noise=...",
    ),
    "memory.too_much": Message(
        "{unknowns:,} unknown states and {border} parameters need {size:.2g} GB",
        remedy="use every second sample, or part of the recording",
    ),
    "method.form/fit": Message(
        "{getattr} is not a method",
        likely="a class without parentheses",
        remedy="use {kinds:join}, or a closed-loop method with controller=...",
    ),
    "method.form/fit_fit": Message(
        "{getattr} is not a method", remedy="use {kinds:join}, or a closed-loop method with controller=..."
    ),
    "method.twice": Message("an estimator '{name}' exists already", remedy="choose another name and word"),
    "method.unknown/gravity": Message("unknown method '{method}'", remedy="choose among {get_args:join}"),
    "method.unknown/init__": Message("unknown method '{word}'", remedy="choose one of {typed:join}"),
    "mistake.likely": Message("likely mistake: {place}: {thing}"),
    "model.explains_nothing": Message(
        "no model of the fitted recordings predicts the validation torque; the best has an NRMSE of {100*relative:.3g} %",
        likely="a recording of another robot, other units or signs",
        remedy="check signs, units and order of the joints: bf.check(recording, robot)",
        cli="check signs, units and order of the joints: bifilar check LOG --robot ROBOT",
        listed=("worst",),
    ),
    "model.simplified": Message("simplified from {parameters} to {kept} parameters by {rule}; {zero} are zero"),
    "noise.positions": Message("noise of positions {levels:join}, {source}"),
    "not_finite/physical_problem": Message("factor, target, prior and weight must be finite numbers, the weight not negative"),
    "option.unknown/payload": Message("'{first}' is the estimate's own setting", remedy="leave it out"),
    "outliers.not_converged": Message(
        "the reweighting of outliers did not converge",
        remedy='use robust="huber", which converges where "tukey" does not; look at the rows with the largest errors',
    ),
    "outliers.share": Message("{100*share:.2g} % of the rows lost more than half of their weight as outliers"),
    "parameters.differ": Message(
        "the estimates have different parameters", remedy="give estimates of one robot with the same friction terms"
    ),
    "parameters.from_prior": Message("{count} of {of} values come from the nominal model, not from the data"),
    "parameters.no_match/physical_rules": Message(
        "no parameter matches '{pattern}'", likely="a misspelling of {near:quoted| or }"
    ),
    "parameters.not_finite/loop_solve": Message("parameters that are not finite cannot be simulated"),
    "parameters.open": Message("{thing}"),
    "parameters.open/prior": Message("{thing}; their values are the prior's"),
    "parameters.open/refuse_open": Message(
        "the recordings do not identify {open_direction_count} of {place_count} parameters, among them {worst:join}",
        likely="a motion that is too slow, too short or too similar in all joints",
        remedy="hold joints that never move fixed: robot.locked([...])",
        cli="hold joints that never move fixed: --lock JOINT",
        lead="record motion of every joint; ",
        listed=("still",),
    ),
    "parameters.open/simplify_refusals": Message(
        "the recordings do not identify {open_direction_count} of {place_count} parameters, among them {worst:join}",
        likely="{still:join} {still_count:one=hardly moves|hardly move}",
        remedy="hold joints that never move fixed: robot.locked([...])",
        cli="hold joints that never move fixed: --lock JOINT",
        lead="record motion of every joint; ",
        listed=("still",),
    ),
    "payload.arm_scale": Message(
        "this log contradicts the standard deviations of the arm's model: they were multiplied by {scale:.2g}",
        remedy="identify the arm again, at the temperature and with the filter of this log",
    ),
    "payload.not_significant": Message("no significant load: {mass:.3g} ± {deviation:.2g} kg by least squares"),
    "plane.unknown/physical_rules": Message(
        "there is no plane '{plane}'", remedy="choose 'xy', 'xz' or 'yz', in the link's own frame"
    ),
    "poses.too_few/gravity": Message(
        "joint '{joint_name}' was swept through {tau_count} poses, too few for {own_count} unknowns",
        remedy="add poses of it while the others stand still",
    ),
    "predictor.offered": Message(
        "a torque predictor is written too: unconstrained base parameters have {100*gain:.2g} % lower error on held-out blocks"
    ),
    "prior.at_end": Message("this is the {end} prior of those tried", remedy="prior_weight=...", cli="--prior"),
    "prior.chosen": Message(
        "prior standard deviation {inertias_percent} (inertias); estimated error of the nominal model {percent}"
    ),
    "prior.chosen/masses": Message(
        "prior standard deviation {inertias_percent} (inertias), {masses_percent} (masses); estimated error of "
        "the nominal model {percent}"
    ),
    "prior.few_blocks": Message("too few blocks for cross-validation: the prior has its default weight"),
    "prior.given": Message("prior standard deviation {percent} (inertias), as given"),
    "prior.inconsistent_link": Message(
        "the nominal inertia of {links} is physically inconsistent: {count:one=its|their} moments were "
        "raised to the nearest consistent values for the prior"
    ),
    "prior.moved": Message("cross-validation selects a {side} prior than the default weight of {standard:.3g}"),
    "prior.no_mass": Message(
        "the nominal model states no mass for {links}: the prior is a solid with its shape, or a rod to the next joint"
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
        likely="samples that were filtered and decimated for least squares",
        remedy="give the recording itself, or prepare(recording, estimate.raw_pieces.RAW)",
    ),
    "recording.kind/samples": Message("maximum likelihood does not take a {kind}", remedy="give recordings"),
    "recording.kind/sources": Message(
        "a {kind} is neither a recording nor samples",
        remedy="give a Recording, samples made by bf.prepare, or (position, velocity, acceleration, torque)",
    ),
    "recordings.count/loop_solve": Message(
        "{controller_count} controllers and {reference_count} references for {count} recordings",
        remedy="give one for all recordings, or one for each",
    ),
    "recordings.count/periodic_fourier": Message(
        "{log_count} recordings and {motion_count} motions are given",
        remedy="give the motion of every recording, or one for all",
    ),
    "recordings.count/problem": Message(
        "{weight_count} weights for {source_count} recordings", remedy="give one weight for each recording"
    ),
    "recordings.none/simplify_loop": Message(
        "nothing has been recorded yet", remedy="run the first motion, then call this with its recording"
    ),
    "recordings.none/sources": Message("no recording was given", remedy="give at least one"),
    "reference.missing": Message(
        "the recording holds no reference trajectory of the controller",
        remedy="give reference=..., the trajectory that was played; or fit with LeastSquares, which needs no controller",
        listed=("channels",),
    ),
    "reference.shape": Message(
        "the reference has the shape {shape}",
        remedy="give (samples, joints), two samples or more, a column for each joint of the robot",
        listed=("joints",),
    ),
    "ridge.chosen": Message("{name}: {value:.3g}, chosen by cross-validation"),
    "robot.coupled_joints": Message("the recursive method needs one joint per coordinate", remedy='use method="all at once"'),
    "robot.floating/gravity_model": Message(
        "a gravity model needs a fixed base", remedy="load the robot with floating=False", cli="name a robot with a fixed base"
    ),
    "robot.floating/max_likelihood": Message(
        "maximum likelihood needs a fixed base", remedy="use LeastSquares, which takes floating bases"
    ),
    "robot.form": Message("{robot!r} is not a robot", remedy="give bf.Robot.load('arm.urdf'), or the name of a built-in one"),
    "robust.unknown/least_squares": Message("there is no robust method '{robust}'", remedy='choose "huber", "tukey" or None'),
    "robust.unknown/robust": Message("there is no robust method '{kind}'", remedy='choose "huber", "tukey" or None'),
    "rows.missing/joint_covariance": Message(
        "a joint covariance needs all rows, but this problem holds only some of its blocks", remedy='use weights="per joint"'
    ),
    "rows.missing/robust": Message(
        "robust weights need all rows, but this problem holds only some of its blocks",
        remedy="reweight before blocks are left out",
    ),
    "rows.missing/score": Message(
        "no rows are left to score", likely="a mask or a selection that leaves none", remedy="give a mask that keeps some rows"
    ),
    "rule.alike": Message("'{other}' is like '{one}', as given"),
    "rule.alike/mirrored": Message("'{other}' is like '{one}', mirrored in the {plane} plane, as given"),
    "rule.inside/given": Message("the mass of {count} links lies in the ellipsoids given"),
    "rule.inside/shapes": Message("the mass of {count} of {of} links lies in an ellipsoid around their shapes"),
    "rule.symmetric": Message("'{link}' is its own mirror image in its {plane} plane, as given"),
    "rule.total_mass": Message("the moving links weigh {mass:g} kg together, as given"),
    "rule.total_mass/deviation": Message("the moving links weigh {mass:g} ± {deviation:g} kg together, as given"),
    "rule.unknown/consistent": Message("there is no rule '{rule}'", remedy="choose among {get_args:join}"),
    "rule.unknown/simplify_rules": Message("there is no rule '{rule}'", remedy="choose among {rules:join}"),
    "samples.none/problem": Message("no samples are given", remedy="give at least as many samples as there are parameters"),
    "samples.too_few/raw_pieces": Message(
        "{position_count} samples are too few for a spectrum", remedy="give position_noise=... [rad]"
    ),
    "samples.too_few/trials": Message("too few samples for cross-validation", remedy="record longer"),
    "samples.too_few/true_motion": Message(
        "a segment of the recording is shorter than {stencil} samples", remedy="give longer segments"
    ),
    "setting.exclusive/check": Message(
        "robust weights are computed per joint, but weights is another setting",
        remedy='set weights="per joint", or robust=None',
    ),
    "setting.exclusive/least_squares": Message("ridge and truncate cannot be combined", remedy="choose one of them"),
    "setting.exclusive/least_squares_check": Message(
        'the bootstrap cannot be combined with weights="full"', remedy='set uncertainty="robust", or weights="per joint"'
    ),
    "setting.inside/consistent": Message(
        "inside is {inside!r}", remedy="choose 'anywhere' or 'shapes', or give ellipsoids by link"
    ),
    "setting.inside/physical_rules": Message(
        "inside is '{inside}'", remedy="choose 'anywhere' or 'shapes', or give ellipsoids by link"
    ),
    "setting.mass/fit": Message(
        "{kind} estimates no masses, so total_mass has no effect", remedy="leave out total_mass, or use PhysicallyConsistent()"
    ),
    "setting.mass/total_of": Message(
        "the total mass is {total_mass!r}",
        remedy="give the mass of the moving links [kg], positive, or (mass, standard deviation)",
    ),
    "setting.prior/checked": Message(
        "the prior's weight is {prior_weight}", remedy="give a positive number: 1 / (relative standard deviation)^2"
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
        "the settings {this} are not valid", remedy="give stencil 1, 2 or None; positive slip, clock, rate and iterations"
    ),
    "setting.wrong/periodic_fourier": Message(
        "the number of parameters to keep is {keep}", remedy="give a whole number from 1"
    ),
    "setting.wrong/post_init": Message("the spread is {spread}", remedy="give a fraction above 0, such as 0.3"),
    "setting.wrong/simplify": Message("the number of segments for cross-validation is {parts}", remedy="give 2 or more"),
    "setting.wrong/stopping": Message(
        "slack={slack}, judged={judged!r} is not valid",
        remedy='give slack as a fraction such as 0.01, judged as "noise" or "torque"',
    ),
    "shape.wrong/closed_loop": Message("feedforward has the shape {shape}", remedy="give one row per control period, {value}"),
    "shape.wrong/gain": Message(
        "{name} has the shape {shape}", remedy="give one per joint, ({joints}, {joints}) or ({ticks}, {joints}, {joints})"
    ),
    "shape.wrong/gravity_model": Message(
        "the covariance has the shape {shape} for {count} parameters",
        remedy="give a matrix with a row and a column per parameter",
    ),
    "shape.wrong/loop_solve": Message(
        "the start has the shape {shape}",
        remedy="give {base_count} base values, in the order of base_parameters(robot).independent",
    ),
    "shape.wrong/nearest": Message(
        "values must be {base_count} finite numbers, one per base parameter", remedy="see base.independent"
    ),
    "shape.wrong/physical_problem": Message("{name} must hold one bound for each of the {p} parameters"),
    "shape.wrong/repetitions": Message(
        "values have the shape {shape}", remedy="give (repetitions, parameters), two repetitions or more"
    ),
    "shape.wrong/root": Message("the covariance must be {count} x {count} finite numbers"),
    "shape.wrong/score": Message("the mask has the shape {shape}", remedy="give {shape_2}, or one for each row"),
    "shape.wrong/sources": Message(
        "{name} has the shape {shape}",
        remedy="give position, velocity, acceleration and torque as (samples, joints), equally long",
    ),
    "shapes.differ/physical_problem": Message("factor {shape}, target {shape_2} and prior {shape_3} have inconsistent shapes"),
    "shapes.differ/physical_problem_post_init": Message("{name} has {matrix_count} rows and {side_count} right-hand sides"),
    "shapes.differ/readings": Message("the sensor model gives {shape} values per sample, the recording {shape_2}"),
    "shapes.differ/ready_made": Message(
        "matrix {shape}, right-hand side {shape_2} and prior {shape_3} have inconsistent shapes"
    ),
    "simplify.no_model": Message(
        "no model on the path keeps the tolerance on held-out motion; the nearest has {size} parameter{value}",
        likely="a tolerance below the residual from this robot's friction and noise",
        remedy="use a wider tolerance, more friction terms, or more motion to fit",
        listed=("best",),
    ),
    "simulation.no_start": Message(
        "the closed loop could not be simulated from any start; the values are those of the regressor along the "
        "reference. Last: {last}",
        remedy="check the controller's gains and the reference",
    ),
    "simulation.none": Message(
        "the closed loop cannot be simulated with the identified values: {sentence}",
        remedy=(
            "use a motion with more excitation, fitting friction terms, or PhysicallyConsistent, whose parameters "
            "are physically consistent"
        ),
    ),
    "simulation.stops": Message(
        "the simulated robot stops after {when:.3g} s: {how}",
        remedy="give the gains of the real controller, or start from a physically consistent nominal model",
    ),
    "solver.second": Message("{first} stopped ({outcome}); {second} solved the same problem"),
    "solver.stopped": Message("the solver stopped before the optimum ({outcome})", remedy="use solver='clarabel'"),
    "solver.unknown": Message("there is no solver '{solver}'", remedy="choose 'newton' or 'clarabel'"),
    "start.not_simulated": Message("the closed loop cannot be simulated from {name}: {thing}"),
    "status.not_ok": Message("{sentence}"),
    "status.unknown": Message("there is no status '{found_code}'", remedy="choose among {get_args:join}"),
    "stop.none": Message(
        "this simplification rule has no stopping criterion of its own", remedy="use the default stop, the least held-out error"
    ),
    "stop.unknown": Message("there is no stop '{stop}'", remedy="choose among {stops:join}"),
    "test.none/stopping": Message(
        "there is no held-out motion to choose the model by",
        remedy="give validate=..., a longer recording, or another stopping criterion",
        cli="--validate LOG, a longer recording, or another --stop",
    ),
    "threshold.wrong/contribution_threshold": Message(
        "the threshold is {threshold:g}", remedy="give a fraction between 0 and 1; 0.005 is 0.5 %"
    ),
    "threshold.wrong/essential": Message("the condition number is {condition:g}", remedy="give a number above 1, 30 is usual"),
    "tolerance.wrong/stopping": Message(
        "a tolerance is not a positive torque", remedy='give {{"joint1": 2.0}} in N m, or one number for all'
    ),
    "torque.friction_alone/doubts": Message(
        "friction alone explains the torque as well as the complete robot model does",
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
        "no joint was swept, so no torque can be used", remedy="move one joint at a time while the others stand still"
    ),
    "torque.missing/loop_rows": Message("the recording holds no torque", remedy="record the torque; every method needs it"),
    "torque.opposed": Message(
        "the torque of '{name}' has the opposite sign of the nominal model's",
        remedy="bf.check(recording, robot) looks at signs, units and order",
        cli="'bifilar check LOG --robot ROBOT' looks at signs, units and order",
        lead="check that robot and recording belong together: ",
    ),
    "torque.scale/doubts": Message(
        "the torque is {times:.2g} times the nominal model's, as with a wrong unit",
        remedy="bf.check(recording, robot) looks at signs, units and order",
        cli="'bifilar check LOG --robot ROBOT' looks at signs, units and order",
        lead="check that robot and recording belong together: ",
    ),
    "torque.unexplained": Message(
        "the nominal model does not explain the torque at any scale: its masses and inertias would have to "
        "change by {100*unexplained:.0f} %",
        remedy="bf.check(recording, robot) looks at signs, units and order",
        cli="'bifilar check LOG --robot ROBOT' looks at signs, units and order",
        lead="check that robot and recording belong together: ",
    ),
    "torque.zero/doubts": Message("the torque is zero everywhere", remedy="give the measured torque"),
    "torque.zero/joint": Message(
        "the torque of '{joint}' is zero everywhere", remedy="give the measured torque, or lock the joint"
    ),
    "torques.too_few": Message(
        "{count} torques are too few for a gravity model",
        remedy="record the arm at rest in more poses",
        cli="record the arm at rest in more poses, or use --moving, which uses the whole motion",
    ),
    "uncertainty.unknown/consistent": Message("unknown uncertainty '{uncertainty}'", remedy="choose 'robust' or 'white'"),
    "uncertainty.unknown/least_squares": Message(
        "unknown uncertainty '{uncertainty}'", remedy='choose "robust", "white" or "bootstrap"'
    ),
    "values.change": Message(
        "not converged: the values still change after {simulations} simulations",
        remedy="allow more iterations=..., or give a start",
    ),
    "velocity.unit": Message(
        "the {found} velocity of '{joint_name}' is {slope:.3g} times the derivative of its position",
        likely="a wrong unit",
        remedy="give reference=(time, position, velocity), or declare the unit",
    ),
    "weights.not_taken": Message("maximum likelihood takes whole recordings, not weighted rows", remedy="give the recordings"),
    "weights.unknown/consistent": Message(
        "unknown weights '{weights}'", remedy="choose 'per joint' or 'equal', or give numbers"
    ),
    "weights.unknown/least_squares": Message(
        "unknown weights '{weights}'", remedy="choose among {names:join}, or give numbers"
    ),
    "weights.unknown/periodic_fourier": Message("unknown weights '{weights}'", remedy="choose 'equal' or 'per joint'"),
    "weights.wrong/problem": Message("a weight is negative or not finite", remedy="0 leaves a recording or a row out"),
    "weights.wrong/raw_pieces": Message(
        "the weights of {data_count} recordings are {words:joing}",
        remedy="give a positive number for each; leave out recordings that are not to count",
    ),
}
