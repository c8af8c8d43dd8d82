"""What a user should know about an analysis of base parameters: rounded angles, a doubtful count, a wish not granted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bifilar.dynamics.grouping import Grouping
from bifilar.errors import Finding


def rounded_angles(off: Mapping[str, float], as_written: Grouping, exact: Grouping, misfit: float) -> Finding:
    """The description's angles are rounded, and that changed the count.

    >>> from bifilar.dynamics.grouping import group
    >>> print(rounded_angles({"elbow": 4e-6}, group(np.diag([1, 3e-6])), group(np.diag([1, 0])), 3e-6).what)
    angles are rounded at 1 joint (up to 4.0e-06 rad, at 'elbow'): as written there would be 2 base parameters, with exact
    right angles 1, leaving out 3.0e-06 of the torque; the singular values fall by 3.3e+05 behind 1
    """
    joint, worst = max(off.items(), key=lambda item: item[1])
    falls = ", ".join(f"{gap.ratio:.1e} behind {gap.rank}" for gap in as_written.gaps)
    what = (
        f"angles are rounded at {len(off)} joint{'s' * (len(off) > 1)} (up to {worst:.1e} rad, at '{joint}'): as written there "
        f"would be {as_written.rank} base parameter{'s' * (as_written.rank != 1)}, with exact right angles {exact.rank}, "
        f"leaving out {misfit:.1e} of the torque" + (f"; the singular values fall by {falls}" if falls else "")
    )
    return Finding(
        "warning", "joint origins", what, "write angles with all digits: 1.5707963267948966, not 1.5708", code="angles.rounded"
    )


def doubts(found: Grouping) -> list[Finding]:
    """An ambiguous count, or parameters that are far weaker than the others.

    >>> from bifilar.dynamics.grouping import group
    >>> [finding.severity for finding in doubts(group(np.diag([1.0, 1e-5])))]
    ['note']
    """
    if found.status == "ambiguous":
        counts = " or ".join(map(str, found.candidates))
        remedy = "look for nearly parallel axes and for lengths that are nearly zero in the description"
        return [
            Finding(
                "warning",
                "base parameters",
                f"their number is ambiguous, {counts}: {found.reason}",
                remedy,
                code="parameters.ambiguous",
            )
        ]
    weak = [gap for gap in found.gaps if gap.rank < found.rank]
    if not weak:
        return []
    what = f"{found.rank - weak[0].rank} of {found.rank} act at least {weak[0].ratio:.1e} times weaker than the others"
    return [
        Finding(
            "note",
            "base parameters",
            what,
            "data will hardly show them; check small lengths and angles",
            code="parameters.weak",
        )
    ]


def not_kept(wanted: Sequence[int], names: Sequence[str], found: Grouping) -> list[Finding]:
    """Columns that were to be kept and could not be.

    >>> from bifilar.dynamics.grouping import group
    >>> not_kept([0], ["link1.mass"], group([[0.0]]))[0].what
    'cannot be kept: it has no effect'
    """
    findings = []
    for k in wanted:
        if k not in found.independent:
            why = "it has no effect" if k in found.no_effect else "it is a combination of those named before it"
            what, remedy = f"cannot be kept: {why}", "leave it out, or name it earlier"
            findings.append(Finding("warning", f"keep '{names[k]}'", what, remedy, code="parameters.not_kept"))
    return findings
