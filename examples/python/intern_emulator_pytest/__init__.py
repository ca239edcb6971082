"""The fixture `intern_space`: an interns service of its own for each test, in an emulator that is running already.

    npx intern-emulator exec -- pytest
"""

import json
import os
import urllib.error
import urllib.request

import pytest

__all__ = ["Space", "intern_space"]

# Never by a proxy that the environment names: the emulator is on this machine.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def _call(method, url, body=None, key=None):
    """The JSON or the text of an answer. Raises AssertionError with what was wrong where it is a refusal."""
    request = urllib.request.Request(url, method=method)
    request.add_header("Content-Type", "application/json")
    if key:
        request.add_header("Authorization", f"Bearer {key}")
    try:
        with _opener.open(request, None if body is None else json.dumps(body).encode(), timeout=60) as response:
            text = response.read().decode()
            return json.loads(text) if "json" in (response.headers["Content-Type"] or "") else text or None
    except urllib.error.HTTPError as refused:
        why = refused.headers.get("X-Emulator-Detail") or refused.read().decode()
        raise AssertionError(f"{method} {url}: {refused.code}: {why}") from None


class Space:
    """A service of its own. `target` has all that the emulator says of it; the attributes are what clients need."""

    def __init__(self, target, token):
        self.target = target
        self.base_url = target["base_url"]
        self.control_url = target["control_url"]
        self.daemon_origin = target["daemon_origin"]
        self.workspace_id = target["workspace_id"]
        self.api_key = target["credentials"]["api_key"]
        self.intern_id = target["credentials"]["intern"]["id"]
        self._token = token

    def call(self, method, path, body=None):
        """One request to the service with its key, such as `call("GET", "/interns")`."""
        return _call(method, self.base_url + path, body, self.api_key)

    def control(self, method, path, body=None):
        """One request to the control interface, such as `control("GET", "/journal")`."""
        return _call(method, self.control_url + path, body, self._token)

    def advance(self, ms):
        """Moves the clock on by milliseconds: what is due then has happened when this returns. Returns the time."""
        return self.control("POST", "/clock", {"advance": ms})["now"]


@pytest.fixture
def intern_space(request):
    """A service of its own, on a virtual clock. `@pytest.mark.intern_space(clock="real")` gives other settings."""
    control, token = os.environ.get("INTERN_CONTROL_URL"), os.environ.get("INTERN_CONTROL_TOKEN")
    if not control:
        pytest.fail("INTERN_CONTROL_URL is not set: run `npx intern-emulator exec -- pytest`", pytrace=False)
    mark = request.node.get_closest_marker("intern_space")
    made = _call("POST", f"{control}/spaces", {"clock": "virtual", **(mark.kwargs if mark else {})}, token)
    yield Space(made["target"], token)
    _call("DELETE", f"{control}/spaces/{made['name']}", key=token)


def pytest_configure(config):
    config.addinivalue_line("markers", "intern_space(**settings): what the space of a test is made with")
