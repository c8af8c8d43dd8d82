"""`python -m bifilar` is `bifilar`."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    try:
        from bifilar.cli import main
    except KeyboardInterrupt:  # pressed before anything was there to answer
        sys.exit(130)
    sys.exit(main())
