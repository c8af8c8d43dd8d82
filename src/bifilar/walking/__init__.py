"""Machines with impacts: planar walkers, their touchdowns, gaits, sensors, and filters that follow them through it all.

reroot         the same tree, held somewhere else
builtin        walkers made of segments: a leg, three links, five, any number
walker         a Robot with feet: pinned at one, or free; what its coordinates may be
coordinates    sets of angles as maps onto the angles of the links
planar         pinned dynamics as constants and sines of differences; compiled, with exact derivatives
grouping       the parameters that act, as the thesis groups them, and their regressor
impact         touchdown: velocities after it, impulses, checks, its derivative
hybrid         swing phases and touchdowns one after the other, a controller in the loop
gait           virtual constraints, a law that reaches them in finite time, periodic steps
demonstration  walks to learn from, machines unlike their description
walk_log       a walk as a Recording; stretches cuts it at its touchdowns, walk_fit identifies the walker from them
walk_track     a filter over the recording of a walk
sensor_file    which sensors a walker carries, as TOML
sensors        encoders, gyroscopes, accelerometers, distance meters, switches
saltation      how errors pass a touchdown whose instant depends on the state
hybrid_maps    what a filter follows: torso, encoders, rates, slope; flow, touchdown, readings with derivatives
hybrid_filter  Kalman filters through touchdowns
detector       who tells a touchdown: switch, gyroscope, accelerometer
closed_loop    a walker whose controller sees only the filter's belief; fused_loop is the same, compiled
"""
