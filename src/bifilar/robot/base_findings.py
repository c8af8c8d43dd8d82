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
    return Finding(
        "angles.rounded",
        "warning",
        "joint origins",
        off_count=len(off),
        value="s" * (len(off) > 1),
        worst=worst,
        joint=joint,
        rank=as_written.rank,
        value_2="s" * (as_written.rank != 1),
        rank_2=exact.rank,
        misfit=misfit,
        words=f"; the singular values fall by {falls}" if falls else "",
    )


def doubts(found: Grouping) -> list[Finding]:
    """An ambiguous count, or parameters that are far weaker than the others.

    >>> from bifilar.dynamics.grouping import group
    >>> [finding.severity for finding in doubts(group(np.diag([1.0, 1e-5])))]
    ['note']
    """
    if found.status == "ambiguous":
        return [Finding("parameters.ambiguous", "warning", "base parameters", counts=found.candidates, reason=found.reason)]
    weak = [gap for gap in found.gaps if gap.rank < found.rank]
    if not weak:
        return []
    return [
        Finding(
            "parameters.weak", "note", "base parameters", rank=found.rank - weak[0].rank, rank_2=found.rank, ratio=weak[0].ratio
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
            findings.append(Finding("parameters.not_kept", "warning", f"keep '{names[k]}'", why=why))
    return findings
