"""Compiled kernels: the equations of motion, many samples at a time.

A block of LANES samples is worked on together. Every quantity of a body is a row of LANES numbers in one flat scratch array, and
the innermost loops take a register full of samples at a time. Everything is expressed in the
root frame about the root's origin (spatial vectors: angular and linear part), where composite inertias and wrenches simply add.

The package can be loaded a second time under another name with one lane (`bifilar.dynamics.workspace.kernels`): the same source
then compiles to kernels for one sample, for filters, controllers and integrators.

    lanes       the block size, how functions are compiled and cached
    layout      which row of the scratch array holds what
    motion      poses, joint screws, velocities and accelerations of every body
    body        inertia, momentum and wrench of every body about the root's origin
    vectors     numbers of several samples at once; sine and cosine
    torque      inverse dynamics and its products with vectors from either side
    matrices    mass matrix, Coriolis matrix, derivative by position
    forward     forward dynamics
    pull        how a weighted sum of regressor entries changes with the motion
    kinematics  poses and Jacobians as arrays
    regressor   what multiplies the inertial parameters
    drive       friction, offset and rotor columns
    write       from blocks to arrays in memory, products with the transposed matrix
    reduce      from blocks to triangular factors
"""
