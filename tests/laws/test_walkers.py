"""Planar walkers: pinned is free without its contact force, fast constants are the engine, touchdowns keep what they must."""

from __future__ import annotations

import numpy as np
import pytest

from bifilar.robot.description import Description, Joint, Link, Pose
from bifilar.robot.inertia import Inertia
from bifilar.walking.builtin import GRIZZLE, LABORATORY, LEG, RABBIT, Segment, leg_description, walker_description
from bifilar.walking.feedback import held
from bifilar.walking.grouping import Grouping, inverse_dynamics, inverse_slopes
from bifilar.walking.guard import Guard
from bifilar.walking.hybrid import Stepping, simulate
from bifilar.walking.impact import impact, impact_jacobian
from bifilar.walking.phases import Phases
from bifilar.walking.planar import placed
from bifilar.walking.sensor_set import SensorSet, angle_from_distance
from bifilar.walking.sensors import Accelerometer, ContactSwitch, DistanceMeter, Encoder, Gyroscope
from bifilar.walking.walker import Walker

EPS = 1e-6


def odd_walker() -> Walker:
    """Legs of one and two segments, bent links, rotors, an arm on the torso, frames that are turned: nothing is straight."""
    plain = walker_description(GRIZZLE[0], (Segment(0.9, 0.4, 4.0, 0.3, 0.2, 0.1),), RABBIT[1])
    turn = np.array([[np.cos(0.3), 0, np.sin(0.3)], [0, 1, 0], [-np.sin(0.3), 0, np.cos(0.3)]])
    arm = Link("arm", Inertia.from_center_of_mass(1.5, [0.1, 0, -0.2], np.diag([0.02, 0.03, 0.01])))
    at = Pose(turn, np.array([0.05, 0.0, 0.4]))
    shoulder = Joint("shoulder", "continuous", "torso", "arm", at, np.array([0.0, -1.0, 0.0]), armature=0.02, damping=0.1)
    bent = Inertia.from_center_of_mass(3.0, [0.04, 0.0, -0.1], np.diag([0.1, 0.2, 0.1]))
    links = tuple(Link(k.name, bent, has_inertia=True) if k.name == "leg2_2" else k for k in plain.links)
    return Walker.build(Description("odd", (*links, arm), (*plain.joints, shoulder)), slope=0.15)


WALKERS = {
    "leg": Walker.build(leg_description(LEG)),
    "three": Walker.load("walker3"),
    "grizzle": Walker.build(walker_description(*GRIZZLE)),
    "five": Walker.load("walker5"),
    "slope": Walker.load("walker5").on_slope(-0.2),
    "odd": odd_walker(),
}
FEET = [(name, foot) for name, walker in WALKERS.items() for foot in range(len(walker.feet))]
STEPPING = [(name, foot) for name, foot in FEET if name != "leg"]


def random_state(walker, seed=0, size=1.0):
    return size * np.random.default_rng(seed).normal(size=2 * len(walker.planar(0)))


