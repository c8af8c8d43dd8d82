"""The equations of motion of any model as one Python file that needs NumPy only: the same expressions over many samples.

Every line works on all samples of a block at once. Intermediates of a function live until it returns, so samples go through
in blocks that stay in the cache.
"""

from __future__ import annotations

from bifilar.errors import RobotError
from bifilar.export.c_body import Lines, inputs_of
from bifilar.export.c_names import comment, identifier
from bifilar.export.code_golden import LARGEST, Golden, golden
from bifilar.export.expression import AT_LEAST, COSINE, EXPONENTIAL, POWER, ROOT, SIGN, SINE, SIZE, SLOPE_OF_POWER, TANH
from bifilar.export.trace_model import traced
from bifilar.export.traced import Function, Program
from bifilar.robot.model import Model

OPTIONAL = "load"  # may be left out where nothing depends on it
HELPERS = '''
BLOCK = 2048  # samples worked on at a time


def _over(function, size, arrays, widths, *numbers):
    """Results of a function, (..., size), for arrays (..., width) that are broadcast against each other."""
    arrays = [np.asarray(array, dtype=float) for array in arrays]
    for array, width in zip(arrays, widths):
        if array.ndim == 0 or array.shape[-1] != width:
            raise ValueError(f"an array of shape {array.shape} was given, its last axis must be {width}")
    shape = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
    flat = [np.broadcast_to(array, shape + array.shape[-1:]).reshape(-1, array.shape[-1]) for array in arrays]
    result = np.empty((len(flat[0]), size))
    for start in range(0, len(result), BLOCK):
        part = slice(start, start + BLOCK)
        function(*(np.ascontiguousarray(array[part].T) for array in flat), *numbers, result[part].T)
    return result.reshape(shape + (size,))


def _slope_of_power(x, p):
    """p x^(p-1), zero at zero, where it is multiplied by a sign that is zero."""
    return np.where(x > 0.0, p * np.where(x > 0.0, x, 1.0) ** (p - 1.0), 0.0)
'''


class PythonLines(Lines):
    """The same lines with the words of NumPy.

    >>> from bifilar.export.expression import Graph
    >>> graph = Graph()
    >>> sine = graph.call(SINE, graph.input("q", 0))
    >>> PythonLines([sine]).text(sine)
    'np.sin(q0)'
    """

    calls = {  # noqa: RUF012
        SINE: "np.sin",
        COSINE: "np.cos",
        ROOT: "np.sqrt",
        EXPONENTIAL: "np.exp",
        SIZE: "np.abs",
        SIGN: "np.sign",
        TANH: "np.tanh",
        POWER: "np.power",
        SLOPE_OF_POWER: "_slope_of_power",
        AT_LEAST: "max",
    }


def numpy_code(model: Model, name: str = "robot") -> str:
    """A model (a Robot, the model of an estimate) as the text of a Python file.

    >>> text = numpy_code(bf.Robot.load("two_link"), "two_link")
    >>> space = {}
    >>> exec(text, space)
    >>> space["inverse_dynamics"]([0.1, 0.2], [0.0, 0.0], [0.0, 0.0]).round(3)
    array([1.285, 0.136])
    """
    return _text(traced(model, name))


def checked_numpy(model: Model, name: str, where: str) -> tuple[str, dict[str, float], Program]:
    """The text, how far each function is off, and the program; a letter if one is off too far.

    >>> text, off, program = checked_numpy(bf.Robot.load("pendulum"), "swing", "swing.py")
    >>> max(off.values()) < 1e-12
    True
    """
    program = traced(model, name)
    text = _text(program)
    space: dict[str, object] = {"__name__": identifier(name)}
    exec(compile(text, where, "exec"), space)
    off = {function.name: _off(space, function, known) for function, known in _known(model, program)}
    worst = max(off, key=lambda one: off[one])
    if not off[worst] <= LARGEST:
        raise RobotError("export.numpy_differs", where=where, worst=worst, off=off[worst], largest=LARGEST)
    return text, off, program


def _known(model: Model, program: Program) -> list[tuple[Function, Golden]]:
    values = golden(model, program)
    return [(function, values[function.name]) for function in program.functions]


def _off(space: dict[str, object], function: Function, known: Golden) -> float:
    inputs = [known.inputs[one.name] if one.shape else float(known.inputs[one.name][0, 0]) for one in function.inputs]
    got = space[function.name](*inputs)  # type: ignore[operator]
    return known.off(got.reshape(known.wanted.shape))


def _text(program: Program) -> str:
    parts = [
        f'"""Equations of motion of {identifier(program.robot)}, written by bifilar. Needs NumPy, nothing else.',
        "",
        "Units are SI with radians. Arrays are (joints,) or (samples, joints); results have the same samples first.",
        *(["", *(comment(line) for line in program.about)] if program.about else []),
        '"""',
        "",
        "import numpy as np",
        "",
        f"JOINTS = {_tuple(program.joints)}",
        f"COLUMNS = {_tuple(program.columns)}  # of the regressor",
        f"PARAMETERS = np.array({list(program.values)!r})  # of these columns",
        HELPERS,
    ]
    parts += [part for function in program.functions for part in (_outside(function), _inside(function))]
    return "\n".join(parts)


def _tuple(names: tuple[str, ...]) -> str:
    return ascii(names)


def _outside(function: Function) -> str:
    """What a user calls."""
    arrays = [one for one in function.inputs if one.shape]
    numbers = [one.name for one in function.inputs if not one.shape]
    read = {name for name, _ in inputs_of(list(function.elements))}
    taken = [one for one in arrays if one.name in read or one.name != OPTIONAL]
    words = [one.name if one.name in read or one.name != OPTIONAL else f"{one.name}=None" for one in function.inputs]
    given = f"({', '.join(one.name for one in taken)},), ({', '.join(str(one.size) for one in taken)},)"
    call = ", ".join([f"_{function.name}", str(function.output.size), given, *numbers])
    shape = ", ".join(map(str, function.output.shape))
    lines = [f"def {function.name}({', '.join(words)}):", f'    """{comment(function.meaning)}']
    lines += ["", *(f"    {one.name}: {comment(one.meaning)}" for one in function.inputs), '    """']
    lines += [f"    result = _over({call})"]
    lines += [
        f"    return result.reshape(result.shape[:-1] + ({shape},))" if len(function.output.shape) > 1 else "    return result"
    ]
    return "\n".join(["", *lines, ""])


def _inside(function: Function) -> str:
    """What works on one block; arrays are (joints, samples) there."""
    elements = list(function.elements)
    read = inputs_of(elements)
    arrays = [one for one in function.inputs if one.shape]
    taken = [one.name for one in arrays if one.name in {name for name, _ in read} or one.name != OPTIONAL]
    numbers = [one.name for one in function.inputs if not one.shape]
    lines = [f"def _{function.name}({', '.join([*taken, *numbers, function.output.name])}):"]
    lines += [f"    {name}{k} = {name}[{k}]" for name, k in read if k is not None]
    writer = PythonLines(elements)
    lines += [f"    {name} = {text}" for name, text in writer.intermediates()]
    lines += [f"    {function.output.name}[{k}] = {writer.text(one)}" for k, one in enumerate(elements)]
    return "\n".join(["", *lines, ""])
