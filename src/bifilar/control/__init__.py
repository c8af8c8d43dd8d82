"""USE IT: MOVE. Controllers, and what keeps their torque inside its limits whatever they are fed."""
