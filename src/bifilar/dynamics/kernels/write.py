"""From blocks to arrays in memory.

A dense regressor is far larger than any cache and written once, so its numbers bypass the cache (non-temporal stores): memory is
not read before it is overwritten. That is fast only for whole cache lines in sequence. `order` names, for every entry of one
sample's flattened matrix, the block row that holds it (row 0 holds zeros); four samples at a time are turned from columns into
lines within the cache, then each line leaves in one stream.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .drive import drive_block
from .lanes import IN1, IN2, LANES, ONE, OUT1, SIZE, STEP, TABLE1, TABLE2, TWO, ZERO, L, U, entry, kernel, part
from .layout import SMALL, STATE, TAIL, UNITS
from .regressor import regressor_block
from .vectors import LLVM, VECTOR, address, get

FOUR = U(4)


@intrinsic
def put_turned(typing, array, index, stride, a, b, c, d):
    """Four vectors as columns: array[index + lane stride + 0..3] = a, b, c, d of that lane."""

    def generate(context, builder, sig, arguments):
        array, index, stride, a, b, c, d = arguments

        def mix(left, right, places):
            return builder.shuffle_vector(left, right, ir.Constant(ir.VectorType(ir.IntType(32), 4), places))

        low, high = [0, 4, 1, 5], [2, 6, 3, 7]
        for first, places in ((0, low), (2, high)):
            left, right = mix(a, b, places), mix(c, d, places)
            for lane, halves in ((first, [0, 1, 4, 5]), (first + 1, [2, 3, 6, 7])):
                where = builder.add(index, builder.mul(stride, ir.Constant(ir.IntType(64), lane)))
                builder.store(mix(left, right, halves), address(context, builder, sig.args[0], array, where), align=8)
        return context.get_dummy_value()

    return types.void(array, types.uint64, types.uint64, VECTOR, VECTOR, VECTOR, VECTOR), generate


@intrinsic
def stream(typing, array, index, value):
    """array[index...] = value, past the cache; the address is a multiple of the value's size."""

    def generate(context, builder, sig, arguments):
        array, index, value = arguments
        data = context.make_array(sig.args[0])(context, builder, array).data
        pointer = builder.bitcast(builder.gep(data, [index]), value.type.as_pointer())
        store = builder.store(value, pointer, align=8 if sig.args[2] == types.float64 else 8 * LLVM.count)
        store.set_metadata("nontemporal", builder.module.add_metadata([ir.Constant(ir.IntType(32), 1)]))
        return context.get_dummy_value()

    return types.void(array, types.uint64, value), generate


@kernel
def turn_samples(d, order, b, lines, stride):
    """Four samples from columns into lines."""
    for e in range(ZERO, U(order.shape[0]), FOUR):
        v0, v1 = get(d, order[e] + b), get(d, order[e + ONE] + b)
        v2, v3 = get(d, order[e + TWO] + b), get(d, order[e + TWO + ONE] + b)
        put_turned(lines, e, stride, v0, v1, v2, v3)


@kernel
def stream_line(out, start, size, lines, line, shift):
    """One line into memory; shift: how many numbers after a 32-byte boundary `out` begins."""
    head = min((FOUR - (start + shift) % FOUR) % FOUR, size)
    for e in range(head):
        stream(out, start + e, lines[line + e])
    whole = head + ((size - head) // FOUR) * FOUR
    for e in range(head, whole, FOUR):
        stream(out, start + e, get(lines, line + e))
    for e in range(whole, size):
        stream(out, start + e, lines[line + e])


if LANES == 1:

    @kernel
    def write_block(out, d, order, size, lines, shift, first, count):
        """One sample into the rows of `out`."""
        for e in range(size):
            out[first * size + e] = d[order[e]]

else:

    @kernel
    def write_block(out, d, order, size, lines, shift, first, count):
        """A block into the rows of `out`, sample by sample in memory."""
        stride = U(order.shape[0])
        for b in range(ZERO, count, STEP):
            turn_samples(d, order, b, lines, stride)
            for lane in range(min(STEP, count - b)):
                stream_line(out, (first + b + lane) * size, size, lines, lane * stride, shift)


@part
def rows_block(
    s, d, c, t, q, v, a, root, pairs, starts, own, folds, laws, mix_starts, mix_rows, mix_weights, effect, shape, entries, factors, load,
    first, count, fresh,
):  # fmt: skip
    """Inertial and drive columns of a block."""
    regressor_block(s, d, c, t, q, v, a, root, pairs, starts, own, folds, first, count, fresh)
    n = U(t.shape[0])
    temporary = (n + ONE) * SMALL + TAIL + n * STATE + UNITS
    drive_block(s, temporary, d, laws, mix_starts, mix_rows, mix_weights, effect, shape, entries, factors, load, first, count)


PROBLEM = (OUT1, OUT1, IN2, TABLE2, IN2, IN2, IN2, IN2, TABLE2, TABLE1, TABLE1, TABLE2)
DRIVES = (TABLE2, TABLE1, TABLE1, IN1, IN2, IN2, TABLE2, IN1, IN2)


@entry(*PROBLEM, *DRIVES, TABLE1, SIZE, OUT1, OUT1, SIZE, SIZE, SIZE)
def dense(
    s, d, c, t, q, v, a, root, pairs, starts, own, folds, laws, mix_starts, mix_rows, mix_weights, effect, shape, entries, factors, load,
    order, size, lines, out, shift, start, stop,
):  # fmt: skip
    """Dense regressor of samples start..stop into `out` (flat). order is filled up to a multiple of four, size is its true length."""
    for first in range(start, stop, L):
        count = min(L, stop - first)
        rows_block(
            s, d, c, t, q, v, a, root, pairs, starts, own, folds, laws, mix_starts, mix_rows, mix_weights, effect, shape, entries, factors,
            load, first, count, first == start,
        )
        write_block(out, d, order, size, lines, shift, first, count)
