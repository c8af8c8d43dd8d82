"""Sentences about robot, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
    "angles.rounded": Message(
        "angles are rounded at {off_count} joint{value} (by up to {worst:.1e} rad, at '{joint}'): as written the "
        "model has {rank} base parameter{value_2}, with exact right angles {rank_2}, which changes the torque by "
        "a relative {misfit:.1e}{words}",
        remedy="write angles with all digits: 1.5707963267948966, not 1.5708",
    ),
    "axis.length": Message("{owner} has an axis of length {length:.6g}; normalised", remedy="write a unit vector"),
    "axis.missing": Message("{owner} has no <axis>; URDF's default, the x axis, is used", remedy="state the axis"),
    "base.fixed": Message(
        "the robot has a fixed base, but a base motion is given",
        remedy="leave out base=..., or load the robot with floating=True",
    ),
    "base.length": Message(
        "the base motion has {samples} samples, the joints' {samples_2}", remedy="give one row per sample, or one for all"
    ),
    "base.missing": Message(
        "the robot has a floating base, but the base motion is missing",
        remedy=("give base=BaseMotion(pose=..., twist=..., acceleration=...); BaseMotion() is a base at rest in the origin"),
    ),
    "bodies.unknown": Message("unknown bodies '{bodies}'", remedy="choose 'all' or 'moving'"),
    "buffer.shape/model": Message(
        "out must be a writable, aligned, C-contiguous float64 array {wanted}, it is {kind}",
        remedy="allocate it once: np.empty({wanted})",
    ),
    "capsule.form/capsules": Message(
        "a capsule belongs to a link by its name, not to {link!r}", remedy='name a link; "" is the world'
    ),
    "capsule.form/post_init": Message(
        "the radius of the {owner} is {radius!r}", remedy="give a number of metres, zero or more"
    ),
    "column.unknown/places": Message("a column is given twice", remedy="give each column of robot.column_names() once"),
    "column.unknown/reduction": Message("the robot has no column '{unknown:join}'", remedy="choose among robot.column_names()"),
    "com.far": Message(
        "a first moment of {moment:.4g} kg m with a mass of {mass:.4g} kg puts the centre of mass far outside the link",
        remedy="check the source of these numbers, or identify physically consistent parameters",
    ),
    "com.outside": Message(
        "the centre of mass ({xyz:join.4g| }) m is {outside:.3g} m outside the link's shape, which measures {diagonal:.3g} m",
        remedy="check the sign and the frame of the centre of mass",
    ),
    "dh.frame": Message("lies on its joint's axis; its DH frame is the fixed link '{frame}'"),
    "drivetrain.idle": Message("motor '{idle}' moves no joint", remedy="give its row a gear ratio, or leave the motor out"),
    "drivetrain.not_finite": Message("the drivetrain matrix holds values that are not finite"),
    "drivetrain.shape": Message(
        "the drivetrain matrix has the shape {shape}, but there are {motor_count} motors and {joint_count} joints",
        remedy="give one row per motor and one column per joint",
    ),
    "drivetrain.singular": Message(
        "{motor_count} motors do not determine {joint_count} joints: the matrix cannot be inverted",
        remedy="give one motor for every joint (a row with a single 1 for a direct drive)",
    ),
    "factors.differ/reduction": Message(
        "reductions with different rows or columns cannot be combined",
        likely="different robots, friction terms or choices of columns",
        remedy="reduce both with the same robot and columns",
    ),
    "file.compressed": Message("the file is compressed, not XML", remedy="unpack it first"),
    "file.empty/xml_reader": Message("the file is empty", likely="an interrupted copy or export", remedy="export it again"),
    "file.folder/load": Message("this is a folder, not a file", remedy="name the file in it"),
    "file.missing": Message("no such file", remedy="check the path"),
    "file.not_text/not_xml": Message(
        "the file holds the byte 0x{data:02x}, which is not UTF-8",
        likely="a file saved as Latin-1",
        remedy="save the file as UTF-8",
    ),
    "file.not_text/refuse_other_than_text": Message(
        "the file holds a NUL byte; it is not text",
        likely="a binary file, or UTF-16",
        remedy="name a text file; this one is a picture, an archive or the like",
    ),
    "file.not_text/table": Message("not UTF-8 text (byte {start})", remedy="save the file as UTF-8"),
    "file.not_text/xml_reader": Message("the file is written in UTF-16; only UTF-8 is read", remedy="save the file as UTF-8"),
    "file.special/mesh_points": Message("this is not a regular file"),
    "file.too_large/read_document": Message("the file has {st_size} bytes; at most {max_bytes} are read"),
    "file.too_large/table": Message("the file is larger than {max_bytes} bytes", likely="it is not a table of a robot"),
    "file.too_large/xml_reader": Message("the file has {data_count} bytes; at most {max_bytes} are read"),
    "file.unwritable": Message(
        "the file cannot be written: {reason}", remedy="check that the folder exists, may be written and has space"
    ),
    "friction.form/coefficient": Message(
        "{name}({value!r}): a friction term takes named settings, no values",
        remedy='with_friction({name}(), {{"joint1.{word}": {value!r}}})',
    ),
    "friction.form/friction_of": Message(
        "{term!r} is not a friction term",
        remedy="use bf.Viscous() + bf.Coulomb(), or a list of terms; values are given to with_friction(terms, values)",
    ),
    "friction.form/joints": Message(
        "{name}({value!r}): a friction term takes named settings, no values",
        remedy="{name}(at={value!r}) for some joints only",
    ),
    "friction.needs_load/model_torque": Message(
        "load-dependent friction needs the load torque", remedy="give load=..., (samples, joints)"
    ),
    "friction.needs_position/model_torque": Message(
        "position-dependent friction needs the position", remedy="give position=..., (samples, joints)"
    ),
    "friction.negative/read_urdf": Message(
        "{owner}: negative {word} {value:g}: friction would accelerate the joint", remedy="give zero or more"
    ),
    "friction.negative/write_mjcf": Message(
        "joint '{name}' has a negative {word} ({value}), which MuJoCo does not accept",
        remedy="identify physically consistent parameters, whose friction is not negative",
    ),
    "friction.no_law": Message("the friction term {name} has no law", remedy="define law = Law(...) in the body of the class"),
    "friction.not_settled/model_torque": Message(
        "the acceleration with load-dependent friction does not converge",
        likely="load-dependent friction larger than the load itself",
    ),
    "friction.rotor": Message(
        "a rotor inertia belongs to one motor shaft",
        remedy="couple motors through a Drivetrain and name the motor: RotorInertia(at=('motor6',))",
    ),
    "friction.setting/friction": Message(
        "the friction term {kind} lacks the setting {missing:join} of its law",
        remedy="add a field to the class, such as `width: float = 0.0`",
    ),
    "friction.setting/friction_data": Message(
        "{name} has no setting '{strange}'", likely="a misspelling of {near:quoted| or }", remedy="choose among {known:join}"
    ),
    "friction.setting/friction_text": Message(
        "the friction term '{word_of}' has no setting '{name}'",
        likely="a misspelling of {near:quoted}",
        remedy="{example}",
        cli="--friction {example}",
        listed=("settings",),
    ),
    "friction.setting/post_init": Message("{kind}({name}={value!r}) {refusal}"),
    "friction.text/empty_name": Message("'{part}': a joint's name is empty", remedy="{example}", cli="--friction {example}"),
    "friction.text/missing": Message("'{part}' lacks {missing:join| and }", remedy="{example}", cli="--friction {example}"),
    "friction.text/no_joint": Message(
        "'{part}': the joint after '@' is missing", remedy="{example}", cli="--friction {example}"
    ),
    "friction.text/no_setting": Message(
        "'{part}': the setting after ':' is missing", remedy="{example}", cli="--friction {example}"
    ),
    "friction.text/no_value": Message("'{entry}': {name} has no value", remedy="{example}", cli="--friction {example}"),
    "friction.text/no_value_taken": Message("'{entry}': {name} takes no value", remedy="{example}", cli="--friction {example}"),
    "friction.text/not_utf8": Message(
        "'{part}': '{entry}' is not a name",
        likely="a percent sign, which is written %25",
        remedy="write %2B for a plus: two hexadecimal digits for each byte of UTF-8",
    ),
    "friction.text/twice": Message("'{part}' gives {name} twice", remedy="give it once"),
    "friction.text/wrong_value": Message("'{entry}': '{text}' is not {wanted}", remedy="{example}", cli="--friction {example}"),
    "friction.twice/columns": Message(
        "the friction model has the column '{name}' twice",
        remedy="give each term once per joint; `at` restricts a term to some joints",
    ),
    "friction.twice/friction": Message(
        "the friction terms {name} and {name_2} have the same word '{name_3}'",
        remedy="choose another name; names must differ before their first underscore",
    ),
    "friction.unknown/empty": Message(
        "a friction term is empty",
        likely="a misspelling of {near:quoted}",
        remedy="{example}",
        cli="--friction {example}",
        listed=("terms",),
    ),
    "friction.unknown/friction_data": Message(
        "unknown friction term '{name}'", likely="a misspelling of {near:quoted| or }", remedy="choose among {kinds:join}"
    ),
    "friction.unknown/friction_text": Message(
        "unknown friction term '{word}'",
        likely="a misspelling of {near:quoted}",
        remedy="{example}",
        cli="--friction {example}",
        listed=("terms",),
    ),
    "gravity.wrong/assemble": Message(
        "gravity must be three finite numbers [m/s^2], not {value}", remedy="for example [0, 0, -9.81]"
    ),
    "inertia.doubtful": Message(
        "the principal moments {shown:join.4g} kg m^2 violate the triangle inequality: {moment:.4g} + "
        "{moment_2:.4g} is {short} % less than {moment_3:.4g}",
        remedy="check the source of these numbers, or identify physically consistent parameters",
    ),
    "inertia.impossible": Message(
        "these ten parameters are physically inconsistent (smallest eigenvalue of the pseudo-inertia {lowest:.3g})",
        remedy="check the source of these numbers, or identify physically consistent parameters",
    ),
    "inertia.not_finite/assemble": Message("link '{name}' has an inertia that is not finite", remedy="give finite numbers"),
    "inertia.not_finite/write_urdf": Message("link {name} has an inertia that is not finite"),
    "inertia.not_positive": Message(
        "the log-Cholesky parameters do not exist: the pseudo-inertia is not positive definite",
        likely="a point mass, a flat body, or inertias that break the triangle inequality",
        remedy="use bf.PhysicallyConsistent() to identify physically consistent parameters",
    ),
    "inertia.point": Message("{mass:.4g} kg without rotational inertia", remedy="state the inertia"),
    "inertia.too_large": Message(
        "{mass:.4g} kg with the inertia of a ball of {1000.0*axe:.3g} mm radius: denser than any metal ({ball:.3g} kg/m^3)",
        remedy="check the unit of the inertia",
    ),
    "inertia.too_small": Message(
        "{mass:.4g} kg with the inertia of a body of {size:join.3g| x } m: lighter than air",
        remedy="check the unit of the inertia",
    ),
    "inertia.triangle": Message(
        "a principal moment about the centre of mass is negative: {shown:join.4g} kg m^2",
        remedy="check whether the inertia was stated about another point than the centre of mass",
    ),
    "joint.axis": Message("joint '{name}' has an axis of length zero", remedy="give a unit vector"),
    "joint.not_finite": Message("joint '{name}' has an origin or axis that is not finite"),
    "joint.rotation": Message("the origin of joint '{name}' is not a rotation"),
    "joint.unknown/changes": Message(
        "robot '{name}' has no moving joint '{name_2}'",
        likely="a misspelling of {near:quoted| or }",
        remedy="name one of these",
        cli="name one of these; a pattern such as '*finger*' stands for several",
        listed=("joints",),
    ),
    "joint.unknown/drivetrain": Message(
        "the drivetrain names the joint '{unknown}', which is not a moving joint of the robot",
        remedy="use the names of independent moving joints",
        listed=("joints",),
    ),
    "joint.unknown/friction": Message(
        "{kind} names '{name}', which is neither an independent moving joint nor a motor",
        remedy="use one of these names",
        listed=("names",),
    ),
    "joint.unknown/friction_text": Message(
        "'{part}': there is no joint or motor '{name}'",
        likely="a misspelling of '{near:join}'",
        remedy="name one of these, or a pattern such as 'wrist*'",
        listed=("joints",),
    ),
    "joint.unknown/limits_file": Message(
        "robot '{robot}' has no joint {name}",
        likely=("a misspelling of {near:quoted}", "known are {joints:join}"),
        listed=("joints",),
    ),
    "joint.unknown/places": Message(
        "'{part}': there is no joint or motor '{name}'",
        remedy="name one of these, or a pattern such as 'wrist*'",
        listed=("joints",),
    ),
    "joint.unknown/still": Message("joint {name} does not move", listed=("joints",)),
    "limits.absurd/placeholder": Message(
        "states a placeholder for {fields:join}, which {fields:one=is|are} treated as unknown",
        remedy="robot.with_limits(...)",
        cli="--limits FILE, or --max-velocity and --max-effort for all joints",
        lead="state the real limits: ",
    ),
    "limits.absurd/stated": Message(
        "states more than any machine reaches ({stated:join}); treated as unknown",
        remedy="robot.with_limits(...)",
        cli="--limits FILE, or --max-velocity and --max-effort for all joints",
        lead="state the real limits: ",
    ),
    "limits.degrees": Message(
        "the {entry} limit of '{name}' is {number:g} rad, which is {number_2:.3g} turns",
        likely="degrees instead of radians",
        remedy="for degrees write {entry} = {radians:.6g}; if the joint turns without end, {endless}",
    ),
    "limits.exchanged/changed": Message(
        "the lower limit {lower:g} of '{name}' is above the upper one, {upper:g}",
        remedy="give both limits: the other one is the nominal model's",
    ),
    "limits.exchanged/limits_file": Message(
        "the lower limit {lower:g} of '{name}' is above the upper one, {upper:g}", remedy="exchange them"
    ),
    "limits.exchanged/read_urdf": Message("{owner}: lower limit {lower:g} above upper limit {upper:g}", remedy="exchange them"),
    "limits.file/given": Message("'joints' is not a table", remedy="write one table for each joint: [joints.NAME]"),
    "limits.file/limits_file": Message(
        "a limits file has no table {name}",
        likely=(
            "a misspelling of {near:quoted}",
            "known are {choices:join}",
        ),
        remedy="write limits below [joints.NAME]",
    ),
    "limits.file/robot": Message(
        "a limits file has no table {name}",
        likely="a robot model instead of a limits file",
        remedy="write limits below [joints.NAME]",
    ),
    "limits.form/changed": Message(
        "the limits of '{name}' are {given!r}, not a table", remedy='give {{"velocity": 2.0}} or the like'
    ),
    "limits.form/limits_file": Message(
        "limits are given by joint; a {kind} names none",
        remedy='give {{"elbow": {{"velocity": 2.0}}}}, or the name of a TOML file',
    ),
    "limits.key_unknown": Message(
        "{entry} is not a limit", likely="a misspelling of {near:quoted}", remedy="use {fields:join}"
    ),
    "limits.missing/look_at_limits": Message(
        "{owner}: <limit> has no {missing:join| and no }; treated as unlimited (URDF's default 0 would fix the joint)",
        remedy="state its limits",
    ),
    "limits.missing/read_urdf": Message("{owner} is {kind} without <limit>; treated as unlimited", remedy="state its limits"),
    "limits.value/limits_file": Message("the {entry} limit of '{name}' is {value!r}", remedy="give a number [{unit}]"),
    "limits.value/limits_file_meant": Message(
        "the {entry} limit of '{name}' is {number}", likely="a wrong sign", remedy="give a positive number"
    ),
    "limits.value/meant": Message(
        "the {entry} limit of '{name}' is {number:g}",
        remedy="robot.locked(...)",
        cli="--lock",
        lead="give a positive number; lock a joint that shall not move: ",
    ),
    "limits.zero": Message("{owner}: the {entry} limit is {given:g}, so the joint may not move", remedy="state the real limit"),
    "link.massless/all_beyond": Message(
        "moved by joint {name}, has no mass, nor have the links beyond it: the joint's torque is always zero",
        remedy="state the masses",
    ),
    "link.massless/between": Message(
        "moved by joint {name}, has no mass, but links beyond it have", remedy="nothing for a frame between two joints"
    ),
    "link.massless/write_mjcf": Message(
        "link '{child}' moves and has no mass, which MuJoCo does not accept",
        remedy="give it a mass; only a link whose single child moves as well may have none",
    ),
    "link.two_parents": Message(
        "link '{child}' is the child of two joints, '{holder}' and '{name}'",
        remedy="give every link one parent; cut kinematic loops open",
    ),
    "link.unknown/assemble": Message(
        "joint '{name}' names the {role} link '{name_2}', which does not exist", likely="a misspelling of {near:quoted| or }"
    ),
    "link.unknown/model_motion": Message(
        "unknown link '{name}'", likely="a misspelling of {near:quoted| or }", listed=("links",)
    ),
    "link.unknown/write_mjcf": Message(
        "joint '{name}' names a link that does not exist", remedy="correct the name, or add the link"
    ),
    "links.alike": Message(
        "{name_count} links have the same mass {mass:g} kg and the same inertia {moment:g} kg m^2 about every "
        "axis: placeholders?",
        remedy="state the real inertias, or identify them",
    ),
    "mass.missing": Message(
        "the mass is zero, but the inertia is not (largest moment {moment:.4g} kg m^2)",
        remedy="state the mass; the inertia of a rotor belongs to the joint, not to a link",
    ),
    "mass.negative": Message("the mass is negative: {mass:.4g} kg", remedy="state a positive mass"),
    "mesh.damaged/mesh_points": Message(
        "the STL states {count} triangles, but its {data_count} bytes hold {largest}",
        likely="a truncated file, or not an STL",
        remedy="export or copy it again",
    ),
    "mesh.damaged/numbers": Message("a vertex of the mesh is not a number: {error}"),
    "mesh.empty": Message("the mesh has no vertices", likely="an empty or interrupted export"),
    "mesh.ending": Message(
        "{suffix} meshes are not read, only {read:join| and }",
        remedy="convert it to STL, give the link a simpler <collision> shape, or leave it out: skip_missing=True",
        cli="convert it to STL, or give the link a simpler <collision> shape in the URDF",
    ),
    "mesh.folder": Message("the mesh folder is not a folder", remedy="give the folder that contains the meshes"),
    "mesh.missing/capsules": Message(
        "{line_count} meshes of robot '{name}' are missing",
        likely="the robot model was copied without its meshes, or refers to another folder",
        remedy="give their folder, mesh_folder=..., or ignore these shapes: skip_missing=True",
        cli="--mesh-folder FOLDER that contains them",
        listed=("meshes",),
    ),
    "mesh.missing/not_found": Message(
        "the mesh {line} is missing",
        likely="the robot model was copied without its meshes, or refers to another folder",
        remedy="give its folder, mesh_folder=..., or ignore this shape: skip_missing=True",
        cli="--mesh-folder FOLDER that contains it",
        listed=("meshes",),
    ),
    "mesh.not_finite": Message("a vertex of the mesh is not finite", likely="a damaged export"),
    "mesh.too_far": Message(
        "the mesh reaches {far:.4g} m from its origin",
        likely="a mesh in millimetres without a scale",
        remedy='scale it in the URDF: <mesh filename="..." scale="0.001 0.001 0.001"/>',
    ),
    "mesh.too_large": Message(
        "the mesh has {st_size} bytes; at most {max_bytes} are read",
        remedy="simplify the mesh, or give the link a simpler <collision> shape",
    ),
    "mimic.fixed": Message("{owner} is fixed but mimics {joint}; ignored", remedy="remove <mimic>"),
    "mimic.follower/changes": Message("joint '{name}' mimics '{leader}'", remedy="name '{leader}', which '{name}' follows"),
    "mimic.follower/limits_file": Message("joint '{name}' mimics '{leader}'", remedy="give limits to '{leader}'"),
    "mimic.not_finite": Message("joint '{name}' mimics with a ratio or an offset that is not finite"),
    "mimic.unknown": Message(
        "joint '{name}' mimics '{joint}', which does not exist", likely="a misspelling of {near:quoted| or }"
    ),
    "mimic.wrong": Message("joint '{name}' mimics '{joint}', {why}", remedy="mimic an independent joint"),
    "mimic.zero": Message("{owner} mimics {joint} with the factor 0: it never moves", remedy="make it fixed"),
    "mjcf.ball": Message(
        "joint '{name}' of body '{child}' is a ball joint, which is not read",
        remedy="write three hinge joints with perpendicular axes instead",
    ),
    "mjcf.bodies": Message(
        "MuJoCo does not accept these bodies: {refused:quoted}",
        likely="principal moments that violate A + B >= C, or mass or moments that are zero or negative",
        remedy="give these links physically consistent inertial parameters (a physically consistent fit does)",
    ),
    "mjcf.damping": Message("only the linear part of its damping is carried over"),
    "mjcf.equality/mimics": Message("joint '{name}' does not follow '{name_2}': {thing}"),
    "mjcf.equality/mjcf_extras": Message("is ignored ({thing})", remedy="nothing if the joints may be independent"),
    "mjcf.gravcomp": Message("gravity compensation of bodies is not carried over"),
    "mjcf.gravity": Message("the file's gravity is {gravity_of} m/s^2"),
    "mjcf.includes": Message("the model includes more than {max_files} files"),
    "mjcf.joint": Message("damping, friction and armature of a free joint are not carried over"),
    "mjcf.link": Message("lies on its joint's axis; the body's own frame is the fixed link '{frame}'"),
    "mjcf.medium": Message("the medium (density, viscosity) is not carried over"),
    "mjcf.mesh_missing/mass": Message(
        "the mass of body '{body}' comes from the mesh '{mesh}', whose file is missing",
        remedy="provide the file, or state the body's <inertial>",
    ),
    "mjcf.mesh_missing/shape": Message(
        "{count} file{count:one=|s} of shapes {count:one=is|are} missing ({files:join}); masses are stated without them",
        remedy="provide the files if collisions or pictures matter",
    ),
    "mjcf.mocap": Message("mocap bodies are treated as fixed"),
    "mjcf.other/check_all": Message("the root element is <{tag}>, not <mujoco>", likely="a URDF"),
    "mjcf.other/deformable": Message("<{tag}> makes a deformable body; only rigid bodies are read"),
    "mjcf.other/elements": Message("the model has more than {most} elements, including copies"),
    "mjcf.other/included": Message("the included file {name} does not exist", remedy="check the path"),
    "mjcf.other/inside": Message("{name} is not a file name"),
    "mjcf.other/mjcf_scan": Message(
        "<{tag}> refers to a file, which a model in memory cannot", remedy="save the model to a folder with its files"
    ),
    "mjcf.other/mjcf_scan_check_all": Message("the root element is <{tag}>, not <mujoco>"),
    "mjcf.other/mjcf_scan_inside": Message(
        "<{tag}> refers to {name}, which is outside the file's folder",
        remedy="copy it beside the model and refer to it by a relative path",
    ),
    "mjcf.other/points": Message("textures, height fields and meshes of the model have more than {most} points"),
    "mjcf.other/size": Message("<size {attribute}> reserves more than {most}"),
    "mjcf.spring": Message("its spring is not carried over"),
    "mjcf.tendons": Message("{ntendon} tendons are not carried over"),
    "model.no_links": Message("a model has bodies, not links", remedy="give the robot, or leave out per_link"),
    "motion.coverage": Message(
        "{weak_count} of {visibility_count} base parameters are hardly excited: {weak:join}{weakest}",
        remedy="move more joints, faster and over a wider range, or keep prior values for these",
    ),
    "mujoco.refused": Message("MuJoCo refuses the model: {mujoco_words}"),
    "mujoco.warning/compiled": Message("MuJoCo warns: {mujoco_words}"),
    "mujoco.warning/read_mjcf": Message("MuJoCo warns of the model: {mujoco_words}"),
    "name.characters": Message("the name {name!r} contains characters that XML does not allow", remedy="rename it"),
    "name.twice/assemble": Message("two {thing}s are named '{twice}'", remedy="give each its own name"),
    "name.twice/drivetrain": Message(
        "the name '{twice}' is used twice in the drivetrain", remedy="give every motor its own name"
    ),
    "name.twice/parameters": Message("the parameter '{twice}' is given twice", remedy="give every parameter once"),
    "name.twice/write_urdf": Message("two {kind}s have the same name"),
    "name.unknown/changes": Message(
        "robot '{name}' has no link or joint '{name_2}'", likely="a misspelling of {near:quoted| or }"
    ),
    "name.unknown/described": Message(
        "robot '{name}' has no {thing} '{name_2}'", likely="a misspelling of {near:quoted| or }", listed=("links", "joints")
    ),
    "name.world": Message("'world' is reserved in MuJoCo", remedy="rename the link"),
    "not_finite/read_mjcf": Message("a number of the model is not finite, or larger than {largest:g}: {field}"),
    "not_finite/write_mjcf": Message("a number of the robot is not finite"),
    "not_finite/write_urdf": Message("joint {name} has a friction that is not finite"),
    "number.too_large": Message("{kind} '{name}' has the value {number:g}, more than {largest:g}", remedy="check the unit"),
    "number.too_large/table": Message("'{entry}' is {number:g}, more than {largest:g}", remedy="check the unit"),
    "numbers.overflow": Message(
        "a sum of squares overflows: the samples are too large",
        likely="positions, velocities or torques in the wrong unit",
        remedy="give SI units (rad, rad/s, rad/s^2, N m)",
    ),
    "parameters.ambiguous": Message(
        "the number of base parameters is numerically ambiguous, {counts:join| or }: {reason}",
        remedy="look for nearly parallel axes and for very small lengths in the robot model",
    ),
    "parameters.by_name": Message(
        "parameters are set by name, but a {kind} holds no names",
        remedy='give a dictionary such as {{"link3.mass": 2.1}}, or Parameters',
    ),
    "parameters.by_name/solution": Message(
        "parameters are set by name, but a {kind} holds base parameters",
        likely="base parameters are sums over several links, named after one of their terms",
        remedy="use base_parameters(robot).model(robot, solution), a model with the same torque",
    ),
    "parameters.count": Message(
        "{name_count} names, {unit_count} units and {kind_count} kinds do not match", remedy="give one of each per parameter"
    ),
    "parameters.missing": Message(
        "{missing_count} of the {name_count} values are missing, first '{missing}'",
        likely="parameters of other rows, or of links where bodies are needed",
        remedy="give robot.parameters(rows, per_link=...) as in the analysis",
    ),
    "parameters.no_match/base_columns": Message(
        "keep contains '{pattern}', which is not a column", likely="a misspelling of {near:quoted| or }", remedy="see .names"
    ),
    "parameters.not_kept": Message("cannot be kept: {why}", remedy="leave it out, or give it earlier in the list"),
    "parameters.open/solve": Message(
        "the data do not identify {open_direction_count} of {name_count} parameters, among them {worst:join}",
        likely="a motion that does not excite them, or columns that are identifiable in combination only",
        remedy=(
            "excite all joints with velocity and acceleration, or solve for base parameters (columns=base_parameters(robot))"
        ),
    ),
    "parameters.other": Message(
        "the values belong to other parameters than these base parameters", remedy="reduce with columns=base_parameters(robot)"
    ),
    "parameters.other_robot/base_parameters": Message(
        "these base parameters belong to another model",
        remedy="compute base_parameters of this robot, without per_link and bodies='moving'",
    ),
    "parameters.unknown/changes": Message(
        "there is no drive column '{name}'",
        likely="a misspelling of {near:quoted| or }",
        remedy="add the term to the friction model: with_friction(...)",
    ),
    "parameters.unknown/parameters": Message(
        "there is no parameter '{name}'", likely="a misspelling of {near:quoted| or }", remedy="see .names"
    ),
    "parameters.unknown/with_parameters": Message(
        "robot '{name}' has no parameter '{name_2}'",
        likely="a misspelling of {near:quoted| or }",
        remedy="names are link.mass, link.mcx, ... and, with friction terms, joint.viscous, joint.coulomb, ...",
    ),
    "parameters.weak": Message(
        "{rank} of {rank_2} affect the torque at least {ratio:.1e} times less than the others",
        remedy="check small lengths and angles: data will hardly identify these",
    ),
    "point.form/capsules": Message("the {thing} must be three finite numbers [m], not {value!r}"),
    "point.form/model_motion": Message("point must be three finite numbers [m], it is {point!r}"),
    "robot.ending/load": Message("a robot cannot be written as '{suffix}'", remedy="write a .urdf file"),
    "robot.ending/none": Message("'{name}' has no extension", remedy="give a {forms} file, or one of {names:join}"),
    "robot.ending/other": Message(
        "a robot cannot be read from a {suffix} file", remedy="give a {forms} file, or one of {names:join}"
    ),
    "robot.ending/recording": Message(
        "a robot cannot be read from a {suffix} file",
        likely="a recording instead of a robot model",
        remedy="give a {forms} file, or one of {names:join}",
    ),
    "robot.floating_joint/assemble": Message(
        "the floating joint '{name}' is not the only moving joint at the root",
        remedy="use one floating joint, between the root link and the robot's base",
    ),
    "robot.floating_joint/places": Message(
        "joint '{name}' moves beside the floating joint of the base", remedy="attach it to the base, or fix it"
    ),
    "robot.floating_joint/write_mjcf": Message("a floating joint must start at the root link"),
    "robot.loop/assemble": Message(
        "every link is the child of a joint: the joints form a loop", remedy="cut the loop open at one joint"
    ),
    "robot.loop/outwards": Message(
        "joint '{name}' is in a loop that is not connected to the root", remedy="correct its parent link, or remove the loop"
    ),
    "robot.loop/write_mjcf": Message("links and joints do not form one tree", remedy="cut kinematic loops open"),
    "robot.no_links": Message("the robot model has no links"),
    "robot.several_roots": Message(
        "{root_count} links have no parent: {roots:quoted}", remedy="connect them by joints; only the root has no parent"
    ),
    "robot.too_large": Message(
        "the robot has {moving} moving joints and {links} links; at most {most_joints} and {most_links} are read",
        remedy="fix joints or remove links in the file",
    ),
    "robot.unknown/library": Message(
        "unknown built-in robot '{name}'",
        likely=(
            "a misspelling of {near:quoted}",
            "known are {choices:join}",
        ),
        remedy="use one of {names:join}",
    ),
    "robot.unknown/load": Message(
        "'{source}' is neither a file nor a built-in robot",
        likely="a misspelling of {near:quoted| or }",
        remedy="give a {joined} file, or one of {names:join}",
    ),
    "robot.xacro": Message("xacro files must be converted to URDF first", remedy="xacro file.xacro > robot.urdf"),
    "rows.unknown/model_data": Message("unknown rows '{rows}'", remedy="choose 'joints', 'base' or 'both'"),
    "samples.form": Message(
        "samples must be a chunk (position, velocity, acceleration, torque) or an iterable of chunks, not {given}",
        remedy="give bf.prepare(recording), a tuple of four arrays, or a generator of such tuples",
    ),
    "samples.too_few/row_weights": Message(
        "unknown weights '{weights}'", remedy='use "per row" or "equal", or give one number per row'
    ),
    "samples.too_few/solve": Message(
        "{samples} samples give at most {equations} independent equations for {name_count} parameters",
        remedy="give more samples, or solve for fewer parameters (columns=...)",
    ),
    "setting.wrong/changes": Message("'{name}' must be one finite number, not {value!r}"),
    "setting.wrong/reduction": Message("block is {block!r}", remedy="give the number of samples per block, 1 or more"),
    "shape.wrong/applied": Message("torque holds {row_count} samples, the state {samples}", remedy="give one row per sample"),
    "shape.wrong/base_parameters": Message("{thing} has the shape {shape}, its last axis must be {columns}"),
    "shape.wrong/checked": Message(
        "torque holds {torque_count} samples, the state {q_count}", remedy="give one row per sample"
    ),
    "shape.wrong/checked_load": Message(
        "load holds {row_count} samples, the state {samples}", remedy="give one row per sample"
    ),
    "shape.wrong/drivetrain": Message("{thing} has the shape {shape}, the last axis must be {name_count}: {names:join}"),
    "shape.wrong/model": Message("weight holds {given_count} samples, the state {q_count}", remedy="give one row per sample"),
    "shape.wrong/model_data": Message("{name} must be {shape} finite numbers, it is {shape_2}"),
    "shape.wrong/model_slopes": Message(
        "{name} holds {row_count} samples, the state {samples}", remedy="give one row per sample"
    ),
    "shape.wrong/model_torque": Message(
        "position holds {q_count} samples, velocity {v_count}", remedy="give one row per sample"
    ),
    "shape.wrong/parameters": Message("{name} has the shape {shape}, there are {name_count} names"),
    "shape.wrong/reduction": Message(
        "values have the shape {shape}, there are {column_name_count} columns",
        remedy="give one value per column, in the order of .column_names",
    ),
    "shape.wrong/robot": Message("body_parameters must be {shape} finite numbers, it is {shape_2}"),
    "states.form": Message("states must be (position, velocity, acceleration), with a BaseMotion for a floating base"),
    "table.form": Message("a table of named values is needed, not {kind}"),
    "toml.invalid/not_toml": Message(
        "the file is not valid TOML: {thing}",
        remedy='write key = value: texts in "quotes", numbers as 0.5, lists as [1, 2], each key once',
        listed=("column",),
    ),
    "toml.invalid/table": Message("the TOML file cannot be read: {kind}", likely="too deep nesting, or a huge number"),
    "toml.value/choice": Message(
        "{entry} is '{word}', not one of {allowed:join}",
        likely=(
            "a misspelling of {near:quoted}",
            "known are {choices:join}",
        ),
    ),
    "toml.value/close": Message("unknown key '{entry}'", likely=("a misspelling of {near:quoted}", "known are {choices:join}")),
    "toml.value/finite": Message("'{entry}' is {kind}, not a number"),
    "toml.value/inertia": Message("both com and first_moment are given", remedy="keep one"),
    "toml.value/limits": Message("the {entry} limit is {known}, not a positive number"),
    "toml.value/list": Message("'{entry}' is {kind}, not a list"),
    "toml.value/mimic": Message("mimic does not name a joint of the file"),
    "toml.value/new_link": Message("two links are named '{name}'", remedy="give each link its own name"),
    "toml.value/read_dh": Message("{row_count} rows, but 1 to {max_rows} are possible", remedy="write one [[row]] per joint"),
    "toml.value/read_dh_inertia": Message("both inertia_com and inertia_origin are given", remedy="keep one"),
    "toml.value/read_dh_inertia_2": Message(
        "a first moment without mass has no centre of mass", remedy="state inertia_origin instead"
    ),
    "toml.value/read_dh_limits": Message("lower limit {lower} is above upper limit {upper}"),
    "toml.value/read_dh_row": Message(
        "the parent '{parent}' is not a link of an earlier row", remedy="list a parent before its children"
    ),
    "toml.value/row": Message("two joints are named '{joint_name}'", remedy="give each joint its own name"),
    "toml.value/shape": Message("the {kind} has no size"),
    "toml.value/table": Message("'{entry}' is {kind}, not a text"),
    "toml.value/table_finite": Message("'{entry}' is {number}, not a finite number"),
    "toml.value/unit_axis": Message("the axis has length 0"),
    "toml.value/vector": Message("'{entry}' has {value_count} numbers instead of {length}"),
    "urdf.attributes": Message("<{tag}> has attributes that URDF does not define, ignored: {shown:join}"),
    "urdf.differs/refuse_other_joint": Message(
        "joint {name} differs from {reader} in its {thing}", remedy="write a new file instead: fresh_urdf(name, links, joints)"
    ),
    "urdf.differs/verify": Message(
        "the written URDF and the robot have different links or joints", likely="names that URDF cannot hold"
    ),
    "urdf.differs/write_urdf": Message(
        "{kind} {name} {side}; only numbers can be changed in it",
        remedy="write a new file instead: fresh_urdf(name, links, joints)",
    ),
    "urdf.differs/write_urdf_refuse_other_joint": Message("joint {name} differs from {reader} in its {thing}"),
    "urdf.differs/write_urdf_verify": Message(
        "the inertia of link {name} has a relative error of {off:.1e} after writing and reading the URDF",
        likely="a centre of mass so far away that the inertia about it loses its digits (almost no mass?)",
        remedy="identify physically consistent parameters, then save",
    ),
    "urdf.differs/write_urdf_verify_2": Message(
        "the friction of joint {name} changed when the URDF was written and read again"
    ),
    "urdf.differs/write_urdf_verify_3": Message("the limits of joint {name} changed when the URDF was written and read again"),
    "urdf.invalid/axis": Message("{owner} moves, but its axis has length 0", remedy='state it, such as xyz="0 0 1"'),
    "urdf.invalid/check_floating": Message(
        "joint {name} is floating, but not the only joint below the root {root}",
        likely="a free object in the file",
        remedy="only the base may float; remove the object, or fix it to its parent",
    ),
    "urdf.invalid/check_tree": Message(
        "joint {name} names the {role} link {link}, which does not exist",
        likely="a misspelt name; the file has {near:join}",
        remedy='correct the name in <{role} link="...">, or add <link name="..."/>',
    ),
    "urdf.invalid/ends": Message("joint {name} has no <{role}>", remedy='add <{role} link="..."/>'),
    "urdf.invalid/followed": Message(
        "joint {name} mimics joint {other}, which does not exist",
        likely="a misspelt name; the file has {near:join}",
        remedy='correct <mimic joint="...">',
    ),
    "urdf.invalid/kind": Message(
        "{owner} is planar, which is not supported", remedy="use two prismatic joints and a revolute one"
    ),
    "urdf.invalid/malformed": Message("{label} has {field}={get}: {word} is not a number"),
    "urdf.invalid/measures": Message("{owner}: <{tag}> has {field}={value}, larger than {largest:g}"),
    "urdf.invalid/numbers": Message("{owner}: <{tag}> has {field}={value}: {word_count} instead of {expected}"),
    "urdf.invalid/pose_of": Message("{owner}: <origin> has both rpy and quat_xyzw", remedy="keep one of them"),
    "urdf.invalid/read_link": Message(
        "the <inertial> of link {name} has no <{missing}>", remedy="add it, or remove the <inertial>"
    ),
    "urdf.invalid/read_urdf": Message("the robot has no links", likely="an empty or unfinished file"),
    "urdf.invalid/read_urdf_kind": Message("{owner} has the unknown type {written}", remedy="one of: {kinds:join}"),
    "urdf.invalid/read_urdf_robot_element": Message("the root element is <{tag}>, not <robot>"),
    "urdf.invalid/refuse_loops": Message(
        "the links form a loop: {shortened:join| -> }",
        likely="a parent and a child link that were exchanged",
        remedy="correct the parent and child of a joint",
    ),
    "urdf.invalid/resolve_mimics": Message("joints mimic each other in a circle: {names:join| -> }"),
    "urdf.invalid/robot_element": Message("the root element is <{tag}>, not <robot>", likely="{other_format}"),
    "urdf.invalid/rotation_from_quaternion": Message(
        "{owner}: <origin> has a quaternion of length {length:.4g} instead of 1", remedy="write a quaternion of length 1"
    ),
    "urdf.invalid/text": Message('{owner}: <{tag}> has no {field}="..."', remedy="add the attribute"),
    "urdf.invalid/unexpanded": Message(
        "this is a xacro template, not a URDF", remedy="run xacro first: xacro robot.xacro > robot.urdf"
    ),
    "urdf.invalid/urdf_fields": Message(
        "{owner} has {found_count} <{tag}> where one is expected (lines {lines:join| and })",
        likely="a block copied and not removed; other readers take the first without notice",
        remedy="keep one of them",
    ),
    "urdf.invalid/urdf_fields_numbers": Message("{owner}: <{tag}> has {field}={value}, which is too large for a number"),
    "urdf.invalid/urdf_fields_text": Message('{owner}: <{tag}> has an empty {field}=""', remedy="fill in the attribute"),
    "urdf.invalid/urdf_shapes": Message(
        "the <geometry> of {owner} contains {outline_count} shapes instead of one", remedy="write one <{tag}> for each"
    ),
    "urdf.invalid/urdf_tree": Message(
        "two {kind}s are named {name} (lines {line} and {line_2})",
        likely="a copied block that was not renamed",
        remedy="give each {kind} its own name",
    ),
    "urdf.invalid/urdf_tree_check_tree": Message(
        "link {child} has two parents: joints {arrive} and {name}",
        likely="a kinematic loop, which URDF cannot state",
        remedy="cut the loop open",
    ),
    "urdf.invalid/urdf_tree_check_tree_2": Message(
        "the file has {root_count} root links instead of one: {roots:join}",
        likely="a missing joint to {root}",
        remedy="add the missing joint, or remove the link",
    ),
    "urdf.invalid/urdf_tree_followed": Message(
        "joint {name} mimics joint {other}, which is {kind}", remedy="mimic a joint with one degree of freedom"
    ),
    "urdf.invalid/urdf_tree_resolve_mimics": Message(
        "the mimic factors of joint {name} to {joint} multiply to too large a number", remedy="check the multipliers"
    ),
    "urdf.link_missing": Message(
        "link {name} does not exist in the file, so its mass cannot be written", remedy="add <link> to the file first"
    ),
    "urdf.massless": Message(
        "link {name} has a first moment but no mass, which URDF cannot state",
        likely="base parameters, which predict torque but belong to no single link",
        remedy="identify physically consistent parameters, then save",
    ),
    "urdf.meshes": Message("{many} outside the file's folder ({get}); kept as text, never opened"),
    "urdf.negative_size": Message("{owner}: <{tag}> has a negative size; ignored", remedy="write positive lengths"),
    "urdf.no_filename": Message("{owner}: <mesh> has no filename"),
    "urdf.no_name": Message("the robot has no name; the name of the file is used", remedy='write <robot name="...">'),
    "urdf.no_outline": Message("the <{tag}> of {owner} has no shape that URDF defines; ignored"),
    "urdf.rotor_inertia": Message(
        "URDF cannot state the joint's rotor inertia of {armature:g} kg m^2", remedy="keep it beside the file, or export MJCF"
    ),
    "urdf.two_bases": Message(
        "{owner} has 2 <origin> elements (lines {line} and {line_2}); the first is used",
        remedy="keep one of them, the pose of the base",
    ),
    "urdf.world": Message(
        "joint {user} starts from a link 'world' that the file does not declare; added without mass",
        remedy='add <link name="world"/>; other programs refuse the file',
    ),
    "weights.wrong/reduction": Message("{size} row weights are given", remedy="give {row_name_count}, one for each row"),
    "weights.wrong/solve": Message(
        "weights must be {name_count} positive numbers, one per row", remedy="give one for each of the rows {names:join}"
    ),
    "weights.wrong/weights": Message(
        "weights must be {samples} or {samples} x {label_count} numbers, none negative; they are {shape}",
        remedy="give one weight per sample, or one per sample and row; 0 leaves a sample out",
    ),
    "xml.invalid/doctype": Message(
        "the file has a DOCTYPE, which is not allowed",
        likely="a file that defines entities, which can grow without bound or load other files",
        remedy="remove <!DOCTYPE ...> and replace the entities by their text",
    ),
    "xml.invalid/not_xml": Message(
        "the file is not XML: it does not begin with '<'", remedy="check that this is the right file"
    ),
    "xml.invalid/parse_document": Message("a single tag or comment is longer than {max_token} bytes"),
    "xml.invalid/start": Message("the file has more than {max_elements} elements"),
    "xml.invalid/text": Message("the file has more than {max_text} characters of text between its tags"),
    "xml.invalid/xml_reader": Message(
        "the file states the encoding {encoding}; only UTF-8 is read", remedy="save the file as UTF-8"
    ),
    "xml.invalid/xml_reader_not_xml": Message(
        "the file ends inside <{open}>, which begins in line {open_2}",
        likely="an incomplete file, or a tag that is never closed",
    ),
    "xml.invalid/xml_reader_not_xml_2": Message("the file is not well-formed XML: {reason}"),
    "xml.invalid/xml_reader_start": Message("elements are nested more than {max_depth} deep"),
    "xml.invalid/xml_reader_start_2": Message("<{tag}> has {flat_count} attributes; at most {max_attributes} are read"),
    "xml.invalid/xml_reader_start_3": Message("<{tag}> has a name or attribute of more than {max_attribute_length} characters"),
}
