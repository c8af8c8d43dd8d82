"""What can happen to a command, as an exit code and a few lines on stderr; a traceback only with BIFILAR_DEBUG=1.

Errors bifilar raises on purpose are letters and carry their code. Anything else that escapes is a bug and says so.
"""

from __future__ import annotations

import _thread
import errno
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

from bifilar.cli.letter import as_typed, json_text, print_letter
from bifilar.errors import BifilarError, ResourceError

INTERRUPTED, NOBODY_READS = 130, 141  # 128 + the signal's number, as shells have it
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)
ROOM = "make room, or write elsewhere"
SOON = 0.02  # [s] after which an interrupt that was lost comes again
AGAIN = 1.0  # [s] after which a second Ctrl-C counts
MAY = "choose another folder, or ask for the right to read and write this one"


class UsageError(BifilarError):
    """The command line was not understood.

    >>> UsageError("there is no command 'inspct'").exit_code
    2
    """

    exit_code = 2


class InternalError(BifilarError):
    """Something went wrong that bifilar did not foresee.

    >>> InternalError("this is a bug").exit_code
    70
    """

    exit_code = 70


def guarded(work: Callable[[], int], *, json: bool = False, debug: bool = False, alone: bool = False, verb: str = "") -> int:
    """Do the work and return its exit code; whatever it raises becomes a message and a code.

    `json`: a message for programs. `alone`: the process is there for this only, and ends after it. `verb`: whose help helps.

    >>> def empty() -> int:
    ...     raise BifilarError("file.empty", what="the file is empty", remedy="copy or record it again")
    >>> guarded(empty, json=True)
    {
      "error": {
        "kind": "BifilarError",
        "code": "file.empty",
        "what": "the file is empty",
        "where": "",
        "likely": "",
        "remedy": "copy or record it again",
        "facts": {},
        "exit_code": 3
      }
    }
    3
    """
    _prepare_streams()
    stopped = _listen() if alone else bool
    try:
        code = work()
        sys.stdout.flush()  # a full disk or a closed pipe shows here at the latest
        return code
    except KeyboardInterrupt:
        return _stop()
    except Exception as error:
        if stopped() and not isinstance(error, BifilarError):  # libraries turn an interrupt into errors of their own
            return _stop()
        if _nobody_reads(error):
            _silence_stdout()
            return NOBODY_READS
        if debug:
            traceback.print_exc()
        return _report(error, json, verb)
    finally:
        if alone:  # all is said: whoever presses Ctrl-C now need not see how the interpreter ends
            signal.signal(signal.SIGINT, signal.SIG_IGN)


def _listen() -> Callable[[], bool]:
    """Whether Ctrl-C was pressed since; it raises KeyboardInterrupt as ever, but once if pressed twice in a second: the first
    is being answered, and temporary files are being removed."""
    pressed: list[float] = []
    answered = [-AGAIN]  # when an interrupt was raised last

    def handler(number: int, frame: Any) -> None:
        now = time.monotonic()
        pressed.append(now)
        if now - answered[0] > AGAIN:
            answered[0] = now
            raise KeyboardInterrupt

    def swallowed(lost: Any) -> None:
        """A compiler's callback cannot hand an interrupt on: it is raised once more, as soon as the callback is over."""
        if lost.exc_type is not KeyboardInterrupt:
            sys.__unraisablehook__(lost)
            return
        answered[0] = -AGAIN
        threading.Timer(SOON, _thread.interrupt_main).start()

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # a shell may have asked to ignore it
        signal.signal(signal.SIGINT, handler)
        sys.unraisablehook = swallowed
    return lambda: bool(pressed)


def _stop() -> int:
    sys.unraisablehook = lambda _: None  # objects that a compiler left half made complain when they are deleted
    _say("\nbifilar: stopped\n" if sys.stderr.isatty() else "bifilar: stopped\n")
    return INTERRUPTED


def _report(error: Exception, json: bool, verb: str) -> int:
    letter = _as_letter(error)
    letter = letter if isinstance(letter, InternalError) else as_typed(letter, verb)
    if json:
        try:
            sys.stdout.write(json_text({"error": letter.data()}))
            sys.stdout.flush()
            return letter.exit_code
        except OSError:  # stdout is what failed
            _silence_stdout()
    if isinstance(error, OSError):
        _silence_stdout()
    print_letter(letter)
    return letter.exit_code


def _as_letter(error: Exception) -> BifilarError:
    if isinstance(error, BifilarError):
        return error
    if isinstance(error, ValueError) and type(error).__name__ == "LinAlgError":  # NumPy is not loaded for this question
        from bifilar.dynamics.blas import singular

        return singular()
    if isinstance(error, MemoryError):
        return ResourceError("memory.full")
    if isinstance(error, OSError) and error.errno in FULL:
        return ResourceError("disk.full", where=str(error.filename or "stdout"), strerror=error.strerror)
    if isinstance(error, OSError) and error.errno in FORBIDDEN and error.filename is not None:
        return ResourceError("file.forbidden", where=str(error.filename), strerror=error.strerror)
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN):
        return ResourceError("system.exhausted", strerror=error.strerror)
    if isinstance(error, ModuleNotFoundError) and not str(error.name).startswith("bifilar"):
        return ResourceError("package.missing/guard", name=error.name)
    return InternalError("bug", kind=type(error).__name__, error=error)


def _nobody_reads(error: Exception) -> bool:
    """The reader of a pipe went away (`| head`); Windows reports an invalid argument instead."""
    return isinstance(error, BrokenPipeError) or (
        os.name == "nt" and isinstance(error, OSError) and error.errno == errno.EINVAL and not error.filename
    )


def _prepare_streams() -> None:
    """Output that cannot be encoded is shown escaped, output that was closed goes nowhere."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _silence_stdout() -> None:
    """What is still in the buffer would fail again when the interpreter ends."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        sys.stdout = open(os.devnull, "w")


def _say(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        pass
