"""A number type for kernels: WIDTH samples at once, one machine register.

Numba compiles scalars; this teaches it one more type, an LLVM vector of doubles, with + - * / and negation (plain numbers are spread
over the lanes), loads and stores, and the functions np.abs, np.sqrt, np.exp, np.sin, np.cos and **, as friction laws use them. A row of samples lies at an offset of a flat array:

    x = get(s, row + b)          x, y, z = get3(s, row + b)          put(s, row + b, x)          put3(s, row + b, x, y, z)
"""

import operator

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, lower_cast, models, overload, register_model

from .lanes import LANES, WIDTH, part

FAST = ("fast",)


class Vector(types.Type):
    """WIDTH doubles."""

    def __init__(self):
        super().__init__(name=f"Vector{WIDTH}")


VECTOR, LLVM = Vector(), ir.VectorType(ir.DoubleType(), WIDTH)


@register_model(Vector)
class VectorModel(models.PrimitiveModel):
    """Kept in a register."""

    def __init__(self, manager, kind):
        super().__init__(manager, kind, LLVM)


@lower_cast(types.Float, Vector)
@lower_cast(types.Integer, Vector)
def spread(context, builder, source, target, value):
    """A plain number in every lane."""
    value = context.cast(builder, value, source, types.float64)
    empty = ir.Constant(LLVM, ir.Undefined)
    first = builder.insert_element(empty, value, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, empty, ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH))


def _takes_vectors(symbol, operands):
    """Tells numba that vectors, or vectors and numbers, give a vector."""

    class Template(AbstractTemplate):
        def generic(self, arguments, keywords):
            known = all(isinstance(a, (Vector, types.Float, types.Integer)) for a in arguments)
            if known and len(arguments) == operands and any(isinstance(a, Vector) for a in arguments):
                return signature(VECTOR, *[VECTOR] * operands)
            return None

    infer_global(symbol)(Template)


def _operator(symbol, instruction, operands):
    _takes_vectors(symbol, operands)
    lower_builtin(symbol, *[Vector] * operands)(
        lambda context, builder, signature, values: getattr(builder, instruction)(*values, flags=FAST)
    )


_operator(operator.add, "fadd", 2)
_operator(operator.sub, "fsub", 2)
_operator(operator.mul, "fmul", 2)
_operator(operator.truediv, "fdiv", 2)
_operator(operator.neg, "fneg", 1)


def address(context, builder, array_type, array, index):
    """Where a vector lies, in an array or behind a pointer."""
    pointed = isinstance(array_type, types.CPointer)
    data = array if pointed else context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), LLVM.as_pointer())


def _row(builder, index, k):
    return builder.add(index, ir.Constant(ir.IntType(64), k * LANES))


@intrinsic
def get(typing, array, index):
    """The vector at an offset."""

    def generate(context, builder, sig, values):
        return builder.load(address(context, builder, sig.args[0], *values), align=8)

    return VECTOR(array, types.uint64), generate


@intrinsic
def get3(typing, array, index):
    """Vectors of three consecutive rows."""

    def generate(context, builder, sig, values):
        array, index = values
        rows = [address(context, builder, sig.args[0], array, _row(builder, index, k)) for k in range(3)]
        return context.make_tuple(builder, sig.return_type, [builder.load(row, align=8) for row in rows])

    return types.UniTuple(VECTOR, 3)(array, types.uint64), generate


@intrinsic
def put(typing, array, index, value):
    """Store a vector at an offset."""

    def generate(context, builder, sig, values):
        array, index, value = values
        builder.store(value, address(context, builder, sig.args[0], array, index), align=8)
        return context.get_dummy_value()

    return types.void(array, types.uint64, VECTOR), generate


@intrinsic
def put3(typing, array, index, x, y, z):
    """Store three vectors into consecutive rows."""

    def generate(context, builder, sig, values):
        array, index, *three = values
        for k, value in enumerate(three):
            builder.store(value, address(context, builder, sig.args[0], array, _row(builder, index, k)), align=8)
        return context.get_dummy_value()

    return types.void(array, types.uint64, VECTOR, VECTOR, VECTOR), generate


