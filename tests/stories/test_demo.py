"""What the demo claims: the identified robot errs a fifth of the wrong description at most, and no bar of a mass lies.

`make study-demo` does the same with other machines, motions and noises.
"""

from __future__ import annotations

import json

from bifilar.cli.demo_story import SURE


def test_the_demo_keeps_its_claims(bifilar, tmp_path):
    code, out, err = bifilar("demo", "--json")
    said = json.loads(out)
    assert code == 0 and err == ""
    assert said["error_of_identified"] <= said["error_of_description"] / 5
    assert said["verdict"]["level"] == "good"
    known = [row for row in said["masses"] if row["identified"]]
    assert known and len(said["masses"]) == 7  # the others are reported as not identified
    for row in known:
        assert abs(row["identified_value"] - row["true"]) <= SURE * row["deviation"], row["link"]
    run = tmp_path / "demo" / "run"
    assert (run / "identified.urdf").is_file() and list(run.glob("*.html"))
