"""Draw what a command prints as a picture: `python docs/picture.py docs/pictures/inspect.svg bifilar inspect panda`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

WIDTH = 100
FONTS = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"  # those that machines have, in place of a download


def draw(target: Path, command: list[str]) -> None:
    """Run the command as in a colour terminal and write its output as an SVG that asks nothing of the network."""
    environment = os.environ | {"FORCE_COLOR": "1", "COLUMNS": str(WIDTH), "TERM": "xterm-256color", "TTY_COMPATIBLE": "1"}
    run = subprocess.run(command, capture_output=True, encoding="utf-8", env=environment, check=True)
    with open(os.devnull, "w") as nowhere:
        console = Console(record=True, width=WIDTH, file=nowhere, force_terminal=True, color_system="truecolor")
        console.print(Text.from_ansi(run.stdout.rstrip()))
        picture = console.export_svg(title=" ".join(command), unique_id="bifilar")
    picture = re.sub(r"@font-face\s*\{.*?\}", "", picture, flags=re.S).replace("Fira Code, monospace", FONTS)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(re.sub(r"[ \t]+$", "", picture, flags=re.M), encoding="utf-8")


if __name__ == "__main__":
    draw(Path(sys.argv[1]), sys.argv[2:])
