"""50 tests against one emulator, each in a space of its own. Needs pytest and nothing else.

    npx intern-emulator exec -- python3 -m pytest examples/parallel
"""

import json
import os
import urllib.request

import pytest

CONTROL = os.environ["INTERN_CONTROL_URL"]
# Never by a proxy that the environment names: the emulator is on this machine.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def call(method, url, body=None, key=os.environ.get("INTERN_CONTROL_TOKEN")):
    request = urllib.request.Request(url, method=method)
    request.add_header("Content-Type", "application/json")
    if key:
        request.add_header("Authorization", f"Bearer {key}")
    data = None if body is None else json.dumps(body).encode()
    with OPENER.open(request, data, timeout=60) as response:
        text = response.read().decode()
    if not response.headers["Content-Type"]:
        return None
    return json.loads(text) if "json" in response.headers["Content-Type"] else text


@pytest.fixture
def space():
    made = call("POST", f"{CONTROL}/spaces", {"clock": "virtual"})
    yield made["target"]
    call("DELETE", f"{CONTROL}/spaces/{made['name']}")


@pytest.mark.parametrize("number", range(50))
def test_is_alone_in_its_space(space, number):
    base, key = space["base_url"], space["credentials"]["api_key"]
    # The same name in every test, and a clock that each moves by another time: no space sees another's.
    body = {"name": "mine", "workspace_id": space["workspace_id"], "provision": True}
    created = call("POST", f"{base}/interns", body, key)
    assert created["status"] == "queued"
    now = call("POST", f"{space['control_url']}/clock", {"advance": 2_000 + number})["now"]
    assert now == f"2026-01-01T00:00:02.{number:03d}Z"
    assert call("GET", f"{base}/interns/{created['id']}", key=key)["status"] == "running"
    assert len(call("GET", f"{base}/interns", key=key)["data"]) == 2
    said = call(
        "POST",
        f"{base}/interns/{created['id']}/chat/completions",
        {"stream": True, "messages": [{"role": "user", "content": f"test {number}"}]},
        key,
    )
    assert f"test {number}" in said and said.endswith("data: [DONE]\n\n")
