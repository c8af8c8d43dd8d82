"""Compiled kernels: the equations of motion, many samples at a time.

A block of LANES samples is worked on together. Every quantity of a body is a row of LANES numbers in one flat scratch array,
so the innermost loops run over samples with constant strides and become vector instructions. Everything is expressed in the
root frame about the root's origin (spatial vectors: angular and linear part), where composite inertias and wrenches simply add.

The package can be loaded a second time under another name with one lane (`bifilar.dynamics.fast.kernels(lanes)`): the same source
then compiles to kernels for one sample, for filters, controllers and integrators.

    lanes       the block size, how functions are compiled and cached, sine and cosine
    layout      which row of the scratch array holds what
    motion      poses, joint screws, velocities and accelerations of every body
    body        inertia, momentum and wrench of every body about the root's origin
    torque      inverse dynamics and its products with vectors from either side
    matrices    mass matrix, Coriolis matrix, derivative by position, forward dynamics
    regressor   what multiplies the inertial parameters
    drive       friction, offset and rotor columns
    write       from blocks to arrays in memory
"""
