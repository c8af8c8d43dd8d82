"""Which row of a body's scratch holds what. A name is the offset of the first of its rows; X, Y, Z follow L apart.

The scratch array holds `BODY_ROWS` rows for every body (root first), then three rows (position, velocity, acceleration) for
every joint, then a few rows of temporaries.
"""

from .lanes import LANES, U


def _rows(first):
    return U(first * LANES)


R = _rows(0)  # 9: root_from_body rotation, row by row
P = _rows(9)  # 3: origin of the body in the root frame [m]
Z = _rows(12)  # 3: joint screw, angular part (axis, zero for prismatic), per unit of the coordinate
V0 = _rows(15)  # 3: joint screw, linear part at the root's origin
W = _rows(18)  # 3: angular velocity
V = _rows(21)  # 3: velocity of the body-fixed point at the root's origin
DZ = _rows(24)  # 3: rate of the joint screw, angular
DV0 = _rows(27)  # 3: rate of the joint screw, linear
DW = _rows(30)  # 3: angular acceleration
A = _rows(33)  # 3: spatial linear acceleration at the root's origin, gravity subtracted
SMALL_ROWS = 45  # a regressor needs only these and the next nine
LW = _rows(36)  # 3: angular velocity in the body frame
LD = _rows(39)  # 3: angular acceleration in the body frame
LA = _rows(42)  # 3: classical acceleration minus gravity of the body origin, in the body frame

M = _rows(36)  # 1: mass
H = _rows(37)  # 3: first moment about the root's origin
I = _rows(40)  # 6: rotational inertia about the root's origin: xx xy yy xz yz zz
PL = _rows(46)  # 3: linear momentum
PA = _rows(49)  # 3: angular momentum about the root's origin
S = _rows(52)  # 6: symmetric part of the body's Coriolis matrix: xx xy yy xz yz zz
F = _rows(58)  # 3: force
N = _rows(61)  # 3: moment about the root's origin
DDZ = _rows(64)  # 3: second rate of the joint screw with the parent held, angular
DDV0 = _rows(67)  # 3: and linear
X = _rows(70)  # 6: first free twist or wrench, angular then linear
Y = _rows(76)  # 6: second
T = _rows(82)  # 6: third
LARGE_ROWS = 88

SMALL = _rows(SMALL_ROWS)
LARGE = _rows(LARGE_ROWS)
STATE = _rows(3)  # rows per joint: position, velocity, acceleration
TEMPORARY_ROWS = 24

# columns of the constants table, one line per joint: see bifilar.dynamics.fast
C_FIXED, C_COS, C_SIN, C_ORIGIN, C_SLIDE, C_AXIS, C_RATIO, C_OFFSET = 0, 9, 18, 27, 30, 33, 36, 37
CONSTANTS = 38
# columns of the integer table
T_PARENT, T_PRISMATIC, T_COORDINATE = 0, 1, 2
