"""Every estimator, declared once: what it is called, what makes it, with which settings, and what it assumes.

An estimator is a module-level `Estimator` in a file of this folder; nothing else has to be changed for it. `register` adds one
at run time. `bifilar fit --method`, `bifilar benchmark-methods`, completion, settings files and the documentation ask here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, NamedTuple

from bifilar.errors import SolveError

if TYPE_CHECKING:
    from bifilar.recording.recording import Recording
    from bifilar.robot.robot import Robot
    from bifilar.simulate.reference import Playable
    from bifilar.simulate.virtual_robot import VirtualRobot


class Case(NamedTuple):
    """What one fit of a study is given.

    >>> Case._fields
    ('described', 'recording', 'machine', 'motion')
    """

    described: Robot  # as the user believes the machine to be
    recording: Recording
    machine: VirtualRobot  # whose controller was at work
    motion: Playable  # that was asked of it


Maker = Callable[[Case], Any]  # a Method for this case


@dataclass(frozen=True, kw_only=True, eq=False)
class Estimator:
    """An estimator: a class whose fields are its settings and that has `fit` and `solve` (`bifilar.estimate.fit.Method`).

    >>> huber = Estimator(name="Huber", method="bifilar.estimate.least_squares:LeastSquares", settings={"robust": "huber"})
    >>> huber.make().robust, list(huber.all_settings())
    ('huber', ['weights', 'robust', 'ridge', 'truncate', 'uncertainty'])
    """

    name: str  # in tables
    method: type | str  # the class, or where it is: "package.module:Class", imported when it is first used
    settings: Mapping[str, Any] = field(default_factory=dict)  # other than the class's own
    word: str = ""  # of `bifilar fit --method`; without one, only benchmark-methods and Python have it
    about: str = ""  # what it estimates, in the help of --method
    options: Mapping[str, Callable[[Any], Mapping[str, Any]]] = field(default_factory=dict)
    """options of `bifilar fit` that are settings of this estimator: from an option's value to settings"""
    needs_controller: bool = False  # settings `controller` and `reference` are made for each case of a study
    consistent: bool = False  # its inertial parameters are physically consistent
    default: bool = False  # of `bifilar fit`
    assumes: str = ""  # for the documentation
    wrong_if: str = ""  # how it shows that this does not hold

    @property
    def kind(self) -> type:
        """The class.

        >>> chosen("least-squares").kind.__name__
        'LeastSquares'
        """
        if isinstance(self.method, type):
            return self.method
        module, _, name = self.method.partition(":")
        found: type = getattr(import_module(module), name)
        return found

    def all_settings(self) -> dict[str, Any]:
        """Every setting and its value, of the class or of this estimator; those without a value are left out.

        >>> chosen("consistent").all_settings()["prior_weight"] is None
        True
        """
        names = [each.name for each in fields(self.kind)] if is_dataclass(self.kind) else []
        return {name: getattr(self.kind, name) for name in names if hasattr(self.kind, name)} | dict(self.settings)

    def make(self, **settings: Any) -> Any:
        """The method, with some settings changed.

        >>> chosen("least-squares").make(weights="equal").weights
        'equal'
        """
        return self.kind(**{**self.settings, **settings})

    def as_typed(self, options: Mapping[str, Any]) -> Any:
        """The method as options of a command say; those that do not concern it, or were left out, are ignored.

        >>> chosen("consistent").as_typed({"prior": 0.1, "cutoff": 8.0}).prior_weight.__round__()
        100
        """
        given = {name: value for name, value in options.items() if value is not None and name in self.options}
        return self.make(**{k: v for name, value in given.items() for k, v in self.options[name](value).items()})

    def for_case(self, case: Case) -> Any:
        """The method for one fit of a study.

        >>> chosen("least-squares").for_case(Case(None, None, None, None)).weights
        'per joint'
        """
        if not self.needs_controller:
            return self.make()
        from bifilar.estimate.closed_loop import JointController
        from bifilar.simulate.reference import reference

        time = case.recording.time
        wanted = reference(case.described, case.motion, (len(time) - 1) / float(time[-1] - time[0]))
        return self.make(controller=JointController.of(case.machine, wanted), reference=case.motion)


_added: list[Estimator] = []


def register(estimator: Estimator) -> Estimator:
    """Add an estimator.

    >>> mine = register(Estimator(name="mine", word="mine", method="bifilar.estimate.least_squares:LeastSquares"))
    >>> chosen("mine") is mine, "mine" in available_methods()
    (True, True)
    >>> unregister(mine)
    """
    taken = [each for each in estimators() if estimator.name == each.name or (estimator.word and estimator.word == each.word)]
    if taken:
        raise SolveError("method.twice", name=taken[0].name)
    _added.append(estimator)
    return estimator


def unregister(estimator: Estimator) -> None:
    """Forget an estimator that was added.

    >>> unregister(register(Estimator(name="mine", method="bifilar.estimate.least_squares:LeastSquares")))
    >>> "mine" in available_methods()
    False
    """
    _added.remove(estimator)


def estimators() -> list[Estimator]:
    """Every estimator, in the order of a table.

    >>> [each.name for each in estimators()][:2]
    ['ordinary least squares', 'weighted least squares']
    """
    return [*_built_in(), *_added]


@cache
def _built_in() -> tuple[Estimator, ...]:
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    return tuple(each for module in modules for each in vars(module).values() if isinstance(each, Estimator))


def available_methods() -> dict[str, Maker]:
    """What a study compares, by name.

    >>> list(available_methods())[-1]
    'physically consistent'
    """
    return {each.name: each.for_case for each in estimators()}


def typed() -> dict[str, Estimator]:
    """Those that `bifilar fit --method` offers, by the word, the default first.

    >>> list(typed())
    ['consistent', 'least-squares']
    """
    return {each.word: each for each in sorted(estimators(), key=lambda each: not each.default) if each.word}


def chosen(word: str) -> Estimator:
    """The estimator of a word.

    >>> chosen("guess")
    Traceback (most recent call last):
    ...
    bifilar.errors.SolveError: there is no method 'guess'
      try     consistent, least-squares
    """
    if word not in typed():
        raise SolveError("method.unknown/init__", word=word, typed=typed())
    return typed()[word]


def method_table() -> str:
    """What each estimator assumes, as a table of the documentation.

    >>> print(method_table().splitlines()[0])
    | method | assumes | goes wrong by |
    """
    rows = [("method", "assumes", "goes wrong by"), ("---",) * 3]
    rows += [(f"{each.name}, `bf.{each.kind.__name__}`", each.assumes, each.wrong_if) for each in estimators() if each.assumes]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)
