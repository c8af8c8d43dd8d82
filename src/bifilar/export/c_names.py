"""Names for C, whatever joints and robots are called; names of ours stay as they are.

"Panda arm (left)" -> panda_arm_left        "3-axis" -> robot_3_axis        "double" -> robot_double
"""

from __future__ import annotations

import keyword
import re
import unicodedata

KEYWORDS = frozenset(
    (
        "auto break case char const continue default do double else enum extern float for goto if inline int long register "
        "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while main "
        "asm class new delete this template typename namespace public private protected virtual friend operator try catch throw"
    ).split()
)
LONGEST = 40  # characters: C99 compilers must tell 31 of an outside name apart; ours end differently


def identifier(name: str) -> str:
    """A name that C, C++ and Python take.

    >>> identifier("Panda arm (left)"), identifier("3-axis"), identifier("double"), identifier("手")
    ('panda_arm_left', 'robot_3_axis', 'robot_double', 'robot')
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    word = re.sub(r"[^a-z0-9]+", "_", plain.lower()).strip("_")[:LONGEST].strip("_")
    if not word:
        return "robot"
    return f"robot_{word}" if word[0].isdigit() or word in KEYWORDS or keyword.iskeyword(word) else word


def comment(text: str) -> str:
    """Text that may stand in a comment of C or Python: one line of ASCII that ends no comment.

    >>> comment("joint*/ #1\\nß")
    'joint* / #1?\\\\xdf'
    """
    line = "".join(c if c.isprintable() else "?" for c in text).encode("ascii", "backslashreplace").decode()
    return line.replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?").rstrip("\\")


def string(text: str) -> str:
    """A string of C: UTF-8 as octal digits where it is not plain, so that no compiler reads it otherwise.

    >>> print(string('a"b'), string("ß"), string("??/"))
    "a\\042b" "\\303\\237" "\\077\\077/"
    """
    plain = set(range(32, 127)) - set(b'"\\?')
    return '"' + "".join(chr(byte) if byte in plain else f"\\{byte:03o}" for byte in text.encode("utf-8", "replace")) + '"'
