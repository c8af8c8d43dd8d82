"""How a recording becomes samples, as settings with a name; among them what the papers did.

prepare(recording)                                  the default
prepare(recording, "smoother")                      by name
prepare(recording, Recipe(cutoff=8.0))              by hand
prepare(recording, "default", cutoff=8.0)           a named one, changed
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

import numpy as np

from bifilar.errors import RecordingError

HIGHEST_ORDER = 20  # of a Butterworth filter; more ring longer than they gain
Method = Literal["butterworth", "smoother", "differences", "recorded", "fourier"]
Kinematics = Literal["auto", "logged", "derived"]


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Settings of `prepare`; None is chosen from the recording, and `Samples.history` says what was chosen.

    >>> Recipe(cutoff=8.0).method
    'butterworth'
    """

    method: Method = "butterworth"  # where velocity and acceleration come from
    kinematics: Kinematics = "auto"
    """logged velocities in place of `method`, never ("derived"), or where a fit finds them clearly better; `prepare` by itself
    cannot tell, and takes "auto" as "derived\""""
    delay: float | None = None
    """[s] by which torque is late, where nobody declared it; None: a fit compensates what it clearly finds, prepare nothing"""
    cutoff: float | None = None  # [Hz] of the filter that torque and regressor columns go through; None: from the spectrum
    fitted_cutoff: float | None = None  # [Hz] that a fit had, in place of the spectrum's: for recordings it is judged on
    order: int = 4  # of the Butterworth filter, which is run forward and backward
    filter_torque: bool = True  # whether torque (and columns) are filtered at all
    filter_columns: bool = True  # whether the regressor's columns go through the torque's filter
    decimate: bool | int = True  # rows to the filter's bandwidth, or every so many samples; False: all
    rate: float | None = None  # [Hz] of the even clock; None: the recording's
    gap: float | None = None  # [s] a longer hole parts the recording; None: an eighth of the shortest wave that is kept
    edge: float | None = None  # [s] left out at the ends of a stretch; None: as long as the filter feels them
    slow: float | Sequence[float] | None = None  # [rad/s] slower rows are left out of fits with Coulomb friction; None: noise
    motion_cutoff: float | None = (
        None  # [Hz] of the filter before differentiation; None: twice the cut-off where columns are filtered
    )
    torque_span: int = 1  # samples of a moving average of the torque alone
    acceleration_span: int = 1  # samples of a moving average of the acceleration alone
    whole_periods: int = 0  # of the motion, where it is known, left out at both ends
    harmonics: int | Literal["motion"] | None = None  # of the series through the positions; None: twice what the cut-off passes

    def __post_init__(self) -> None:
        if self.method not in get_args(Method):
            raise RecordingError("method.unknown/recipes", method=self.method, get_args=get_args(Method))
        for name in ("cutoff", "fitted_cutoff", "rate", "gap", "motion_cutoff"):
            value = getattr(self, name)
            if value is not None and not 0 < value < np.inf:
                raise RecordingError("setting.wrong/recipes", name=name, value=value)
        if self.kinematics not in get_args(Kinematics):
            raise RecordingError("setting.kinematics", kinematics=self.kinematics, get_args=get_args(Kinematics))
        if self.delay is not None and not abs(self.delay) < np.inf:
            raise RecordingError("setting.wrong/recipes_post_init", delay=self.delay)
        if self.edge is not None and not 0 <= self.edge < np.inf:
            raise RecordingError("setting.wrong/recipes_post_init_2", edge=self.edge)
        if self.decimate is not True and self.decimate is not False and self.decimate < 1:
            raise RecordingError("setting.wrong/recipes_post_init_3", decimate=self.decimate)
        if not 1 <= self.order <= HIGHEST_ORDER:
            raise RecordingError("setting.wrong/recipes_post_init_4", order=self.order, highest_order=HIGHEST_ORDER)
        for name in ("torque_span", "acceleration_span"):
            if getattr(self, name) < 1 or getattr(self, name) % 2 == 0:
                raise RecordingError("setting.wrong/recipes_post_init_5", name=name, getattr=getattr(self, name))
        if isinstance(self.whole_periods, bool) or self.whole_periods != int(self.whole_periods) or self.whole_periods < 0:
            raise RecordingError("setting.wrong/recipes_post_init_6", whole_periods=self.whole_periods)
        if isinstance(self.harmonics, int) and self.harmonics < 1:
            raise RecordingError("setting.wrong/recipes_post_init_7", harmonics=self.harmonics)
        if self.slow is not None and (not np.isfinite(np.asarray(self.slow)).all() or np.any(np.asarray(self.slow) < 0)):
            raise RecordingError("setting.wrong/recipes_post_init_8", slow=self.slow)


