"""bifilar: robot dynamics identification. A robot goes in, a better robot comes out.

>>> import bifilar as bf
>>> bf.Robot.load("pendulum").joint_names
('joint1',)

Names are grouped by stage, in the order the data flow; each is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_STAGES: dict[str, tuple[str, ...]] = {
    # what can go wrong
    "bifilar.errors": (
        "BifilarError",
        "Finding",
        "FormatError",
        "MotionError",
        "Note",
        "Place",
        "RecordingError",
        "Remedy",
        "ResourceError",
        "RobotError",
        "ShapeError",
        "SolveError",
    ),
    # what the machine is
    "bifilar.robot.robot": ("Robot",),
    "bifilar.robot.model": ("Model",),
    "bifilar.robot.matrix_form": ("MatrixForm",),
    "bifilar.robot.description": ("Description", "Joint", "Limits", "Link", "Mimic", "Pose", "Shape"),
    "bifilar.robot.inertia": ("Inertia",),
    "bifilar.robot.friction": (
        *("Coulomb", "Friction", "LoadDependent", "Offset", "PositionDependent"),
        *("PowerLaw", "RotorInertia", "Stribeck", "Viscous"),
    ),
    "bifilar.robot.drivetrain": ("Drivetrain",),
    "bifilar.robot.capsules": ("Capsule", "capsules"),
    "bifilar.robot.limits_file": ("missing_limits", "write_limits"),
    "bifilar.robot.parameters": ("Parameters",),
    "bifilar.robot.base_parameters": ("BaseParameters", "base_parameters"),
    # how it moves
    "bifilar.dynamics.state": ("BaseMotion",),
    # what was measured
    "bifilar.recording.recording": ("Recording",),
    "bifilar.recording.check": ("check",),
    "bifilar.recording.findings": ("Findings",),
    "bifilar.recording.channel": ("Channel",),
    "bifilar.recording.mapping": ("Mapping",),
    "bifilar.recording.suggest": ("suggest_mapping",),
    "bifilar.recording.prepare": ("prepare",),
    "bifilar.recording.recipes": ("Recipe",),
    "bifilar.recording.samples": ("Samples",),
    # what would happen
    "bifilar.simulate.sensors": ("Sensors",),
    "bifilar.simulate.controller": ("Conditions", "Controller", "Goal", "State"),
    "bifilar.simulate.pushes": ("JointPush", "LinkPush"),
    "bifilar.simulate.wall": ("Wall",),
    "bifilar.simulate.closed_loop": ("LoopRun", "run_loop"),
    "bifilar.simulate.implicit_form": ("ImplicitForm",),
    "bifilar.simulate.motion_run": ("MotionRun", "simulate_motion"),
    "bifilar.simulate.virtual_robot": ("VirtualRobot",),
    # which motion shows it
    "bifilar.experiment.trajectory": ("Motion", "Trajectory", "Window", "sample"),
    "bifilar.experiment.harmonics": ("FourierBasis", "rest_basis", "rest_constraints"),
    "bifilar.experiment.fourier": ("Fourier",),
    "bifilar.experiment.piecewise": ("Piecewise", "interpolated", "quintic"),
    "bifilar.experiment.splines": ("BSpline",),
    "bifilar.experiment.sweep": ("Sweep", "sweep"),
    "bifilar.experiment.poses": ("PoseSequence", "pose_sequence", "transition_time"),
    "bifilar.experiment.refit": ("PeriodAverage", "Refit", "period_average", "refit"),
    "bifilar.experiment.compose": ("concatenate", "speed_ladder"),
    "bifilar.experiment.criteria": ("Criterion",),
    "bifilar.experiment.points": ("Above", "SpeedBelow", "Within"),
    "bifilar.experiment.torque_limits": ("TorqueWithin",),
    "bifilar.experiment.clearance": ("Clearance",),
    "bifilar.experiment.constraint_file": ("load_constraints",),
    "bifilar.experiment.certificate": ("Certificate", "certificate_of"),
    "bifilar.experiment.certify": ("certify",),
    "bifilar.experiment.design": ("Design", "design"),
    "bifilar.experiment.sweep_plan": ("SweepPlan",),
    "bifilar.experiment.files": ("load_motion", "save_joint_trajectory", "save_motion"),
    # what a recording holds of it
    "bifilar.robot.reduction": ("Chunk", "Reduction", "reduce"),
    "bifilar.robot.solve": ("Solution", "solve"),
    # what the numbers are
    "bifilar.estimate.problem": ("Problem",),
    "bifilar.estimate.estimate": ("BaseEstimate", "Estimate"),
    "bifilar.estimate.status": ("Status",),
    "bifilar.estimate.score": ("Score", "score"),
    "bifilar.estimate.least_squares": ("LeastSquares",),
    "bifilar.estimate.bands": ("Band", "band"),
    "bifilar.estimate.bootstrap": ("Bootstrap", "bootstrap"),
    "bifilar.estimate.consistent": ("PhysicallyConsistent",),
    "bifilar.estimate.ellipsoids": ("Ellipsoid",),
    "bifilar.estimate.nearest": ("Nearest", "nearest"),
    "bifilar.estimate.ready_made": ("BodiesEstimate", "consistent_bodies"),
    "bifilar.estimate.instrumental": ("InstrumentalVariables",),
    "bifilar.estimate.direct_inverse": ("DirectInverse",),
    "bifilar.estimate.closed_loop": ("JointController", "simulate_loop"),
    "bifilar.estimate.max_likelihood": ("MaximumLikelihood",),
    "bifilar.estimate.fit": ("fit",),
    "bifilar.estimate.periodic_fourier": ("PeriodicFourier",),
    "bifilar.estimate.friction_choice": ("FrictionChoice", "choose_friction"),
    "bifilar.estimate.payload": ("Payload", "identify_payload"),
    "bifilar.recording.static_poses": ("StaticPoses",),
    "bifilar.estimate.gravity_model": ("GravityModel",),
    "bifilar.estimate.gravity": ("GravityEstimate", "identify_gravity"),
    "bifilar.estimate.saved": ("load_estimate", "save_estimate"),
    "bifilar.estimate.simplify": ("Simplified", "Simplify"),
    "bifilar.estimate.simplify_loop": ("Redesigning",),
    # what the sensors mean
    "bifilar.calibrate.drive_gain": ("DriveGains", "identify_drive_gains"),
    "bifilar.calibrate.recalibration": ("SensorTrack", "SensorWatch", "follow_sensors"),
    "bifilar.calibrate.sensor_equations": ("HungMass",),
    "bifilar.calibrate.shape_matrix": ("ShapeCalibration", "calibrate_shape", "hung_load"),
    "bifilar.calibrate.tare_poses": ("TarePoses", "propose_tare_poses"),
    "bifilar.calibrate.torque_sensor": ("TorqueSensorCalibration", "calibrate_torque_sensors"),
    "bifilar.calibrate.wrist_sensor": ("WristCalibration", "calibrate_example", "tare"),
    # how to follow a state
    "bifilar.filters.belief": ("Belief",),
    "bifilar.filters.filtered_differences": ("FilteredDifferences",),
    "bifilar.online.motion": ("MotionFilter",),
    # what they are right now
    "bifilar.online.tuning": ("Change", "Tuning"),
    "bifilar.online.measurements": ("BaseWrench", "OperationalSpace", "Torque", "WristSensor"),
    "bifilar.online.parameter_filter": ("ParameterFilter",),
    "bifilar.online.payload": ("PayloadFilter", "attach"),
    "bifilar.online.dual": ("DualFilter",),
    "bifilar.online.noise": ("periodic_noise",),
    "bifilar.online.recordings": ("Track", "track"),
    # use it: move
    "bifilar.control.safety": ("Safety", "SafetySettings"),
    "bifilar.control.safe_controller": ("SafeController",),
    "bifilar.control.gravity_compensation": ("GravityCompensation",),
    "bifilar.control.gravity_pd": ("GravityPD",),
    "bifilar.control.computed_torque": ("ComputedTorque", "Superposed"),
    "bifilar.control.impedance": ("JointImpedance",),
    "bifilar.control.tool_force": ("ToolForce",),
    "bifilar.control.adaptive": ("AdaptiveControl",),
    "bifilar.control.cartesian_path": ("Circle", "Line"),
    "bifilar.control.pose_path": ("PosePath",),
    "bifilar.control.cartesian": ("PathMotion", "cartesian_motion"),
    "bifilar.control.path_following": ("PathFollowing", "PathSettings"),
    "bifilar.control.velocity_quality": ("VelocityQuality", "differences_as_quiet_as", "velocity_quality"),
    "bifilar.control.model_error": ("wrong_by",),
    "bifilar.control.tracking": ("PushResponse", "Tracking", "push_response", "tracking"),
    # machines with impacts
    "bifilar.walking.ground": ("GroundMotion", "ground_motion"),
    "bifilar.walking.ground_fit": ("GroundEstimate", "fit_on_ground"),
    # whether to believe it
    "bifilar.validate.holdout": ("Validation", "held_out"),
    "bifilar.validate.verdict": ("Thresholds", "Verdict", "judge"),
    # hand it on
    "bifilar.export.write_model": ("Exported", "write_model"),
    "bifilar.report.run_page": ("report_of",),
    # look at it
    "bifilar.view.viewer": ("Viewer",),
}

_HOME = {name: module for module, names in _STAGES.items() for name in names}
_MODULES = {"datasets": "bifilar.recording.datasets"}  # public recordings and models by name

__all__ = [*_HOME, *_MODULES, "__version__"]

if TYPE_CHECKING:
    from bifilar.calibrate.drive_gain import DriveGains as DriveGains
    from bifilar.calibrate.drive_gain import identify_drive_gains as identify_drive_gains
    from bifilar.calibrate.recalibration import SensorTrack as SensorTrack
    from bifilar.calibrate.recalibration import SensorWatch as SensorWatch
    from bifilar.calibrate.recalibration import follow_sensors as follow_sensors
    from bifilar.calibrate.sensor_equations import HungMass as HungMass
    from bifilar.calibrate.shape_matrix import ShapeCalibration as ShapeCalibration
    from bifilar.calibrate.shape_matrix import calibrate_shape as calibrate_shape
    from bifilar.calibrate.shape_matrix import hung_load as hung_load
    from bifilar.calibrate.tare_poses import TarePoses as TarePoses
    from bifilar.calibrate.tare_poses import propose_tare_poses as propose_tare_poses
    from bifilar.calibrate.torque_sensor import TorqueSensorCalibration as TorqueSensorCalibration
    from bifilar.calibrate.torque_sensor import calibrate_torque_sensors as calibrate_torque_sensors
    from bifilar.calibrate.wrist_sensor import WristCalibration as WristCalibration
    from bifilar.calibrate.wrist_sensor import calibrate_example as calibrate_example
    from bifilar.calibrate.wrist_sensor import tare as tare
    from bifilar.control.adaptive import AdaptiveControl as AdaptiveControl
    from bifilar.control.cartesian import PathMotion as PathMotion
    from bifilar.control.cartesian import cartesian_motion as cartesian_motion
    from bifilar.control.cartesian_path import Circle as Circle
    from bifilar.control.cartesian_path import Line as Line
    from bifilar.control.computed_torque import ComputedTorque as ComputedTorque
    from bifilar.control.computed_torque import Superposed as Superposed
    from bifilar.control.gravity_compensation import GravityCompensation as GravityCompensation
    from bifilar.control.gravity_pd import GravityPD as GravityPD
    from bifilar.control.impedance import JointImpedance as JointImpedance
    from bifilar.control.model_error import wrong_by as wrong_by
    from bifilar.control.path_following import PathFollowing as PathFollowing
    from bifilar.control.path_following import PathSettings as PathSettings
    from bifilar.control.pose_path import PosePath as PosePath
    from bifilar.control.safe_controller import SafeController as SafeController
    from bifilar.control.safety import Safety as Safety
    from bifilar.control.safety import SafetySettings as SafetySettings
    from bifilar.control.tool_force import ToolForce as ToolForce
    from bifilar.control.tracking import PushResponse as PushResponse
    from bifilar.control.tracking import Tracking as Tracking
    from bifilar.control.tracking import push_response as push_response
    from bifilar.control.tracking import tracking as tracking
    from bifilar.control.velocity_quality import VelocityQuality as VelocityQuality
    from bifilar.control.velocity_quality import differences_as_quiet_as as differences_as_quiet_as
    from bifilar.control.velocity_quality import velocity_quality as velocity_quality
    from bifilar.dynamics.state import BaseMotion as BaseMotion
    from bifilar.errors import BifilarError as BifilarError
    from bifilar.errors import Finding as Finding
    from bifilar.errors import FormatError as FormatError
    from bifilar.errors import MotionError as MotionError
    from bifilar.errors import Note as Note
    from bifilar.errors import Place as Place
    from bifilar.errors import RecordingError as RecordingError
    from bifilar.errors import Remedy as Remedy
    from bifilar.errors import ResourceError as ResourceError
    from bifilar.errors import RobotError as RobotError
    from bifilar.errors import ShapeError as ShapeError
    from bifilar.errors import SolveError as SolveError
    from bifilar.estimate.bands import Band as Band
    from bifilar.estimate.bands import band as band
    from bifilar.estimate.bootstrap import Bootstrap as Bootstrap
    from bifilar.estimate.bootstrap import bootstrap as bootstrap
    from bifilar.estimate.closed_loop import JointController as JointController
    from bifilar.estimate.closed_loop import simulate_loop as simulate_loop
    from bifilar.estimate.consistent import PhysicallyConsistent as PhysicallyConsistent
    from bifilar.estimate.direct_inverse import DirectInverse as DirectInverse
    from bifilar.estimate.ellipsoids import Ellipsoid as Ellipsoid
    from bifilar.estimate.estimate import BaseEstimate as BaseEstimate
    from bifilar.estimate.estimate import Estimate as Estimate
    from bifilar.estimate.fit import fit as fit
    from bifilar.estimate.friction_choice import FrictionChoice as FrictionChoice
    from bifilar.estimate.friction_choice import choose_friction as choose_friction
    from bifilar.estimate.gravity import GravityEstimate as GravityEstimate
    from bifilar.estimate.gravity import identify_gravity as identify_gravity
    from bifilar.estimate.gravity_model import GravityModel as GravityModel
    from bifilar.estimate.instrumental import InstrumentalVariables as InstrumentalVariables
    from bifilar.estimate.least_squares import LeastSquares as LeastSquares
    from bifilar.estimate.max_likelihood import MaximumLikelihood as MaximumLikelihood
    from bifilar.estimate.nearest import Nearest as Nearest
    from bifilar.estimate.nearest import nearest as nearest
    from bifilar.estimate.payload import Payload as Payload
    from bifilar.estimate.payload import identify_payload as identify_payload
    from bifilar.estimate.periodic_fourier import PeriodicFourier as PeriodicFourier
    from bifilar.estimate.problem import Problem as Problem
    from bifilar.estimate.ready_made import BodiesEstimate as BodiesEstimate
    from bifilar.estimate.ready_made import consistent_bodies as consistent_bodies
    from bifilar.estimate.saved import load_estimate as load_estimate
    from bifilar.estimate.saved import save_estimate as save_estimate
    from bifilar.estimate.score import Score as Score
    from bifilar.estimate.score import score as score
    from bifilar.estimate.simplify import Simplified as Simplified
    from bifilar.estimate.simplify import Simplify as Simplify
    from bifilar.estimate.simplify_loop import Redesigning as Redesigning
    from bifilar.estimate.status import Status as Status
    from bifilar.experiment.certificate import Certificate as Certificate
    from bifilar.experiment.certificate import certificate_of as certificate_of
    from bifilar.experiment.certify import certify as certify
    from bifilar.experiment.clearance import Clearance as Clearance
    from bifilar.experiment.compose import concatenate as concatenate
    from bifilar.experiment.compose import speed_ladder as speed_ladder
    from bifilar.experiment.constraint_file import load_constraints as load_constraints
    from bifilar.experiment.criteria import Criterion as Criterion
    from bifilar.experiment.design import Design as Design
    from bifilar.experiment.design import design as design
    from bifilar.experiment.files import load_motion as load_motion
    from bifilar.experiment.files import save_joint_trajectory as save_joint_trajectory
    from bifilar.experiment.files import save_motion as save_motion
    from bifilar.experiment.fourier import Fourier as Fourier
    from bifilar.experiment.harmonics import FourierBasis as FourierBasis
    from bifilar.experiment.harmonics import rest_basis as rest_basis
    from bifilar.experiment.harmonics import rest_constraints as rest_constraints
    from bifilar.experiment.piecewise import Piecewise as Piecewise
    from bifilar.experiment.piecewise import interpolated as interpolated
    from bifilar.experiment.piecewise import quintic as quintic
    from bifilar.experiment.points import Above as Above
    from bifilar.experiment.points import SpeedBelow as SpeedBelow
    from bifilar.experiment.points import Within as Within
    from bifilar.experiment.poses import PoseSequence as PoseSequence
    from bifilar.experiment.poses import pose_sequence as pose_sequence
    from bifilar.experiment.poses import transition_time as transition_time
    from bifilar.experiment.refit import PeriodAverage as PeriodAverage
    from bifilar.experiment.refit import Refit as Refit
    from bifilar.experiment.refit import period_average as period_average
    from bifilar.experiment.refit import refit as refit
    from bifilar.experiment.splines import BSpline as BSpline
    from bifilar.experiment.sweep import Sweep as Sweep
    from bifilar.experiment.sweep import sweep as sweep
    from bifilar.experiment.sweep_plan import SweepPlan as SweepPlan
    from bifilar.experiment.torque_limits import TorqueWithin as TorqueWithin
    from bifilar.experiment.trajectory import Motion as Motion
    from bifilar.experiment.trajectory import Trajectory as Trajectory
    from bifilar.experiment.trajectory import Window as Window
    from bifilar.experiment.trajectory import sample as sample
    from bifilar.export.write_model import Exported as Exported
    from bifilar.export.write_model import write_model as write_model
    from bifilar.filters.belief import Belief as Belief
    from bifilar.filters.filtered_differences import FilteredDifferences as FilteredDifferences
    from bifilar.online.dual import DualFilter as DualFilter
    from bifilar.online.measurements import BaseWrench as BaseWrench
    from bifilar.online.measurements import OperationalSpace as OperationalSpace
    from bifilar.online.measurements import Torque as Torque
    from bifilar.online.measurements import WristSensor as WristSensor
    from bifilar.online.motion import MotionFilter as MotionFilter
    from bifilar.online.noise import periodic_noise as periodic_noise
    from bifilar.online.parameter_filter import ParameterFilter as ParameterFilter
    from bifilar.online.payload import PayloadFilter as PayloadFilter
    from bifilar.online.payload import attach as attach
    from bifilar.online.recordings import Track as Track
    from bifilar.online.recordings import track as track
    from bifilar.online.tuning import Change as Change
    from bifilar.online.tuning import Tuning as Tuning
    from bifilar.recording import datasets as datasets
    from bifilar.recording.channel import Channel as Channel
    from bifilar.recording.check import check as check
    from bifilar.recording.findings import Findings as Findings
    from bifilar.recording.mapping import Mapping as Mapping
    from bifilar.recording.prepare import prepare as prepare
    from bifilar.recording.recipes import Recipe as Recipe
    from bifilar.recording.recording import Recording as Recording
    from bifilar.recording.samples import Samples as Samples
    from bifilar.recording.static_poses import StaticPoses as StaticPoses
    from bifilar.recording.suggest import suggest_mapping as suggest_mapping
    from bifilar.report.run_page import report_of as report_of
    from bifilar.robot.base_parameters import BaseParameters as BaseParameters
    from bifilar.robot.base_parameters import base_parameters as base_parameters
    from bifilar.robot.capsules import Capsule as Capsule
    from bifilar.robot.capsules import capsules as capsules
    from bifilar.robot.description import Description as Description
    from bifilar.robot.description import Joint as Joint
    from bifilar.robot.description import Limits as Limits
    from bifilar.robot.description import Link as Link
    from bifilar.robot.description import Mimic as Mimic
    from bifilar.robot.description import Pose as Pose
    from bifilar.robot.description import Shape as Shape
    from bifilar.robot.drivetrain import Drivetrain as Drivetrain
    from bifilar.robot.friction import Coulomb as Coulomb
    from bifilar.robot.friction import Friction as Friction
    from bifilar.robot.friction import LoadDependent as LoadDependent
    from bifilar.robot.friction import Offset as Offset
    from bifilar.robot.friction import PositionDependent as PositionDependent
    from bifilar.robot.friction import PowerLaw as PowerLaw
    from bifilar.robot.friction import RotorInertia as RotorInertia
    from bifilar.robot.friction import Stribeck as Stribeck
    from bifilar.robot.friction import Viscous as Viscous
    from bifilar.robot.inertia import Inertia as Inertia
    from bifilar.robot.limits_file import missing_limits as missing_limits
    from bifilar.robot.limits_file import write_limits as write_limits
    from bifilar.robot.matrix_form import MatrixForm as MatrixForm
    from bifilar.robot.model import Model as Model
    from bifilar.robot.parameters import Parameters as Parameters
    from bifilar.robot.reduction import Chunk as Chunk
    from bifilar.robot.reduction import Reduction as Reduction
    from bifilar.robot.reduction import reduce as reduce
    from bifilar.robot.robot import Robot as Robot
    from bifilar.robot.solve import Solution as Solution
    from bifilar.robot.solve import solve as solve
    from bifilar.simulate.closed_loop import LoopRun as LoopRun
    from bifilar.simulate.closed_loop import run_loop as run_loop
    from bifilar.simulate.controller import Conditions as Conditions
    from bifilar.simulate.controller import Controller as Controller
    from bifilar.simulate.controller import Goal as Goal
    from bifilar.simulate.controller import State as State
    from bifilar.simulate.implicit_form import ImplicitForm as ImplicitForm
    from bifilar.simulate.motion_run import MotionRun as MotionRun
    from bifilar.simulate.motion_run import simulate_motion as simulate_motion
    from bifilar.simulate.pushes import JointPush as JointPush
    from bifilar.simulate.pushes import LinkPush as LinkPush
    from bifilar.simulate.sensors import Sensors as Sensors
    from bifilar.simulate.virtual_robot import VirtualRobot as VirtualRobot
    from bifilar.simulate.wall import Wall as Wall
    from bifilar.validate.holdout import Validation as Validation
    from bifilar.validate.holdout import held_out as held_out
    from bifilar.validate.verdict import Thresholds as Thresholds
    from bifilar.validate.verdict import Verdict as Verdict
    from bifilar.validate.verdict import judge as judge
    from bifilar.view.viewer import Viewer as Viewer
    from bifilar.walking.ground import GroundMotion as GroundMotion
    from bifilar.walking.ground import ground_motion as ground_motion
    from bifilar.walking.ground_fit import GroundEstimate as GroundEstimate
    from bifilar.walking.ground_fit import fit_on_ground as fit_on_ground


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(_MODULES[name])
    if name not in _HOME:
        raise AttributeError(f"module 'bifilar' has no attribute '{name}'")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
