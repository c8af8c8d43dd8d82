"""The test that is written beside a C library: values from bifilar, compared by a program that needs nothing else.

It prints one line per function, its name and the largest relative difference, and fails if one is larger than allowed, if a
second call gives other bits than the first, or if Y times the parameters is not the torque.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.export.c_body import number
from bifilar.export.c_names import comment, identifier
from bifilar.export.code_golden import LARGEST, Golden
from bifilar.export.traced import Function, Program

HELPERS = """\
static int failures = 0;

/* Largest difference, relative to the scale of each element; 1 where a value is not a number. */
static double off(const double *got, const double *wanted, const double *scale, int size)
{
    double worst = 0.0;
    int k;
    for (k = 0; k < size; k++) {
        const double difference = fabs(got[k] - wanted[k]);
        const double relative = scale[k] > 0.0 ? difference/scale[k] : difference;
        if (!(relative <= 1.0)) {
            return 1.0;
        }
        worst = relative > worst ? relative : worst;
    }
    return worst;
}

static void judge(const char *name, double worst, int repeats)
{
    printf("%s %.3e%s\\n", name, worst, repeats ? "" : " (a second call differs)");
    if (!(worst <= ALLOWED) || !repeats) {
        failures++;
    }
}
"""


def c_test(program: Program, values: dict[str, Golden]) -> str:
    """The source of the test.

    >>> from bifilar.export.code_golden import golden
    >>> from bifilar.export.trace_model import traced
    >>> robot = bf.Robot.load("pendulum")
    >>> "int main(void)" in c_test(traced(robot), golden(robot, traced(robot)))
    True
    """
    name = identifier(program.robot)
    parts = [
        f"/* Compares {name}.c with values that bifilar computed for {comment(program.robot)}. */",
        f'#include "{name}.h"\n\n#include <math.h>\n#include <stdio.h>\n#include <string.h>\n',
        f"#define ALLOWED {number(LARGEST)} /* relative difference */\n",
        HELPERS,
    ]
    parts += [_one(name, function, values[function.name]) for function in program.functions]
    calls = "\n".join(f"    test_{function.name}();" for function in program.functions)
    parts.append(f"int main(void)\n{{\n{calls}\n    return failures == 0 ? 0 : 1;\n}}\n")
    return "\n".join(parts)


def _one(name: str, function: Function, known: Golden) -> str:
    """A function that tests one function."""
    states, size = known.wanted.shape
    arrays = [_array(argument.name, known.inputs[argument.name].reshape(states, -1)) for argument in function.inputs]
    arrays += [_array("wanted", known.wanted), _array("scale", known.scale[None])]
    passed = [f"{argument.name}[k]" if argument.shape else f"{argument.name}[k][0]" for argument in function.inputs]
    return "\n".join(
        [
            f"static void test_{function.name}(void)",
            "{",
            *(f"    {line}" for array in arrays for line in array),
            f"    double first[{size}], second[{size}], worst = 0.0;",
            "    int k, repeats = 1;",
            f"    for (k = 0; k < {states}; k++) {{",
            "        double one;",
            f"        {name}_{function.name}({', '.join(passed)}, first);",
            f"        {name}_{function.name}({', '.join(passed)}, second);",
            "        repeats = repeats && memcmp(first, second, sizeof first) == 0;",
            f"        one = off(first, wanted[k], scale[0], {size});",
            "        worst = one > worst ? one : worst;",
            "    }",
            f'    judge("{function.name}", worst, repeats);',
            "}\n",
        ]
    )


def _array(name: str, rows: Array) -> Iterator[str]:
    yield f"static const double {name}[{rows.shape[0]}][{rows.shape[1]}] = {{"
    yield from (f"    {{{', '.join(number(float(x)) for x in row)}}}," for row in np.asarray(rows))
    yield "};"
