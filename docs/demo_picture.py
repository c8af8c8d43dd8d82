"""The README's picture of the demo's result: `python docs/demo_picture.py demo docs/pictures/demo.svg`, after `bifilar demo`.

Torque of three joints on held-out motion, as measured, as the nominal model predicts it and as the identified
robot does; and every joint's share of torque that either misses. Drawn by hand as SVG: no browser, no fonts, nothing to fetch.
"""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path

import numpy as np

import bifilar as bf

WIDTH, HEIGHT = 960, 500
SHOWN = ("joint2", "joint4", "joint6")  # shoulder, elbow, wrist
INK, QUIET, GRID = "#1f2937", "#6b7280", "#e5e7eb"
MEASURED, BEFORE, AFTER = "#9ca3af", "#d55e00", "#0072b2"  # told apart by colour-blind readers too
FONT = "font-family=\"system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif\""
LEFT, RIGHT, TOP, PANEL, GAP = 62, 610, 96, 104, 26


def text(x: float, y: float, words: str, *, size: int = 13, fill: str = INK, anchor: str = "start", bold: bool = False) -> str:
    """Some words."""
    weight = ' font-weight="600"' if bold else ""
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{fill}" text-anchor="{anchor}"{weight}>{escape(words)}</text>'


def curve(x: np.ndarray, y: np.ndarray, colour: str, width: float) -> str:
    """A line through points."""
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y))
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-linejoin="round"/>'


def torques(folder: Path) -> tuple[bf.Estimate, bf.Validation, bf.Samples, np.ndarray, np.ndarray]:
    """The demo's estimate, its errors on the other motion, and that motion with both predictions."""
    estimate = bf.load_estimate(folder / "run")
    assert isinstance(estimate, bf.Estimate)
    test = bf.Recording.load(folder / "test.parquet", estimate.described)
    samples = bf.prepare(test, decimate=False)
    state = samples.position, samples.velocity, samples.acceleration
    described = bf.Robot.load("panda").inverse_dynamics(*state)
    return estimate, bf.held_out(estimate, test), samples, described, estimate.robot.inverse_dynamics(*state)


def panels(samples: bf.Samples, described: np.ndarray, identified: np.ndarray) -> list[str]:
    """Torque over time, a panel per joint."""
    parts = []
    pick = np.linspace(0, len(samples.time) - 1, 420).astype(int)
    time = samples.time[pick] - samples.time[0]
    x = LEFT + (RIGHT - LEFT) * time / time[-1]
    for row, name in enumerate(SHOWN):
        k = samples.joint_names.index(name)
        lines = [(described, BEFORE, 1.6), (samples.torque, MEASURED, 5.0), (identified, AFTER, 1.6)]
        values = np.concatenate([line[pick, k] for line, _, _ in lines])
        low, high = values.min() - 0.06 * np.ptp(values), values.max() + 0.06 * np.ptp(values)
        top = TOP + row * (PANEL + GAP)
        step = next(s for s in (0.5, 1, 2, 5, 10, 20, 50, 100) if (high - low) / s <= 4)
        for tick in np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step:
            y = top + PANEL * (high - tick) / (high - low)
            parts.append(f'<line x1="{LEFT}" x2="{RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="{GRID}"/>')
            parts.append(text(LEFT - 8, y + 4, f"{tick:g}", size=11, fill=QUIET, anchor="end"))
        parts.append(text(LEFT, top - 6, f"{name} [N m]", size=12, fill=QUIET))
        parts += [curve(x, top + PANEL * (high - line[pick, k]) / (high - low), c, w) for line, c, w in lines]
    bottom = TOP + 3 * PANEL + 2 * GAP + 18
    seconds = range(0, int(time[-1]) + 1, 2)
    parts += [
        text(LEFT + (RIGHT - LEFT) * s / time[-1], bottom, f"{s} s", size=11, fill=QUIET, anchor="middle") for s in seconds
    ]
    return parts


def bars(seen: bf.Validation) -> list[str]:
    """Share of the NRMSE, joint by joint."""
    left, right, first, step = 720, 900, TOP + 8, 50
    parts = [text(left - 58, TOP - 6, "NRMSE", size=12, fill=QUIET)]
    longest = float(seen.described_per_joint.max())
    for k, name in enumerate(seen.joint_names):
        y = first + k * step
        parts.append(text(left - 10, y + 17, name, size=12, anchor="end"))
        for offset, share, colour in ((0, seen.described_per_joint[k], BEFORE), (14, seen.per_joint[k], AFTER)):
            width = max(1.5, (right - left) * float(share) / longest)
            parts.append(f'<rect x="{left}" y="{y + offset}" width="{width:.1f}" height="11" rx="2" fill="{colour}"/>')
            parts.append(text(left + width + 6, y + offset + 10, f"{100 * share:.1f} %", size=11, fill=QUIET))
    return parts


def legend() -> list[str]:
    """What the colours mean."""
    words = (("measured", MEASURED, 5.0), ("nominal", BEFORE, 2.2), ("identified", AFTER, 2.2))
    parts, x = [], LEFT
    for word, colour, width in words:
        parts.append(f'<line x1="{x}" x2="{x + 26}" y1="61" y2="61" stroke="{colour}" stroke-width="{width}"/>')
        parts.append(text(x + 33, 65, word, size=12))
        x += 130
    return parts


def picture(folder: Path) -> str:
    """The whole picture."""
    _, seen, samples, described, identified = torques(folder)
    title = f"Held-out motion: NRMSE {100 * seen.described:.1f} % by the nominal model, "
    title += f"{100 * seen.relative:.1f} % by the identified robot"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" {FONT} role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="10" fill="#ffffff" stroke="{GRID}"/>',
        text(LEFT - 40, 34, title, size=16, bold=True),
        *legend(),
        *panels(samples, described, identified),
        *bars(seen),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(picture(Path(sys.argv[1])), encoding="utf-8")