RECIPES: dict[str, tuple[Recipe, str]] = {
    "default": (Recipe(), "Butterworth without delay, columns filtered like the torque, decimated to the bandwidth"),
    "smoother": (Recipe(method="smoother"), "Kalman smoother on the stamps as they are, the rest as by default"),
    "fourier": (
        Recipe(method="fourier", kinematics="derived", delay=0.0),
        "Fourier series through the positions, periods averaged; the motion must be known",
    ),
    "recorded": (
        Recipe(method="recorded", kinematics="logged", edge=0.0),
        "velocity and acceleration as the machine logged them",
    ),
    "plain": (
        Recipe(kinematics="derived", delay=0.0, filter_columns=False, decimate=False),
        "torque and positions filtered alike, columns computed from filtered motion, all samples kept",
    ),
    "gautier": (
        Recipe(method="differences", kinematics="derived", delay=0.0),
        "positions filtered both ways, central differences, torque and columns filtered and decimated in parallel",
    ),
    "bargsten2013": (
        Recipe(
            method="fourier",
            kinematics="derived",
            delay=0.0,
            harmonics="motion",
            filter_torque=False,
            filter_columns=False,
            decimate=False,
        ),
        "coefficients fitted to the measured positions anew, torque averaged over the periods",
    ),
    "dolinsky2017": (
        Recipe(
            method="differences",
            kinematics="derived",
            delay=0.0,
            order=5,
            filter_torque=False,
            filter_columns=False,
            decimate=False,
        ),
        "Butterworth of fifth order, central differences; torque as measured",
    ),
    "joukov2015": (
        Recipe(
            method="recorded",
            kinematics="logged",
            delay=0.0,
            filter_torque=False,
            filter_columns=False,
            decimate=False,
            edge=0.0,
        ),
        "positions, velocities and accelerations taken as known, torque as measured",
    ),
    "wang2018": (
        Recipe(
            method="differences",
            kinematics="derived",
            delay=0.0,
            motion_cutoff=np.finfo(float).max,  # positions are not filtered
            filter_torque=False,
            filter_columns=False,
            decimate=False,
            torque_span=9,
            acceleration_span=5,
            slow=0.0,  # slow rows are as good as others
            whole_periods=1,
        ),
        "first and last period left out, central differences twice, moving averages over 5 accelerations and 9 torques",
    ),
}


def recipe_of(recipe: str | Recipe, **changes: Any) -> Recipe:
    """A recipe by its name, with some settings changed.

    >>> recipe_of("smoother", cutoff=5.0).cutoff
    5.0
    """
    if isinstance(recipe, str):
        if recipe not in RECIPES:
            raise RecordingError("recipe.unknown", recipe=recipe, recipes=RECIPES)
        recipe = RECIPES[recipe][0]
    strange = set(changes) - {field.name for field in fields(Recipe)}
    if strange:
        raise RecordingError("setting.unknown", smallest=min(strange), names=[field.name for field in fields(Recipe)])
    return replace(recipe, **changes)


def recipe_words(recipe: str | Recipe) -> str:
    """A recipe in a sentence: its name, or the named one it is nearest to with what differs.

    What a fit decided about the log, and found nothing to change in, is left out.

    >>> recipe_words("plain"), recipe_words(Recipe(cutoff=8.0, order=2))
    ("the recipe 'plain'", "the recipe 'default' with cutoff=8, order=2")
    >>> recipe_words(Recipe(kinematics="derived", delay=0.0))
    "the recipe 'default'"
    """
    if isinstance(recipe, str):
        return f"the recipe '{recipe}'"
    names = [field.name for field in fields(Recipe)]
    differing = {
        name: [word for word in names if getattr(one, word) != getattr(recipe, word) and not _usual(recipe, word)]
        for name, (one, _) in RECIPES.items()
    }
    nearest = min(differing, key=lambda name: len(differing[name]))
    values = ((word, getattr(recipe, word)) for word in differing[nearest])
    changes = ", ".join(f"{word}={value:.4g}" if isinstance(value, float) else f"{word}={value}" for word, value in values)
    return f"the recipe '{nearest}'{f' with {changes}' if changes else ''}"


def _usual(recipe: Recipe, setting: str) -> bool:
    """Whether a setting is what a fit decides where it finds nothing."""
    return (setting == "kinematics" and recipe.kinematics == "derived") or (setting == "delay" and not recipe.delay)
