"""Letters of the library in words of the command line: a keyword of a Python function helps nobody who types."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from bifilar.errors import BifilarError
from bifilar.report.remedies import typed_finding

__all__ = ["typed", "typed_finding", "typed_remedies", "with_way_out"]

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
    ("give validate=...", "--validate LOG"),
    ("or another stop", "or another --stop"),
    ("orientation='free', points without rotations", "without --held or quaternions"),
    ("(start=...)", "(--start)"),
    ("give slow motion to identify_gravity", "--moving, which takes all of the motion"),
    ("hold the arm in more poses", "hold the arm in more poses, or --moving, which takes all of the motion"),
    ("say which: frame=... of", "say which: --frame, one of"),
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


AS_THEY_ARE = ("walk",)  # commands that take logs without a word about their columns
CONVERTED = (
    "bifilar convert LOG right.csv --mapping log.toml, then name right.csv; 'bifilar check LOG --write-mapping log.toml'"
)
OPTIONS = re.compile(r"--(mapping|rate|unit|sign|by-position)\b")  # that say what columns are
ALL_JOINTS = ("calibrate", "gravity", "tare")  # and those that leave no joint out
LOCK = re.compile(r"--lock '?(?P<joint>[^\s,;']+)'?")


def with_way_out(letter: BifilarError, verb: str = "") -> BifilarError:
    """A letter that names no remedy gets the usual one; one that names options of other commands, what does the same.

    >>> with_way_out(BifilarError("the file is empty")).remedy
    'copy or record it again'
    >>> with_way_out(BifilarError("no rows"), "fit").remedy
    'bifilar fit --help'
    >>> with_way_out(BifilarError("is 0 throughout", remedy="leave it out: --lock elbow, or mend the sensor"), "gravity").remedy
    "leave it out: a fixed 'elbow' in the description, or mend the sensor"
    """
    if verb in AS_THEY_ARE and OPTIONS.search(letter.remedy):
        letter.remedy = f"{CONVERTED} writes one to fill in"
    if verb in ALL_JOINTS:
        letter.remedy = LOCK.sub(r"a fixed '\g<joint>' in the description", letter.remedy)
    if not letter.remedy:
        usual = next((instead for piece, instead in USUAL if piece in letter.what), "")
        letter.remedy = usual or (f"bifilar {verb} --help" if verb else "bifilar --help")
    return letter
