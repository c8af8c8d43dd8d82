"""Which columns an analysis of base parameters is about, and which of them it prefers to keep.

Columns come ten per body, or ten per link, then the drives'. Those closest to the base are preferred, within a link the
first moments, then inertias with Iyy last, mass at the very end, drives behind all links: the grouping of Gautier and Khalil.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Literal

from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError, near_names
from bifilar.robot.described import Described
from bifilar.robot.inertia import PARAMETERS
from bifilar.robot.model import Model
from bifilar.robot.model_data import Rows

Bodies = Literal["all", "moving"]
WITHIN_LINK = ("mcx", "mcy", "mcz", "Ixx", "Ixy", "Ixz", "Iyz", "Izz", "Iyy", "mass")  # first is kept first


class BaseColumns:
    """The columns that are asked about: their names, and how to get them from the bodies' columns.

    >>> BaseColumns(bf.Robot.load("two_link"), "both", per_link=False, bodies="moving").names[0]
    'link1.mass'
    """

    def __init__(self, model: Model, rows: Rows, per_link: bool, bodies: Bodies) -> None:
        if bodies not in ("all", "moving"):
            raise RobotError("bodies.unknown", bodies=bodies)
        self.rows, self.per_link = rows, per_link
        owners = [(name, body) for body, name in enumerate(model.body_names)]
        if per_link:
            if not isinstance(model, Described):
                raise RobotError("model.no_links")
            owners = [(name, place.body) for name, place in model.link_map().items()]
        present = [(name, body) for name, body in owners if body > 0 or rows != "joints"]
        wanted = [(name, body) for name, body in present if body > 0 or bodies == "all"]
        self.body_of = dict(wanted)
        inertial = [10 * k + i for k, owner in enumerate(present) if owner in wanted for i in range(10)]
        drives = range(10 * len(present), 10 * len(present) + len(model.drive_values))
        self.chosen = [*inertial, *drives]
        self.names = tuple(f"{name}.{word}" for name, _ in wanted for word in PARAMETERS) + model.drive_columns.names

    def taken(self, factor: Array, model: Model) -> Array:
        """These columns, from a factor or regressor with the bodies' columns.

        >>> robot = bf.Robot.load("two_link")
        >>> BaseColumns(robot, "joints", per_link=True, bodies="all").taken(np.eye(20), robot).shape
        (20, 30)
        """
        if self.per_link and isinstance(model, Described):
            factor = factor @ model._per_link(self.rows)
        return factor[..., self.chosen]

    def wishes(self, keep: Sequence[str]) -> tuple[list[int], list[int]]:
        """Places of the columns that `keep` names or matches, and of those it names without a pattern.

        >>> columns = BaseColumns(bf.Robot.load("two_link"), "joints", per_link=False, bodies="all")
        >>> columns.wishes(["link1.Izz", "*.mass"])
        ([9, 0, 10], [9])
        """
        wanted: list[int] = []
        outright: list[int] = []
        for pattern in (keep,) if isinstance(keep, str) else keep:
            places = [k for k, name in enumerate(self.names) if name == pattern or fnmatchcase(name, pattern)]
            if not places:
                raise RobotError("parameters.no_match/base_columns", pattern=pattern, near=near_names(pattern, self.names))
            wanted += places
            outright += places if pattern in self.names else []
        return wanted, outright

    def order(self) -> list[int]:
        """All places, the preferred ones first.

        >>> columns = BaseColumns(bf.Robot.load("two_link"), "joints", per_link=False, bodies="all")
        >>> [columns.names[k] for k in columns.order()[8:12]]
        ['link1.Iyy', 'link1.mass', 'link2.mcx', 'link2.mcy']
        """
        return sorted(range(len(self.names)), key=self._rank)

    def _rank(self, place: int) -> tuple[int, int, int]:
        """Sorts by body, owner, word; drives behind."""
        owner, word = place // 10, place % 10
        if owner >= len(self.body_of):
            return len(self.names), place, 0
        return list(self.body_of.values())[owner], owner, WITHIN_LINK.index(PARAMETERS[word])
