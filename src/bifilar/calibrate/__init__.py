"""WHAT THE SENSORS MEAN: offsets and gains of torque sensors, wrist force/torque sensors, torque per ampere of a drive."""
