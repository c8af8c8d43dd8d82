"""The equations of motion of any model as a self-contained C99 library: written, compiled, run and compared.

arm.h  arm.c           functions of plain arrays: no allocation, no state, no library but the C standard's mathematics
arm_test.c             compares them with values that bifilar computed
CMakeLists.txt         builds both; `ctest` runs the test
"""

from __future__ import annotations

from dataclasses import dataclass

from bifilar.export.c_files import c_header, c_source, cmake_lists
from bifilar.export.c_names import identifier
from bifilar.export.c_test_file import c_test
from bifilar.export.code_golden import golden
from bifilar.export.trace_model import traced
from bifilar.export.traced import Program
from bifilar.robot.model import Model


@dataclass(frozen=True, eq=False)
class CCode:
    """Files by name, and the program they were written from.

    >>> sorted(c_code(bf.Robot.load("pendulum"), "swing").files)
    ['CMakeLists.txt', 'swing.c', 'swing.h', 'swing_test.c']
    """

    name: str  # of the library, and what every function's name begins with
    program: Program
    files: dict[str, str]


def file_names(name: str) -> tuple[str, ...]:
    """What the files of a library are called.

    >>> file_names("my arm")
    ('my_arm.h', 'my_arm.c', 'my_arm_test.c', 'CMakeLists.txt')
    """
    word = identifier(name)
    return f"{word}.h", f"{word}.c", f"{word}_test.c", "CMakeLists.txt"


def c_code(model: Model, name: str = "robot") -> CCode:
    """A model (a Robot, the model of an estimate) as C; nothing is compiled or written to disk.

    >>> code = c_code(bf.Robot.load("two_link"), "two_link")
    >>> code.program.function("inverse_dynamics").operations
    27
    """
    program = traced(model, name)
    texts = c_header(program), c_source(program), c_test(program, golden(model, program)), cmake_lists(program)
    return CCode(identifier(name), program, dict(zip(file_names(name), texts, strict=True)))
