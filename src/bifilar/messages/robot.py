"""Sentences about robot, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
    "angles.rounded": Message(
        (
            "angles are rounded at {off_count} joint{value} (up to {worst:.1e} rad, at '{joint}'): as "
            "written there would be {rank} base parameter{value_2}, with exact right angles {rank_2}, "
            "leaving out {misfit:.1e} of the torque{words}"
        ),
        remedy="write angles with all digits: 1.5707963267948966, not 1.5708",
    ),
    "axis.length": Message("{owner} has an axis of length {length:.6g}; normalised", remedy="write a unit vector"),
    "axis.missing": Message("{owner} has no <axis>; URDF's default is used, the x axis", remedy="state the axis"),
    "base.fixed": Message(
        "the robot stands on a fixed base, but a base motion was given",
        remedy="leave base=... away, or load the robot with floating=True",
    ),
    "base.length": Message(
        "the base motion holds {samples} samples, the joints' {samples_2}", remedy="give one row per sample, or one for all"
    ),
    "base.missing": Message(
        "the robot floats: the motion of its base is missing",
        remedy="give base=BaseMotion(pose=..., twist=..., acceleration=...); BaseMotion() stands at the origin",
    ),
    "bodies.unknown": Message("there are no bodies '{bodies}'", remedy="choose 'all' or 'moving'"),
    "buffer.shape/model": Message(
        "out must be a writable, aligned, C-contiguous float64 array {wanted}, it is {kind}",
        remedy="make it once: np.empty({wanted})",
    ),
    "capsule.form/capsules": Message("a capsule belongs to a link by its name, not to {link!r}", remedy='"" is the world'),
    "capsule.form/post_init": Message(
        "the radius of the {owner} is {radius!r}", remedy="give a number of metres, zero or more"
    ),
    "column.unknown/places": Message("a column is asked for twice", remedy="choose among robot.column_names()"),
    "column.unknown/reduction": Message("the robot has no column '{unknown:join}'", remedy="choose among robot.column_names()"),
    "com.far": Message(
        "a first moment of {moment:.4g} kg m with a mass of {mass:.4g} kg: a centre of mass in outer space",
        remedy="check the source of these numbers, or identify them with physically consistent bounds",
    ),
    "com.outside": Message(
        ("the centre of mass ({xyz:join.4g| }) m lies {outside:.3g} m outside the link's outline, {diagonal:.3g} m across"),
        remedy="check the sign and the frame of the centre of mass",
    ),
    "dh.frame": Message("lies on its joint's axis; its DH frame is the fixed link '{frame}'"),
    "drivetrain.idle": Message("motor '{idle}' moves no joint", remedy="give its row a gear ratio, or leave the motor out"),
    "drivetrain.not_finite": Message("the drivetrain matrix holds values that are not finite"),
    "drivetrain.shape": Message(
        "the drivetrain matrix is {shape}, there are {motor_count} motors and {joint_count} joints",
        remedy="one row per motor, one column per joint",
    ),
    "drivetrain.singular": Message(
        "{motor_count} motors do not determine {joint_count} joints: the matrix cannot be inverted",
        remedy="give one motor for every joint (a row of a single one where it is direct)",
    ),
    "factors.differ/reduction": Message(
        "reductions with different rows or columns cannot be added",
        likely="they come from different robots, frictions or choices of columns",
        remedy="reduce both with the same robot and columns",
    ),
    "file.compressed": Message("the file is compressed, not XML", remedy="unpack it first"),
    "file.empty/xml_reader": Message("the file is empty", likely="an interrupted copy or export", remedy="write it again"),
    "file.folder/load": Message("this is a folder, not a file", remedy="name the file inside it"),
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
    "file.special/mesh_points": Message("this is not an ordinary file"),
    "file.too_large/read_document": Message("the file has {st_size} bytes; at most {max_bytes} are read"),
    "file.too_large/table": Message("the file is larger than {max_bytes} bytes", likely="it is not a table of a robot"),
    "file.too_large/xml_reader": Message("the file has {data_count} bytes; at most {max_bytes} are read"),
    "file.unwritable": Message(
        "the file cannot be written: {reason}", remedy="check that the folder exists, may be written and has space"
    ),
    "friction.form/friction": Message("{name}({value!r}): a term holds no values, only named settings"),
    "friction.form/friction_of": Message(
        "{term!r} is no friction term",
        remedy="bf.Viscous() + bf.Coulomb(), or a list of terms; values go into with_friction(terms, values)",
    ),
    "friction.needs_load/model_torque": Message(
        "load-dependent friction needs the load torque", remedy="give load=..., (samples, joints)"
    ),
    "friction.needs_position/model_torque": Message(
        "position-dependent friction needs the position", remedy="give position=..., (samples, joints)"
    ),
    "friction.negative/read_urdf": Message(
        "{owner}: negative {word} {value:g} would drive the joint", remedy="friction brakes; use zero or more"
    ),
    "friction.negative/write_mjcf": Message("joint '{name}' has a negative {word} ({value}); MuJoCo has none"),
    "friction.no_law": Message("the friction term {name} has no law", remedy="law = Law(...) in the body of the class"),
    "friction.not_settled/model_torque": Message(
        "the acceleration under load-dependent friction does not settle",
        likely="load-dependent friction larger than the load itself",
    ),
    "friction.rotor": Message(
        "a rotor inertia belongs to one shaft and has no direction",
        remedy="couple motors through a Drivetrain and name the motor: RotorInertia(at=('motor6',))",
    ),
    "friction.setting/friction": Message(
        "the friction term {kind} lacks {missing:join}, of which its law depends",
        remedy="a field of the class, as `width: float = 0.0`",
    ),
    "friction.setting/friction_data": Message(
        "{name} has no setting '{strange}'", likely="a misspelling of {near:quoted| or }", remedy="choose among {known:join}"
    ),
    "friction.setting/friction_text": Message("the friction term '{word_of}' has no setting '{name}'", listed=("settings",)),
    "friction.setting/post_init": Message("{kind}({name}={value!r}) {refusal}"),
    "friction.text/asked": Message("'{part}': no {empty} follows '{words}'"),
    "friction.text/friction_text": Message(
        "'{part}': '{entry}' is no name",
        likely="a percent sign, which is %25",
        remedy="%2B stands for a plus: two hexadecimal digits for each byte of UTF-8",
    ),
    "friction.text/friction_text_asked": Message("'{part}' gives {name} twice", remedy="give it once"),
    "friction.text/friction_text_asked_2": Message("'{part}' lacks {missing:join| and }"),
    "friction.text/friction_text_setting": Message("'{entry}': {name} has no value", remedy="{word_of}:{name}={sample}"),
    "friction.text/friction_text_setting_2": Message("'{entry}': '{text}' is not {wanted}", remedy="{word_of}:{name}={sample}"),
    "friction.text/places": Message("'{part}': a joint's name is empty", remedy="{partition}@elbow"),
    "friction.text/setting": Message("'{entry}': {name} is on or off", remedy="{word_of}:{name}"),
    "friction.twice/columns": Message(
        "the friction model has the column '{name}' twice",
        remedy="state each kind once per joint; `at` restricts a term to some joints",
    ),
    "friction.twice/friction": Message(
        "the friction terms {name} and {name_2} are both '{name_3}'",
        remedy="choose another name; words count up to their first underscore",
    ),
    "friction.unknown/empty": Message(
        "a friction term is empty", likely="a misspelling of {near:quoted}", remedy="{example}", listed=("terms",)
    ),
    "friction.unknown/friction_data": Message(
        "there is no friction term '{name}'", likely="a misspelling of {near:quoted| or }", remedy="choose among {kinds:join}"
    ),
    "friction.unknown/friction_text": Message(
        "there is no friction term '{word}'", likely="a misspelling of {near:quoted}", remedy="{example}", listed=("terms",)
    ),
    "gravity.wrong/assemble": Message(
        "gravity must be three finite numbers [m/s^2], not {value}", remedy="for example [0, 0, -9.81]"
    ),
    "inertia.doubtful": Message(
        (
            "the principal moments {shown:join.4g} kg m^2 violate the triangle inequality: {moment:.4g} + "
            "{moment_2:.4g} is {short} % short of {moment_3:.4g}"
        ),
        remedy="check the source of these numbers, or identify them with physically consistent bounds",
    ),
    "inertia.impossible": Message(
        "no body has these ten numbers (pseudo-inertia eigenvalue {lowest:.3g})",
        remedy="check the source of these numbers, or identify them with physically consistent bounds",
    ),
    "inertia.not_finite/assemble": Message("link '{name}' has an inertia that is not finite"),
    "inertia.not_finite/write_urdf": Message("link {name} has an inertia that is not finite"),
    "inertia.not_positive": Message(
        "a body without log-Cholesky numbers: its pseudo-inertia is not positive definite",
        likely="a point mass, a flat body, or inertias that break the triangle inequality",
        remedy="bf.PhysicallyConsistent() fits one that has them",
    ),
    "inertia.point": Message("{mass:.4g} kg without rotational inertia: a point", remedy="state the inertia"),
    "inertia.too_large": Message(
        ("{mass:.4g} kg with the inertia of a ball of {1000.0*axe:.3g} mm radius: denser than any metal ({ball:.3g} kg/m^3)"),
        remedy="check the unit of the inertia",
    ),
    "inertia.too_small": Message(
        "{mass:.4g} kg with the inertia of a body of {size:join.3g| x } m: lighter than air",
        remedy="check the unit of the inertia",
    ),
    "inertia.triangle": Message(
        "a principal moment about the centre of mass is negative: {shown:join.4g} kg m^2",
        remedy="the inertia was perhaps stated about another point than the centre of mass",
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
        "the drivetrain names the joint '{unknown}', which the robot does not move",
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
        "states a placeholder for {fields:join}, which {fields:one=is|are} unknown",
        remedy="robot.with_limits(...)",
        cli="--limits FILE, or --max-velocity and --max-effort for all joints",
        lead="state the real limits: ",
    ),
    "limits.absurd/stated": Message(
        "states more than any machine has ({stated:join}); the limit is taken as unknown",
        remedy="robot.with_limits(...)",
        cli="--limits FILE, or --max-velocity and --max-effort for all joints",
        lead="state the real limits: ",
    ),
    "limits.degrees": Message(
        "the {entry} limit of '{name}' is {number:g} rad, that is {number_2:.3g} turns",
        likely="an angle in degrees",
        remedy="is it in degrees? Then write {entry} = {radians:.6g}; if the joint turns without end, {endless}",
    ),
    "limits.exchanged/changed": Message(
        "the lower limit {lower:g} of '{name}' is above the upper one, {upper:g}",
        remedy="give both: the other one is the description's",
    ),
    "limits.exchanged/limits_file": Message(
        "the lower limit {lower:g} of '{name}' is above the upper one, {upper:g}", remedy="exchange them"
    ),
    "limits.exchanged/read_urdf": Message("{owner}: lower limit {lower:g} above upper limit {upper:g}", remedy="exchange them"),
    "limits.file/given": Message("'joints' is no table", remedy="write one table for each joint: [joints.NAME]"),
    "limits.file/limits_file": Message(
        "a file of limits has no table {name}",
        likely=("a misspelling of {near:quoted}", "known are {choices:join}"),
        remedy="limits are written below [joints.NAME]",
    ),
    "limits.file/robot": Message(
        "a file of limits has no table {name}",
        likely="the description of a robot, where its limits are asked for",
        remedy="limits are written below [joints.NAME]",
    ),
    "limits.form/changed": Message(
        "the limits of '{name}' are {given!r}, not a table", remedy='give {{"velocity": 2.0}} or the like'
    ),
    "limits.form/limits_file": Message(
        "limits are given by joint, and a {kind} has none",
        remedy='give {{"elbow": {{"velocity": 2.0}}}}, or the name of a TOML file',
    ),
    "limits.key_unknown": Message(
        "there is no limit {entry}", likely="a misspelling of {near:quoted}", remedy="known are {fields:join}"
    ),
    "limits.missing/look_at_limits": Message(
        ("{owner}: <limit> has no {missing:join| and no }; taken as unlimited (URDF's default 0 would hold it still)"),
        remedy="state its limits",
    ),
    "limits.missing/read_urdf": Message("{owner} is {kind} without <limit>; taken as unlimited", remedy="state its limits"),
    "limits.value/limits_file": Message("the {entry} limit of '{name}' is {value!r}", remedy="give a number [{unit}]"),
    "limits.value/limits_file_meant": Message("the {entry} limit of '{name}' is {number}", likely="a sign the wrong way round"),
    "limits.value/meant": Message(
        "the {entry} limit of '{name}' is {number:g}",
        remedy="robot.locked(...)",
        cli="--lock",
        lead="give a positive number; a joint that shall not move is locked: ",
    ),
    "limits.zero": Message("{owner}: {entry} limit {given:g}; it may not move", remedy="state the real limit"),
    "link.massless/plausibility": Message("moved by joint {name}, has no mass; {more}"),
    "link.massless/write_mjcf": Message(
        "link '{child}' moves and has no mass; MuJoCo has no such bodies",
        remedy="give it a mass; only a link that carries one moving link and nothing else may have none",
    ),
    "link.two_parents": Message(
        "link '{child}' is the child of two joints, '{holder}' and '{name}'",
        remedy="a tree gives every link one parent; cut closed loops open",
    ),
    "link.unknown/assemble": Message(
        "joint '{name}' names the {role} link '{name_2}', which does not exist", likely="a misspelling of {near:quoted| or }"
    ),
    "link.unknown/model_motion": Message(
        "there is no link '{name}'", likely="a misspelling of {near:quoted| or }", listed=("links",)
    ),
    "link.unknown/write_mjcf": Message("joint '{name}' names a link that does not exist"),
    "links.alike": Message(
        "{name_count} links have the same {mass:g} kg and {moment:g} kg m^2 about every axis: placeholders?",
        remedy="state the real inertias, or identify them",
    ),
    "mass.missing": Message(
        "the mass is zero, yet there is inertia (largest moment {moment:.4g} kg m^2)",
        remedy="state the mass; a rotor's inertia belongs to the joint, not to a link",
    ),
    "mass.negative": Message("the mass is negative: {mass:.4g} kg", remedy="state a positive mass"),
    "mesh.damaged/mesh_points": Message(
        "the STL announces {count} triangles, its {data_count} bytes hold {largest}",
        likely="a truncated file, or not an STL",
        remedy="export or copy it again",
    ),
    "mesh.damaged/numbers": Message("a corner of the mesh is not a number: {error}"),
    "mesh.empty": Message("the mesh has no corners", likely="an empty or interrupted export"),
    "mesh.ending": Message(
        "a '{suffix}' mesh is not read, only {read:join| and }",
        remedy="convert it to STL, give the link a simpler <collision> shape, or leave it out: skip_missing=True",
        cli="convert it to STL, or give the link a simpler <collision> shape in the description",
    ),
    "mesh.folder": Message("the folder of the meshes is no folder", remedy="give the folder that holds the meshes"),
    "mesh.missing/capsules": Message(
        "{line_count} meshes of robot '{name}' are not there",
        likely="the description was copied without its meshes, or names them in another folder",
        remedy="give their folder: mesh_folder=..., or leave these shapes out: skip_missing=True",
        cli="--mesh-folder FOLDER, below which they are",
        listed=("meshes",),
    ),
    "mesh.missing/not_found": Message(
        "the mesh {line} is not there",
        likely="the description was copied without its meshes, or names them in another folder",
        remedy="give their folder: mesh_folder=..., or leave these shapes out: skip_missing=True",
        cli="--mesh-folder FOLDER, below which they are",
        listed=("meshes",),
    ),
    "mesh.not_finite": Message("a corner of the mesh is not finite", likely="a broken export"),
    "mesh.too_far": Message(
        "the mesh reaches {far:.4g} m from its origin",
        likely="a mesh in millimetres without a scale",
        remedy='scale it in the description: <mesh filename="..." scale="0.001 0.001 0.001"/>',
    ),
    "mesh.too_large": Message(
        "the mesh has {st_size} bytes; at most {max_bytes} are read",
        remedy="thin the mesh out, or give the link a simpler <collision> shape",
    ),
    "mimic.fixed": Message("{owner} does not move and yet mimics {joint}; ignored", remedy="remove <mimic>"),
    "mimic.follower/changes": Message("joint '{name}' mimics '{leader}'", remedy="name '{leader}'; '{name}' follows"),
    "mimic.follower/limits_file": Message("joint '{name}' mimics '{leader}'", remedy="give limits to '{leader}'"),
    "mimic.not_finite": Message("joint '{name}' mimics with a ratio or an offset that is not finite"),
    "mimic.unknown": Message(
        "joint '{name}' mimics '{joint}', which does not exist", likely="a misspelling of {near:quoted| or }"
    ),
    "mimic.wrong": Message("joint '{name}' mimics '{joint}', {why}", remedy="mimic an independent joint"),
    "mimic.zero": Message("{owner} mimics {joint} times zero: it never moves", remedy="make it fixed"),
    "mjcf.ball": Message(
        "joint '{name}' of body '{child}' is a ball joint, which is not read",
        remedy="write three hinges with perpendicular axes instead",
    ),
    "mjcf.bodies": Message(
        "MuJoCo has no such bodies: {refused:quoted}",
        likely="their moments violate A + B >= C, or mass or a moment is zero or negative",
        remedy="give these links an inertia that a body can have (a physically consistent fit does)",
    ),
    "mjcf.damping": Message("only the linear part of its damping is carried over"),
    "mjcf.equality/mimics": Message("joint '{name}' does not follow '{name_2}': {thing}"),
    "mjcf.equality/mjcf_extras": Message("is not carried over ({thing})", remedy="the joints are read as free"),
    "mjcf.gravcomp": Message("gravity compensation of bodies is not carried over"),
    "mjcf.gravity": Message("the file's gravity is {gravity_of} m/s^2"),
    "mjcf.includes": Message("the model includes more than {max_files} files"),
    "mjcf.joint": Message("damping, friction and armature of a free joint are not carried over"),
    "mjcf.link": Message("lies on its joint's axis; the body's own frame is the fixed link '{frame}'"),
    "mjcf.medium": Message("the medium (density, viscosity) is not carried over"),
    "mjcf.mesh_missing/mass": Message(
        "the mass of body '{body}' comes from the mesh '{mesh}', whose file is not here",
        remedy="put the file in its place, or state the body's <inertial>",
    ),
    "mjcf.mesh_missing/shape": Message(
        ("{count} file{count:one=|s} of shapes {count:one=is|are} not here ({files:join}); masses are stated without them"),
        remedy="put the files in their place if collisions or pictures matter",
    ),
    "mjcf.mocap": Message("mocap bodies are read as fixed"),
    "mjcf.other/check_all": Message("the file's outer element is <{tag}>, an MJCF's is <mujoco>", likely="this is a URDF"),
    "mjcf.other/deformable": Message("<{tag}> makes a deformable body; only rigid bodies are read"),
    "mjcf.other/elements": Message("the model has more than {most} elements, copies counted"),
    "mjcf.other/included": Message("the included file {name} does not exist", remedy="check the path"),
    "mjcf.other/inside": Message("{name} is not a file name"),
    "mjcf.other/mjcf_scan": Message("<{tag}> names a file; a model in memory can name none"),
    "mjcf.other/mjcf_scan_check_all": Message("the file's outer element is <{tag}>, an MJCF's is <mujoco>"),
    "mjcf.other/mjcf_scan_inside": Message(
        "<{tag}> names {name}, which is outside the file's folder",
        remedy="copy it beside the model and name it by a relative path",
    ),
    "mjcf.other/points": Message("textures, height fields and meshes of the model have more than {most} points"),
    "mjcf.other/size": Message("<size {attribute}> reserves more than {most}"),
    "mjcf.spring": Message("its spring is not carried over"),
    "mjcf.tendons": Message("{ntendon} tendons are not carried over"),
    "model.no_links": Message("a model knows no links, only bodies", remedy="give the robot, or leave per_link away"),
    "motion.coverage": Message(
        "{weak_count} of {visibility_count} base parameters are hardly seen: {weak:join}{weakest}",
        remedy="move more joints, faster and over a wider range, or keep prior values for these",
    ),
    "mujoco.refused": Message("MuJoCo refuses the model: {mujoco_words}"),
    "mujoco.warning/compiled": Message("MuJoCo warns: {mujoco_words}"),
    "mujoco.warning/read_mjcf": Message("MuJoCo warns of the model: {mujoco_words}"),
    "name.characters": Message("the name {name!r} holds characters that XML cannot", remedy="rename it"),
    "name.twice/assemble": Message("two {thing}s are named '{twice}'", remedy="give each its own name"),
    "name.twice/drivetrain": Message(
        "the name '{twice}' is used twice in the drivetrain", remedy="give motors names of their own"
    ),
    "name.twice/parameters": Message("the parameter '{twice}' is named twice", remedy="names must differ"),
    "name.twice/write_urdf": Message("two {kind}s have the same name"),
    "name.unknown/changes": Message(
        "robot '{name}' has no link or joint '{name_2}'", likely="a misspelling of {near:quoted| or }"
    ),
    "name.unknown/described": Message(
        "robot '{name}' has no {thing} '{name_2}'", likely="a misspelling of {near:quoted| or }", listed=("links", "joints")
    ),
    "name.world": Message("'world' is MuJoCo's name for what does not move", remedy="rename the link"),
    "not_finite/read_mjcf": Message("a number of the model ({field}) is not finite"),
    "not_finite/write_mjcf": Message("a number of the description is not finite"),
    "not_finite/write_urdf": Message("joint {name} has a friction that is not finite"),
    "numbers.overflow": Message(
        "the samples are too large to be reduced: a sum of squares overflows",
        likely="positions, velocities or torques in the wrong unit",
        remedy="give SI units (rad, rad/s, rad/s^2, N m)",
    ),
    "parameters.ambiguous": Message(
        "their number is ambiguous, {counts:join| or }: {reason}",
        remedy="look for nearly parallel axes and for lengths that are nearly zero in the description",
    ),
    "parameters.by_name": Message("parameters are set by name, and {kind} has none"),
    "parameters.count": Message("{name_count} names, {unit_count} units, {kind_count} kinds: not one each"),
    "parameters.missing": Message(
        "{missing_count} of the {name_count} values are missing, the first is '{missing}'",
        likely="parameters of other rows, or of links where bodies are needed",
        remedy="give robot.parameters(rows, per_link=...) as analysed",
    ),
    "parameters.no_match/base_columns": Message(
        "keep names '{pattern}', which is no column", likely="a misspelling of {near:quoted| or }", remedy="see .names"
    ),
    "parameters.not_kept": Message("cannot be kept: {why}", remedy="leave it out, or name it earlier"),
    "parameters.open/solve": Message(
        ("the data do not determine {open_direction_count} of {name_count} parameters, among them {worst:join}"),
        likely="a motion that does not excite them, or columns that can only be seen in combination",
        remedy=("move all joints with speed and acceleration; solve for base parameters (columns=base_parameters(robot))"),
    ),
    "parameters.other": Message(
        "the values given are of other parameters than these base parameters",
        remedy="reduce with columns=base_parameters(robot)",
    ),
    "parameters.other_robot/base_parameters": Message(
        "these base parameters belong to other columns than the model's",
        remedy="analyse this robot itself, without per_link or bodies='moving'",
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
        "{rank} of {rank_2} act at least {ratio:.1e} times weaker than the others",
        remedy="data will hardly show them; check small lengths and angles",
    ),
    "point.form/capsules": Message("the {thing} must be three finite numbers [m], not {value!r}"),
    "point.form/model_motion": Message("point must be three finite numbers [m], it is {point!r}"),
    "robot.ending/load": Message("a robot cannot be written as '{suffix}'", remedy=".urdf"),
    "robot.ending/none": Message("'{name}' has no extension", remedy="a {forms} file, or one of {names:join}"),
    "robot.ending/other": Message("a {suffix} file is not read as a robot", remedy="a {forms} file, or one of {names:join}"),
    "robot.ending/recording": Message(
        "a {suffix} file is not read as a robot",
        likely="a recording, where the robot itself is asked for",
        remedy="a {forms} file, or one of {names:join}",
    ),
    "robot.floating_joint/assemble": Message(
        "the floating joint '{name}' is not the only thing that moves at the root",
        remedy="one floating joint, between the root link and the robot's base",
    ),
    "robot.floating_joint/places": Message("joint '{name}' moves beside the floating base"),
    "robot.floating_joint/write_mjcf": Message("a floating joint must start at the root link"),
    "robot.loop/assemble": Message("every link is some joint's child: the joints form a loop"),
    "robot.loop/outwards": Message("joint '{name}' belongs to a loop that the root does not reach"),
    "robot.loop/write_mjcf": Message("links and joints do not form one tree"),
    "robot.no_links": Message("the description has no links"),
    "robot.several_roots": Message(
        "{root_count} links have no parent: {roots:quoted}", remedy="connect them by joints; only the root has no parent"
    ),
    "robot.too_large": Message(
        ("the robot has {moving} moving joints and {links} links; at most {most_joints} and {most_links} are read"),
        remedy="remove what does not move, or fix joints in the file",
    ),
    "robot.unknown/library": Message(
        "no built-in robot '{name}'",
        likely=("a misspelling of {near:quoted}", "known are {choices:join}"),
        remedy="built in are {names:join}",
    ),
    "robot.unknown/load": Message(
        "there is no file and no built-in robot '{source}'",
        likely="a misspelling of {near:quoted| or }",
        remedy="a {joined} file, or one of {names:join}",
    ),
    "robot.xacro": Message("a xacro file is a program that writes a URDF", remedy="run xacro file.xacro > robot.urdf"),
    "rows.unknown/model_data": Message("there are no rows '{rows}'", remedy="choose 'joints', 'base' or 'both'"),
    "samples.form": Message(
        "samples are neither a chunk (position, velocity, acceleration, torque) nor an iterable of chunks",
        remedy="give bf.prepare(recording), a tuple of four arrays, or a generator of such tuples",
    ),
    "samples.too_few/row_weights": Message(
        "there are no weights '{weights}'", remedy='ask for "per row" or "equal", or give one number per row'
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
    "states.form": Message("states are (position, velocity, acceleration) and, for a floating robot, its BaseMotion"),
    "table.form": Message("a table of named values is needed, not {kind}"),
    "toml.invalid/not_toml": Message(
        "not valid TOML: {thing}",
        remedy='write key = value: texts in "quotes", numbers as 0.5, lists as [1, 2], each key once',
        listed=("column",),
    ),
    "toml.invalid/table": Message("not readable TOML: {kind}", likely="nested too deep, or a huge number"),
    "toml.value/choice": Message(
        "{entry} '{word}' is not one of {allowed:join}", likely=("a misspelling of {near:quoted}", "known are {choices:join}")
    ),
    "toml.value/close": Message("unknown key '{entry}'", likely=("a misspelling of {near:quoted}", "known are {choices:join}")),
    "toml.value/finite": Message("'{entry}' is {kind}; a number is needed"),
    "toml.value/inertia": Message("both com and first_moment are given", remedy="keep one"),
    "toml.value/limits": Message("the {entry} limit is {known}; a positive number is needed"),
    "toml.value/list": Message("'{entry}' is {kind}; a list is needed"),
    "toml.value/mimic": Message("mimic names no joint"),
    "toml.value/new_link": Message("link '{name}' was named before"),
    "toml.value/read_dh": Message(
        "{row_count} rows; between 1 and {max_rows} are needed", remedy="write one [[row]] per joint"
    ),
    "toml.value/read_dh_inertia": Message("both inertia_com and inertia_origin are given", remedy="keep one"),
    "toml.value/read_dh_inertia_2": Message(
        "a first moment without mass has no centre of mass", remedy="state inertia_origin instead"
    ),
    "toml.value/read_dh_limits": Message("lower limit {lower} is above upper limit {upper}"),
    "toml.value/read_dh_row": Message(
        "the parent '{parent}' is no link of an earlier row", remedy="list a parent before its children"
    ),
    "toml.value/row": Message("joint '{joint_name}' was named before"),
    "toml.value/shape": Message("the {kind} has no size"),
    "toml.value/table": Message("'{entry}' is {kind}; a text is needed"),
    "toml.value/table_finite": Message("'{entry}' is {number}; a finite number is needed"),
    "toml.value/unit_axis": Message("the axis has no length"),
    "toml.value/vector": Message("'{entry}' has {value_count} numbers, {length} are needed"),
    "urdf.attributes": Message("<{tag}> has attributes that URDF does not know, ignored: {shown:join}"),
    "urdf.differs/refuse_other_joint": Message(
        "joint {name} has another {thing} than in {reader}", remedy="write a new file instead: fresh_urdf(name, links, joints)"
    ),
    "urdf.differs/verify": Message(
        "the written URDF has other links or joints than the robot", likely="names that URDF cannot hold"
    ),
    "urdf.differs/write_urdf": Message(
        "{kind} {name} {side}; only numbers can be changed in it",
        remedy="write a new file instead: fresh_urdf(name, links, joints)",
    ),
    "urdf.differs/write_urdf_refuse_other_joint": Message("joint {name} has another {thing} than in {reader}"),
    "urdf.differs/write_urdf_verify": Message(
        "the inertia of link {name} came back from the written URDF with a relative error of {off:.1e}",
        likely="a centre of mass so far away that the inertia about it loses its digits (nearly no mass?)",
        remedy="fit with physical consistency, then save",
    ),
    "urdf.differs/write_urdf_verify_2": Message("the friction of joint {name} came back changed from the written URDF"),
    "urdf.differs/write_urdf_verify_3": Message("the limits of joint {name} came back changed from the written URDF"),
    "urdf.invalid/axis": Message("{owner} moves, but its axis is zero", remedy='state it: xyz="0 0 1"'),
    "urdf.invalid/check_floating": Message(
        "joint {name} is floating, but not the only joint below the root {root}",
        likely="a free object in the description",
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
        "{owner} is planar, which bifilar does not model", remedy="use two prismatic joints and a revolute one"
    ),
    "urdf.invalid/malformed": Message("{label} has {field}={get}: {word} is not a number"),
    "urdf.invalid/measures": Message("{owner}: <{tag}> has {field}={value}, larger than {largest:g}"),
    "urdf.invalid/numbers": Message("{owner}: <{tag}> has {field}={value}: {word_count} instead of {expected}"),
    "urdf.invalid/pose_of": Message("{owner}: <origin> has both rpy and quat_xyzw", remedy="keep one of them"),
    "urdf.invalid/read_link": Message(
        "<inertial> of link {name} has no <{missing}>", remedy="add it, or remove the <inertial>"
    ),
    "urdf.invalid/read_urdf": Message("the robot has no links", likely="an empty or unfinished description"),
    "urdf.invalid/read_urdf_kind": Message("{owner} has the unknown type {written}", remedy="one of: {kinds:join}"),
    "urdf.invalid/read_urdf_robot_element": Message("the file's outer element is <{tag}>, a URDF's is <robot>"),
    "urdf.invalid/refuse_loops": Message(
        "the links form a loop: {shortened:join| -> }", likely="a parent and a child that were exchanged"
    ),
    "urdf.invalid/resolve_mimics": Message("joints mimic each other in a circle: {names:join| -> }"),
    "urdf.invalid/robot_element": Message(
        "the file's outer element is <{tag}>, a URDF's is <robot>", likely="this is {other_format}"
    ),
    "urdf.invalid/rotation_from_quaternion": Message("{owner}: <origin> has a quaternion of length {length:.4g} instead of 1"),
    "urdf.invalid/text": Message('{owner}: <{tag}> has no {field}="..."'),
    "urdf.invalid/unexpanded": Message(
        "this is a xacro template, not a URDF", remedy="run xacro first: xacro robot.xacro > robot.urdf"
    ),
    "urdf.invalid/urdf_fields": Message(
        "{owner} has {found_count} <{tag}> where one is expected (lines {lines:join| and })",
        likely="a block copied and not removed; other readers silently take the first",
        remedy="keep one of them",
    ),
    "urdf.invalid/urdf_fields_numbers": Message("{owner}: <{tag}> has {field}={value}, which is too large for a number"),
    "urdf.invalid/urdf_fields_text": Message('{owner}: <{tag}> has an empty {field}=""'),
    "urdf.invalid/urdf_shapes": Message(
        "<geometry> of {owner} holds {outline_count} outlines where one is expected", remedy="write one <{tag}> for each"
    ),
    "urdf.invalid/urdf_tree": Message(
        "two {kind}s are named {name} (lines {line} and {line_2})",
        likely="a block copied and not renamed",
        remedy="give each {kind} its own name",
    ),
    "urdf.invalid/urdf_tree_check_tree": Message(
        "link {child} has two parents: joints {arrive} and {name} both lead to it",
        likely="a closed chain, which URDF cannot state",
        remedy="cut it open",
    ),
    "urdf.invalid/urdf_tree_check_tree_2": Message(
        "the file has {root_count} roots where one is expected: {roots:join}",
        likely="no joint leads to {root}",
        remedy="add the missing joint, or remove the link",
    ),
    "urdf.invalid/urdf_tree_followed": Message(
        "joint {name} mimics joint {other}, which is {kind}", remedy="mimic a joint that moves along or about one axis"
    ),
    "urdf.invalid/urdf_tree_resolve_mimics": Message("joint {name} mimics {joint} too strongly"),
    "urdf.link_missing": Message("link {name} is not declared in the file, so it cannot get a mass", remedy="declare it first"),
    "urdf.massless": Message(
        "link {name} has a first moment but no mass, which URDF cannot state",
        likely="base parameters, which predict torque but are not bodies",
        remedy="fit with physical consistency, then save",
    ),
    "urdf.meshes": Message("{many} out of the file's folder ({get}); kept as text, never opened"),
    "urdf.negative_size": Message("{owner}: <{tag}> has a negative size; ignored", remedy="write positive lengths"),
    "urdf.no_filename": Message("{owner}: <mesh> has no filename"),
    "urdf.no_name": Message("the robot has no name; the file's is used", remedy='write <robot name="...">'),
    "urdf.no_outline": Message("<{tag}> of {owner} has no outline that URDF knows; ignored"),
    "urdf.rotor_inertia": Message(
        "URDF cannot state its rotor inertia of {armature:g} kg m^2", remedy="keep it beside the file, or export MJCF"
    ),
    "urdf.two_bases": Message(
        "{owner} has 2 <origin> where one is expected (lines {line} and {line_2}); the first is used",
        remedy="keep one of them; it says where the base stands",
    ),
    "urdf.world": Message(
        "joint {user} starts from a link 'world' that the file does not declare; added without mass",
        remedy='add <link name="world"/>; other readers refuse the file',
    ),
    "weights.wrong/reduction": Message("{size} row weights were given", remedy="give {row_name_count}, one for each row"),
    "weights.wrong/solve": Message(
        "weights must be {name_count} positive numbers, one per row", remedy="rows are {names:join}"
    ),
    "weights.wrong/weights": Message(
        "weights must be {samples} or {samples} x {label_count} numbers, none negative; they are {shape}",
        remedy="give one weight per sample, or one per sample and row; 0 leaves a sample out",
    ),
    "xml.invalid/doctype": Message(
        "the file has a DOCTYPE, which is not allowed",
        likely="a file that defines entities; they can grow without bound or fetch other files",
        remedy="remove the <!DOCTYPE ...> and write out the entities",
    ),
    "xml.invalid/not_xml": Message(
        "the file is not XML: it does not begin with '<'", remedy="check that this is the right file"
    ),
    "xml.invalid/parse_document": Message("a single tag or comment is longer than {max_token} bytes"),
    "xml.invalid/start": Message("the file has more than {max_elements} elements"),
    "xml.invalid/text": Message("the file has more than {max_text} characters of text between its tags"),
    "xml.invalid/xml_reader": Message(
        "the file says it is written in {encoding}; only UTF-8 is read", remedy="save the file as UTF-8"
    ),
    "xml.invalid/xml_reader_not_xml": Message(
        "the file ends inside <{open}>, which begins in line {open_2}", likely="a truncated file, or a tag that is never closed"
    ),
    "xml.invalid/xml_reader_not_xml_2": Message("the file is not well-formed XML: {reason}"),
    "xml.invalid/xml_reader_start": Message("elements are nested more than {max_depth} deep"),
    "xml.invalid/xml_reader_start_2": Message("<{tag}> has {flat_count} attributes; at most {max_attributes} are read"),
    "xml.invalid/xml_reader_start_3": Message("<{tag}> has a name or attribute of more than {max_attribute_length} characters"),
}
