"""Options that several commands have, each declared once: its type, how it is shown, and what the help says of it.

A command's `Settings` inherits the groups it takes and states its own options beside them:

    HowSettings, MotionSettings    how logs are read; MotionSettings: by commands that need velocities and accelerations
    LogSettings, MovingLog         the same, with one log to be named
    JsonOutput, FileOutput, PagedOutput, PageOutput, RunOutput     what is written, each with the options of those before it

Options that belong to no group are types: `lock: HeldJoints = ()`. What a registry lists (formats of files, estimators) is
asked when the command runs (`Now`), so that a format or an estimator that was added is there as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, make_dataclass
from inspect import get_annotations
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from tyro.conf import Positional, arg

from bifilar.estimate.methods import typed
from bifilar.experiment.files import SAMPLED
from bifilar.readers import formats, joined
from bifilar.recording.recipes import Kinematics
from bifilar.recording.store import FORMS

Some = TypeVar("Some")
QUIET: dict[str, Any] = {"help_behavior_hint": ""}  # a default that needs no word


@dataclass(frozen=True)
class Now:
    """Stands in an annotation in place of tyro's `arg`: help and choices are asked for when the command runs.

    >>> Now(lambda: "a file", metavar="FILE").help()
    'a file'
    """

    help: Callable[[], str]
    choices: Callable[[], Sequence[str]] | None = None
    metavar: str | None = None
    hint: str | None = None  # in brackets behind the help

    def marks(self) -> Any:
        """What tyro takes.

        >>> Now(lambda: "a file", metavar="FILE").marks().metavar
        'FILE'
        """
        return arg(metavar=self.metavar, help=self.help(), help_behavior_hint=self.hint)


def robot_files(more: str = "or a built-in name") -> str:
    """What may stand for a robot.

    >>> robot_files()
    '.urdf, .xml or .mjcf, .toml (DH table), or a built-in name'
    """
    return ", ".join([*formats("robot"), more])


def log_files() -> str:
    """What may stand for a log.

    >>> log_files().startswith("text (.csv, .txt, .dat, also .gz), .h5, ")
    True
    """
    return ", ".join([*formats("recording"), "or a public set: NAME or NAME:RUN"])


def method_words() -> str:
    """What the estimators of `fit` estimate.

    >>> method_words()
    'consistent: physically consistent inertial parameters; least-squares: base parameters by least squares'
    """
    return "; ".join(f"{word}: {each.about}" if each.about else word for word, each in typed().items())


# what is named first
RobotFile = Annotated[Positional[str], Now(robot_files, metavar="ROBOT")]
RobotOrRun = Annotated[
    Positional[str],
    Now(lambda: robot_files("a built-in name, or a run's folder: the robot that it identified"), metavar="ROBOT|RUN"),
]
LoggedRobot = Annotated[
    str | None,
    Now(
        lambda: f"that was logged: {robot_files()}; gives order and orientation of joints, and torques to compare",
        None,
        "ROBOT",
        "",
    ),
]
RunFolder = Annotated[Positional[str], arg(metavar="RUN", help="folder that 'bifilar fit' wrote")]
Logs = Annotated[
    Positional[tuple[str, ...]], arg(metavar="LOG ...", help="files, see 'bifilar check --help'; or public sets", **QUIET)
]

RECORDED = joined(tuple(FORMS))
MotionFile = Annotated[
    Positional[str], arg(metavar="MOTION", help=f"{joined(SAMPLED)} with the joints' names, as 'design' writes it")
]

# the machine
HeldJoints = Annotated[
    tuple[str, ...],
    arg(metavar="JOINT ...", help="joints held at 0, or nearest to it; patterns such as 'finger*' too", **QUIET),
]
HeldInLog = Annotated[
    tuple[str, ...],
    arg(
        metavar="JOINT[=AT] ...",
        help="joints that stood still, held where the log has them; joint2=-0.5 says where, in rad or m",
        **QUIET,
    ),
]
LimitsFile = Annotated[str | None, arg(metavar="FILE", help=".toml with limits the robot's file lacks", **QUIET)]
LargestLimit = Annotated[float | None, arg(metavar="X", **QUIET)]
MeshFolder = Annotated[str | None, arg(metavar="FOLDER", help="below which the links' meshes are", **QUIET)]
Payload = Annotated[str | None, arg(metavar="LINK=KG[:X,Y,Z]", help="that a link holds, and no model knows of", **QUIET)]
LoadLink = Annotated[str | None, arg(metavar="LINK", help="that carries the load or the sensor; the last if left out", **QUIET)]
Gains = Annotated[
    tuple[float, ...],
    arg(
        metavar="NM/A ...",
        help="gains that the logs' torque was made with, one per joint; results are shown with them",
        **QUIET,
    ),
]

# the fit
MethodWord = Annotated[str, Now(method_words, lambda: tuple(typed()))]
METHOD = next(iter(typed()))
TestLogs = Annotated[
    tuple[str, ...],
    arg(
        metavar="LOG ...",
        help="held-out logs to evaluate on, never fitted; 'none': evaluate on nothing",
        help_behavior_hint="(default: the last 30 %)",
    ),
]
Cutoff = Annotated[float | None, arg(metavar="HZ", help="of the filter", help_behavior_hint="(default: from the log)")]
ScoreCutoff = Annotated[
    float | None,
    arg(
        metavar="HZ",
        help="score the test logs at this filter too, every sample: a figure to compare with others', whatever the fit used",
        **QUIET,
    ),
]
Anyway = Annotated[bool, arg(help="go on although checks found errors in a log", **QUIET)]
Seed = Annotated[int, arg(metavar="N", help="of everything random: the same seed gives the same result")]
Full = Annotated[bool, arg(help="every finding, equation and column", **QUIET)]


def written(metavar: str, hint: str | None = "", help: str | None = None) -> Any:
    """`-o`, for a file, a page or a folder.

    >>> written("FILE", "(default: track.csv)").aliases
    ('-o',)
    """
    return arg(metavar=metavar, aliases=["-o"], help_behavior_hint=hint, help=help)


@dataclass(frozen=True, kw_only=True)
class JsonOutput:
    """Commands that only tell.

    >>> JsonOutput().json
    False
    """

    json: Annotated[bool, arg(**QUIET)] = False  # one JSON object instead of text


@dataclass(frozen=True, kw_only=True)
class FileOutput(JsonOutput):
    """Commands that write files.

    >>> FileOutput(force=True).json
    False
    """

    force: Annotated[bool, arg(**QUIET)] = False  # replace what exists: files, a page, the folder of an earlier run


@dataclass(frozen=True, kw_only=True)
class PagedOutput(FileOutput):
    """Commands that write a page beside their result.

    >>> PagedOutput(no_page=True).force
    False
    """

    no_page: Annotated[bool, arg(**QUIET)] = False  # no HTML page


@dataclass(frozen=True, kw_only=True)
class PageOutput(FileOutput):
    """Commands that write a page if one is named.

    >>> PageOutput().output is None
    True
    """

    output: Annotated[str | None, written("PAGE")] = None  # .html with drawings and numbers


@dataclass(frozen=True, kw_only=True)
class RunOutput(PagedOutput):
    """Commands that write the folder of a run.

    >>> RunOutput(output="runs/arm").no_page
    False
    """

    output: Annotated[str | None, written("FOLDER", "(default: runs/ROBOT-001)")] = None


@dataclass(frozen=True, kw_only=True)
class GivenLimits:
    """Commands that move a machine: limits that its file lacks, by joint in a file or for all joints at once.

    >>> GivenLimits(max_velocity=1.5).largest
    {'velocity': 1.5}
    """

    limits: LimitsFile = None
    max_velocity: LargestLimit = None  # of every joint [rad/s, m/s]: where none is known, or a larger one is stated
    max_acceleration: LargestLimit = None  # of every joint [rad/s^2, m/s^2]
    max_effort: LargestLimit = None  # of every joint [N m, N]

    @property
    def largest(self) -> dict[str, float]:
        """Limits of all joints, by name."""
        given = {"velocity": self.max_velocity, "acceleration": self.max_acceleration, "effort": self.max_effort}
        return {name: value for name, value in given.items() if value is not None}

    @property
    def limit_words(self) -> list[str]:
        """The same as options, for commands that are offered."""
        file = [] if self.limits is None else ["--limits", self.limits]
        return file + [word for name, value in self.largest.items() for word in (f"--max-{name}", f"{value:g}")]


@dataclass(frozen=True, kw_only=True)
class HowSettings:
    """How logs are to be read, whichever they are.

    >>> HowSettings(unit=("position=deg",)).rate is None
    True
    """

    mapping: Annotated[str | None, arg(metavar="FILE", **QUIET)] = None  # .toml: what the columns are
    sign: Annotated[tuple[str, ...], arg(metavar="JOINT=-1 ...", **QUIET)] = ()
    """joints whose torque sign is flipped; '*=-1': all"""
    unit: Annotated[tuple[str, ...], arg(metavar="CHANNEL=UNIT ...", **QUIET)] = ()  # such as position=deg
    rename: Annotated[tuple[str, ...], arg(metavar="OLD=NEW ...", **QUIET)] = ()
    """joints that the log calls otherwise than the robot's file, as a bag may"""
    gain: Annotated[tuple[str, ...], arg(metavar="JOINT=NM/A ...", **QUIET)] = ()
    """what torque is multiplied by, as 'calibrate' finds it; currents, if the log holds no torque"""
    rate: Annotated[float | None, arg(metavar="HZ", **QUIET)] = None  # sampling rate if the log has no timestamps
    by_position: Annotated[bool, arg(**QUIET)] = False
    """columns that number the joints (q1, q2, ...) belong to the robot's joints in their order, whatever their names"""
    log_delay: Annotated[float | Literal["auto"], arg(metavar="auto|SECONDS", help_behavior_hint="(default: auto)")] = "auto"
    """by which the torque was logged late (negative: early); it is moved. auto: a fit compensates what it clearly finds"""


