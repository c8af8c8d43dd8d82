"""How a format carries the friction of a robot: as data, as a comment in the file, as the robot that the file states.

    URDF, SDF   damping and friction of a joint; readers apply friction with a hard sign of speed
    MJCF        damping, armature and frictionloss, of which MuJoCo makes a dry friction constraint: it holds at rest, too
    C, NumPy    every term as it is, smooth signs included
    JSON, YAML  terms with their settings
    CSV         coefficients; settings of the terms are left out

The smooth sign of the model is s(v) = v / sqrt(v^2 + width^2). Its width has no place in URDF, SDF and MJCF.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Literal

from bifilar.export.formats import CODE, Format
from bifilar.robot.friction import Friction, Term, word_of
from bifilar.robot.friction_data import friction_data
from bifilar.robot.friction_text import term_text
from bifilar.robot.model import Model
from bifilar.robot.robot import Robot

How = Literal["exact", "hard sign", "dry friction constraint", "coefficients only", "lost"]
SIGNS: dict[str, How] = {"URDF": "hard sign", "SDF": "hard sign", "MJCF": "dry friction constraint"}
SIGN = "s(v) = v / sqrt(v^2 + width^2), the sign of v where the width is 0"
HEAD = "bifilar, friction of the model:"
EARLIER = re.compile(rb"[ \t]*<!-- " + HEAD.encode() + rb".*?-->\r?\n?", re.DOTALL)
CLOSING = {"URDF": b"</robot>", "MJCF": b"</mujoco>", "SDF": b"</model>"}


def carried_columns(robot: Robot, format: Format) -> list[int]:
    """Places of the drive columns that the format's joints can state.

    >>> robot = bf.Robot.load("pendulum").with_friction(bf.Offset() + bf.Viscous())
    >>> carried_columns(robot, "URDF")
    [1]
    """
    joints, columns = set(robot.joint_names), robot.drive_columns
    return [
        k
        for k, (name, law) in enumerate(zip(columns.names, columns.columns.laws))
        if format in law.places and name.rpartition(".")[2] == law.word and name.rpartition(".")[0] in joints
    ]


def friction_carried(robot: Model, format: Format) -> tuple[dict[str, Any], ...]:
    """Every friction term with where a format puts it and how it is meant there; joints that differ stand apart.

    >>> robot = bf.Robot.load("pendulum").with_friction(bf.Coulomb(width=0.1) + bf.Offset(), {"joint1.coulomb": 1.0})
    >>> [(one["term"], one["as"], one["how"]) for one in friction_carried(robot, "URDF")]
    [('coulomb', 'friction', 'hard sign'), ('offset', None, 'lost')]
    >>> [one["how"] for one in friction_carried(robot, "C")]
    ['exact', 'exact']
    """
    found = []
    for term in robot.friction:
        groups: dict[tuple[str | None, How], list[str]] = {}
        for place in robot.joint_names if term.at is None else term.at:
            groups.setdefault(_how(term, place, robot, format), []).append(place)
        settings = {name: value for name, value in friction_data(Friction((term,)))[0].items() if name not in ("term", "at")}
        found += [
            {"term": word_of(type(term)), "joints": places, "settings": settings, "as": name, "how": how}
            for (name, how), places in groups.items()
        ]
    return tuple(found)


def as_stated(robot: Robot, format: Format) -> Robot:
    """The robot as a reader of the file has it: terms without a place are zero, signs are hard.

    >>> robot = bf.Robot.load("pendulum").with_friction(bf.Coulomb(width=0.1) + bf.Offset())
    >>> robot = robot.with_parameters({"joint1.coulomb": 1.0, "joint1.offset": 0.3})
    >>> stated = as_stated(robot, "URDF")
    >>> stated.friction.terms[0].width, stated.drive_values
    (0.0, array([1., 0.]))
    """
    here = set(carried_columns(robot, format))
    gone = [name for k, name in enumerate(robot.drive_columns.names) if k not in here]
    hard = tuple(replace(t, width=0.0) if t.law.sign and format in t.law.places else t for t in robot.friction)  # type: ignore[call-arg]
    values = dict(zip(robot.drive_columns.names, robot.drive_values.tolist())) | dict.fromkeys(gone, 0.0)
    return robot.with_friction(Friction(hard), values)


def smooth_widths(robot: Robot, format: Format) -> dict[float, list[str]]:
    """Joints whose Coulomb friction a format carries without its smooth sign, by their width [rad/s] or [m/s].

    >>> robot = bf.Robot.load("pendulum").with_friction(bf.Coulomb(width=0.1), {"joint1.coulomb": 1.0})
    >>> smooth_widths(robot, "MJCF")
    {0.1: ['joint1']}
    """
    columns, found = robot.drive_columns, dict[float, list[str]]()
    for k in carried_columns(robot, format):
        if columns.columns.width[k] and robot.drive_values[k]:
            found.setdefault(float(columns.columns.width[k]), []).append(columns.names[k].rpartition(".")[0])
    return dict(sorted(found.items()))


def formulas(model: Model) -> tuple[str, ...]:
    """Lines for generated code, which carries every term as it is; none where there is no friction.

    >>> formulas(bf.Robot.load("pendulum").with_friction(bf.Coulomb(width=0.1)))
    ('Friction, every term as in the model, with s(v) = v / sqrt(v^2 + width^2), ...:', '  coulomb:width=0.1  s(v)')
    """
    texts = [term_text(term) for term in model.friction]
    if not texts:
        return ()
    width = max(map(len, texts))
    lines = (f"  {text:<{width}}  {term.law.formula}" for text, term in zip(texts, model.friction))
    return f"Friction, every term as in the model, with {SIGN}:", *lines


def commented(data: bytes, said: Iterable[str], format: Format) -> bytes:
    """A file with a comment at its end about friction that it does not carry as the model has it; an earlier one is replaced.

    >>> print(commented(b"<robot>\\n</robot>\\n", ["URDF cannot state torque offset: joint1 0.3 N m"], "URDF").decode())
    <robot>
      <!-- bifilar, friction of the model:
           URDF cannot state torque offset: joint1 0.3 N m
      -->
    </robot>
    <BLANKLINE>
    """
    if format not in CLOSING:
        return data
    bare = EARLIER.sub(b"", data)
    end, sentences = bare.rfind(CLOSING[format]), tuple(said)
    if end < 0 or not sentences:
        return bare
    line = bare.rfind(b"\n", 0, end) + 1
    at = line if not bare[line:end].strip() else end
    ending = "\r\n" if b"\r\n" in bare else "\n"
    lines = ["" if at == line else ending, f"  <!-- {HEAD}", *(f"       {_in_comment(one)}" for one in sentences), "  -->"]
    text = lines[0] + ending.join(lines[1:]) + ending
    return bare[:at] + text.encode("ascii", "xmlcharrefreplace") + bare[at:]


def _in_comment(text: str) -> str:
    """XML ends a comment at two hyphens; names may have them."""
    return re.sub("-(?=-)|-$", "- ", text.replace("\n", " "))


def _how(term: Term, place: str, robot: Model, format: Format) -> tuple[str | None, How]:
    if format in CODE or format in ("JSON", "YAML"):
        return None, "exact"
    if format == "CSV":
        settings = set(friction_data(Friction((term,)))[0]) - {"term", "at", "asymmetric"}
        return None, "coefficients only" if settings else "exact"
    name = term.law.places.get(format)
    if name is None or term.asymmetric or term.driven_by or place not in robot.joint_names:
        return None, "lost"
    return name, SIGNS[format] if getattr(term, "width", 0.0) else "exact"


def sign_sentences(robot: Robot, format: Format) -> Iterator[str]:
    """What becomes of smooth signs in a format that states the size of Coulomb friction only.

    >>> robot = bf.Robot.load("pendulum").with_friction(bf.Coulomb(width=0.1), {"joint1.coulomb": 1.0})
    >>> print(*sign_sentences(robot, "MJCF"))
    MJCF states the size of Coulomb friction, of which MuJoCo makes a dry friction constraint; ... (width 0.1: joint1)
    """
    widths = smooth_widths(robot, format)
    if widths:
        means = {
            "hard sign": ", and its readers apply it with a hard sign",
            "dry friction constraint": ", of which MuJoCo makes a dry friction constraint",
        }[SIGNS[format]]
        said = "; ".join(f"width {width:g}: {', '.join(names)}" for width, names in widths.items())
        yield (
            f"{format} states the size of Coulomb friction{means}; the model's smooth sign "
            f"v / sqrt(v^2 + width^2) is lost ({said})"
        )
