"""Whoever reads a run while another takes its place sees one of the two, whole; other errors stay what they are."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from bifilar.errors import ResourceError, RobotError
from bifilar.export import run_reader
from bifilar.export.run_folder import writing
from bifilar.export.run_reader import at_once

FILES = ("run.json", "estimate.json", "numbers.npz")


def make(target: Path, word: str) -> None:
    with writing(target, replace=True) as folder:
        for name in FILES:
            (folder / name).write_text(word)


def test_one_result_or_the_other_never_half_of_each(tmp_path):
    run, done = tmp_path / "run", threading.Event()
    make(run, "0")

    def writer() -> None:
        for k in range(60):
            make(run, str(k))
        done.set()

    thread = threading.Thread(target=writer)
    thread.start()
    seen = []
    while not done.is_set():
        seen.append(at_once(run, lambda: [(run / name).read_text() for name in FILES]))
    thread.join()
    assert len(seen) > 10 and all(len(set(words)) == 1 for words in seen)
    assert [int(words[0]) for words in seen] == sorted(int(words[0]) for words in seen)


@pytest.mark.parametrize("after", range(len(FILES)))
def test_what_was_read_before_the_exchange_is_read_again(tmp_path, after):
    run, exchanged = tmp_path / "run", []
    make(run, "old")

    def read() -> list[str]:
        words = []
        for k, name in enumerate(FILES):
            words.append((run / name).read_text())
            if k == after and not exchanged:
                exchanged.append(make(run, "new"))
        return words

    assert at_once(run, read) == ["new"] * len(FILES)


def test_the_moment_without_a_folder_is_waited_for(tmp_path):
    run, tries = tmp_path / "run", []
    make(run, "old")
    (tmp_path / ".run.bifilar-0a1b2c3d4e5f.lock").touch()
    run.rename(tmp_path / ".run.bifilar-0a1b2c3d4e5f.old")

    def read() -> str:
        tries.append(1)
        if len(tries) == 3:
            (tmp_path / ".run.bifilar-0a1b2c3d4e5f.old").rename(run)
        return (run / "run.json").read_text()

    assert at_once(run, read) == "old"


def test_a_run_that_was_killed_between_the_renames_is_not_waited_for_in_vain(tmp_path, monkeypatch):
    monkeypatch.setattr(run_reader, "TRIES", 3)
    (tmp_path / ".run.bifilar-0a1b2c3d4e5f.lock").touch()
    with pytest.raises(FileNotFoundError):
        at_once(tmp_path / "run", lambda: (tmp_path / "run" / "run.json").read_text())


def test_letters_about_the_folder_itself_come_at_once(tmp_path):
    tries = []

    def read() -> None:
        tries.append(1)
        raise RobotError("damaged")

    make(tmp_path / "run", "old")
    for name in ("run", "nowhere"):
        with pytest.raises(RobotError):
            at_once(tmp_path / name, read)
    assert len(tries) == 2


def test_a_folder_that_never_rests_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(run_reader, "TRIES", 3)
    run = tmp_path / "run"
    make(run, "old")
    with pytest.raises(ResourceError, match="keeps being replaced"):
        at_once(run, lambda: make(run, "new"))