@intrinsic
def total(typing, vector):
    """Sum of the lanes."""

    def generate(context, builder, sig, values):
        double = ir.DoubleType()
        name = f"llvm.vector.reduce.fadd.v{WIDTH}f64"
        called = cgutils.get_or_insert_function(builder.module, ir.FunctionType(double, [double, LLVM]), name)
        return builder.call(called, [ir.Constant(double, 0.0), values[0]], fastmath=FAST)

    return types.float64(VECTOR), generate


def _unary(name):
    """An LLVM function of one number that works on vectors as well."""

    @intrinsic
    def function(typing, value):
        def generate(context, builder, sig, values):
            signature = ir.FunctionType(LLVM, [LLVM])
            called = cgutils.get_or_insert_function(builder.module, signature, f"llvm.{name}.v{WIDTH}f64")
            return builder.call(called, values)

        return VECTOR(VECTOR), generate

    return function


@intrinsic
def minus(typing, x, y):
    """x - y without licence to reorder."""
    return VECTOR(VECTOR, VECTOR), lambda context, builder, sig, values: builder.fsub(*values)


@intrinsic
def hard_sign(typing, x):
    """-1, 0 or 1."""

    def generate(context, builder, sig, values):
        zero, one = (ir.Constant(LLVM, [number] * WIDTH) for number in (0.0, 1.0))
        above, below = (builder.select(builder.fcmp_ordered(way, values[0], zero), one, zero) for way in (">", "<"))
        return builder.fsub(above, below)

    return VECTOR(VECTOR), generate


floor = _unary("floor")
square_root = _unary("sqrt")

# Sine and cosine: half turns are removed with pi in three parts (Cody and Waite 1980; exact for |x| < 1e5), the rest is
# interpolated on +-pi/2 at Chebyshev points in x^2. Without quarter turns there is no case to distinguish. The library's
# own functions are scalar.
PI = (3.1415926534682512, 1.2154201012607932e-10, 4.044532497591901e-21)  # 31 and 32 bits: their multiples are exact
SINE = (
    -0.16666666666666666, 0.008333333333333316, -0.00019841269841254966, 2.7557319219160833e-06,
    -2.505210761669045e-08, 1.6058977292642743e-10, -7.643969663988074e-13, 2.7314368769379893e-15,
)  # fmt: skip
COSINE = (
    0.041666666666666664, -0.001388888888888888, 2.4801587301579848e-05, -2.755731922156836e-07,
    2.0876756602722215e-09, -1.1470712262813793e-11, 4.77787760803859e-14, -1.5218598818596388e-16,
)  # fmt: skip
PI1, PI2, PI3 = PI
S0, S1, S2, S3, S4, S5, S6, S7 = SINE
C0, C1, C2, C3, C4, C5, C6, C7 = COSINE
HALF_TURNS = 1.0 / np.pi


@part
def sine_cosine(x):
    """Sine and cosine of a vector of angles."""
    k = floor(x * HALF_TURNS + 0.5)
    r = minus(minus(minus(x, k * PI1), k * PI2), k * PI3)  # fast arithmetic would add the parts of pi up again
    z = r * r
    s = S0 + z * (S1 + z * (S2 + z * (S3 + z * (S4 + z * (S5 + z * (S6 + z * S7))))))
    c = C0 + z * (C1 + z * (C2 + z * (C3 + z * (C4 + z * (C5 + z * (C6 + z * C7))))))
    side = 1.0 - 2.0 * (k - 2.0 * floor(0.5 * k))
    return side * (r + r * z * s), side * (1.0 - 0.5 * z + z * z * c)


# np.exp and ** have no vector instruction: LLVM calls the library's function for every lane.


def _function(symbol, name, operands=1):
    """A function of NumPy, or **, on vectors: LLVM's of this name."""
    _takes_vectors(symbol, operands)

    @lower_builtin(symbol, *[Vector] * operands)
    def generate(context, builder, sig, values):
        kind = ir.FunctionType(LLVM, [LLVM] * operands)
        called = cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v{WIDTH}f64")
        return builder.call(called, values)


_function(np.abs, "fabs")
_function(np.sqrt, "sqrt")
_function(np.exp, "exp")
_function(operator.pow, "pow", 2)


@overload(np.sin)
def sine(x):
    """Of vectors."""
    return (lambda x: sine_cosine(x)[0]) if isinstance(x, Vector) else None


@overload(np.cos)
def cosine(x):
    """Of vectors."""
    return (lambda x: sine_cosine(x)[1]) if isinstance(x, Vector) else None