@dataclass(frozen=True, kw_only=True)
class MotionSettings(HowSettings):
    """How logs of motion are to be read.

    >>> MotionSettings(kinematics="logged").log_delay
    'auto'
    """

    kinematics: Kinematics = "auto"
    """velocities and accelerations: as logged, derived from positions, or auto, which of them a fit clearly finds better;
    logged also takes rows in no order of time, or without a clock"""


@dataclass(frozen=True, kw_only=True)
class LogSettings(HowSettings):
    """What `check` and `convert` are told about a log.

    >>> LogSettings(log="run.csv").rate is None
    True
    """

    log: Annotated[Positional[str], Now(log_files, metavar="LOG")]
    run: Annotated[str | None, arg(metavar="NAME", **QUIET)] = None  # what {run} of a mapping stands for


@dataclass(frozen=True, kw_only=True)
class MovingLog(LogSettings, MotionSettings):
    """What a command that needs velocities and accelerations is told about a log.

    >>> MovingLog(log="run.csv", kinematics="logged").rate is None
    True
    """


def is_positional(hint: Any) -> bool:
    """Whether an annotation is that of a word without a dash.

    >>> is_positional(RobotFile), is_positional(Cutoff)
    (True, False)
    """
    marker = get_args(Positional[int])[1]
    return any(mark is marker for mark in getattr(hint, "__metadata__", ()))


