"""From blocks to arrays in memory.

A dense regressor is far larger than any cache and written once, so its numbers bypass the cache (non-temporal stores): the
memory is not read before it is overwritten. `segments` lists, for the flattened matrix of one sample, runs of entries that
lie in consecutive rows of the block, or runs of zeros.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .drive import drive_block
from .lanes import IN1, IN2, ONE, OUT1, SIZE, STEP, TABLE1, TABLE2, ZERO, L, U, entry, kernel, part
from .layout import SMALL, STATE
from .regressor import regressor_block
from .vectors import get, total

TILE = U(min(4, int(L)))
NOTHING = U(2**63)  # a segment of zeros


@intrinsic
def stream(typing, array, index, value):
    """array[index] = value, past the cache."""

    def generate(context, builder, signature, arguments):
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        word = ir.IntType(64)
        pointer = builder.bitcast(builder.gep(data, [arguments[1]]), word.as_pointer())
        store = builder.store(builder.bitcast(arguments[2], word), pointer, align=8)
        store.set_metadata("nontemporal", builder.module.add_metadata([ir.Constant(ir.IntType(32), 1)]))
        return context.get_dummy_value()

    return types.void(array, types.uint64, types.float64), generate


@kernel
def write_tile(out, start, size, d, row, length):
    """A few samples of one segment; four streams at a time fill whole cache lines."""
    for e in range(length):
        for b in range(TILE):
            stream(out, start + b * size + e, d[row + e * L + b])


@kernel
def write_zeros(out, start, size, length):
    """A few samples of a segment of zeros."""
    for b in range(TILE):
        for e in range(length):
            stream(out, start + b * size + e, 0.0)


@kernel
def write_block(out, d, segments, size, first, count):
    """A block into the rows of `out`, sample by sample in memory."""
    whole = (count // TILE) * TILE
    for b in range(ZERO, whole, TILE):
        start = (first + b) * size
        for k in range(U(segments.shape[0])):
            to, row, length = segments[k, 0], segments[k, 1], segments[k, 2]
            if row == NOTHING:
                write_zeros(out, start + to, size, length)
            else:
                write_tile(out, start + to, size, d, row + b, length)
    for b in range(whole, count):
        start = (first + b) * size
        for k in range(U(segments.shape[0])):
            to, row, length = segments[k, 0], segments[k, 1], segments[k, 2]
            for e in range(length):
                out[start + to + e] = 0.0 if row == NOTHING else d[row + e * L + b]


@part
def rows_block(
    s, d, c, t, q, v, a, root, joint_cells, base_cells, folds, joints, base, kinds, drive, effect, shape, entries, factors, load,
    first, count, fresh,
):  # fmt: skip
    """Inertial and drive columns of a block."""
    regressor_block(s, d, c, t, q, v, a, root, joint_cells, base_cells, folds, joints, base, first, count, fresh)
    n = U(t.shape[0])
    temporary = (n + ONE) * SMALL + n * STATE
    drive_block(s, temporary, d, kinds, drive, effect, shape, entries, factors, v, a, load, first, count)


PROBLEM = (OUT1, OUT1, IN2, TABLE2, IN2, IN2, IN2, IN2, TABLE2, TABLE2, TABLE2, types.boolean, types.boolean)
DRIVES = (TABLE1, IN2, IN2, IN2, TABLE2, IN1, IN2)


@entry(*PROBLEM, *DRIVES, TABLE2, SIZE, OUT1, SIZE, SIZE)
def dense(
    s, d, c, t, q, v, a, root, joint_cells, base_cells, folds, joints, base, kinds, drive, effect, shape, entries, factors, load,
    segments, size, out, start, stop,
):  # fmt: skip
    """Dense regressor of samples start..stop into `out` (flat)."""
    for first in range(start, stop, L):
        count = min(L, stop - first)
        rows_block(
            s, d, c, t, q, v, a, root, joint_cells, base_cells, folds, joints, base, kinds, drive, effect, shape, entries, factors,
            load, first, count, first == start,
        )
        write_block(out, d, segments, size, first, count)


@kernel
def load_weight(d, row, weight, column, first, count):
    """Weights of one row of the equations; absent samples have none."""
    for b in range(count):
        d[row + b] = weight[first + b, column]
    for b in range(count, L):
        d[row + b] = 0.0


@kernel
def add_products(d, terms, weights, out):
    """out[column] += weight . entry, over a block."""
    for k in range(U(terms.shape[0])):
        w, e = weights + terms[k, 0] * L, terms[k, 2]
        products = get(d, w) * get(d, e)
        for b in range(STEP, L, STEP):
            products = products + get(d, w + b) * get(d, e + b)
        out[terms[k, 1]] += total(products)


@entry(*PROBLEM, *DRIVES, TABLE2, IN2, OUT1, SIZE, SIZE)
def transposed_times(
    s, d, c, t, q, v, a, root, joint_cells, base_cells, folds, joints, base, kinds, drive, effect, shape, entries, factors, load,
    terms, weight, out, start, stop,
):  # fmt: skip
    """out += W' weight over samples start..stop. terms: row, column, block row of every entry."""
    rows = U(weight.shape[1])
    weights = U(d.shape[0]) - rows * L
    for first in range(start, stop, L):
        count = min(L, stop - first)
        rows_block(
            s, d, c, t, q, v, a, root, joint_cells, base_cells, folds, joints, base, kinds, drive, effect, shape, entries, factors,
            load, first, count, first == start,
        )
        for r in range(rows):
            load_weight(d, weights + r * L, weight, r, first, count)
        add_products(d, terms, weights, out)