@pytest.mark.parametrize(("name", "foot"), FEET)
def test_the_pinned_robot_is_the_free_one_with_its_contact_force_eliminated(name, foot):
    walker, rng = WALKERS[name], np.random.default_rng(3)
    free, pinned = walker.unpinned, walker.pinned(foot)
    n = len(pinned.joint_names)
    own, rates, torque = rng.normal(size=(3, n))
    torque[0] = 0
    wanted = pinned.forward_dynamics(own, rates, torque)
    # the same posture in the free robot's coordinates
    torso = walker.coordinates("torso", foot)
    chain = walker.coordinates("stance", foot)
    q = np.concatenate([[0.3, 0.8], torso.values(chain.angles(own))])
    jacobian = free.jacobian(walker.feet[foot], q)[[0, 2]]
    turn = torso.inverse @ chain.matrix
    v = np.concatenate([[0.0, 0.0], turn @ rates])
    v[:2] = -np.linalg.solve(jacobian[:, :2], jacobian[:, 2:] @ v[2:])  # the foot stands still
    step = 1e-6
    after = free.jacobian(walker.feet[foot], q + step * v)[[0, 2]]
    before = free.jacobian(walker.feet[foot], q - step * v)[[0, 2]]
    drift = (after - before) @ v / (2 * step)
    u = np.zeros(len(q))
    u[3:] = torque[[pinned.joint_names.index(j) for j in walker.encoders]]
    m = free.mass_matrix(q)
    bias = free.inverse_dynamics(q, v, np.zeros_like(v))
    system = np.block([[m, -jacobian.T], [jacobian, np.zeros((2, 2))]])
    solved = np.linalg.solve(system, np.concatenate([u - bias, -drift]))
    if name == "leg":  # what rubs at the free robot's pitch rubs at the pivot
        assert pinned.friction_torque(rates)[0] != 0
    assert np.allclose(turn @ wanted, solved[2 : len(q)], rtol=1e-6, atol=1e-6)
    force = pinned.base_wrench(own, rates, wanted)[[0, 2]]
    assert np.allclose(force, solved[len(q) :], rtol=1e-6, atol=1e-5)
    null = np.linalg.svd(jacobian)[2][2:].T  # and the regressor's contact forces leave by the null space
    rows = free.regressor(q, v, solved[: len(q)])
    assert np.allclose(null.T @ rows @ free.parameters().values, null.T @ u, atol=1e-6)


@pytest.mark.parametrize(("name", "foot"), FEET)
def test_the_fast_constants_are_the_engine(name, foot):
    walker, rng = WALKERS[name], np.random.default_rng(4)
    pinned, planar, chain = walker.pinned(foot), walker.planar(foot), walker.coordinates("stance", foot)
    n = len(planar)
    for _ in range(5):
        q, v, u = rng.normal(size=(3, n))
        x = chain.links(np.concatenate([q, v]))
        rate = planar.rates(x[None], u[None])[0]
        assert np.allclose(chain.inverse @ rate[n:], pinned.forward_dynamics(q, v, u), rtol=1e-10, atol=1e-10)
        rotor = chain.matrix.T @ planar.parts[2] @ chain.matrix
        whole = pinned.mass_matrix(q)
        assert np.allclose(chain.matrix.T @ planar.mass_matrix(x[:n]) @ chain.matrix, whole, atol=1e-12) or np.allclose(
            chain.matrix.T @ planar.mass_matrix(x[:n]) @ chain.matrix - rotor, whole, atol=1e-12
        )
        energy = pinned.kinetic_energy(q, v) + pinned.potential_energy(q)
        still = planar.energy(np.concatenate([x[:n], 0 * v])) - pinned.potential_energy(q)
        assert abs(still) < 1e-9
        if not planar.parts[2].any():
            assert abs(planar.energy(x) - energy) < 1e-9
        tip = walker.feet[-1 - foot]
        way = placed(x[:n], walker.way(tip, foot)).sum(axis=0)
        assert np.allclose(way, pinned.pose(tip, q)[1][[0, 2]], atol=1e-12)


@pytest.mark.parametrize(("name", "foot"), FEET)
def test_derivatives_are_those_of_the_functions(name, foot):
    walker = WALKERS[name]
    planar, x = walker.planar(foot), random_state(walker, 5)
    n = len(planar)
    u = np.random.default_rng(6).normal(size=n)
    slope, flow = planar.rate_slopes(x, u), planar.flow_slopes(x, u, 0.02, 3)
    for k, unit in enumerate(EPS * np.eye(2 * n)):
        change = planar.rates(np.array([x + unit, x - unit]), u[None])
        later = planar.flow(np.array([x + unit, x - unit]), u[None], 0.02, 3)
        assert np.allclose((change[0] - change[1]) / (2 * EPS), slope.state[:, k], atol=1e-6 * (1 + np.abs(slope.state).max()))
        assert np.allclose((later[0] - later[1]) / (2 * EPS), flow.state[:, k], atol=1e-7 * (1 + np.abs(flow.state).max()))
    for k, unit in enumerate(EPS * np.eye(n)):
        later = planar.flow(np.array([x, x]), np.array([u + unit, u - unit]), 0.02, 3)
        assert np.allclose((later[0] - later[1]) / (2 * EPS), flow.torque[:, k], atol=1e-7)
    steep, flat = (walker.on_slope(walker.slope + e).planar(foot).flow(x[None], u[None], 0.02, 3)[0] for e in (EPS, -EPS))
    assert np.allclose((steep - flat) / (2 * EPS), flow.turn, atol=1e-7)


