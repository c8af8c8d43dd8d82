"""Whether to believe it, on motion that was not fitted; then the files that other programs read.

python examples/07_judge_and_export.py        reads test.csv of example 04 and the estimate of example 06
"""

import bifilar as bf

estimate = bf.load_estimate("estimate")
test = bf.Recording.load("test.csv", estimate.described)

validation = bf.held_out(estimate, test)
for row in validation.table():  # error, its share with the identified robot and with the description, error over noise
    print("".join(f"{cell:>14}" for cell in row))

verdict = bf.judge(estimate, validation)
print(f"verdict: {verdict.level}")
for reason in verdict.reasons:
    print("  ", reason)

if verdict.level in ("good", "usable"):
    # Each file is read again and its torques compared before it gets its name; URDF and MJCF are read by MuJoCo.
    for name in ("identified.urdf", "identified.xml", "identified.csv"):
        written = bf.write_model(estimate, name)
        print(f"{written.path}: read again by {written.reader}, torques differ by {written.difference:.0e} at most")
        for loss in written.lost:  # what the format cannot say
            print("  ", loss)
