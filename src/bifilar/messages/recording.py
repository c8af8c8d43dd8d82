"""Sentences about recording, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
    "absent": Message(
        "{absent:join}: not recorded; treated as locked",
        likely="fingers, wheels or other joints that are not logged",
        remedy="robot.locked({{name: position}})",
        cli="--lock NAME=POSITION",
        lead="nothing if they stayed at zero; otherwise ",
    ),
    "back": Message(
        "jumps back {back_count} times, by up to {far:.4g} s; first after {time:.6g} s (row {back})",
        likely="several runs in one file, or messages stored out of order",
        remedy="sort the file or cut it there, or load its parts as separate recordings: .part(start, stop){rows}",
    ),
    "bad_lines": Message(
        "{lost_count} of {lost_count_2} rows could not be read, and are masked",
        likely="damaged lines",
        remedy="nothing for a few lines; otherwise look at these lines of the file",
    ),
    "bag.computed": Message("the tables of the bag are computed, not stored", likely="not a ROS 2 bag"),
    "bag.empty/bag_files": Message("the folder has no {endings:join| or } file", remedy="unpack the .zstd files first"),
    "bag.empty/messages": Message("the folder has no {endings:join| or } file", remedy="name the folder of a ROS 2 bag"),
    "bag.joint_twice": Message("a message names a joint twice", listed=("joints",)),
    "bag.message": Message("a message of the bag is not binary data", likely="a damaged bag", remedy="copy or record it again"),
    "bag.no_message": Message(
        "the log holds no usable message",
        remedy=("record a topic of type sensor_msgs/msg/JointState, geometry_msgs/msg/WrenchStamped or sensor_msgs/msg/Imu"),
    ),
    "bag.ros1": Message("this is a ROS 1 bag", remedy="convert it with rosbags-convert, or record in ROS 2"),
    "bag.topic_unknown": Message("there are no joint states on '{chosen}'", listed=("topics",)),
    "bag.unreadable": Message("the bag cannot be read: {error}", likely="an interrupted copy, or another kind of file"),
    "channel.averaged": Message("{channel} averaged over {span} samples"),
    "channel.missing": Message("the recording holds no {name}", listed=("channels",)),
    "clock.even/plan": Message("low-pass filtered at {band:.3g} Hz before, because the recording has {step:.4g} Hz"),
    "clock.even/prepare": Message("resampled at {rate:g} Hz from the timestamps"),
    "clock.holes/periodic": Message("left out {whole} periods with gaps in the timestamps"),
    "clock.holes/prepare": Message("{part_count} segments between gaps longer than {1000.0*gap:.3g} ms"),
    "clock.kind/channel": Message("the clock of a channel is '{clock}'", remedy="choose 'recorded', 'assumed' or 'none'"),
    "clock.kind/recording": Message("the clock is '{clock}'", remedy="choose 'recorded', 'assumed' or 'none'"),
    "clock.length": Message("a channel of {value_count} samples has {size} timestamps"),
    "clock.missing/plan_names": Message("no column contains timestamps", listed=("columns",)),
    "clock.missing/recording": Message(
        "a rate or timestamps are needed", remedy="use with_clock(rate=...) or with_clock(time=...)"
    ),
    "clock.nanoseconds/plan": Message(
        "the nanoseconds are {smallest:.6g} to {largest:.6g}, not 0 to 1e9 as they are beside whole seconds",
        likely="two complete clocks",
        remedy="give one of the two in a mapping: [clock] with column = ... and unit = ...",
    ),
    "clock.nanoseconds/plan_mapping": Message(
        "a column of nanoseconds needs a column of seconds", remedy='add column = "timestamp.sec" or the like'
    ),
    "clock.not_rising/merge": Message(
        "the timestamps of a recording jump back, so it cannot be merged", remedy="cut it with part()"
    ),
    "clock.not_rising/stretches": Message(
        "the clock {whose}jumps back from {time:.6g} s to {time_2:.6g} s",
        likely="two recordings in one, or a clock that was reset",
        remedy=(
            "recording.part(...) or recording.masked(...); rows with logged velocities and accelerations can be "
            "fitted as they are: Recording.load(..., ordered=False)"
        ),
        cli=(
            "time = [[2.0, 30.0]] below [use] in a mapping; rows with logged velocities and accelerations can be "
            "fitted as they are: --kinematics logged"
        ),
        lead="cut it there: ",
    ),
    "clock.own": Message("{name} has its own timestamps and was interpolated at those of the position"),
    "clock.several/clock_rest": Message("'{nanoseconds}' names {place_count} columns", remedy="name a single column"),
    "clock.several/plan_mapping": Message("'{column}' names {place_count} columns", remedy="name a single column"),
    "clock.unordered": Message(
        "samples that are not in order of time cannot be filtered or differentiated",
        remedy='use Recipe(kinematics="logged")',
        cli="--kinematics logged",
    ),
    "coarse": Message(
        "has only {levels:.0f} steps of {quantum:.3g} in its range",
        likely="few digits in the log, or an encoder of low resolution",
        remedy="log more digits, or move this joint more; its torque contributes little information as it is",
    ),
    "column.twice/channel": Message("a channel has two columns '{twice}'", remedy="give each column its own name"),
    "column.twice/plan_names": Message(
        "{channel} of '{twice}' is in more than one column",
        remedy="bifilar check LOG --write-mapping log.toml, then mapping='log.toml'",
        cli="bifilar check LOG --write-mapping log.toml, then --mapping log.toml",
        lead="state what the columns are: ",
        needs=("--mapping",),
        otherwise=(
            "bifilar convert LOG right.csv --mapping log.toml, then name right.csv; 'bifilar check LOG "
            "--write-mapping log.toml' writes one to fill in"
        ),
        listed=("columns",),
    ),
    "column.twice/read_parquet": Message("two columns have the same name"),
    "columns.count": Message(
        "{name_count} names are declared, but the lines hold {width} values", remedy="give a name for each value"
    ),
    "columns.names": Message("the names of the columns cannot be read: {error}"),
    "columns.no_joint": Message(
        "some columns name no joint",
        remedy="bifilar check LOG --write-mapping log.toml, then mapping='log.toml'",
        cli="bifilar check LOG --write-mapping log.toml, then --mapping log.toml",
        lead="state what the columns are: ",
        needs=("--mapping",),
        otherwise=(
            "bifilar convert LOG right.csv --mapping log.toml, then name right.csv; 'bifilar check LOG "
            "--write-mapping log.toml' writes one to fill in"
        ),
        listed=("columns",),
    ),
    "columns.not_understood/plan_names": Message(
        "the meaning of {bad_count} of {name_count} columns is not known",
        remedy="bifilar check LOG --write-mapping log.toml, then mapping='log.toml'",
        cli="bifilar check LOG --write-mapping log.toml, then --mapping log.toml",
        lead="state what the columns are: ",
        needs=("--mapping",),
        otherwise=(
            "bifilar convert LOG right.csv --mapping log.toml, then name right.csv; 'bifilar check LOG "
            "--write-mapping log.toml' writes one to fill in"
        ),
        listed=("columns",),
    ),
    "columns.not_understood/refuse_strange": Message(
        "the file holds nothing but timestamps",
        remedy="bifilar check LOG --write-mapping log.toml, then mapping='log.toml'",
        cli="bifilar check LOG --write-mapping log.toml, then --mapping log.toml",
        lead="state what the columns are: ",
        needs=("--mapping",),
        otherwise=(
            "bifilar convert LOG right.csv --mapping log.toml, then name right.csv; 'bifilar check LOG "
            "--write-mapping log.toml' writes one to fill in"
        ),
        listed=("columns",),
    ),
    "columns.unnamed": Message(
        "the {name_count} columns of the file have no names",
        likely="a log without a header",
        remedy="bifilar check LOG --write-mapping log.toml, then mapping='log.toml'",
        cli="bifilar check LOG --write-mapping log.toml, then --mapping log.toml",
        lead="state what the columns are: ",
        needs=("--mapping",),
        otherwise=(
            "bifilar convert LOG right.csv --mapping log.toml, then name right.csv; 'bifilar check LOG "
            "--write-mapping log.toml' writes one to fill in"
        ),
    ),
    "cutoff.too_low": Message(
        "a cut-off of {cutoff:g} Hz removes all of a motion whose base frequency is {base_frequency:g} Hz",
        remedy="give a higher cut-off, or leave it out to have it chosen",
    ),
    "dataset.kind_unknown": Message(
        "unknown kind '{kind}' of public sets",
        likely=(
            "a misspelling of {near:quoted}",
            "known are {choices:join}",
        ),
        listed=("kinds",),
    ),
    "dataset.no_description": Message("'{name}' has no description '{description}'", listed=("descriptions",)),
    "dataset.no_problem": Message("'{name}' is not a prepared regression problem", remedy="choose one of {names:join}"),
    "dataset.no_recording/datasets": Message("'{name}' holds no recording", remedy="bf.datasets.{verb}('{name}')"),
    "dataset.no_robot": Message("'{name}' has no robot model"),
    "dataset.no_run/datasets": Message(
        "'{name}' has no run '{run}'", likely=("a misspelling of {near:quoted}", "known are {choices:join}"), listed=("runs",)
    ),
    "dataset.unknown": Message(
        "there is no set '{name}'",
        likely=("a misspelling of {near:quoted}", "known are {choices:join}"),
        remedy="bf.datasets.names() or 'bifilar datasets' lists them",
    ),
    "dataset.which": Message(
        "the mapping reads '{name}', but {hole} is not given", remedy="give {hole}=..., or a log whose name fits '{name_2}'"
    ),
    "dead": Message(
        "is constant at {column:g} while the machine moves",
        likely="a locked joint",
        remedy="recording.joints([...]) without '{joint}', or repair the sensor",
        cli="--lock {joint}, or repair the sensor",
        lead="leave it out: ",
        needs=("--lock",),
        otherwise="leave it out: a fixed '{joint}' in the robot model, or repair the sensor",
    ),
    "dead/moving_joint": Message(
        "is constant at {column:g} while the machine moves",
        likely="a sensor that is not connected, or a column that is never written",
        remedy="repair the sensor, or name its column in a mapping: '{joint}' moves and cannot be left out",
    ),
    "dead/torque": Message(
        "is constant at {column:g} while the machine moves",
        likely="a sensor that is not connected, or a column that is never written",
        remedy="recording.joints([...]) without '{joint}', or repair the sensor",
        cli="--lock {joint}, or repair the sensor",
        lead="leave it out: ",
        needs=("--lock",),
        otherwise="leave it out: a fixed '{joint}' in the robot model, or repair the sensor",
    ),
    "degrees": Message(
        "of '{joint}' spans {low:.4g} to {high:.4g} rad, its limits are {lower:.4g} to {upper:.4g}",
        likely="positions in degrees",
        remedy="Recording.load(..., unit={{'position': 'deg'}})",
        cli="--unit position=deg",
    ),
    "degrees/checks_velocity": Message(
        "velocity is {k:.4g} times the derivative of position in every joint",
        likely="{word} is in {unit}",
        remedy="Recording.load(..., unit={{'{word}': '{unit}'}})",
        cli="--unit {word}={unit}",
    ),
    "degrees/no_limits": Message(
        "of '{joint}' spans {low:.4g} to {high:.4g} rad",
        likely="positions in degrees",
        remedy="Recording.load(..., unit={{'position': 'deg'}})",
        cli="--unit position=deg",
    ),
    "delay.wrong/log_delay": Message(
        "log_delay is {delay}",
        remedy="give the seconds by which the torque is late, up to {longest:g}: log_delay=0.005",
        cli="--log-delay 0.005: the seconds by which the torque is late, up to {longest:g}",
    ),
    "delay/at_least": Message(
        "is logged {words} ms {word} the motion it belongs to{within}",
        likely="another bus, a filter in the drive, or timestamps set on arrival",
        remedy="Recording.load(..., log_delay={delay:.4g}); then check again: the delay may be larger",
        cli="--log-delay {delay:.4g} shifts it; then check again: the delay may be larger",
    ),
    "delay/checks_delay": Message(
        "is logged {words} ms {word} the motion it belongs to{within}",
        likely="another bus, a filter in the drive, or timestamps set on arrival",
        remedy="Recording.load(..., log_delay={delay:.4g}); a fit does so by itself where all of the log agrees",
        cli="--log-delay {delay:.4g} shifts it; a fit does so by itself where all of the log agrees",
    ),
    "download.changed/dataset_files": Message(
        "'{name}' of '{name_2}' is not the file that was published",
        likely="an interrupted download, or a modified copy",
        remedy="delete it and load again; read a modified copy with bf.Recording.load(...)",
        listed=(
            "expected",
            "found",
        ),
    ),
    "download.changed/download": Message(
        "the download of '{name}' of '{name_2}' is not the file that was published",
        likely="the source changed",
        remedy="download '{name}' and put it into {folder}, or set BIFILAR_DATA to a folder that holds '{name_2}'",
        listed=("source",),
    ),
    "download.failed/dataset_files": Message(
        "'{name}' of '{name_2}' could not be downloaded: {error}",
        remedy="download '{name}' and put it into {folder}, or set BIFILAR_DATA to a folder that holds '{name_2}'",
        listed=("source",),
    ),
    "download.failed/dataset_files_download": Message(
        "'{name}' of '{name_2}' could not be downloaded",
        likely="no network connection",
        remedy="download '{name}' and put it into {folder}, or set BIFILAR_DATA to a folder that holds '{name_2}'",
        listed=(
            "source",
            "reason",
        ),
    ),
    "download.failed/download": Message(
        "'{name}' of '{name_2}' could not be downloaded",
        likely="the source has moved, or is private now",
        remedy="download '{name}' and put it into {folder}, or set BIFILAR_DATA to a folder that holds '{name_2}'",
        listed=(
            "source",
            "reason",
        ),
    ),
    "download.no_address": Message(
        "'{name}' of '{name_2}' is not on this machine and has no known source",
        remedy="download '{name}' and put it into {folder}, or set BIFILAR_DATA to a folder that holds '{name_2}'",
        listed=("source",),
    ),
    "dropped": Message(
        "about {share:.1%} of the samples are missing without a gap in the timestamps: all joints make a double "
        "step, first at {start:.6g} s",
        likely="lost messages, with timestamps counted by rows",
        remedy="use recorded timestamps instead of a row index, or record again; masking does not correct the timestamps",
    ),
    "duplicate": Message(
        "{same_count} timestamps ({share:.2%}) repeat the previous one; first at {time:.6g} s",
        likely="rows written twice, or timestamps with too few digits",
        remedy="rate=... if the sampling is uniform",
        cli="--rate if the sampling is uniform",
        lead="keep one sample of each timestamp, or give ",
    ),
    "duplicate/most": Message(
        "{same_count} timestamps ({share:.2%}) repeat the previous one; first at {time:.6g} s",
        likely="whole seconds, with nanoseconds in another column, or too few digits",
        remedy="rate=... if the sampling is uniform",
        cli="--rate if the sampling is uniform",
        lead="name the column of nanoseconds in a mapping ([clock] nanoseconds = ...), or give ",
    ),
    "excitation": Message(
        "{weak_count} of {base_count} base parameters are hardly excited (below 1 % of a full motion): {shown}",
        likely="a slow motion, or one designed for other joints",
        remedy="(bf.design), or keep prior values for them",
        cli="('bifilar design'), or keep prior values for them",
        lead="move these links faster and over a wider range ",
    ),
    "file.bomb/bag_files": Message(
        "the file decompresses to more than {ratio} times its size", remedy="decompress it yourself if this is intended"
    ),
    "file.bomb/dataset_files": Message("the file unpacks to more than 1 GB", likely="a broken or malicious copy"),
    "file.bomb/read_npz": Message(
        "the recording decompresses to {total:.1f} GiB, from {packed:.1f} MiB",
        remedy="save it with numpy.savez if this is intended",
    ),
    "file.bomb/source": Message(
        "the file decompresses to {size:.1f} GiB, from {real:.1f} MiB", likely="a damaged file, or one value repeated"
    ),
    "file.bomb/text_bytes": Message(
        "the file decompresses to more than {ratio} times its size", remedy="decompress it yourself if this is intended"
    ),
    "file.damaged/array": Message(
        "the header of '{name}' is damaged: {error}", likely="another kind of file, or an interrupted copy"
    ),
    "file.damaged/bag_files": Message("the file is damaged: {kind} {error}", remedy="repair it with 'mcap recover'"),
    "file.damaged/member": Message("'{filename}' is shorter or longer than its header states", likely="a damaged file"),
    "file.damaged/read_bag": Message("a message is damaged: {error}"),
    "file.damaged/read_hdf5": Message("the file is damaged: {error}"),
    "file.damaged/read_mat": Message("the file is damaged: {error}", likely="an interrupted copy"),
    "file.damaged/read_npz": Message("the members of the archive are larger than the file", likely="a damaged file"),
    "file.damaged/read_npz_array": Message("'{name}' is shorter or longer than its header states", likely="a damaged file"),
    "file.damaged/read_npz_array_2": Message("'{name}' ends too early", likely="an interrupted copy"),
    "file.damaged/refuse_letters": Message("'{name}' holds invalid characters", likely="a damaged file"),
    "file.damaged/text_bytes": Message("the gzip file is damaged: {error}"),
    "file.empty/sniffed": Message("the file is empty", remedy="copy or record it again"),
    "file.empty/text_layout": Message("the file holds only comments", remedy="copy or record it again"),
    "file.folder/open_source": Message(
        "this is a folder", remedy="name a file in it; files with one signal each are listed in a mapping"
    ),
    "file.line/lined_up": Message("the line cannot be read: {error}"),
    "file.line/text_numbers": Message(
        "the line cannot be read: {error}",
        likely="an interrupted copy, two logs in one file, or another format further down",
        remedy="correct the line, or declare bad_lines = 'nan'",
    ),
    "file.long_line": Message(
        "a line is longer than {longest:g} MB",
        likely="a binary file, or a file with one signal per line",
        remedy="if every line is one signal, declare it in a mapping: [file] transposed = true",
    ),
    "file.newer": Message("'{name}' has version {major} of the .npy format; versions up to 3 are read"),
    "file.no_numbers": Message("the file holds no column of numbers", listed=("columns",)),
    "file.not_text/encoding": Message("the file is not {encoding}: {error}"),
    "file.not_text/mapping": Message(
        "the mapping is not text", remedy="name a text file; this one is a picture, an archive or the like"
    ),
    "file.objects": Message(
        "'{name}' holds Python objects, not numbers or names", remedy="save plain arrays: pickled objects are never loaded"
    ),
    "file.one_value": Message(
        "a line holds {name_count} values, but one per line was declared", remedy="leave one_value_per_line out"
    ),
    "file.other_kind/bag_files": Message("the file is not MCAP: {error}"),
    "file.other_kind/open_source": Message("the file is {name}, not a log", remedy="give the log itself, a {joined} file"),
    "file.other_kind/order": Message("the file is not a MATLAB file of version 5", remedy="save it with '-v7'"),
    "file.other_kind/read_mat": Message(
        "the file is in MATLAB 7.3 format, which is HDF5", remedy="name it .h5, or save it with '-v7'"
    ),
    "file.other_kind/read_npz": Message(
        "the file is not a recording: {error}", likely="another kind of file, or an interrupted copy"
    ),
    "file.outside": Message("'{name}' is outside the log's folder"),
    "file.ragged/read_hdf5": Message("data sets have different lengths", listed=("samples",)),
    "file.ragged/read_text": Message(
        "the lines hold different numbers of values: {map}", likely="an interrupted copy", remedy="copy or record it again"
    ),
    "file.ragged/source": Message("'{name}' has {column_count} samples, '{name_2}' {column_count_2}"),
    "file.ragged/transposed": Message("the file is empty", likely="an interrupted copy", remedy="copy or record it again"),
    "file.too_large/read_mat": Message("the file is larger than 16 GiB"),
    "file.too_wide": Message(
        "a line holds {width} values",
        likely="a file with one signal per line",
        remedy="if every line is one signal, declare it in a mapping: [file] transposed = true",
    ),
    "file.unreadable/dataset_files": Message("a file of '{name}' cannot be read: {error}"),
    "file.unreadable/open_source": Message("the recording cannot be read: {error}"),
    "file.unreadable/read_hdf5": Message(
        "the recording cannot be read: {error}", likely="an interrupted copy, or another kind of file"
    ),
    "file.unreadable/read_parquet": Message(
        "the file cannot be read: {reason}", likely="an interrupted copy, or another kind of file"
    ),
    "filter.cutoff": Message("cut-off frequency {cutoff:.3g} Hz, {reason}"),
    "gain.not_recorded": Message("a gain is declared for '{word}', which is not recorded", listed=("joints",)),
    "gain.wrong": Message("the gain of '{word}' is {value}", remedy="give N m per recorded unit"),
    "gap": Message(
        "{count} gaps longer than {limit:g} steps of {step:.4g} s; the longest lasts {longest:.4g} s, at {start:.6g} s",
        likely="pauses, or a logger that was blocked",
        remedy="nothing if pauses are intended: segments are processed separately; otherwise record again",
    ),
    "gravity": Message(
        "gravity acts opposite to the nominal model: {evidence}, while friction has the right sign",
        likely="a robot mounted upside down, or positions with opposite sign",
        remedy="robot.with_gravity([0, 0, 9.81]) for a hanging robot, or rotate the base in the nominal model",
        cli="rotate the base in the URDF if the robot hangs",
    ),
    "held": Message(
        "positions are constant in {share:.1%} of the steps and catch up afterwards: rows are repeated",
        likely="a logger faster than the bus, or blocked by it",
        remedy="nothing: filtering removes it; better log each sample once, with the controller's own timestamp",
    ),
    "jitter": Message(
        "is irregular: steps of {step:.4g} s vary by {spread:.0%} (between {low:.4g} and {high:.4g} s in 80 % of the rows)",
        likely="timestamps set on arrival, not at the measurement",
        remedy="nothing: samples are filtered by their timestamps; do not replace them by a row index",
    ),
    "joint.not_recorded/joints": Message(
        "the joint '{stranger}' is not recorded",
        remedy="name joints that are recorded",
        cli="--lock JOINT if it stood still; else bifilar check LOG --write-mapping log.toml, then --mapping",
        listed=("joints",),
    ),
    "joint.not_recorded/recording": Message("the prismatic joint '{stranger}' is not recorded", listed=("joints",)),
    "joint.twice": Message("the joint '{twice}' is recorded twice", remedy="give each joint its own name"),
    "joints.absent": Message("joints of the robot that are not recorded: {missing:join}"),
    "joints.by_name/load": Message("joints are named in this file, so they are not matched by order"),
    "joints.by_number": Message("joints were matched by the number in their name", remedy="name the columns"),
    "joints.by_position": Message("joints were matched by the order of columns, as requested"),
    "joints.count/by_number": Message(
        "the columns are numbered for {count} joint{count:one=|s}, the robot has {expected}", listed=("joints",)
    ),
    "joints.count/by_position": Message(
        "{count} columns cannot be matched by order with the {expected} joints of the robot", listed=("joints",)
    ),
    "joints.counted_apart": Message(
        "{zero:join} are numbered from 0, {one:join} from 1: matched by their order", remedy="number all columns alike"
    ),
    "joints.none/stretches": Message("no joint is recorded"),
    "joints.numbered/numbered": Message("the columns number the joints, but the robot's joints have names", listed=("joints",)),
    "joints.numbered/plan_names": Message("{count} joints are numbered, not named, and are called joint1, joint2, ..."),
    "joints.other/static_poses": Message("poses with different joints cannot be combined", listed=("joints",)),
    "joints.other_names": Message(
        "the recorded joints have different names than the robot's",
        listed=(
            "columns",
            "robot",
        ),
    ),
    "joints.other_robot/finished": Message("none of the recorded joints is a joint of the robot"),
    "joints.other_robot/plan_mapping": Message(
        "none of the mapping's joints is a joint of the robot", remedy="correct joints = [...]", listed=("joints", "robot")
    ),
    "limits": Message(
        "is up to {most:.3g} beyond its limits {lower:.4g} to {upper:.4g}, {mean:.0%} of the time",
        likely="another zero position or sign than in the nominal model, or wrong limits",
        remedy="or robot.with_limits({{...}})",
        cli="or in the nominal model",
        lead="compare zero, sign and limits of this joint: offset and sign in the mapping, ",
    ),
    "log.columns_left_out/plan_mapping": Message("columns not used by the mapping: {shown}"),
    "log.columns_left_out/plan_names": Message(
        "columns that were left out: {shown}",
        remedy="bifilar check LOG --write-mapping log.toml, then mapping='log.toml'",
        cli="bifilar check LOG --write-mapping log.toml, then --mapping log.toml",
        lead="state what the columns are: ",
        needs=("--mapping",),
        otherwise=(
            "bifilar convert LOG right.csv --mapping log.toml, then name right.csv; 'bifilar check LOG "
            "--write-mapping log.toml' writes one to fill in"
        ),
    ),
    "log.columns_left_out/read_hdf5": Message("not numeric time series, ignored: {odd:join}"),
    "log.columns_left_out/read_parquet": Message("not numeric, ignored: {odd:join}"),
    "log.cut_off/blocks": Message(
        "the last sample holds {rest_count} of {count} values and is ignored", remedy="nothing: all samples before it are used"
    ),
    "log.cut_off/read_text": Message(
        "the last line is incomplete and is ignored", remedy="nothing: everything before it is used"
    ),
    "log.cut_off/text_bytes": Message("the gzip file is incomplete", remedy="copy it again; its first part is used"),
    "log.damaged": Message(
        "the file is incomplete; {count} messages are read", remedy="copy it again, or repair it with 'mcap recover'"
    ),
    "log.lengths_differ/load": Message(
        "one of the files ends after {first} samples, another continues",
        likely="files of different runs, or an interrupted copy",
    ),
    "log.lengths_differ/load_same_length": Message(
        "{least} samples are used; '{basename}' has {most}", remedy="copy the files again"
    ),
    "log.lengths_differ/same_length": Message(
        "'{basename}' holds {least} samples, '{basename_2}' {most}", likely="files of different runs, or an interrupted copy"
    ),
    "log.lines_left_out": Message("{before_count} lines before the names were left out: {before}"),
    "log.part_missing": Message("{name} was written beside this file as '{name_2}', which is not there"),
    "log.rows_left_out": Message("the file ends without a line end: its last value may be cut off"),
    "log.rows_sorted": Message(
        "rows out of order: timestamps jump back {back_count} times, first in row {back}; sorted by time",
        likely="messages stored as they arrived, or files joined in the wrong order",
    ),
    "log.stamps_of_arrival": Message("message headers have no timestamps; the time of logging is used"),
    "log.topic_chosen": Message(
        "joint states of the same joints, left out: {topic} ({other_count} messages)",
        remedy='choose it in a mapping: [clock] topic = "{topic}"',
    ),
    "log.topic_left_out": Message("joints {joint_names:join} have other timestamps and are left out: {thing}"),
    "log.topics_left_out": Message("topics of other kinds, left out: {shown}"),
    "log.unit_assumed/load": Message(
        "no unit is stated for the timestamps; {found} since 1970 are assumed, as they begin with {size:.6g}",
        remedy="state the unit in the column's name or in a mapping",
    ),
    "log.unit_assumed/plan_names": Message("no unit is stated; SI is assumed: {taken:join}"),
    "lost": Message(
        "about {lost:.0f} samples ({share:.2%}) are missing between the timestamps",
        likely="a busy bus or logger",
        remedy="nothing: the timestamps are right; do not replace them by a row index",
    ),
    "mapping.channel/channel": Message(
        "a channel needs columns, or 'from' another channel", remedy="columns = [...]   or   from = 'current'"
    ),
    "mapping.channel/mapping": Message("'from' and 'source' cannot both be given"),
    "mapping.channel/mapping_channel": Message("a channel can have joints or labels, not both"),
    "mapping.channel/missing": Message(
        "the file has no column {column}",
        listed=(
            "file",
            "columns",
        ),
    ),
    "mapping.channel/plan_mapping": Message(
        "'{name}' comes from '{source}', which is no channel of the mapping", listed=("channels",)
    ),
    "mapping.clock": Message("a clock can have timestamps or a rate, not both"),
    "mapping.count/plan": Message("'{entry}' has {size} numbers for {count} columns"),
    "mapping.count/plan_mapping": Message("{label_count} names for {count} columns", listed=("names",)),
    "mapping.decimal": Message("the decimal sign cannot be {decimal!r}", remedy='declare "." or ","'),
    "mapping.delimiter": Message("the delimiter cannot be {found!r}", remedy="declare one of , ; | tab space"),
    "mapping.form/mapping": Message("'channels' is not a table", remedy="write [channels.position] and so on"),
    "mapping.form/mapping_checks": Message("a table is expected, not {said}"),
    "mapping.form/mapping_parsed": Message("the mapping is not a table"),
    "mapping.form/parsed": Message("the mapping {thing}"),
    "mapping.key_unknown/mapping_checks": Message(
        "'{entry}' is not a key of a mapping", likely="a misspelling of '{near:join}'", remedy="use one of: {shown}"
    ),
    "mapping.key_unknown/unknown": Message("'{entry}' is not a key of a mapping", remedy="use one of: {shown}"),
    "mapping.matrix/coupling": Message("motor_from_joint is not square or not invertible"),
    "mapping.matrix/plan_mapping": Message("the matrix has the shape {shape}, it must be {value}"),
    "mapping.no_clock": Message(
        "the mapping states no timestamps and no rate", remedy="add [clock] with column = ... and unit = ..., or rate = ..."
    ),
    "mapping.no_joints": Message(
        "the mapping does not state the joints of the columns", remedy='add joints = ["...", ...], in the order of the columns'
    ),
    "mapping.numbers": Message("'{entry}' must be whole numbers from 0"),
    "mapping.of_bag/bag_recording": Message(
        "a mapping for a bag can state the topic of the clock and rename joints only",
        remedy='keep [clock] topic = "/joint_states" and [rename]',
    ),
    "mapping.of_log": Message(
        "a {name} file is a complete log and cannot supply columns to another", remedy="load it without a mapping of columns"
    ),
    "mapping.pairs": Message("'{entry}' is not a list of pairs", remedy="give [[from, to], ...]"),
    "mapping.ratio": Message("a gear ratio is 0", remedy="give the ratio of the gear, such as 100.0"),
    "mapping.rows": Message("the rows of '{entry}' have different lengths"),
    "mapping.too_large": Message("the mapping is larger than {largest} kB", likely="a log was given as the mapping"),
    "mapping.value": Message("'{entry}' cannot be {said}", remedy="give {wanted}"),
    "merge.gap": Message(
        "{found_count} of {a_count} samples have no counterpart within {tolerance:g} s",
        remedy="nothing: their missing values are NaN",
    ),
    "merge.no_partner": Message(
        "only {found_count} of {a_count} samples have a counterpart within {tolerance:g} s",
        likely="another clock, another rate, or recordings of different times",
        remedy="give tolerance=..., or correct the timestamps first",
    ),
    "merge.twice/beside": Message("{name} has two clocks", remedy="leave one out with joints() or rename it"),
    "merge.twice/merge": Message(
        "the {name} of '{twice:join}' is in both recordings", remedy="leave one out with joints() or rename it"
    ),
    "method.unknown/recipes": Message("there is no method '{method}'", remedy="choose among {get_args:join}"),
    "missing/channel": Message(
        "is missing",
        likely=("a channel of another name; the recording also has {others:join}", "it was not logged"),
        remedy="name its columns in a mapping, or log it",
    ),
    "missing/current": Message(
        "is missing",
        likely="only the current was logged",
        remedy='in a mapping: [channels.torque] with from = "{current}" and factor = [...], N m/A of every joint',
    ),
    "missing/joint": Message(
        "has no column in the log",
        likely="it was not logged",
        remedy="recording.joints([...]) without '{joint}'",
        cli="--lock {joint}",
        lead="name its column in a mapping, log it, or leave the joint out: ",
        needs=("--lock",),
        otherwise="name its column in a mapping, log it, or make '{joint}' a fixed joint of the robot model",
    ),
    "missing/moving_joint": Message(
        "has no column in the log",
        likely="it was not logged",
        remedy="name its column in a mapping, or record it: '{joint}' moves and cannot be left out",
    ),
    "motion.differences": Message("velocity and acceleration by central differences"),
    "motion.filtered/derivatives": Message(
        "positions through a Butterworth filter of order {order}, forward and backward, at {cutoff:.3g} Hz, and its derivatives"
    ),
    "motion.filtered/positions": Message(
        "positions through a Butterworth filter of order {order}, forward and backward, at {cutoff:.3g} Hz"
    ),
    "motion.fourier": Message("a Fourier series with {harmonics} harmonics fitted to the mean position, and its derivatives"),
    "motion.logged/all": Message("velocity as logged, acceleration as logged"),
    "motion.logged/velocity": Message("velocity as logged, acceleration by differences"),
    "motion.no_period": Message(
        "a Fourier series needs a motion with known period",
        remedy="give the trajectory that was played, prepare(..., motion=...), or choose another recipe",
    ),
    "motion.smoother": Message("positions through a Kalman smoother (white jerk) at the original timestamps"),
    "motor_side": Message(
        "of '{joint}' spans {low:.4g} to {high:.4g} rad, its limits are {lower:.4g} to {upper:.4g}",
        likely="positions of the motors, before the gears",
        remedy="declare the gears in the mapping: [channels.position] ratio = [...]",
    ),
    "motor_side/no_limits": Message(
        "of '{joint}' spans {low:.4g} to {high:.4g} rad",
        likely="positions of the motors, before the gears",
        remedy="declare the gears in the mapping: [channels.position] ratio = [...]",
    ),
    "names": Message(
        "{strangers:join}: not in the nominal model, whose joints are {joint_names:join}",
        likely="another robot, or other names for its joints",
        remedy=("give the joints the nominal model's names in a mapping (joints = [...]); torques are not compared without"),
    ),
    "nan": Message(
        "{missing} of {samples} values are NaN; the longest segment has {longest} samples from {start:.6g} s",
        likely="lost messages",
        remedy="nothing for short segments: they are left out; otherwise record again",
    ),
    "nan/all": Message("contains only NaN", likely="lost messages", remedy="record it again, or leave the channel out"),
    "nan_time": Message(
        "{bad_count} of {time_count} timestamps are NaN, the first in row {bad}",
        remedy="correct the file, or give rate=... instead of the timestamps",
        cli="correct the file, or give --rate instead of the timestamps",
    ),
    "not_finite/samples": Message("{name} of the samples is not finite"),
    "not_finite/static_poses": Message("a torque is infinite", remedy="leave it out (NaN)"),
    "option.unknown/load": Message("'{strange}' cannot be declared", listed=("known",)),
    "option.unknown/opened": Message("'{first}' cannot be declared"),
    "order/by_limits": Message(
        "of {moved:join} exceed their limits as recorded, and stay within them in another order",
        likely="columns assigned by order, or joints sorted by name",
        remedy="compare the order of the columns with the nominal model's; this order keeps all limits: joints = {new}",
    ),
    "order/checks_order": Message(
        "are in another order: {told:join}; exchanged, the error of the nominal model is lower by a factor of "
        "{exp:.2g} per joint",
        likely="columns assigned by order, or joints sorted by name",
        remedy="name the columns in the mapping in this order: joints = {new}{words}",
    ),
    "order/checks_velocity": Message(
        "is the derivative of '{other}'",
        likely="columns in another order",
        remedy="name the velocity columns in the mapping, in the order of the joints",
    ),
    "package.missing/bag_files": Message("reading MCAP needs an optional package", remedy="pip install 'bifilar[ros]'"),
    "package.missing/dataset_files": Message(
        "'{name}' of '{name_2}' is not on this machine, and the package 'pooch' to download it is missing",
        remedy=(
            "pip install pooch; or download '{name}' and put it into {folder}, or set BIFILAR_DATA to a folder that "
            "holds '{name_2}'"
        ),
        listed=("source",),
    ),
    "package.missing/read_hdf5": Message("reading HDF5 needs an optional package", remedy="pip install 'bifilar[hdf5]'"),
    "period.samples/periodic": Message("a period of {period:g} s has only {count} samples", remedy="choose another recipe"),
    "period.too_few/periodic": Message(
        "{largest} whole periods of {period:g} s were recorded", remedy="record two or more, or choose another recipe"
    ),
    "period.too_few/periods": Message(
        "{kept_count} of {whole} periods have no gap in their timestamps",
        remedy="choose a recipe without averaging: prepare(recording)",
    ),
    "period.too_few/prepare": Message(
        "the recording of {last:.4g} s has {last_2:.3g} periods, and {periods} of them are to be left out",
        remedy="play more periods, or prepare(..., whole_periods=0)",
    ),
    "periods.left_out/one": Message("left out the first and the last period"),
    "periods.left_out/several": Message("left out {periods} periods at both ends"),
    "periods.mean": Message("the mean of {periods} periods of {period:g} s, each of {samples} samples"),
    "periods.mean/first_left_out": Message(
        "the mean of {periods} periods of {period:g} s, each of {samples} samples; the first was left out"
    ),
    "periods.unknown": Message("no period was left out: the trajectory that was played is not known (motion=...)"),
    "poses.none/static_poses": Message(
        "the arm is never at rest for {shortest:g} s (slower than {still:g} rad/s)",
        remedy="give slow motion to identify_gravity",
        cli="use --moving, which uses the whole motion",
        lead="record poses at rest, or ",
    ),
    "position.unwrapped": Message("unwrapped angles: {joints:join}"),
    "rate.too_high/prepare": Message(
        "a rate of {rate:g} Hz is more than {most:g} times that of the recording, {step:.4g} Hz", remedy="leave the rate out"
    ),
    "rate.wrong/load": Message("the rate is {rate}", remedy="give samples per second"),
    "rate/inertia": Message(
        "inertial torques disagree with the nominal model where gravity torques agree (ratios: {names:join})",
        likely="a declared rate that is too {word}",
        remedy="Recording.load(..., rate=...) with about {k:.2g} times the present rate",
        cli="--rate with about {k:.2g} times the present rate",
    ),
    "rate/inertia_stamps": Message(
        "inertial torques disagree with the nominal model where gravity torques agree (ratios: {names:join})",
        likely="timestamps in another unit than assumed, or of another clock",
        remedy=(
            "unit={{'time': '{true}'}}",
            "log the time of the measurement: true steps are {bound} {steps:.2g} times as long, which no unit explains",
        ),
        cli="--unit time={true}, if {assumed} were assumed: true steps are {bound} {steps:.2g} times as long",
    ),
    "rate/speed": Message(
        "'{joint_name}' would move at {most:.3g} times its velocity limit, {limit:.3g}",
        likely="a declared rate that is too high",
        remedy="Recording.load(..., rate=...) with at most {rate:.2g} times the present rate",
        cli="--rate with at most {rate:.2g} times the present rate",
    ),
    "rate/speed_stamps": Message(
        "'{joint_name}' would move at {most:.3g} times its velocity limit, {limit:.3g}",
        likely="timestamps in another unit than assumed, or of another clock",
        remedy=(
            "unit={{'time': '{true}'}}",
            "log the time of the measurement: true steps are {bound} {steps:.2g} times as long, which no unit explains",
        ),
        cli="--unit time={true}, if {assumed} were assumed: true steps are {bound} {steps:.2g} times as long",
    ),
    "rate/stamps": Message(
        "the rate of the timestamps is {ratio:.4g} times the true one: velocity is {velocity_ratio:.4g} times "
        "the derivative of position in every joint",
        likely="timestamps in another unit than assumed, or of another clock",
        remedy=(
            "unit={{'time': '{true}'}}",
            "log the time of the measurement: true steps are {bound} {steps:.2g} times as long, which no unit explains",
        ),
        cli="--unit time={true}, if {assumed} were assumed: true steps are {bound} {steps:.2g} times as long",
    ),
    "rate/velocity": Message(
        "the declared rate is {ratio:.4g} times the true one: velocity is {velocity_ratio:.4g} times the "
        "derivative of position in every joint",
        likely="a wrong declared rate",
        remedy="Recording.load(..., rate=...) with {velocity_ratio:.4g} times the present rate",
        cli="--rate with {velocity_ratio:.4g} times the present rate; or another unit of the timestamps",
    ),
    "recipe.unknown": Message("there is no recipe '{recipe}'", remedy="choose among {recipes:join}"),
    "recording.ending/store": Message("a recording cannot be written as '{ending}'", remedy="name it {joined}"),
    "recording.ending/written_ending": Message("the name of the recording has no ending", remedy="name it {joined}"),
    "recording.header/from_parquet": Message(
        "the header begins with '{header}', not with the time", likely="columns changed by another program"
    ),
    "recording.header/own_channels": Message(
        "column {k} is called '{word}'",
        remedy="use 'joint.position [rad]', '.velocity [rad/s]', '.torque [N m]'; [m], [m/s], [N] where it slides",
    ),
    "recording.header/store": Message("the file states {count} columns, but has {header_count}", likely="a modified file"),
    "recording.length": Message(
        "{name} has {value_count} samples, but there are {time_count} timestamps",
        remedy="give it its own timestamps, Channel(time=...)",
    ),
    "recording.too_short/prepare": Message(
        "no segment of the recording is long enough for a filter",
        likely="many gaps in the timestamps, or a very short recording",
        remedy="prepare(..., gap=...) bridges longer gaps; a higher cut-off, prepare(..., cutoff=...), needs less time",
    ),
    "recording.too_short/recording": Message("{self_count} samples have no rate", remedy="give at least two"),
    "recording.truth/store": Message(
        "the columns of the true motion are not those that the file states", likely="a damaged file"
    ),
    "recording.truth/truth": Message(
        "the columns of the true motion are not those that the file states",
        likely="columns added or removed by another program",
    ),
    "recordings.none/merge": Message("no recordings are given"),
    "rename.not_recorded/check_rename": Message("'{before}', which is to be renamed, is not recorded", listed=("joints",)),
    "rename.not_recorded/declarations": Message(
        "'{before}', which is to be renamed, is not recorded",
        likely=(
            "a misspelling of {near:quoted}",
            "known are {choices:join}",
        ),
        listed=("joints",),
    ),
    "rename.twice": Message(
        "two joints would have the name '{twice}'", remedy="give each joint its own name", listed=("joints",)
    ),
    "robot/beyond": Message(
        "'{robot}' does not explain these torques: NRMSE {left:.0%} with its masses and friction, {free:.0%} "
        "with any masses; {beyond} of {joints} joints exceed its limits",
        likely="another robot, joints in another order or with another zero position, or a channel that is not torque",
        remedy="compare name, order, zero and sign of every joint with the machine, or give the model of this robot",
    ),
    "robot/masses": Message(
        "'{robot}' does not explain these torques: NRMSE {left:.0%} with its masses and friction, {free:.0%} if "
        "masses and inertias are free",
        likely="the model of another robot of similar build, masses that are guesses, or a load that is not in the model",
        remedy=("make sure that it is the model of this machine; if so, only its masses are wrong, and a fit identifies them"),
    ),
    "robot/other": Message(
        "'{robot}' does not explain these torques: NRMSE {left:.0%} with its masses and friction, {free:.0%} with any masses",
        likely="another robot, joints in another order or with another zero position, or a channel that is not torque",
        remedy="compare name, order, zero and sign of every joint with the machine, or give the model of this robot",
    ),
    "rows.channel_missing": Message(
        "samples that are not in order of time need {needed:join}, but the log holds no {absent}",
        likely="two recordings in one file, or messages stored out of order",
        remedy="sort or cut the log, or record again",
    ),
    "rows.too_few": Message(
        "{kept_count} of {recording_count} rows hold {needed:join} of every joint",
        remedy="see recording.check() for the others",
        cli="see 'bifilar check' for the others",
    ),
    "samples.as_logged": Message("samples as logged: not in order of time, neither filtered nor differentiated"),
    "samples.decimated": Message("one row for every {every} samples, {rate:.4g} Hz"),
    "samples.ends_left_out": Message("left out {seconds:.2g} s at both ends of each segment"),
    "samples.left_out/masked": Message("left out {count} masked sample{count:one=|s}"),
    "samples.left_out/nan": Message("left out {count} sample{count:one=|s} with NaN"),
    "samples.left_out/repeated": Message("left out {count} sample{count:one=|s} that repeat{count:one=s|} a timestamp"),
    "samples.left_out/rows": Message("left out {count} rows with NaN or masked"),
    "samples.part": Message("used the rows from {low:g} s to {high:g} s"),
    "samples.short_stretches": Message("left out {count} segment{count:one=|s} too short for the filter"),
    "samples.too_few/stretches": Message(
        "{row_count} of {recording_count} samples can be used",
        remedy="see recording.check() for the others",
        cli="see 'bifilar check' for the others",
    ),
    "saturation": Message(
        "is at its {words} value {level:.4g} in {crowd} samples ({share:.1%})",
        likely="saturation of a sensor or a drive",
        remedy=("mask these samples, slow the motion down, or use a larger measuring range; saturated torques bias every fit"),
    ),
    "setting.kinematics": Message("there is no kinematics '{kinematics}'", remedy="choose among {get_args:join}"),
    "setting.unknown": Message("'{smallest}' is not a setting of a recipe", remedy="choose among {names:join}"),
    "setting.wrong/by_joint": Message("'{word}' is {found}", remedy="give {word}={{'elbow': {example!r}}}"),
    "setting.wrong/load": Message("rows is {rows}", remedy="give rows=65536 or so"),
    "setting.wrong/prepare": Message("Recipe(slow=...) has {size} speeds", remedy="give one for each", listed=("joints",)),
    "setting.wrong/recipes": Message("Recipe({name}={value}) must be a positive number"),
    "setting.wrong/recipes_post_init": Message("Recipe(delay={delay}) must be a number of seconds"),
    "setting.wrong/recipes_post_init_2": Message("Recipe(edge={edge}) must be zero or a positive number of seconds"),
    "setting.wrong/recipes_post_init_3": Message(
        "Recipe(decimate={decimate}) must be True, False or a positive number of samples"
    ),
    "setting.wrong/recipes_post_init_4": Message("Recipe(order={order}) must be 1 to {highest_order}"),
    "setting.wrong/recipes_post_init_5": Message("Recipe({name}={getattr}) must be an odd number of samples"),
    "setting.wrong/recipes_post_init_6": Message(
        "Recipe(whole_periods={whole_periods}) must be a whole number of periods, or zero"
    ),
    "setting.wrong/recipes_post_init_7": Message("Recipe(harmonics={harmonics}) must be 1 or more"),
    "setting.wrong/recipes_post_init_8": Message("Recipe(slow={slow}) must be speeds, not negative"),
    "shape.wrong/channel": Message(
        "a channel of {column_count} columns has the shape {shape}",
        remedy="give (samples, {column_count})",
        listed=("columns",),
    ),
    "shape.wrong/check_names": Message("time has the shape {shape}", remedy="give one number per sample, (samples,)"),
    "shape.wrong/masked": Message(
        "the mask holds {dtype} of the shape {shape}", remedy="give True or False for each of the {self_count} samples"
    ),
    "shape.wrong/recording": Message("the mask has the shape {shape}", remedy="give one per sample, {shape_2}"),
    "shape.wrong/recording_channel": Message(
        "{name} has the shape {shape}, {shape_2} samples of {shape_3} joints were timestamped",
        remedy="give {shape_4}",
        listed=("joints",),
    ),
    "shape.wrong/samples": Message(
        "{array_count} rows were given, the fine motion has {length} samples",
        remedy="compute them from all of samples.fine, one segment after the other",
    ),
    "shape.wrong/static_poses": Message("there are {q_count} poses of {name_count} joints, torque has the shape {shape}"),
    "short": Message(
        "has {time_count} samples", likely="an empty or incomplete file", remedy="record a motion of several seconds"
    ),
    "sign.not_recorded": Message(
        "a sign is declared for '{word}', which is not recorded", likely="a misspelling of {near:quoted}", listed=("joints",)
    ),
    "sign.wrong": Message("the sign of '{word}' is {value}", remedy="give 1 or -1"),
    "sign/checks_torque": Message(
        "has the opposite sign: {evidence}",
        likely="the driver reports the motor-side sign",
        remedy="Recording.load(..., sign={{'{joint}': -1}})",
        cli="--sign {joint}=-1",
    ),
    "sign_all/checks_torque": Message(
        "has the opposite sign in every informative joint ({names:quoted}); {evidence}",
        likely="torque exerted on the motors, not by them",
        remedy="Recording.load(..., sign={{'*': -1}})",
        cli="--sign '*=-1', or sign = -1 for torque in the mapping",
    ),
    "simulated": Message(
        "shows no friction in any joint: the residual of the rigid-body equations is {left:.1e} of the torque",
        likely="a simulated log, or torque computed from the motion",
        remedy="for a test of a method, use bf.VirtualRobot with bf.Sensors.realistic()",
        cli="'bifilar simulate' makes one with the noise of sensors",
        lead="do not draw conclusions about a machine from it; ",
    ),
    "simulated/own": Message(
        "is the nominal model's own torque: the relative difference is {left:.1e}",
        likely="a feed-forward torque or a simulation with this model, not a measurement",
        remedy="log the measured torque",
    ),
    "smooth": Message(
        "no noise and no quantisation in any channel (third differences are {largest:.1e} of the first)",
        likely="a simulated or heavily smoothed log",
        remedy="for a test of a method, use bf.VirtualRobot with bf.Sensors.realistic()",
        cli="'bifilar simulate' makes one with the noise of sensors",
        lead="do not draw conclusions about a machine from it; ",
    ),
    "speed": Message(
        "'{joint_name}' would move at {most:.3g} times its velocity limit, {limit:.3g}",
        likely="a wrong limit, or a gear ratio that was not declared",
        remedy="Recording.load(..., rate=...) with at most {rate:.2g} times the present rate",
        cli="--rate with at most {rate:.2g} times the present rate",
    ),
    "speed/stamps": Message(
        "'{joint_name}' would move at {most:.3g} times its velocity limit, {limit:.3g}",
        likely="a wrong limit, or a gear ratio that was not declared",
        remedy="robot.with_limits({{...}}) if the machine is faster; otherwise compare unit and gear ratio of its position",
        cli="other limits in the nominal model if the machine is faster; otherwise compare unit and gear ratio of its position",
    ),
    "still": Message(
        "moves only over {width:.2g}",
        likely="a trajectory designed for other joints",
        remedy="robot.locked(['{joint}'])",
        cli="--lock {joint}",
        lead="move it too, or identify without it: ",
    ),
    "stuck": Message(
        "is constant at {x:.6g} for {size} samples from {time:.6g} s, then jumps",
        likely="lost messages",
        remedy="recording.masked(...)",
        cli="time = [[2.0, 30.0]] below [use] in a mapping keeps the others",
        lead="leave these segments out: ",
    ),
    "target_unit/checks_velocity": Message(
        "is {k:.4g} times the position",
        likely="converted to radians twice",
        remedy="unit={{'{name}': ...}}",
        cli="--unit {name}=...",
        lead="leave '{name}' out, or declare its unit: ",
    ),
    "target_unit/targets": Message(
        "is {k:.4g} times the position",
        likely="target positions in {degrees}",
        remedy="unit={{'{name}': ...}}",
        cli="--unit {name}=...",
        lead="leave '{name}' out, or declare its unit: ",
    ),
    "tolerance.wrong/merge": Message("the tolerance is {tolerance} s"),
    "tool": Message(
        "the robot did not carry the {mass:.3g} kg at the end of the arm: the torques contain {share:.0%} of its "
        "effect, and the residual is {share_2:.0%} lower without it",
        likely="a model of the robot with its gripper, and a recording without",
        remedy="load a model without it, or robot.with_inertia({{link: bf.Inertia.zero()}})",
        cli="remove it from the nominal model, or set its mass and inertia to zero there",
    ),
    "torque.filtered/alone": Message("torque through a filter at {cutoff:.3g} Hz"),
    "torque.filtered/columns": Message("torque and the regressor's columns through the same filter at {cutoff:.3g} Hz"),
    "torque.missing/declarations": Message(
        "gains are declared, but neither torque nor current is recorded", remedy="leave the gains out, or record the current"
    ),
    "torque.moved/early": Message("torque shifted by {-1e3*delay:+.3g} ms: it was logged this much early"),
    "torque.moved/late": Message("torque shifted by {-1e3*delay:+.3g} ms: it was logged this much late"),
    "torque.not_filtered": Message("torque not filtered"),
    "torque_scale": Message(
        "is {scale:.2g} times the model's torque (median of the informative joints): {each:join}",
        likely="torque of the motors before the gears, a current, or a fraction of the torque limit",
        remedy="unit={{'torque': ...}}, or ratio (gears) or a current with its gain in the mapping",
        cli="--unit torque=..., or ratio (gears) or a current with its gain in the mapping",
        lead="declare its unit or meaning: ",
    ),
    "truth.length": Message("the true motion has {time_count} samples, the recording {time_count_2}"),
    "unit.not_recorded": Message(
        "a unit is declared for '{word}', which is not recorded",
        likely=("a misspelling of {near:quoted}", "known are {choices:join}"),
    ),
    "unit.of_rate": Message(
        "a unit is declared for timestamps, but the clock is a rate of {rate:g} Hz",
        remedy='leave it out, or give [clock] column = "t" in the mapping',
    ),
    "unit.stated": Message(
        "a unit is declared for '{first}', but the file states its units itself",
        likely="the log was converted before, as if it were in SI",
        remedy="unit={{...}}",
        cli="--unit",
        lead="convert the first log again with ",
    ),
    "unit.unknown/load": Message(
        "'{time}' is not a unit of timestamps", remedy="unit={{'time': 'ms'}}, or s, us, ns", cli="--unit time=ms, or s, us, ns"
    ),
    "unit.unknown/plan_mapping": Message("'{si}' is not a unit of {kind}", remedy="use {quantity:join| or }"),
    "unit.unknown/plan_names": Message(
        "the unit '{word}' of {channel} in '{column}' is not known", remedy="use {fromkeys:join| or } for {kind}"
    ),
    "unit.unknown/units": Message(
        "unknown unit '{stated}'", remedy="use one of the units below, or 'unknown'", listed=("units",)
    ),
    "unit/by_limits": Message(
        "is {median:.3g} times the effort limits (median of the joints)",
        likely="torque in mN m, or a raw count",
        remedy="Recording.load(..., unit={{'torque': 'mN m'}})",
        cli="--unit torque='mN m'",
    ),
    "unit/checks_torque": Message(
        "is {middle:.2g} times the model's torque (median of the informative joints)",
        likely="torque in {name}",
        remedy="Recording.load(..., unit={{'torque': '{name}'}})",
        cli="--unit torque='{name}'",
    ),
    "unit/checks_torque_by_limits": Message(
        "is below {largest:.2g} of the effort limits in every joint",
        likely="torque in kN m, or as a fraction of the limit",
        remedy="Recording.load(..., unit={{'torque': 'kN m'}})",
        cli="--unit torque='kN m'",
    ),
    "units.count": Message("a channel of {column_count} columns has {unit_count} units"),
    "values.absurd/absurd": Message(
        "{count_2} value{value_2} beyond any machine, the first {value:.3g} {unit} in row {first}",
        likely="damaged data, a damaged line, or another unit",
        remedy="declare its unit",
    ),
    "values.absurd/plausible_rows": Message(
        "{count_2} value{value_2} beyond any machine, the first {value:.3g} {unit} in row {first}",
        likely="damaged data, a damaged line, or another unit",
        remedy="correct these rows or remove them; --anyway uses the others",
    ),
    "velocity.missing": Message(
        "the recording does not hold the velocity of every joint", remedy="choose another recipe: prepare(recording)"
    ),
    "velocity/checks_velocity": Message(
        "is not the derivative of its position (correlation {own:.2f})",
        likely="a commanded, delayed or different signal",
        remedy="leave the channel out: velocity is computed from position",
    ),
    "velocity/checks_velocity_velocity": Message(
        "is {ratio:.3g} times the derivative of its position",
        likely="another unit, or the motor's side",
        remedy="unit={{'velocity': ...}}, or sign or ratio of [channels.velocity] in the mapping",
        cli="--unit velocity=..., or sign or ratio of [channels.velocity] in the mapping",
        lead="declare it: ",
    ),
    "velocity/velocity": Message(
        "is {ratio:.3g} times the derivative of its position",
        likely="the opposite sign",
        remedy="unit={{'velocity': ...}}, or sign or ratio of [channels.velocity] in the mapping",
        cli="--unit velocity=..., or sign or ratio of [channels.velocity] in the mapping",
        lead="declare it: ",
    ),
    "wrap": Message(
        "jumps by a whole turn {jump_count} times, first at {time:.6g} s",
        likely="an angle modulo 2 pi",
        remedy="nothing: positions are unwrapped before filtering",
    ),
}
