"""Whether links and joints make one tree, and which joints follow which: the checks that need the whole file.

A URDF is a tree: every link but one, the root, is the child of exactly one joint. With at most one parent per link,
either following the parents reaches the root, or it goes round in a loop.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from bifilar.robot.description import Joint, Mimic
from bifilar.robot.urdf_fields import LARGEST, Reading, closest
from bifilar.robot.xml_reader import Element, shown

Ends = dict[str, tuple[str, str]]  # joint -> its parent link, its child link


def check_names(reading: Reading, elements: list[Element], kind: str) -> dict[str, Element]:
    """Elements by name; a name used twice is refused.

    >>> reading = Reading.of(b'<robot><link name="a"/><link name="b"/></robot>')
    >>> list(check_names(reading, list(reading.document.root.children), "link"))
    ['a', 'b']
    """
    named: dict[str, Element] = {}
    for element in elements:
        name = reading.text(element, "name", f"a {kind}")
        if name in named:
            raise reading.refuse(
                element, "urdf.invalid/urdf_tree", kind=kind, name=shown(name), line=named[name].line, line_2=element.line
            )
        named[name] = element
    return named


def check_tree(reading: Reading, links: dict[str, Element], joints: dict[str, Element], ends: Ends) -> str:
    """Name of the root; refuses unknown links, links with two parents, loops and several roots.

    >>> reading = Reading.of(b'<robot><link name="a"/><link name="b"/><joint name="j"/></robot>')
    >>> a, b, j = reading.document.root.children
    >>> check_tree(reading, {"a": a, "b": b}, {"j": j}, {"j": ("a", "b")})
    'a'
    """
    arrives: dict[str, str] = {}  # child link -> the joint that leads to it
    for name, (parent, child) in ends.items():
        for role, link in (("parent", parent), ("child", child)):
            if link not in links:
                raise reading.refuse(
                    joints[name],
                    "urdf.invalid/check_tree",
                    name=shown(name),
                    role=role,
                    link=shown(link),
                    near=closest(link, links),
                )
        if child in arrives:
            raise reading.refuse(
                joints[name],
                "urdf.invalid/urdf_tree_check_tree",
                child=shown(child),
                arrive=shown(arrives[child]),
                name=shown(name),
            )
        arrives[child] = name
    parent_of = {child: ends[joint][0] for child, joint in arrives.items()}
    _refuse_loops(reading, joints, arrives, parent_of)
    roots = [name for name in links if name not in arrives]
    if len(roots) > 1:
        raise reading.refuse(
            links[roots[1]],
            "urdf.invalid/urdf_tree_check_tree_2",
            root_count=len(roots),
            roots=list(map(shown, roots[:5])),
            root=shown(roots[1]),
        )
    return roots[0]


def _refuse_loops(reading: Reading, joints: dict[str, Element], arrives: dict[str, str], parent_of: dict[str, str]) -> None:
    safe: set[str] = set()
    for start in parent_of:
        path: dict[str, None] = {}  # ordered, quick to search
        link = start
        while link in parent_of and link not in safe:
            if link in path:
                names = list(path)
                loop = names[names.index(link) :][::-1]
                shortened = [*map(shown, loop[:6]), *(["..."] if len(loop) > 6 else []), shown(loop[0])]
                raise reading.refuse(joints[arrives[link]], "urdf.invalid/refuse_loops", shortened=shortened)
            path[link] = None
            link = parent_of[link]
        safe.update(path)


def check_floating(reading: Reading, root: str, joints: list[Joint], elements: dict[str, Element]) -> None:
    """A floating joint is allowed only as the one joint below the root: then it is the base that floats.

    >>> free = Joint("free", "floating", parent="world", child="body")
    >>> check_floating(Reading.of(b"<robot/>"), "world", [free], {})
    """
    below_root = [joint for joint in joints if joint.parent == root]
    for joint in joints:
        if joint.kind == "floating" and (joint.parent != root or len(below_root) > 1):
            raise reading.refuse(elements[joint.name], "urdf.invalid/check_floating", name=shown(joint.name), root=shown(root))


def resolve_mimics(reading: Reading, joints: list[Joint], elements: dict[str, Element]) -> list[Joint]:
    """Every mimic joint follows a joint that moves by itself: chains are composed, loops refused.

    >>> a = Joint("a", "revolute", "x", "y")
    >>> b = Joint("b", "revolute", "y", "z", mimic=Mimic("a", 2.0, 1.0))
    >>> c = Joint("c", "revolute", "z", "w", mimic=Mimic("b", 3.0, 0.5))
    >>> resolve_mimics(Reading.of(b"<robot/>"), [a, b, c], {})[2].mimic
    Mimic(joint='a', ratio=6.0, offset=3.5)
    """
    by_name = {joint.name: joint for joint in joints}
    done: dict[str, Mimic] = {}
    for joint in joints:
        chain: dict[str, Mimic] = {}
        here = joint
        while here.mimic is not None and here.name not in done:
            if here.name in chain:
                raise reading.refuse(
                    elements[here.name], "urdf.invalid/resolve_mimics", names=list(map(shown, [*list(chain)[:6], here.name]))
                )
            chain[here.name] = here.mimic
            here = _followed(reading, here, by_name, elements)
        for name, mimic in reversed(chain.items()):
            above = done.get(mimic.joint)
            done[name] = mimic if above is None else _composed(mimic, above)
            if max(abs(done[name].ratio), abs(done[name].offset)) > LARGEST:
                raise reading.refuse(
                    elements[name], "urdf.invalid/urdf_tree_resolve_mimics", name=shown(name), joint=shown(done[name].joint)
                )
    return [replace(joint, mimic=done[joint.name]) if joint.mimic else joint for joint in joints]


def _composed(mimic: Mimic, above: Mimic) -> Mimic:
    return Mimic(above.joint, mimic.ratio * above.ratio, mimic.ratio * above.offset + mimic.offset)


def _followed(reading: Reading, joint: Joint, by_name: dict[str, Joint], elements: dict[str, Element]) -> Joint:
    assert joint.mimic is not None
    other = joint.mimic.joint
    if other not in by_name:
        raise reading.refuse(
            elements[joint.name],
            "urdf.invalid/followed",
            name=shown(joint.name),
            other=shown(other),
            near=closest(other, by_name),
        )
    if not by_name[other].moves:
        raise reading.refuse(
            elements[joint.name],
            "urdf.invalid/urdf_tree_followed",
            name=shown(joint.name),
            other=shown(other),
            kind=by_name[other].kind,
        )
    return by_name[other]


def body_groups(links: list[str], joints: list[Joint]) -> dict[str, list[str]]:
    """Links that move together, by the link nearest to the root: fixed joints weld.

    >>> body_groups(["a", "b", "c"], [Joint("j", "fixed", "a", "b"), Joint("k", "revolute", "b", "c")])
    {'a': ['a', 'b'], 'c': ['c']}
    """
    welded = {joint.child: joint.parent for joint in joints if joint.kind == "fixed"}
    groups: dict[str, list[str]] = defaultdict(list)
    head: dict[str, str] = {}
    for link in links:
        path: list[str] = []
        top = link
        while top in welded and top not in head and len(path) <= len(links):
            path.append(top)
            top = welded[top]
        top = head.get(top, top)
        head.update(dict.fromkeys([*path, link], top))
        groups[top].append(link)
    return dict(groups)