@pytest.mark.parametrize("where", ["stance", "torso", "absolute"])
@pytest.mark.parametrize(("name", "foot"), FEET)
def test_coordinates_are_maps_of_one_model(name, foot, where):
    walker, rng = WALKERS[name], np.random.default_rng(7)
    chosen, planar = walker.coordinates(where, foot), walker.planar(foot)
    x = rng.normal(size=(4, 2 * len(planar)))
    assert np.allclose(chosen.states(chosen.links(x)), x)
    accelerations = rng.normal(size=(4, len(planar)))
    grouping = Grouping.of(planar, walker.pinned(foot).joint_names)
    torque = inverse_dynamics(planar, chosen.links(x), accelerations @ chosen.matrix.T) @ chosen.matrix
    assert np.allclose(grouping.regressor(x, accelerations, chosen) @ grouping.values, torque, atol=1e-9)
    if where == "stance":
        n = len(planar)
        engine = walker.pinned(foot).inverse_dynamics(x[:, :n], x[:, n:], accelerations)
        assert np.allclose(torque, engine, atol=1e-9)
        assert np.allclose(grouping.torque(engine, chosen), engine)


@pytest.mark.parametrize("name", WALKERS)
def test_all_that_is_grouped_can_be_told_and_makes_the_model_again(name):
    walker, rng = WALKERS[name], np.random.default_rng(8)
    planar = walker.planar()
    grouping = Grouping.of(planar, walker.pinned().joint_names)
    n = len(planar)
    rows = grouping.regressor(rng.normal(size=(300, 2 * n)), rng.normal(size=(300, n))).reshape(-1, len(grouping))
    values = np.linalg.svd(rows / np.linalg.norm(rows, axis=0), compute_uv=False)
    assert values[-1] > 1e-4 * values[0]
    again = grouping.with_values(grouping.values)
    x = rng.normal(size=(1, 2 * n))
    assert np.allclose(again.rates(x, np.zeros((1, n))), planar.rates(x, np.zeros((1, n))), atol=1e-9)
    by = inverse_slopes(planar, x, rng.normal(size=(1, n)))
    assert all(each.shape == (1, n, n) for each in by)


def test_the_groups_of_three_links_are_the_thesis_s():
    lengths, centers, masses, inertias = (0.535, 0.25), (0.2675, 0.1189), (0.4192, 1.1646), (0.0034, 0.0182)
    (l1, _), (c, c3), (m, m3), (i, i3) = lengths, centers, masses, inertias
    g = Grouping.of(WALKERS["three"].planar())
    beta = dict(zip(g.names, g.values))
    assert beta["inertia.link4"] == pytest.approx(i + l1**2 * (m + m3) + (l1 - c) ** 2 * m)
    assert beta["inertia.link5"] == pytest.approx(i + m * c**2)
    assert beta["inertia.link3"] == pytest.approx(i3 + m3 * c3**2)
    assert beta["coupling.link4.link5"] == pytest.approx(-l1 * c * m)  # a leg that hangs: minus beta_4
    assert beta["coupling.link4.link3"] == pytest.approx(l1 * c3 * m3)
    assert beta["moment.link4"] == pytest.approx(l1 * (m + m3) + (l1 - c) * m)
    assert len(beta) == 8 and WALKERS["three"].planar().mass == pytest.approx(2 * m + m3)


@pytest.mark.parametrize("name", ["leg", "three", "five", "odd"])
def test_energy_stays_where_nothing_rubs_or_drives(name):
    walker = WALKERS[name]
    walker = walker.with_robot(walker.robot.with_friction(None))
    planar = walker.planar()
    x = random_state(walker, 9, 0.5)
    energies = [planar.energy(x)]
    for _ in range(100):
        x = planar.flow(x[None], np.zeros((1, len(planar))), 0.01, 20)[0]
        energies.append(planar.energy(x))
    assert np.abs(np.array(energies) - energies[0]).max() < 1e-6


