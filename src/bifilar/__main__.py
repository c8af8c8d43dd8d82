"""`python -m bifilar` is `bifilar`."""

from __future__ import annotations

import sys

from bifilar.cli import main

if __name__ == "__main__":
    sys.exit(main())