def resolved(settings: type) -> type:
    """The same settings with help and choices as they are now, the command's own options before those of its groups.

    >>> from bifilar.cli.fit import Settings
    >>> get_type_hints(resolved(Settings))["method"]
    typing.Literal['consistent', 'least-squares']
    """
    hints = get_type_hints(settings, include_extras=True)
    known = {each.name: each for each in fields(settings)}
    live = {name: _now(hints[name]) for name in known}
    changed = [
        (name, live[name], field(default=each.default, default_factory=each.default_factory))  # type: ignore[call-overload]
        for name, each in known.items()
        if live[name] is not hints[name]
    ]
    about = {"__doc__": settings.__doc__, "__module__": settings.__module__}
    made: Any = make_dataclass(settings.__name__, changed, bases=(settings,), namespace=about, frozen=True, kw_only=True)
    order = [next(k for k, c in enumerate(settings.__mro__) if name in get_annotations(c)) for name in known]
    ranks = {name: -1 if is_positional(hints[name]) else rank for name, rank in zip(known, order, strict=True)}
    every = made.__dataclass_fields__
    made.__dataclass_fields__ = {name: every[name] for name in sorted(known, key=ranks.__getitem__)}
    return made  # type: ignore[no-any-return]


def as_stated(settings: type[Some], found: Any) -> Some:
    """Settings of `resolved`, as the command states them.

    >>> as_stated(JsonOutput, resolved(JsonOutput)(json=True))
    JsonOutput(json=True)
    """
    return settings(**{each.name: getattr(found, each.name) for each in fields(settings)})  # type: ignore[arg-type]


def _now(hint: Any) -> Any:
    marks = getattr(hint, "__metadata__", ())
    now = next((mark for mark in marks if isinstance(mark, Now)), None)
    if now is None:
        return hint
    kind: Any = hint.__origin__ if now.choices is None else Literal[tuple(now.choices())]
    kind = tuple[kind, ...] if now.choices is not None and get_origin(hint.__origin__) is tuple else kind
    return Annotated[(kind, *(now.marks() if mark is now else mark for mark in marks))]
