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
sensors        encoders, gyroscopes, accelerometers, distance meters, switches
hybrid_filter  Kalman filters through touchdowns
"""