@pytest.mark.parametrize(("name", "foot"), STEPPING)
def test_a_touchdown_keeps_the_angular_momentum_about_the_new_foot_and_takes_energy(name, foot):
    walker = WALKERS[name]
    phases = Phases.of(walker)
    n = len(phases)
    for seed in range(20):
        x = random_state(walker, seed)
        hit = impact(phases, foot, x)
        assert hit.energy_lost >= -1e-10
        old, new = walker.pinned(foot), walker.pinned(1 - foot)
        before = walker.coordinates("stance", foot).states(x)
        after = walker.coordinates("stance", 1 - foot).states(hit.state)
        about = phases.foot_position(foot, x[:n])
        spun = [
            robot.momentum_regressor(s[:n], s[n:])[:, : 10 * (n + 1)] @ robot.body_parameters.ravel()
            for robot, s in ((old, before), (new, after))
        ]
        linear, angular = spun[0][[0, 2]], spun[0][4]
        moved = angular - (about[1] * linear[0] - about[0] * linear[1])  # L about the new foot, axis +y
        if not phases.planar[0].parts[2].any():  # rotors turn with the joints, their momentum is not a body's
            assert abs(moved - spun[1][4]) < 1e-10 * (1 + abs(moved))
        e = phases.planar[1 - foot]
        kinetic = 0.5 * hit.state[n:] @ e.mass_matrix(hit.state[:n]) @ hit.state[n:]
        was = 0.5 * x[n:] @ phases.planar[foot].mass_matrix(x[:n]) @ x[n:]
        assert abs(was - hit.energy_lost - kinetic) < 1e-10 * (1 + was)


@pytest.mark.parametrize(("name", "foot"), STEPPING)
def test_the_derivative_of_a_touchdown(name, foot):
    walker = WALKERS[name]
    phases, x = Phases.of(walker), random_state(walker, 2)
    after, slope = impact_jacobian(phases, foot, x)
    assert np.allclose(after, impact(phases, foot, x).state)
    for k, unit in enumerate(EPS * np.eye(len(x))):
        change = (impact(phases, foot, x + unit).state - impact(phases, foot, x - unit).state) / (2 * EPS)
        assert np.allclose(change, slope[:, k], atol=1e-6 * (1 + np.abs(slope).max()))


def test_legs_that_are_alike_only_where_their_centres_match():
    """Renaming the legs keeps the energy only if masses sit where the other leg has them, seen from the hip."""
    torso, (leg,) = LABORATORY
    alike = Walker.build(walker_description(torso, (leg,), (leg,)))
    other = Segment(leg.length, leg.center + 0.03, leg.mass, leg.inertia)
    apart = Walker.build(walker_description(torso, (leg,), (other,)))
    assert alike.is_symmetric and not apart.is_symmetric
    x = np.array([0.39, 0.5, -0.39, 2.0, 0.1, -1.5])
    for walker, same in ((alike, True), (apart, False)):
        phases = Phases.of(walker)
        hit = impact(phases, 0, x)
        renamed, own = (phases.planar[k].mass_matrix(hit.state[:3]) for k in (0, 1))
        v = hit.state[3:]
        assert (abs(v @ (renamed - own) @ v) < 1e-12) == same
        assert phases.alike == same


SENSORS = (
    Encoder("joint4", bias=0.1),
    Encoder("joint7"),
    Gyroscope("link6"),
    Accelerometer("link7", (0.03, -0.2), axes=3, tilt=0.3),
    Accelerometer("link3", (0.0, 0.1), bias=0.2),
    DistanceMeter("link4", (0.02, -0.1), beam=0.4, noise=0.01, growth=0.1),
    ContactSwitch("foot2"),
)


