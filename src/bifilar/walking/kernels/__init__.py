"""Pinned walkers in plain loops: compiled where numba is, run as they stand where not (`bifilar.walking.planar` calls them)."""
