"""Sentences about dynamics, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
    "base.quaternion": Message(
        "the base quaternion of sample {row} has the norm {norm:.6g}, not 1", remedy="give x y z w, divided by its norm"
    ),
    "buffer.shape/plain_regressor": Message(
        "the buffer for the regressor is {shape}; it must be {shape_2} and C-contiguous",
        remedy="leave out=... away, or make it with that shape",
    ),
    "column.unknown/grouping": Message("a column outside 0..{columns} is named", remedy="columns are counted from 0"),
    "columns.shape": Message("drive columns do not fit together: {wrong}"),
    "engine.missing": Message(
        "the numba engine cannot run here: numba is not installed",
        remedy="install numba, or set BIFILAR_ENGINE=numpy (slower, the same numbers)",
    ),
    "engine.no_jit": Message(
        "compiled kernels cannot run here: numba does not compile",
        remedy="unset it; the dynamics alone also run with BIFILAR_ENGINE=numpy (slower, the same numbers)",
    ),
    "engine.unknown": Message("there is no engine '{name}'", remedy="set it to numpy or numba, or unset it"),
    "factors.differ/reduce": Message(
        "factors of different columns cannot be merged", remedy="reduce all of them with the same columns"
    ),
    "friction.law/compare": Message(
        "the friction law '{word}': factor gives no finite number for each state",
        remedy="write it with NumPy functions of arrays",
    ),
    "friction.law/friction_laws": Message(
        "the friction law '{word}': word, title, formula and two units are needed",
        remedy="give each; the word is an identifier",
    ),
    "friction.law/friction_laws_compare": Message(
        "the friction law '{word}': {name} is not the derivative of factor", remedy="differences: {rise}, {name}: {stated}"
    ),
    "friction.law/friction_laws_compare_2": Message(
        "the friction law '{word}': factor is larger than its bound",
        remedy="give bound=: (|speed|, *settings) to (bound, slope of the bound)",
    ),
    "friction.law/friction_laws_post_init": Message(
        "the friction law '{word}': slopes, bound and settings belong to a factor", remedy="give factor="
    ),
    "friction.law/friction_laws_post_init_2": Message(
        "the friction law '{word}': an inertia is constant", remedy="leave factor and sign away"
    ),
    "friction.law/friction_laws_post_init_3": Message(
        "the friction law '{word}': a law that depends on the load is at most |load|",
        remedy="scale it so, without bound= and times=",
    ),
    "friction.law/post_init": Message(
        "the friction law '{word}': it has no such form",
        remedy="times is one, speed or acceleration; at most {most_settings} settings",
    ),
    "friction.needs_load/columns": Message(
        "load-dependent friction needs the load torque", remedy="give load=, (samples, coordinates)"
    ),
    "friction.needs_position/columns": Message(
        "position-dependent friction needs the position", remedy="give position=, (samples, coordinates)"
    ),
    "friction.not_compiled": Message(
        "the factor of the friction law '{word}' cannot be compiled",
        remedy="write it with arithmetic and NumPy functions of numbers, or set BIFILAR_ENGINE=numpy",
    ),
    "joint.no_own_coordinate": Message(
        "no joint has the position of coordinate {coordinate} itself",
        remedy="give one of its joints the ratio 1 and the offset 0",
    ),
    "mass_matrix.singular/plain": Message(
        "the mass matrix of sample {bad} is singular: some motion moves no mass",
        likely="links without inertia at the end of a branch, or a floating base without any",
        remedy="give them inertia, give the joint a rotor inertia, or lock the joint",
    ),
    "matrix.not_finite": Message(
        "a finite matrix is needed, this has the shape {shape}", remedy="reshape it to (rows, columns)"
    ),
    "matrix.singular/blas": Message(
        "the numbers do not determine an answer: a matrix is singular, to rounding",
        likely="motion that leaves parameters open, or numbers of very different sizes",
        remedy="move all joints, use another unit, or fix some parameters",
    ),
    "not_finite/state": Message(
        "{name} of {of} '{label}' is {row} in sample {row_2}",
        likely="a gap in the recording, or a division by zero upstream",
        remedy="cut out or interpolate those samples",
    ),
    "not_numbers/numbers": Message("{name} holds {dtype}, not real numbers", remedy="convert it to float first"),
    "not_numbers/state": Message(
        "{name} holds {dtype}, not real numbers",
        likely="a text column or missing values were read as objects",
        remedy="convert it to float first",
    ),
    "position.too_far": Message(
        "position reaches {largest:.3g}, more than {farthest:.0e} rad or m",
        likely="encoder counts, or another unit",
        remedy="give rad, or m for sliding joints",
    ),
    "rows.unknown/plain_regressor": Message("there are no rows '{rows}'", remedy="choose one of {rows_2:join}"),
    "shape.ragged": Message("{name} has rows of different lengths", remedy="give a rectangular array (samples, joints)"),
    "shape.wrong/state": Message(
        "{name} has the shape {shape}, {who} {label_count} {of}{label_count:one=|s}", listed=("joints", "columns", "rows")
    ),
    "shapes.differ/post_init": Message(
        "the base motion holds different numbers of samples: {counts:join}", remedy="give one row per sample, or one for all"
    ),
    "shapes.differ/state": Message(
        "the arrays hold different numbers of samples: {items:join}",
        remedy="give every array one row per sample (np.zeros_like(position) for a robot at rest)",
    ),
    "threads.count": Message("{count} threads were asked for", remedy="ask for one or more"),
    "threads.count/environment": Message(
        "'{asked}' is no number of threads from 1 to {most}", remedy="set it to a whole number, or unset it"
    ),
    "tree.coordinates": Message("coordinates must be numbered 0, 1, 2, ... without gaps", remedy="renumber them"),
    "tree.order": Message("a body's parent must come before it in the tree", remedy="sort the bodies from the root outwards"),
}
