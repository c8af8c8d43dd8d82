"""A traced robot as a C99 library: header, source and CMake project. No memory is asked for, nothing is remembered.

Arrays are row by row. Every function reads its inputs before it writes, may be called from any thread, and takes the same
steps whatever the numbers are.
"""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from bifilar.export.c_body import c_body, number
from bifilar.export.c_names import comment, identifier, string
from bifilar.export.expression import POWER, SIGN, SLOPE_OF_POWER, needed
from bifilar.export.traced import Argument, Function, Program

FLAGS = ("-std=c99", "-Wall", "-Wextra", "-pedantic", "-ffp-contract=off")
SIGN_OF = "static double sign_of(double x)\n{\n    return (double)((x > 0.0) - (x < 0.0));\n}\n"
SLOPE = (
    "static double slope_of_power(double x, double p)\n{\n"
    "    return x > 0.0 ? p*pow(x, p - 1.0) : 0.0; /* times a sign that is zero there */\n}\n"
)


def c_header(program: Program) -> str:
    """What a user of the library includes.

    >>> from bifilar.export.trace_model import traced
    >>> "void two_link_inverse_dynamics(" in c_header(traced(bf.Robot.load("two_link"), "two_link"))
    True
    """
    name = identifier(program.robot)
    guard = f"{name.upper()}_H"
    return "\n".join([*_opening(program), "", *_contents(program, name, guard), ""])


def _opening(program: Program) -> Iterator[str]:
    """What the library is, which joints it means and in which units."""
    yield f"/* Equations of motion of {comment(program.robot)}, written by bifilar."
    yield " *"
    yield " * Units are SI with radians; torque is what the drives must deliver, a force at a sliding joint."
    yield " * Matrices are stored row by row. Nothing is allocated, nothing is remembered between calls, and a result may"
    yield " * be written over an input. Joints, in their order:"
    yield from (f" *   {k}  {comment(joint)}" for k, joint in enumerate(program.joints))
    yield from (f" * {comment(line)}".rstrip() for line in program.about)
    yield " */"


def _contents(program: Program, name: str, guard: str) -> Iterator[str]:
    yield from (f"#ifndef {guard}", f"#define {guard}", "")
    yield f"#define {name.upper()}_JOINTS {len(program.joints)}"
    yield f"#define {name.upper()}_COLUMNS {len(program.columns)} /* of the regressor */"
    yield from ("", "#ifdef __cplusplus", 'extern "C" {', "#endif", "")
    for function in program.functions:
        yield from _described(function)
        yield f"{signature(program, function)};"
        yield ""
    yield "/* Name of a joint, from 0; NULL where there is none. */"
    yield f"const char *{name}_joint_name(int joint);"
    yield ""
    yield "/* Name of a column of the regressor and value of its parameter: Y times the values is the torque. */"
    yield f"const char *{name}_column_name(int column);"
    yield f"double {name}_parameter(int column);"
    yield from ("", "#ifdef __cplusplus", "}", "#endif", "", "#endif")


def _described(function: Function) -> Iterator[str]:
    """A comment: what it gives, what its arguments are, what it costs."""
    lines = wrap(function.meaning, 110)
    width = max(len(argument.name) for argument in (*function.inputs, function.output))
    for argument in (*function.inputs, function.output):
        lines.append(f"  {argument.name:<{width}}  {argument.meaning}")
    lines.append(f"{function.operations} additions and multiplications.")
    yield from (f"{'/*' if k == 0 else ' *'} {line}" for k, line in enumerate(lines))
    yield " */"


def signature(program: Program, function: Function) -> str:
    """The first line of a function.

    >>> from bifilar.export.trace_model import traced
    >>> program = traced(bf.Robot.load("pendulum"), "pendulum")
    >>> print(signature(program, program.functions[0]))
    void pendulum_inverse_dynamics(const double q[1], const double v[1], const double a[1], double torque[1])
    """
    inputs = [f"const double {_declared(one)}" if one.shape else f"double {one.name}" for one in function.inputs]
    return f"void {identifier(program.robot)}_{function.name}({', '.join([*inputs, f'double {_declared(function.output)}'])})"


def _declared(argument: Argument) -> str:
    return f"{argument.name}[{argument.size}]"


def c_source(program: Program) -> str:
    """The library itself.

    >>> from bifilar.export.trace_model import traced
    >>> c_source(traced(bf.Robot.load("pendulum"), "pendulum")).count("malloc")
    0
    """
    name = identifier(program.robot)
    parts = [f"/* Equations of motion of {comment(program.robot)}, written by bifilar: see {name}.h. */"]
    parts.append(f'#include "{name}.h"\n\n#include <math.h>\n#include <stddef.h>\n')
    used = {node.op for function in program.functions for node in needed(function.elements)}
    parts += [SIGN_OF] if SIGN in used else []
    parts += [SLOPE] if SLOPE_OF_POWER in used else []
    assert POWER in used or SLOPE_OF_POWER not in used
    for function in program.functions:
        body = "\n".join(f"    {line}" for line in c_body(function))
        parts.append(f"{signature(program, function)}\n{{\n{body}\n}}\n")
    parts += [_names(f"{name}_joint_name", "joint", program.joints), _names(f"{name}_column_name", "column", program.columns)]
    parts.append(_values(f"{name}_parameter", program.values))
    return "\n".join(parts)


def _names(function: str, argument: str, names: tuple[str, ...]) -> str:
    rows = ",\n".join(f"        {string(name)}" for name in names)
    return (
        f"const char *{function}(int {argument})\n{{\n    static const char *const names[] = {{\n{rows}\n    }};\n"
        f"    return {argument} >= 0 && {argument} < {len(names)} ? names[{argument}] : NULL;\n}}\n"
    )


def _values(function: str, values: tuple[float, ...]) -> str:
    rows = ",\n".join(f"        {number(value)}" for value in values)
    return (
        f"double {function}(int column)\n{{\n    static const double values[] = {{\n{rows}\n    }};\n"
        f"    return column >= 0 && column < {len(values)} ? values[column] : 0.0;\n}}\n"
    )


def cmake_lists(program: Program) -> str:
    """A project with the library and its test.

    >>> from bifilar.export.trace_model import traced
    >>> "add_test" in cmake_lists(traced(bf.Robot.load("pendulum"), "pendulum"))
    True
    """
    name = identifier(program.robot)
    flags = " ".join(flag for flag in FLAGS if not flag.startswith("-std"))
    return f"""\
# {name}.c is a library of its own; {name}_test compares it with values that bifilar computed.
cmake_minimum_required(VERSION 3.10)
project({name} C)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

add_library({name} {name}.c)
target_include_directories({name} PUBLIC "${{CMAKE_CURRENT_SOURCE_DIR}}")
set_target_properties({name} PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
  target_compile_options({name} PRIVATE {flags})
endif()
if(UNIX)
  target_link_libraries({name} PUBLIC m)
endif()

enable_testing()
add_executable({name}_test {name}_test.c)
set_target_properties({name}_test PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
target_link_libraries({name}_test PRIVATE {name})
add_test(NAME {name} COMMAND {name}_test)
"""
