"""The viewer's server: pages of other sites and names that were led here are refused, broken messages end their connection."""

from __future__ import annotations

import http.client

import pytest

import bifilar as bf

viser = pytest.importorskip("viser", reason="viser is not installed: pip install 'bifilar[view]'")
client = pytest.importorskip("websockets.sync.client")
exceptions = pytest.importorskip("websockets.exceptions")


@pytest.fixture(scope="module")
def viewer():
    with bf.Viewer(bf.Robot.load("pendulum"), port=8655) as open_viewer:
        yield open_viewer


def status(viewer, **headers: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", viewer.server.get_port(), timeout=10)
    connection.putrequest("GET", "/", skip_host=True)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    try:
        return connection.getresponse().status
    finally:
        connection.close()


def test_only_its_own_page_is_answered(viewer):
    port = viewer.server.get_port()
    own = f"localhost:{port}"
    assert status(viewer, Host=own) == status(viewer, Host=own, Origin=f"http://{own}") == 200
    assert status(viewer, Host=f"127.0.0.1:{port}", Origin=f"http://127.0.0.1:{port}") == 200
    for strange in (
        "example.org",
        f"example.org:{port}",
        "localhost.example.org",
        "0x7f000001",
        "",
        "[",
        "a/b",
        "localhost@evil",
    ):
        assert status(viewer, Host=strange) == 403, strange
    for strange in ("http://example.org", "null", "", f"https://example.org:{port}", "file://", f"http://localhost:{port + 1}"):
        assert status(viewer, Host=own, Origin=strange) == 403, strange
    assert status(viewer) == 403


def test_sockets_of_other_sites_are_refused_and_nonsense_is_closed(viewer, capfd):
    address, kind = f"ws://localhost:{viewer.server.get_port()}", [f"viser-v{viser.__version__}"]
    with pytest.raises(exceptions.InvalidStatus) as refused:
        client.connect(address, origin="http://example.org", subprotocols=kind)
    assert refused.value.response.status_code == 403
    for nonsense in (b"\xff\xfe", b"", b"\x81\xa4type\xa4none", b"\x93\x01\x02\x03", "text"):
        with client.connect(address, origin=address.replace("ws", "http"), subprotocols=kind) as socket:
            socket.send(nonsense)
            with pytest.raises(exceptions.ConnectionClosed):
                for _ in range(10_000):
                    socket.recv(timeout=10)
    assert "Traceback" not in "".join(capfd.readouterr())
    assert status(viewer, Host="localhost") == 200
