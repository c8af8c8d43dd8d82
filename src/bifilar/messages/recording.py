"""Sentences about recording, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
    "absent": Message(
        "{absent:join}: not recorded; taken as locked",
        likely="fingers, wheels or other joints without a log",
        remedy="robot.locked({{name: position}})",
        cli="--lock NAME=POSITION",
        lead="nothing if they stood still at zero; otherwise ",
    ),
    "back": Message(
        "goes back {back_count} times, by up to {far:.4g} s; first after {time:.6g} s (row {back})",
        likely="several runs in one file, or messages stored out of order",
        remedy="sort or cut the file there, or load the parts as recordings of their own: .part(start, stop){rows}",
    ),
    "bad_lines": Message(
        "{lost_count} of {lost_count_2} rows could not be read, and are masked",
        likely="broken lines",
        remedy="nothing for a few lines; otherwise look at them",
    ),
    "bag.computed": Message("the tables of the bag are computed, not stored", likely="no bag of ROS 2"),
    "bag.empty/bag_files": Message("the folder holds no {endings:join| or }", remedy="unpack the .zstd files first"),
    "bag.empty/messages": Message("the folder holds no {endings:join| or }"),
    "bag.joint_twice": Message("a message names a joint twice", listed=("joints",)),
    "bag.message": Message("a message is not made of bytes"),
    "bag.no_message": Message(
        "the log holds no message that can be used",
        remedy=("record a topic of sensor_msgs/msg/JointState, geometry_msgs/msg/WrenchStamped or sensor_msgs/msg/Imu"),
    ),
    "bag.ros1": Message("this is a bag of ROS 1", remedy="convert it with rosbags-convert, or record with ROS 2"),
    "bag.topic_unknown": Message("there are no joint states on '{chosen}'", listed=("topics",)),
    "bag.unreadable": Message("the bag cannot be read: {error}", likely="an interrupted copy, or another kind of file"),
    "channel.averaged": Message("{channel} averaged over {span} samples"),
    "channel.missing": Message("the recording holds no {name}", listed=("channels",)),
    "clock.even/plan": Message("filtered at {band:.3g} Hz first: that clock is slower than the recording's {step:.4g} Hz"),
    "clock.even/prepare": Message("even clock of {rate:g} Hz from the timestamps"),
    "clock.holes/periodic": Message("left out {whole} periods with holes"),
    "clock.holes/prepare": Message("{part_count} segments between holes longer than {1000.0*gap:.3g} ms"),
    "clock.kind/channel": Message("the clock of a channel is '{clock}'", remedy="say 'recorded', 'assumed' or 'none'"),
    "clock.kind/recording": Message("the clock is '{clock}'", remedy="say 'recorded', 'assumed' or 'none'"),
    "clock.length": Message("a channel of {value_count} samples has {size} timestamps"),
    "clock.missing/plan_names": Message("no column is a clock", listed=("columns",)),
    "clock.missing/recording": Message(
        "a clock needs a rate or timestamps", remedy="give with_clock(rate=...) or with_clock(time=...)"
    ),
    "clock.nanoseconds/plan": Message(
        "nanoseconds beside whole seconds are {smallest:.6g} to {largest:.6g}, not 0 to 1e9",
        likely="two clocks, each of them complete",
        remedy="name one of the two in a mapping: [clock] with column = ... and unit = ...",
    ),
    "clock.nanoseconds/plan_mapping": Message("nanoseconds alone are no timestamps", remedy='add column = "timestamp.sec"'),
    "clock.not_rising/merge": Message(
        "the timestamps of a recording go back, it cannot be merged", remedy="cut it with part()"
    ),
    "clock.not_rising/stretches": Message(
        "the clock {whose}goes back from {time:.6g} s to {time_2:.6g} s",
        likely="two recordings in one file, or a clock that was set",
        remedy=(
            "recording.part(...) or recording.masked(...); rows with logged velocities and accelerations can "
            "be fitted as they are: Recording.load(..., ordered=False)"
        ),
        cli=(
            "time = [[2.0, 30.0]] below [use] in a mapping; rows with logged velocities and accelerations "
            "can be fitted as they are: --kinematics logged"
        ),
        lead="cut it there: ",
    ),
    "clock.own": Message("{name} has timestamps of its own and was put on those of the position"),
    "clock.several/clock_rest": Message("'{nanoseconds}' is {place_count} columns"),
    "clock.several/plan_mapping": Message("'{column}' is {place_count} columns"),
    "clock.unordered": Message(
        "rows without an order in time cannot be filtered or differentiated",
        remedy='Recipe(kinematics="logged") (--kinematics logged)',
    ),
    "coarse": Message(
        "moves over {levels:.0f} steps of {quantum:.3g} only",
        likely="few digits in the log, or a coarse converter",
        remedy="log more digits, or move this joint more; its torque says little as it is",
    ),
    "column.twice/channel": Message("a channel has two columns '{twice}'", remedy="names must differ"),
    "column.twice/plan_names": Message(
        "{channel} of '{twice}' is in more than one column",
        remedy="bifilar check LOG --write-mapping log.toml, then mapping='log.toml'",
        cli="bifilar check LOG --write-mapping log.toml, then --mapping log.toml",
        lead="write down what the columns are: ",
        otherwise=(
            "bifilar convert LOG right.csv --mapping log.toml, then name right.csv; 'bifilar check LOG "
            "--write-mapping log.toml' writes one to fill in"
        ),
        needs=("--mapping",),
        listed=("columns",),
    ),
    "column.twice/read_parquet": Message("two columns have the same name"),
    "columns.count": Message("{name_count} names were declared, the lines hold {width} values"),
    "columns.names": Message("the names of the columns cannot be read: {error}"),
    "columns.no_joint": Message(
        "columns name no joint",
        remedy="bifilar check LOG --write-mapping log.toml, then mapping='log.toml'",
        cli="bifilar check LOG --write-mapping log.toml, then --mapping log.toml",
        lead="write down what the columns are: ",
        otherwise=(
            "bifilar convert LOG right.csv --mapping log.toml, then name right.csv; 'bifilar check LOG "
            "--write-mapping log.toml' writes one to fill in"
        ),
        needs=("--mapping",),
        listed=("columns",),
    ),
    "columns.not_understood/plan_names": Message(
        "it is not clear what {bad_count} of {name_count} columns are",
        remedy="bifilar check LOG --write-mapping log.toml, then mapping='log.toml'",
        cli="bifilar check LOG --write-mapping log.toml, then --mapping log.toml",
        lead="write down what the columns are: ",
        otherwise=(
            "bifilar convert LOG right.csv --mapping log.toml, then name right.csv; 'bifilar check LOG "
            "--write-mapping log.toml' writes one to fill in"
        ),
        needs=("--mapping",),
        listed=("columns",),
    ),
    "columns.not_understood/refuse_strange": Message(
        "the file holds nothing but a clock",
        remedy="bifilar check LOG --write-mapping log.toml, then mapping='log.toml'",
        cli="bifilar check LOG --write-mapping log.toml, then --mapping log.toml",
        lead="write down what the columns are: ",
        otherwise=(
            "bifilar convert LOG right.csv --mapping log.toml, then name right.csv; 'bifilar check LOG "
            "--write-mapping log.toml' writes one to fill in"
        ),
        needs=("--mapping",),
        listed=("columns",),
    ),
    "columns.unnamed": Message(
        "the file names none of its {name_count} columns",
        likely="a log without a header",
        remedy="bifilar check LOG --write-mapping log.toml, then mapping='log.toml'",
        cli="bifilar check LOG --write-mapping log.toml, then --mapping log.toml",
        lead="write down what the columns are: ",
        otherwise=(
            "bifilar convert LOG right.csv --mapping log.toml, then name right.csv; 'bifilar check LOG "
            "--write-mapping log.toml' writes one to fill in"
        ),
        needs=("--mapping",),
    ),
    "cutoff.too_low": Message(
        ("a cut-off of {cutoff:g} Hz leaves nothing of a motion that repeats {base_frequency:g} times per second"),
        remedy="give a higher cut-off, or leave it to the recording",
    ),
    "dataset.kind_unknown": Message(
        "there is no kind '{kind}' of sets",
        likely=("a misspelling of {near:quoted}", "known are {choices:join}"),
        listed=("kinds",),
    ),
    "dataset.no_description": Message("'{name}' has no description '{description}'", listed=("descriptions",)),
    "dataset.no_problem": Message("'{name}' is no ready-made problem", remedy="problems: {names:join}"),
    "dataset.no_recording/datasets": Message("'{name}' holds no recording", remedy="bf.datasets.{verb}('{name}')"),
    "dataset.no_robot": Message("'{name}' comes without a robot"),
    "dataset.no_run/datasets": Message(
        "'{name}' has no run '{run}'", likely=("a misspelling of {near:quoted}", "known are {choices:join}"), listed=("runs",)
    ),
    "dataset.unknown": Message(
        "there is no set '{name}'",
        likely=("a misspelling of {near:quoted}", "known are {choices:join}"),
        remedy="bf.datasets.names() or 'bifilar datasets' lists them",
    ),
    "dataset.which": Message(
        "which '{hole}' of '{name}' is meant?", remedy="give {hole}=..., or a log whose name fits '{name_2}'"
    ),
    "dead": Message("is {column:g} throughout, while the machine moves"),
    "degrees": Message(
        "of '{joint}' spans {low:.4g} to {high:.4g} rad, its limits are {lower:.4g} to {upper:.4g}",
        likely="it is in degrees",
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
        likely="it is in degrees",
        remedy="Recording.load(..., unit={{'position': 'deg'}})",
        cli="--unit position=deg",
    ),
    "delay.wrong/log_delay": Message(
        "log_delay is {delay}",
        remedy="give seconds by which the torque is late, up to {longest:g}: log_delay=0.005 (--log-delay 0.005)",
    ),
    "delay/checks_delay": Message(
        "comes {words} ms {word} the motion that goes with it{within}",
        likely="another bus, a filter in the drive, or timestamps taken on arrival",
    ),
    "download.changed/dataset_files": Message(
        "'{name}' of '{name_2}' is not the file that was published",
        likely="an interrupted copy, or a changed one",
        remedy="delete it and load again; a changed copy is read with bf.Recording.load(...)",
        listed=("expected", "found"),
    ),
    "download.changed/download": Message(
        "what was downloaded as '{name}' of '{name_2}' is not the file that was published",
        likely="the source changed",
        remedy="get '{name}' and put it into {folder}, or set BIFILAR_DATA to a folder that holds '{name_2}'",
        listed=("source",),
    ),
    "download.failed/dataset_files": Message(
        "'{name}' of '{name_2}' could not be downloaded: {error}",
        remedy="get '{name}' and put it into {folder}, or set BIFILAR_DATA to a folder that holds '{name_2}'",
        listed=("source",),
    ),
    "download.failed/dataset_files_download": Message(
        "'{name}' of '{name_2}' could not be downloaded",
        likely="no network",
        remedy="get '{name}' and put it into {folder}, or set BIFILAR_DATA to a folder that holds '{name_2}'",
        listed=("source", "reason"),
    ),
    "download.failed/download": Message(
        "'{name}' of '{name_2}' could not be downloaded",
        likely="the source moved, or is private now",
        remedy="get '{name}' and put it into {folder}, or set BIFILAR_DATA to a folder that holds '{name_2}'",
        listed=("source", "reason"),
    ),
    "download.no_address": Message(
        "'{name}' of '{name_2}' is not here and has no known address",
        remedy="get '{name}' and put it into {folder}, or set BIFILAR_DATA to a folder that holds '{name_2}'",
        listed=("source",),
    ),
    "dropped": Message(
        (
            "about {share:.1%} of the samples are missing without a gap in the timestamps: all joints take a "
            "double step, first at {start:.6g} s"
        ),
        likely="lost messages and a clock counted by rows",
        remedy="use recorded timestamps instead of a row index, or record again; masks cannot mend the clock",
    ),
    "duplicate": Message(
        "{same_count} timestamps ({share:.2%}) repeat the one before; first at {time:.6g} s",
        remedy="rate=... if rows are evenly timed",
        cli="--rate if rows are evenly timed",
        lead="{first}, or give ",
    ),
    "excitation": Message(
        ("{weak_count} of {base_count} base parameters are hardly seen (below 1 % of what full motion shows): {shown}"),
        likely="a slow motion, or one designed for other joints",
        remedy="(bf.design), or keep prior values for them",
        cli="('bifilar design'), or keep prior values for them",
        lead="move these links faster and over a wider range ",
    ),
    "file.bomb/bag_files": Message("the file unfolds to more than {ratio} times its size"),
    "file.bomb/dataset_files": Message("the file unpacks to more than 1 GB", likely="a broken or malicious copy"),
    "file.bomb/read_npz": Message(
        "the recording unfolds to {total:.1f} GiB, from {packed:.1f} MiB", remedy="save it with numpy.savez if it is meant"
    ),
    "file.bomb/source": Message(
        "the file unfolds to {size:.1f} GiB, from {real:.1f} MiB", likely="a damaged file, or one value repeated"
    ),
    "file.bomb/text_bytes": Message(
        "the file unfolds to more than {ratio} times its size", remedy="unpack it yourself if it is meant"
    ),
    "file.damaged/array": Message(
        "the header of '{name}' is wrong: {error}", likely="another kind of file, or an interrupted copy"
    ),
    "file.damaged/bag_files": Message("the file is damaged: {kind} {error}", remedy="repair it with 'mcap recover'"),
    "file.damaged/member": Message("'{filename}' is not as long as it says", likely="a damaged file"),
    "file.damaged/read_bag": Message("a message is damaged: {error}"),
    "file.damaged/read_hdf5": Message("the file is damaged: {error}"),
    "file.damaged/read_mat": Message("the file is damaged: {error}", likely="an interrupted copy"),
    "file.damaged/read_npz": Message("the members of the archive are larger than the file", likely="a damaged file"),
    "file.damaged/read_npz_array": Message("'{name}' is not as long as it says", likely="a damaged file"),
    "file.damaged/read_npz_array_2": Message("'{name}' ends too early", likely="an interrupted copy"),
    "file.damaged/refuse_letters": Message("'{name}' holds invalid characters", likely="a damaged file"),
    "file.damaged/text_bytes": Message("the gzip file is damaged: {error}"),
    "file.empty/sniffed": Message("the file is empty", remedy="copy or record it again"),
    "file.empty/text_layout": Message("the file holds only comments", remedy="copy or record it again"),
    "file.folder/open_source": Message(
        "this is a folder", remedy="name a file of it; files that hold one signal each are named in a mapping"
    ),
    "file.line/lined_up": Message("the line is wrong: {error}"),
    "file.line/text_numbers": Message(
        "the line is wrong: {error}",
        likely="an interrupted copy, two logs in one file, or another layout further down",
        remedy="correct the line, or declare bad_lines = 'nan'",
    ),
    "file.long_line": Message(
        "a line is longer than {longest:g} MB",
        likely="a binary file, or one signal per line",
        remedy="if every line is one signal, say so in a mapping: [file] transposed = true",
    ),
    "file.newer": Message("'{name}' has the version {major} of a format that ends with 3"),
    "file.no_numbers": Message("the file holds no column of numbers", listed=("columns",)),
    "file.not_text/encoding": Message("the file is not {encoding}: {error}"),
    "file.not_text/mapping": Message(
        "the mapping is not text", remedy="name a text file; this one is a picture, an archive or the like"
    ),
    "file.objects": Message("'{name}' holds objects, not numbers or names", remedy="pickles are never opened"),
    "file.one_value": Message("a line holds {name_count} values, one was declared", remedy="leave one_value_per_line out"),
    "file.other_kind/bag_files": Message("the file is not MCAP: {error}"),
    "file.other_kind/open_source": Message("the file is {name}, not a log of numbers", remedy="give the log itself: {joined}"),
    "file.other_kind/order": Message("the file is no MATLAB file of version 5", remedy="save it with '-v7'"),
    "file.other_kind/read_mat": Message(
        "the file is of MATLAB 7.3, which is HDF5", remedy="name it .h5, or save it with '-v7'"
    ),
    "file.other_kind/read_npz": Message(
        "the file is no recording: {error}", likely="another kind of file, or an interrupted copy"
    ),
    "file.outside": Message("'{name}' leads out of the log's folder"),
    "file.ragged/read_hdf5": Message("data sets have different lengths", listed=("samples",)),
    "file.ragged/read_text": Message("lines hold {map} values", likely="an interrupted copy", remedy="copy or record it again"),
    "file.ragged/source": Message("'{name}' has {column_count} samples, '{name_2}' {column_count_2}"),
    "file.ragged/transposed": Message("the file is empty", likely="an interrupted copy", remedy="copy or record it again"),
    "file.too_large/read_mat": Message("the file is larger than 16 GiB"),
    "file.too_wide": Message(
        "a line holds {width} values",
        likely="one signal per line",
        remedy="if every line is one signal, say so in a mapping: [file] transposed = true",
    ),
    "file.unreadable/dataset_files": Message("a file of '{name}' cannot be read: {error}"),
    "file.unreadable/open_source": Message("the recording cannot be read: {error}"),
    "file.unreadable/read_hdf5": Message(
        "the recording cannot be read: {error}", likely="an interrupted copy, or another kind of file"
    ),
    "file.unreadable/read_parquet": Message(
        "the file cannot be read: {reason}", likely="an interrupted copy, or another kind of file"
    ),
    "filter.cutoff": Message("cut-off {cutoff:.3g} Hz, {reason}"),
    "gain.not_recorded": Message("a gain is declared for '{word}', which is not recorded", listed=("joints",)),
    "gain.wrong": Message("the gain of '{word}' is {value}", remedy="N m per unit that was recorded"),
    "gap": Message(
        ("{count} gaps longer than {limit:g} steps of {step:.4g} s; the longest lasts {longest:.4g} s, at {start:.6g} s"),
        likely="pauses, or a logger that was held up",
        remedy="nothing, if pauses are meant: segments are kept apart; otherwise record again",
    ),
    "gravity": Message(
        ("gravity acts the other way than in the nominal model: {evidence}, while friction has the right sign"),
        likely="a robot mounted upside down, or positions with the opposite sign",
        remedy="robot.with_gravity([0, 0, 9.81]) for a hanging robot, or turn the base in the nominal model",
        cli="turn the base in the URDF: a robot that hangs has its first joint upside down",
    ),
    "held": Message(
        "positions stand still in {share:.1%} of the steps and catch up after: rows are repeated",
        likely="a logger faster than the bus, or held up by it",
        remedy="nothing: smoothing evens it out; log each sample once, with the controller's own timestamp",
    ),
    "jitter": Message(
        ("is unsteady: steps of {step:.4g} s vary by {spread:.0%} (between {low:.4g} and {high:.4g} s in 80 % of the rows)"),
        likely="timestamped on arrival, not when it was measured",
        remedy="use the timestamps, not the row index, and resample (prepare does)",
    ),
    "joint.not_recorded/joints": Message(
        "the joint '{stranger}' is not recorded",
        remedy="name joints that are recorded",
        cli="--lock JOINT if it stood still; else bifilar check LOG --write-mapping log.toml, then --mapping",
        listed=("joints",),
    ),
    "joint.not_recorded/recording": Message("the sliding joint '{stranger}' is not recorded", listed=("joints",)),
    "joint.twice": Message("the joint '{twice}' is recorded twice", remedy="names must differ"),
    "joints.absent": Message("joints of the robot that are not recorded: {missing:join}"),
    "joints.by_name/load": Message("joints are named in this file, and not matched by position"),
    "joints.by_number": Message("joints were matched by the number in their name", remedy="name the columns"),
    "joints.by_position": Message("joints were matched by position, as asked for"),
    "joints.count/by_number": Message(
        "the columns number {count} joint{count:one=|s}, the robot has {expected}", listed=("joints",)
    ),
    "joints.count/by_position": Message(
        "{count} columns cannot be the {expected} joints of the robot by their position", listed=("joints",)
    ),
    "joints.counted_apart": Message(
        "{zero:join} counted from 0, {one:join} from 1: matched by their order", remedy="number the columns alike"
    ),
    "joints.none/stretches": Message("no joint is recorded"),
    "joints.numbered/numbered": Message("the columns number the joints, the robot names them", listed=("joints",)),
    "joints.numbered/plan_names": Message("{count} joints have numbers, not names, and are called joint1, joint2, ..."),
    "joints.other/static_poses": Message("poses of other joints cannot be added", listed=("joints",)),
    "joints.other_names": Message("the recorded joints have other names than the robot's", listed=("columns", "robot")),
    "joints.other_robot/finished": Message("none of the recorded joints is a joint of the robot"),
    "joints.other_robot/plan_mapping": Message(
        "none of the mapping's joints is a joint of the robot", remedy="correct joints = [...]", listed=("joints", "robot")
    ),
    "limits": Message(
        "is up to {most:.3g} beyond its limits {lower:.4g} to {upper:.4g}, in {mean:.0%} of the time",
        likely="another zero position or sign than the nominal model's, or limits that are not the machine's",
        remedy="or robot.with_limits({{...}})",
        cli="or in the nominal model",
        lead="compare zero, sign and limits of this joint: offset and sign in the mapping, ",
    ),
    "log.columns_left_out/plan_mapping": Message("columns that the mapping leaves out: {shown}"),
    "log.columns_left_out/plan_names": Message(
        "columns that were left out: {shown}",
        remedy="bifilar check LOG --write-mapping log.toml, then mapping='log.toml'",
        cli="bifilar check LOG --write-mapping log.toml, then --mapping log.toml",
        lead="write down what the columns are: ",
        otherwise=(
            "bifilar convert LOG right.csv --mapping log.toml, then name right.csv; 'bifilar check LOG "
            "--write-mapping log.toml' writes one to fill in"
        ),
        needs=("--mapping",),
    ),
    "log.columns_left_out/read_hdf5": Message("not numbers over time, left out: {odd:join}"),
    "log.columns_left_out/read_parquet": Message("not numbers, left out: {odd:join}"),
    "log.cut_off/blocks": Message(
        "the last sample holds {rest_count} of {count} values and is left out", remedy="everything before it is kept"
    ),
    "log.cut_off/read_text": Message("the last line is cut off and left out", remedy="everything before it is kept"),
    "log.cut_off/text_bytes": Message("the gzip file ends in the middle", remedy="copy it again; what was before is kept"),
    "log.damaged": Message(
        "the file ends in the middle; {count} messages before that are kept",
        remedy="copy it again, or repair it with 'mcap recover'",
    ),
    "log.lengths_differ/load": Message(
        "after {first} samples one of the files ends, another goes on", likely="files of different runs, or an interrupted copy"
    ),
    "log.lengths_differ/load_same_length": Message(
        "{least} samples, {most} in '{basename}': what is more was left out", remedy="copy the files again"
    ),
    "log.lengths_differ/same_length": Message(
        "'{basename}' holds {least} samples, '{basename_2}' {most}", likely="files of different runs, or an interrupted copy"
    ),
    "log.lines_left_out": Message("{before_count} lines before the names were left out: {before}"),
    "log.part_missing": Message("{name} was written beside this file as '{name_2}', which is not there"),
    "log.rows_left_out": Message("the file ends without a line end: its last value may be cut off"),
    "log.rows_sorted": Message(
        ("rows out of order: the clock goes back {back_count} times, first in row {back}; sorted by their stamps"),
        likely="messages stored as they arrived, or files joined in another order",
    ),
    "log.stamps_of_arrival": Message("headers have no timestamps; the time of logging is taken"),
    "log.topic_chosen": Message(
        "joint states of the same joints, left out: {topic} ({other_count} messages)",
        remedy='choose it in a mapping: [clock] topic = "{topic}"',
    ),
    "log.topic_left_out": Message("joints {joint_names:join} have another clock and are left out: {thing}"),
    "log.topics_left_out": Message("topics of other kinds, left out: {shown}"),
    "log.unit_assumed/load": Message(
        "no unit is stated for the timestamps; they begin with {size:.6g}, {found} since 1970 are taken",
        remedy="state it in the column's name or in a mapping",
    ),
    "log.unit_assumed/plan_names": Message("no unit is stated; SI is taken: {taken:join}"),
    "lost": Message(
        "about {lost:.0f} samples ({share:.2%}) are missing between the timestamps",
        likely="a busy bus or logger",
        remedy="nothing: the timestamps tell where they are; do not replace them by a row index",
    ),
    "mapping.channel/channel": Message(
        "a channel needs columns, or 'from' another channel", remedy="columns = [...]   or   from = 'current'"
    ),
    "mapping.channel/mapping": Message("'from' and 'source' are the same"),
    "mapping.channel/mapping_channel": Message("a channel has joints or labels, not both"),
    "mapping.channel/missing": Message("the file has no column {column}", listed=("file", "columns")),
    "mapping.channel/plan_mapping": Message(
        "'{name}' comes from '{source}', which is no channel of the mapping", listed=("channels",)
    ),
    "mapping.clock": Message("a clock has timestamps or a rate, not both"),
    "mapping.count/plan": Message("'{entry}' has {size} numbers for {count} columns"),
    "mapping.count/plan_mapping": Message("{label_count} names for {count} columns", listed=("names",)),
    "mapping.decimal": Message("the decimal sign cannot be {decimal!r}", remedy="declare . or ,"),
    "mapping.delimiter": Message("the delimiter cannot be {found!r}", remedy="declare one of , ; | tab space"),
    "mapping.form/mapping": Message("'channels' is no table", remedy="write [channels.position] and so on"),
    "mapping.form/mapping_checks": Message("a table is expected, not {said}"),
    "mapping.form/mapping_parsed": Message("the mapping is no table"),
    "mapping.form/parsed": Message("the mapping {thing}"),
    "mapping.key_unknown/mapping_checks": Message(
        "the mapping has no key '{entry}'", likely="'{near:join}' is meant", remedy="use one of: {shown}"
    ),
    "mapping.key_unknown/unknown": Message("the mapping has no key '{entry}'", remedy="use one of: {shown}"),
    "mapping.matrix/coupling": Message("motor_from_joint is not square, or has no inverse"),
    "mapping.matrix/plan_mapping": Message("the matrix has the shape {shape}, {value} is needed"),
    "mapping.no_clock": Message("the mapping names no clock"),
    "mapping.no_joints": Message(
        "the mapping says nowhere which joints the columns are", remedy='add joints = ["...", ...], in the order of the columns'
    ),
    "mapping.numbers": Message("'{entry}' holds no whole numbers from 0 on"),
    "mapping.of_bag/bag_recording": Message(
        "a mapping of a bag may only say which topic is the clock, and rename joints",
        remedy='keep [clock] topic = "/joint_states" and [rename]',
    ),
    "mapping.of_log": Message(
        "a file of {name} is a log of its own, not columns beside others", remedy="load it without a mapping of columns"
    ),
    "mapping.pairs": Message("'{entry}' holds no pairs", remedy="give [[from, to], ...]"),
    "mapping.ratio": Message("a gear ratio is 0"),
    "mapping.rows": Message("the rows of '{entry}' have different lengths"),
    "mapping.too_large": Message("the mapping is larger than {largest} kB", likely="a log was given as the mapping"),
    "mapping.value": Message("'{entry}' cannot be {said}"),
    "merge.gap": Message(
        "{found_count} of {a_count} samples have no partner within {tolerance:g} s", remedy="missing values are nan"
    ),
    "merge.no_partner": Message(
        "only {found_count} of {a_count} samples have a partner within {tolerance:g} s",
        likely="another clock, another rate, or recordings of different times",
        remedy="give tolerance=..., or bring them to one clock first",
    ),
    "merge.twice/beside": Message("{name} has two clocks", remedy="leave one out with joints() or rename it"),
    "merge.twice/merge": Message(
        "{name} of '{twice:join}' is in both recordings", remedy="leave one out with joints() or rename it"
    ),
    "method.unknown/recipes": Message("there is no method '{method}'", remedy="choose among {get_args:join}"),
    "missing/checks_channels": Message("has no column in the log", likely="it was not logged"),
    "missing/missing": Message("is missing"),
    "motion.differences": Message("velocity and acceleration by central differences"),
    "motion.filtered/derivatives": Message(
        "positions through a Butterworth filter of order {order}, forward and backward, at {cutoff:.3g} Hz, and its derivatives"
    ),
    "motion.filtered/positions": Message(
        "positions through a Butterworth filter of order {order}, forward and backward, at {cutoff:.3g} Hz"
    ),
    "motion.fourier": Message(
        "a Fourier series of {harmonics} harmonics through the mean position; velocity and acceleration are its own"
    ),
    "motion.logged/all": Message("velocity as logged, acceleration as logged"),
    "motion.logged/velocity": Message("velocity as logged, acceleration by differences"),
    "motion.no_period": Message(
        "a Fourier series needs a motion whose period is known",
        remedy="give the motion that was played, prepare(..., motion=...), or choose another recipe",
    ),
    "motion.smoother": Message("positions through a Kalman smoother (white jerk) on the timestamps as they are"),
    "motor_side": Message(
        "of '{joint}' spans {low:.4g} to {high:.4g} rad, its limits are {lower:.4g} to {upper:.4g}",
        likely="it is that of the motors, before the gears",
        remedy="declare the gears in the mapping: [channels.position] ratio = [...]",
    ),
    "motor_side/no_limits": Message(
        "of '{joint}' spans {low:.4g} to {high:.4g} rad",
        likely="it is that of the motors, before the gears",
        remedy="declare the gears in the mapping: [channels.position] ratio = [...]",
    ),
    "names": Message(
        "{strangers:join}: not in the nominal model, whose joints are {joint_names:join}",
        likely="another robot, or other names for its joints",
        remedy=("name the joints in a mapping as the nominal model does (joints = [...]); torques are not compared as it is"),
    ),
    "nan": Message(
        ("{missing} of {samples} values are not numbers; the longest segment has {longest} samples from {start:.6g} s"),
        likely="lost messages",
        remedy="nothing for short segments: they are left out; otherwise record again",
    ),
    "nan/all": Message(
        "holds no number at all",
        likely="lost messages",
        remedy="nothing for short segments: they are left out; otherwise record again",
    ),
    "nan_time": Message(
        "{bad_count} of {time_count} timestamps are not numbers, the first in row {bad}",
        remedy="repair the file, or give rate=... in place of the timestamps",
    ),
    "not_finite/samples": Message("{name} of the samples is not finite"),
    "not_finite/static_poses": Message("a torque is infinite", remedy="leave it out (NaN)"),
    "option.unknown/load": Message("'{strange}' is nothing that can be declared", listed=("known",)),
    "option.unknown/opened": Message("'{first}' is nothing that can be declared"),
    "order/by_limits": Message(
        "of {moved:join} break their limits as recorded, and keep them in another order",
        likely="columns by position, or joints sorted by name",
        remedy=("compare the order of the columns with the nominal model's; this one keeps all limits: joints = {new}"),
    ),
    "order/checks_order": Message(
        (
            "are in another order: {told:join}; exchanged, the nominal model explains the torques better by "
            "a factor {exp:.2g} per joint"
        ),
        likely="columns by position, or joints sorted by name",
        remedy="name the columns in the mapping in this order: joints = {new}{words}",
    ),
    "order/checks_velocity": Message(
        "is the derivative of '{other}'",
        likely="columns in another order",
        remedy="name the columns of velocity in the mapping, in the order of the joints",
    ),
    "package.missing/bag_files": Message("MCAP needs a further package", remedy="pip install 'bifilar[ros]'"),
    "package.missing/dataset_files": Message(
        "'{name}' of '{name_2}' is not here, and the package 'pooch' that downloads it is missing",
        remedy="get '{name}' and put it into {folder}, or set BIFILAR_DATA to a folder that holds '{name_2}'",
        listed=("source",),
    ),
    "package.missing/read_hdf5": Message("HDF5 needs a further package", remedy="pip install 'bifilar[hdf5]'"),
    "period.samples/periodic": Message("a period of {period:g} s is only {count} samples", remedy="choose another recipe"),
    "period.too_few/periodic": Message(
        "{largest} whole periods of {period:g} s were recorded", remedy="record two or more, or choose another recipe"
    ),
    "period.too_few/periods": Message(
        "{kept_count} of {whole} periods have no hole in their timestamps",
        remedy="choose a recipe that does not average: prepare(recording)",
    ),
    "period.too_few/prepare": Message(
        "{last:.4g} s are {last_2:.3g} periods, and {periods} are left out",
        remedy="play more periods, or prepare(..., whole_periods=0)",
    ),
    "periods.left_out/one": Message("left out the first and the last period"),
    "periods.left_out/several": Message("left out {periods} periods at both ends"),
    "periods.mean": Message("the mean of {periods} periods of {period:g} s, each of {samples} samples"),
    "periods.mean/first_left_out": Message(
        "the mean of {periods} periods of {period:g} s, each of {samples} samples; the first was left out"
    ),
    "periods.unknown": Message("no period was left out: the motion that was played is not known (motion=...)"),
    "poses.none/static_poses": Message(
        "the arm never stands still for {shortest:g} s (slower than {still:g} rad/s)",
        remedy="give slow motion to identify_gravity",
        cli="--moving, which takes all of the motion",
        lead="record held poses, or ",
    ),
    "position.unwrapped": Message("took out whole turns where the angle wraps: {joints:join}"),
    "rate.too_high/prepare": Message(
        "a clock of {rate:g} Hz is more than {most:g} times as fast as the recording, {step:.4g} Hz",
        remedy="leave the rate to the recording",
    ),
    "rate.wrong/load": Message("the rate is {rate}", remedy="give samples per second"),
    "rate/checks_rate": Message("inertial torques are far from the nominal model's beside its gravity (ratios: {names:join})"),
    "rate/speed": Message("'{joint_name}' would move at {most:.3g} times its velocity limit {limit:.3g}"),
    "rate/stamps": Message(
        (
            "the rate of the timestamps is {ratio:.4g} times the true one: velocity is {velocity_ratio:.4g} "
            "times the derivative of position in every joint"
        ),
        likely="timestamps in another unit than was taken, or of another clock",
    ),
    "rate/velocity": Message(
        (
            "the declared rate is {ratio:.4g} times the true one: velocity is {velocity_ratio:.4g} times the "
            "derivative of position in every joint"
        ),
        likely="a wrong declared rate",
        remedy="Recording.load(..., rate=...), {velocity_ratio:.4g} times the present one",
        cli="--rate ..., {velocity_ratio:.4g} times the present one; or another unit of the timestamps",
    ),
    "recipe.unknown": Message("there is no recipe '{recipe}'", remedy="choose among {recipes:join}"),
    "recording.ending/store": Message("a recording has no form '{ending}'", remedy="name it {joined}"),
    "recording.ending/written_ending": Message("the name of the recording has no ending", remedy="name it {joined}"),
    "recording.header/from_parquet": Message("the header begins with '{header}'", likely="columns changed by another program"),
    "recording.header/own_channels": Message(
        "column {k} is called '{word}'",
        remedy="use 'joint.position [rad]', '.velocity [rad/s]', '.torque [N m]'; [m], [m/s], [N] where it slides",
    ),
    "recording.header/store": Message(
        "the file says that {count} columns were measured, it has {header_count}", likely="a changed file"
    ),
    "recording.length": Message(
        "{name} has {value_count} samples, {time_count} were timestamped",
        remedy="give it timestamps of its own, Channel(time=...)",
    ),
    "recording.too_short/prepare": Message(
        "no segment of the recording is long enough for a filter",
        likely="many holes in the timestamps, or a very short recording",
        remedy="prepare(..., gap=...) bridges longer holes; prepare(..., cutoff=...) with more Hz needs less time",
    ),
    "recording.too_short/recording": Message("{self_count} samples have no rate", remedy="give at least two"),
    "recording.truth/store": Message("the truth is not as the file says", likely="a damaged file"),
    "recording.truth/truth": Message("the truth is not as the file says", likely="columns added or removed by another program"),
    "recordings.none/merge": Message("no recordings were given to merge"),
    "rename.not_recorded/check_rename": Message("'{before}' is to be renamed, which is not recorded", listed=("joints",)),
    "rename.not_recorded/declarations": Message(
        "'{before}' is to be renamed, which is not recorded",
        likely=("a misspelling of {near:quoted}", "known are {choices:join}"),
        listed=("joints",),
    ),
    "rename.twice": Message(
        "two joints would be called '{twice}'", remedy="give every joint a name of its own", listed=("joints",)
    ),
    "robot/beyond": Message(
        (
            "'{robot}' does not explain these torques: {left:.0%} of them is left with its masses and "
            "friction, {free:.0%} with any masses at all; {beyond} of {joints} joints are beyond its limits"
        ),
        likely="another robot, joints in another order or zero position, or a channel that is no torque",
        remedy=("compare name, order, zero and sign of every joint with the machine, or give the description of that one"),
    ),
    "robot/masses": Message(
        (
            "'{robot}' does not explain these torques: {left:.0%} of them is left with its masses and "
            "friction, {free:.0%} if masses and inertias are chosen freely"
        ),
        likely=("a description of another robot of similar build, with made-up masses, or without a load that was carried"),
        remedy=("make sure that it is this machine's description; if it is, only its masses are wrong, and a fit finds them"),
    ),
    "robot/other": Message(
        (
            "'{robot}' does not explain these torques: {left:.0%} of them is left with its masses and "
            "friction, {free:.0%} with any masses at all"
        ),
        likely="another robot, joints in another order or zero position, or a channel that is no torque",
        remedy=("compare name, order, zero and sign of every joint with the machine, or give the description of that one"),
    ),
    "rows.channel_missing": Message(
        "rows without an order in time need {needed:join}; the log holds no {absent}",
        likely="two recordings in one file, or messages stored out of order",
        remedy="sort or cut the log, or record again",
    ),
    "rows.too_few": Message(
        "{kept_count} of {recording_count} rows hold {needed:join} of every joint",
        remedy="see recording.check() for what is wrong with the others",
    ),
    "samples.as_logged": Message("rows as they were logged: no order in time, nothing filtered or differentiated"),
    "samples.decimated": Message("one row for every {every} samples, {rate:.4g} Hz"),
    "samples.ends_left_out": Message("left out {seconds:.2g} s at both ends of each segment"),
    "samples.left_out/masked": Message("left out {count} sample{count:one=|s} masked"),
    "samples.left_out/nan": Message("left out {count} sample{count:one=|s} without a number somewhere"),
    "samples.left_out/repeated": Message("left out {count} sample{count:one=|s} that repeat{count:one=s|} a timestamp"),
    "samples.left_out/rows": Message("left out {count} rows without a number somewhere, or masked"),
    "samples.part": Message("kept the rows from {low:g} s to {high:g} s"),
    "samples.short_stretches": Message("left out {count} segment{count:one=|s} too short for the filter"),
    "samples.too_few/stretches": Message(
        "{row_count} of {recording_count} samples can be used", remedy="see recording.check() for what is wrong with the others"
    ),
    "saturation": Message(
        "stays at its {words} value {level:.4g} in {crowd} samples ({share:.1%})",
        likely="a sensor or a drive at its limit",
        remedy=("mask these samples, slow the motion down, or widen the sensor's range; cut-off torques bias every fit"),
    ),
    "setting.kinematics": Message("there is no kinematics '{kinematics}'", remedy="choose among {get_args:join}"),
    "setting.unknown": Message("a recipe has no setting '{smallest}'", remedy="choose among {names:join}"),
    "setting.wrong/by_joint": Message("'{word}' is {found}", remedy="{word}={{'elbow': {example!r}}}"),
    "setting.wrong/load": Message("pieces of {rows} samples", remedy="give rows=65536 or so"),
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
    "short": Message("{time_count} samples", likely="an empty or cut-off file", remedy="record a motion of some seconds"),
    "sign.not_recorded": Message(
        "a sign is declared for '{word}', which is not recorded", likely="a misspelling of {near:quoted}", listed=("joints",)
    ),
    "sign.wrong": Message("the sign of '{word}' is {value}", remedy="1 or -1"),
    "sign/checks_torque": Message(
        "has the opposite sign: {evidence}",
        likely="the driver reports the motor-side sign",
        remedy="Recording.load(..., sign={{'{joint}': -1}})",
        cli="--sign {joint}=-1",
    ),
    "sign_all/checks_torque": Message(
        "has the opposite sign in every informative joint ({names:quoted}); {evidence}",
        likely="torque on the robot, not of the motors",
        remedy="Recording.load(..., sign={{'*': -1}})",
        cli="--sign '*=-1', or sign = -1 for torque in the mapping",
    ),
    "simulated": Message(
        "shows no friction in any joint: the rigid-body equations explain all but {left:.1e} of it",
        likely="a simulated log, or torque computed from the motion",
        remedy="for a test of a method, use bf.VirtualRobot with bf.Sensors.realistic()",
        cli="'bifilar simulate' makes one with the noise of sensors",
        lead="do not conclude from it about a machine; ",
    ),
    "simulated/own": Message(
        "is the nominal model's own torque: {left:.1e} of it differs",
        likely="a feed-forward or a simulation by this model, not a measurement",
        remedy="log what was measured",
    ),
    "smooth": Message(
        "no noise and no steps of a sensor in any channel (third differences {largest:.1e} of the first)",
        likely="a simulated or heavily smoothed log",
        remedy="for a test of a method, use bf.VirtualRobot with bf.Sensors.realistic()",
        cli="'bifilar simulate' makes one with the noise of sensors",
        lead="do not conclude from it about a machine; ",
    ),
    "speed": Message(
        "'{joint_name}' would move at {most:.3g} times its velocity limit {limit:.3g}",
        likely="a limit that is not the machine's, or a gear that was not declared",
    ),
    "still": Message(
        "moves over {width:.2g} only",
        likely="a motion designed for other joints",
        remedy="robot.locked(['{joint}'])",
        cli="--lock {joint}",
        lead="move it too, or identify without it: ",
    ),
    "stuck": Message(
        "stays at {x:.6g} for {size} samples from {time:.6g} s, then jumps",
        likely="a message that did not arrive",
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
        likely="it is in {degrees}",
        remedy="unit={{'{name}': ...}}",
        cli="--unit {name}=...",
        lead="leave '{name}' out, or declare its unit: ",
    ),
    "tolerance.wrong/merge": Message("the tolerance is {tolerance} s"),
    "tool": Message(
        (
            "{mass:.3g} kg at the end of the arm that the robot did not carry: torques show {share:.0%} of "
            "it, and without it {share_2:.0%} less is left unexplained"
        ),
        likely="a description of the robot with its hand, a recording without",
        remedy="load a description without it, or robot.with_inertia({{link: bf.Inertia.zero()}})",
        cli="take it out of the nominal model, or set its mass and inertia to zero there",
    ),
    "torque.filtered/alone": Message("torque through a filter at {cutoff:.3g} Hz"),
    "torque.filtered/columns": Message("torque and the regressor's columns through the same filter at {cutoff:.3g} Hz"),
    "torque.missing/declarations": Message("gains are declared, and neither torque nor current is recorded"),
    "torque.moved/early": Message("torque moved by {-1e3*delay:+.3g} ms: it was logged so much early"),
    "torque.moved/late": Message("torque moved by {-1e3*delay:+.3g} ms: it was logged so much late"),
    "torque.not_filtered": Message("torque not filtered"),
    "torque_scale": Message(
        "is {scale:.2g} times the model's torque (median of the informative joints): {each:join}",
        likely="torque of the motors before the gears, a current, or a share of the limit",
        remedy="unit={{'torque': ...}}, or ratio (gears) or a current with its gain in the mapping",
        cli="--unit torque=..., or ratio (gears) or a current with its gain in the mapping",
        lead="declare what it is: ",
    ),
    "truth.length": Message("the truth holds {time_count} samples, the recording {time_count_2}"),
    "unit.not_recorded": Message(
        "a unit is declared for '{word}', which is not recorded",
        likely=("a misspelling of {near:quoted}", "known are {choices:join}"),
    ),
    "unit.of_rate": Message(
        "a unit is declared for timestamps, but the clock is a rate of {rate:g} Hz",
        remedy='leave it out, or say [clock] column = "t" in the mapping',
    ),
    "unit.stated": Message(
        "a unit is declared for '{first}', but the file states its units itself",
        likely="it was converted already, as if it had been in SI",
        remedy="unit={{...}}",
        cli="--unit",
        lead="convert the first log again with ",
    ),
    "unit.unknown/load": Message(
        "timestamps are not in '{time}'", remedy="unit={{'time': 'ms'}}, or s, us, ns", cli="--unit time=ms, or s, us, ns"
    ),
    "unit.unknown/plan_mapping": Message("a {kind} is not in '{si}'", remedy="{kind} is in {quantity:join| or }"),
    "unit.unknown/plan_names": Message(
        "{channel} of '{column}' is said to be in '{word}'", remedy="{kind} is in {fromkeys:join| or }"
    ),
    "unit.unknown/units": Message("the unit '{stated}' is not known", remedy="use 'unknown'", listed=("units",)),
    "unit/by_limits": Message(
        "is {median:.3g} times the effort limits (median of the joints)",
        likely="it is in mN m, or a raw count",
        remedy="Recording.load(..., unit={{'torque': 'mN m'}})",
        cli="--unit torque='mN m'",
    ),
    "unit/checks_torque": Message(
        "is {middle:.2g} times the model's torque (median of the informative joints)",
        likely="it is in {name}",
        remedy="Recording.load(..., unit={{'torque': '{name}'}})",
        cli="--unit torque='{name}'",
    ),
    "unit/checks_torque_by_limits": Message(
        "stays below {largest:.2g} of the effort limits in every joint",
        likely="it is in kN m, or a share of the limit",
        remedy="Recording.load(..., unit={{'torque': 'kN m'}})",
        cli="--unit torque='kN m'",
    ),
    "units.count": Message("a channel of {column_count} columns has {unit_count} units"),
    "values.absurd/absurd": Message(
        "{count_2} value{value_2} no machine has, the first {value:.3g} {unit} in row {first}",
        likely="damaged bytes, a broken line, or another kind of number",
        remedy="declare its unit",
    ),
    "values.absurd/plausible_rows": Message(
        "{count_2} value{value_2} no machine has, the first {value:.3g} {unit} in row {first}",
        likely="damaged bytes, a broken line, or another kind of number",
        remedy="repair these rows or leave them out; --anyway takes the others",
    ),
    "velocity.missing": Message(
        "the recording holds no velocity of every joint", remedy="choose another recipe: prepare(recording)"
    ),
    "velocity/checks_velocity": Message(
        "is not the derivative of its position (correlation {own:.2f})",
        likely="a commanded, stale or other signal",
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
        remedy="nothing: positions are unwrapped when prepared; unwrap them in the logger to be safe",
    ),
}
