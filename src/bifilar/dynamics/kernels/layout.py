"""Which row of a body's scratch holds what. A name is the offset of its first row; the next rows follow L apart.

The scratch array holds `SMALL` or `LARGE` rows for every body (root first), then three rows (position, velocity, acceleration)
for every joint, then temporary rows. Six-vectors are angular part first.
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
DW = _rows(24)  # 3: angular acceleration
A = _rows(27)  # 3: spatial linear acceleration at the root's origin, gravity subtracted
DZ = _rows(30)  # 6: rate of the joint screw

# used by the regressor, which finishes a body before it places the next and lets the rows above 30 overlap the next body's
LW = _rows(36)  # 3: angular velocity in the body frame
LD = _rows(39)  # 3: angular acceleration in the body frame
LA = _rows(42)  # 3: classical acceleration minus gravity of the body origin, in the body frame
SMALL = _rows(30)
TAIL = _rows(15)  # what the last body needs beyond

# used by everything else; about the root's origin, in root axes, of one body or summed over what it carries
M = _rows(36)  # 1: mass
H = _rows(37)  # 3: first moment
I = _rows(40)  # 6: rotational inertia, xx xy yy xz yz zz
PA = _rows(46)  # 3: angular momentum
PL = _rows(49)  # 3: linear momentum
S = _rows(52)  # 6: symmetric part of the Coriolis matrix, xx xy yy xz yz zz
N = _rows(58)  # 3: moment
F = _rows(61)  # 3: force
DDZ = _rows(64)  # 6: second rate of the joint screw, the joint itself held
X = _rows(70)  # 6: free six-vectors
Y = _rows(76)
T = _rows(82)
LARGE = _rows(88)

STATE = _rows(3)  # rows per joint: position, velocity, acceleration
UNITS = _rows(36)  # after the states of a regressor: the six screws of the base rows, force first

# columns of the constants table, one line per joint: see bifilar.dynamics.plan.joint_constants
C_COS, C_SIN, C_ORIGIN, C_SLIDE, C_AXIS, C_RATIO, C_OFFSET = 9, 18, 27, 30, 33, 36, 37  # the fixed part comes first
# columns of the integer table
T_PARENT, T_PRISMATIC, T_COORDINATE = 0, 1, 2
