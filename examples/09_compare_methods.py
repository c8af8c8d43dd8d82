"""Three methods on three recordings whose truth is known: when does which one help?

    python examples/09_compare_methods.py

A large motion suits every method. In a small one a good nominal model helps, as the prior of a physically consistent fit. Where
a fast motion meets noisy encoders, a filter where motion sinks into noise serves least squares well; maximum likelihood, which
estimates the true motion too, needs no such filter and pays for the unknowns that it adds.
`bifilar benchmark-methods arm.urdf --noise 1e-4:0.1` is a whole study, with your robot and your noise.
"""

import numpy as np

import bifilar as bf

robot = bf.Robot.load("two_link")
friction = bf.Viscous() + bf.Coulomb(width=0.05)
values = {"joint1.viscous": 0.3, "joint2.viscous": 0.2, "joint1.coulomb": 0.8, "joint2.coulomb": 0.4}
factors = np.random.default_rng(0).uniform(0.8, 1.2, (3, 1))
machine = robot.with_body_parameters(factors * robot.body_parameters).with_friction(friction, values)


def swing(seed: int, size: float, frequency: float) -> bf.Motion:
    series = size * np.random.default_rng(seed).normal(size=(2, 6))  # three harmonics, [rad/s]
    words = {"base_frequency": frequency, "harmonics": 3, "periods": max(1, round(4 * frequency))}
    return bf.Fourier(joint_names=robot.joint_names, coefficients=series, **words).sample(200)


def recorded(run: bf.Motion, encoder: float) -> bf.Recording:
    rng = np.random.default_rng(1)
    torque = machine.inverse_dynamics(run.position, run.velocity, run.acceleration) + rng.normal(scale=0.05, size=(len(run), 2))
    position = run.position + rng.normal(scale=encoder, size=(len(run), 2))
    return bf.Recording(joint_names=run.joint_names, time=run.time, position=position, torque=torque)


logs = {
    "large and slow": recorded(swing(3, 1.0, 0.25), 1e-3),
    "small": recorded(swing(3, 0.1, 0.25), 1e-3),
    "fast, noisy encoders": recorded(swing(3, 1.0, 1.0), 3e-3),
}
methods = {"least squares": bf.LeastSquares(), "consistent": bf.PhysicallyConsistent(), "likelihood": bf.MaximumLikelihood()}

other = swing(4, 1.0, 0.25)  # what counts: torque along a motion that nobody fitted, here without noise
state = other.position, other.velocity, other.acceleration
truth = machine.inverse_dynamics(*state)
print(f"{'torque missed, %':22}" + "".join(f"{name:>15}" for name in methods))
for name, log in logs.items():
    models = [bf.fit(robot, log, method, friction=friction).model for method in methods.values()]
    missed = [np.linalg.norm(model.inverse_dynamics(*state) - truth) / np.linalg.norm(truth) for model in models]
    print(f"{name:22}" + "".join(f"{100 * share:15.2f}" for share in missed))
