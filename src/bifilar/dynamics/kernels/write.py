"""From blocks to arrays in memory, and products with the transposed matrix, which need none.

A dense regressor is far larger than any cache and written once, so its numbers bypass the cache (non-temporal stores): memory is
not read before it is overwritten. `order` names, for every entry of one sample's flattened matrix, the block row that holds it;
row 0 holds zeros. Two neighbours of four samples are turned in registers into four pairs of sixteen bytes.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .drive import drive_block
from .lanes import IN1, IN2, ONE, OUT1, SIZE, STEP, TABLE1, TABLE2, TWO, WIDTH, ZERO, L, U, entry, kernel, part
from .layout import SMALL, STATE, UNITS
from .regressor import regressor_block
from .vectors import VECTOR, get, total


def _past_cache(context, builder, array_type, array, index, value, align):
    data = context.make_array(array_type)(context, builder, array).data
    pointer = builder.bitcast(builder.gep(data, [index]), value.type.as_pointer())
    store = builder.store(value, pointer, align=align)
    store.set_metadata("nontemporal", builder.module.add_metadata([ir.Constant(ir.IntType(32), 1)]))


def _later(builder, index, size, lane):
    return builder.add(index, builder.mul(size, ir.Constant(ir.IntType(64), lane)))


@intrinsic
def stream(typing, array, index, size, values):
    """array[index + lane size] = values[lane], past the cache."""

    def generate(context, builder, sig, arguments):
        array, index, size, values = arguments
        for lane in range(WIDTH):
            one = values if WIDTH == 1 else builder.extract_element(values, ir.Constant(ir.IntType(32), lane))
            word = builder.bitcast(one, ir.IntType(64))
            _past_cache(context, builder, sig.args[0], array, _later(builder, index, size, lane), word, 8)
        return context.get_dummy_value()

    return types.void(array, types.uint64, types.uint64, VECTOR), generate


@intrinsic
def stream_pairs(typing, array, index, size, left, right):
    """array[index + lane size] and its neighbour = left[lane], right[lane]; sixteen aligned bytes at a time, past the cache."""

    def generate(context, builder, sig, arguments):
        array, index, size, left, right = arguments
        for lane in range(WIDTH):
            if WIDTH == 1:
                pair = ir.Constant(ir.VectorType(ir.DoubleType(), 2), ir.Undefined)
                pair = builder.insert_element(pair, left, ir.Constant(ir.IntType(32), 0))
                pair = builder.insert_element(pair, right, ir.Constant(ir.IntType(32), 1))
            else:
                both = ir.Constant(ir.VectorType(ir.IntType(32), 2), [lane, WIDTH + lane])
                pair = builder.shuffle_vector(left, right, both)
            _past_cache(context, builder, sig.args[0], array, _later(builder, index, size, lane), pair, 16)
        return context.get_dummy_value()

    return types.void(array, types.uint64, types.uint64, VECTOR, VECTOR), generate


@kernel
def write_block(out, d, order, first, count, in_pairs):
    """A block into the rows of `out`, sample by sample in memory."""
    size = U(order.shape[0])
    whole = (count // STEP) * STEP
    for b in range(ZERO, whole, STEP):
        start = (first + b) * size
        if in_pairs:
            for e in range(ZERO, size, TWO):
                stream_pairs(out, start + e, size, get(d, order[e] + b), get(d, order[e + ONE] + b))
        else:
            for e in range(size):
                stream(out, start + e, size, get(d, order[e] + b))
    for b in range(whole, count):
        for e in range(size):
            out[(first + b) * size + e] = d[order[e] + b]


@part
def rows_block(
    s, d, c, t, q, v, a, root, pairs, starts, own, folds, kinds, drive, effect, shape, entries, factors, load,
    first, count, fresh,
):  # fmt: skip
    """Inertial and drive columns of a block."""
    regressor_block(s, d, c, t, q, v, a, root, pairs, starts, own, folds, first, count, fresh)
    n = U(t.shape[0])
    temporary = (n + ONE) * SMALL + n * STATE + UNITS
    drive_block(s, temporary, d, kinds, drive, effect, shape, entries, factors, v, a, load, first, count)


PROBLEM = (OUT1, OUT1, IN2, TABLE2, IN2, IN2, IN2, IN2, TABLE2, TABLE1, TABLE1, TABLE2)
DRIVES = (TABLE1, IN2, IN2, IN2, TABLE2, IN1, IN2)


@entry(*PROBLEM, *DRIVES, TABLE1, OUT1, types.boolean, SIZE, SIZE)
def dense(
    s, d, c, t, q, v, a, root, pairs, starts, own, folds, kinds, drive, effect, shape, entries, factors, load,
    order, out, in_pairs, start, stop,
):  # fmt: skip
    """Dense regressor of samples start..stop into `out` (flat). in_pairs: its start is aligned to 16 bytes, its rows are even."""
    for first in range(start, stop, L):
        count = min(L, stop - first)
        rows_block(
            s, d, c, t, q, v, a, root, pairs, starts, own, folds, kinds, drive, effect, shape, entries, factors,
            load, first, count, first == start,
        )
        write_block(out, d, order, first, count, in_pairs)


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
    s, d, c, t, q, v, a, root, pairs, starts, own, folds, kinds, drive, effect, shape, entries, factors, load,
    terms, weight, out, start, stop,
):  # fmt: skip
    """out += W' weight over samples start..stop. terms: row, column, block row of every entry."""
    rows = U(weight.shape[1])
    weights = U(d.shape[0]) - rows * L
    for first in range(start, stop, L):
        count = min(L, stop - first)
        rows_block(
            s, d, c, t, q, v, a, root, pairs, starts, own, folds, kinds, drive, effect, shape, entries, factors,
            load, first, count, first == start,
        )
        for r in range(rows):
            load_weight(d, weights + r * L, weight, r, first, count)
        add_products(d, terms, weights, out)
