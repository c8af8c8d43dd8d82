"""Letters of the library in words of the command line: a keyword of a Python function helps nobody who types."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from bifilar.errors import BifilarError

LIMITS = "--limits FILE ('bifilar design ROBOT --write-limits limits.toml' writes one to fill in)"
WHOLE = (  # a piece of the remedy, the remedy that takes its place
    ("Sensors(torque_unit", f"give effort limits by {LIMITS}, or --noise none"),
    ("own=[bf.Capsule", "give the links <collision> shapes in the description; --above and --within need none"),
    ("mesh_folder=", "--mesh-folder FOLDER, below which they are"),
    ("skip_missing", "convert it to STL, or give the link a simpler <collision> shape in the description"),
    ("base_parameters(robot)", "names are listed by 'bifilar inspect ROBOT --full'; patterns such as '*.viscous' or 'link7.*'"),
    ("noise=...", "--noise in N m, one number or one for each joint"),
    ("bf.write_limits", LIMITS),
    ("robot.with_limits", f"give effort limits by {LIMITS}"),
    ("robot.locked({", "--lock holds joints that stay still"),
    ("robot.renamed", "rename the columns of the motion, or the joints of the description"),
    ("bandwidth=", "check masses and limits of the description by 'bifilar inspect', or a slower motion"),
    ("(slip=", "less Coulomb friction, or a rotor inertia: --friction joint3.coulomb=0.1 joint3.rotor=0.01"),
    ("floating=False", "a robot that stands on a fixed base"),
    ("give the robot others", "keep it inside its limits, or give others by --limits"),
)
PIECES = (  # of a remedy that is right otherwise
    ("only=[...] for", "--only for"),
    ("take off margins", "a smaller --margin or --clearance"),
    ("a smaller margin", "a smaller --margin"),
    ("robot.locked(...)", "--lock"),
    ("another start pose", "another --start"),
)
TOUCH = '; links that always touch are left out by ignore = [["link5", "hand"]] below [collision] in the --limits file'


def typed(remedy: str, what: str = "") -> str:
    """A remedy as it is typed.

    >>> typed("give noise=... in N m, one number or one per joint")
    '--noise in N m, one number or one for each joint'
    """
    for piece, instead in WHOLE:
        if piece in remedy:
            return instead
    if "robot.locked(['" in remedy:
        return f"--lock {remedy.split(chr(39))[1]}, or other limits by --limits"
    if not remedy and "is empty along" in what:
        return "a wider box, or a smaller --clearance"
    for piece, instead in PIECES:
        remedy = remedy.replace(piece, instead)
    return remedy + TOUCH if "distance of" in what else remedy


EITHER = "     or     "  # between the words of Python and those of the command line, in findings about logs
FOUND = (  # a piece of a finding's remedy, what is typed
    ("robot.with_inertia({link", "take it out of the description, or set its mass and inertia to zero there"),
    ("otherwise robot.locked({", "nothing if they stood still at zero; otherwise --lock NAME=POSITION"),
    ("sign=dict.fromkeys(", "--sign JOINT=-1 for every joint, or sign = -1 for torque in the mapping"),
    ("robot.with_gravity(", "turn the base in the description: a robot that hangs has its first joint upside down"),
    ("bf.VirtualRobot", "do not conclude from it about a machine; 'bifilar simulate' makes one with the noise of sensors"),
    ("robot.with_limits({...}) if the", "other limits in the description if the machine is faster; else compare unit and gear"),
)


def typed_finding(remedy: str) -> str:
    """The remedy of a finding about a log, as it is typed.

    >>> typed_finding("Recording.load(..., unit={'position': 'deg'})     or     --unit position=deg")
    '--unit position=deg'
    >>> typed_finding("move it too, or identify without it: robot.locked(['elbow'])")
    'move it too, or identify without it: --lock elbow'
    """
    for piece, instead in FOUND:
        if piece in remedy:
            return instead
    python, either, typed_words = remedy.partition(EITHER)
    if either:
        _, about, factor = python.partition("), about ")
        return f"{typed_words}, about {factor}" if about else typed_words
    before, lock, rest = remedy.partition("robot.locked(['")
    remedy = f"{before}--lock {rest.removesuffix(chr(39) + '])')}" if lock else remedy
    return remedy.replace("(bf.design)", "('bifilar design')").replace(
        ", or robot.with_limits({...})", ", or in the description"
    )


@contextmanager
def typed_remedies() -> Iterator[None]:
    """Letters that pass have remedies that can be typed.

    >>> with typed_remedies():
    ...     raise BifilarError("no noise", remedy="give noise=... in N m")
    Traceback (most recent call last):
    ...
    bifilar.errors.BifilarError: no noise
      try     --noise in N m, one number or one for each joint
    """
    try:
        yield
    except BifilarError as error:
        error.what = error.what.replace("mesh_folder is", "--mesh-folder is")
        error.remedy = typed(error.remedy, error.what)
        raise


USUAL = (  # a piece of what is wrong, what usually helps
    ("No such file", "check the path"),
    ("no such file", "check the path"),
    ("Permission denied", "ask for the right to read it, or copy it to where you have it"),
    ("symbolic links", "it is a link that leads to itself: name the file it should lead to"),
    ("Is a directory", "name a file, not a folder"),
    ("is a folder", "name a file, not a folder"),
    ("file is empty", "copy or record it again"),
    ("has no moving joint", "name one of these; a pattern such as '*finger*' stands for several"),
    ("not text", "name a text file; this one is a picture, an archive or the like"),
)


def with_way_out(letter: BifilarError, verb: str = "") -> BifilarError:
    """A letter that names no remedy gets the usual one.

    >>> with_way_out(BifilarError("the file is empty")).remedy
    'copy or record it again'
    >>> with_way_out(BifilarError("no rows"), "fit").remedy
    'bifilar fit --help'
    """
    if not letter.remedy:
        usual = next((instead for piece, instead in USUAL if piece in letter.what), "")
        letter.remedy = usual or (f"bifilar {verb} --help" if verb else "bifilar --help")
    return letter