@pytest.mark.parametrize("foot", [0, 1])
@pytest.mark.parametrize("slope", [0.0, 0.2])
def test_readings_of_sensors_and_their_derivatives(foot, slope):
    walker = Walker.load("walker5").on_slope(slope)
    sensors, phases, x = SensorSet(walker, SENSORS), Phases.of(walker), random_state(walker, 3, 0.4)
    u = np.array([0.0, 3.0, -2.0, 1.0, 4.0])
    n = len(phases)
    reading, by = sensors.expected_slope(phases, foot, x, u)
    for k, unit in enumerate(EPS * np.eye(2 * n)):
        change = sensors.expected(phases, foot, np.array([x + unit, x - unit]), u[None])
        assert np.allclose((change[0] - change[1]) / (2 * EPS), by[:, k], atol=1e-5)
    # the engine's own second derivative of the point's place
    h, link, point = 1e-3, "link7", np.array([0.03, 0.0, -0.2])
    pinned, chain = walker.pinned(foot), walker.coordinates("stance", foot)

    def place(t):
        q = chain.states(phases.planar[foot].flow(x[None], u[None], t, 4)[0])[:n]
        rotation, translation = pinned.pose(link, q)
        # the pinned robot's frame of a link it carries the other way round stands at its joint
        body, at = walker.place(link, foot)
        return placed(chain.angles(q), walker.planar(foot).way(body, at + point[[0, 2]])).sum(axis=0)

    felt = (place(h) - 2 * place(0.0) + place(-h)) / h**2 - walker.gravity
    angle = x[walker.place(link, foot)[0]] + 0.3
    turned = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) @ felt
    assert np.allclose(reading[3:6], [turned[0], 0.0, turned[1]], atol=1e-4)


def test_an_accelerometer_at_rest_reads_gravity_upwards():
    walker = Walker.load("walker3")
    level = Accelerometer("link3", (0.0, 0.1)).on(walker, 0)
    for lean in (-0.4, 0.0, 0.4):
        reading = level.reading(np.array([0.1, lean, 0.3]), np.zeros(3), np.zeros(3))
        assert np.allclose(reading, 9.81 * np.array([-np.sin(lean), np.cos(lean)]))


def test_the_distance_tells_the_absolute_angle_upright_too():
    walker = Walker.load("walker3")
    d2, gamma = 0.3, 0.7
    meter = DistanceMeter("link4", (0.0, d2 - 0.535), beam=gamma).on(walker, 0)
    for q1 in (-0.3, -1e-9, 0.0, 0.2):
        angles = np.array([q1, 0.5, -0.3])
        d1 = meter.reading(angles, np.zeros(3), np.zeros(3))
        assert angle_from_distance(meter, d1, angles - q1)[0] == pytest.approx(q1, abs=1e-12)
        assert np.arctan2(d2 - d1[0] * np.cos(gamma), d1[0] * np.sin(gamma)) == pytest.approx(q1, abs=1e-12)


def test_the_instant_of_touchdown_does_not_depend_on_the_integrator():
    phases = Phases.of(Walker.load("walker3"))
    x = np.array([-0.39, 0.5, 0.39, 2.0, 0.0, -2.0])
    law = lambda t, x, foot: np.array([1.0, -0.5]) * (1 if foot == 0 else -1)  # noqa: E731
    ways = (("rk4", 10), ("adaptive", 1), ("euler", 2000))
    walks = [simulate(phases, x, law, 0.6, stepping=Stepping(method=m, steps=s)) for m, s in ways]
    times = [walk.touchdowns[0].time for walk in walks]
    assert abs(times[0] - times[1]) < 1e-8 and abs(times[2] - times[1]) < 1e-4


def test_feet_that_fold_away_scuff_nothing_until_the_trigger():
    """Mirrored legs without knees: the height hovers around zero; a foot that is always out touches at once."""
    walker = Walker.load("walker3")
    phases = Phases.of(walker)
    mirrored = held(phases, [[0, 1, 0], [1, 0, 1]], [0.5, 0.02])  # nearly: above the ground before the middle, below after
    x = mirrored.on_constraints(-0.3, 2.4)
    out = simulate(phases, x, mirrored, 0.4, guard=Guard(angle=-np.inf, height=True))
    folded = simulate(phases, x, mirrored, 0.4, guard=Guard(angle=0.2, height=True))
    assert out.touchdowns[0].time < folded.touchdowns[0].time
    assert folded.touchdowns[0].before[0] >= 0.2 - 1e-9
