"""50 tests against one emulator, each in a space of its own."""

import pytest


@pytest.mark.parametrize("number", range(50))
def test_is_alone_in_its_space(intern_space, number):
    # The same name in every test, and a clock that each moves by another time: no space sees another's.
    body = {"name": "mine", "workspace_id": intern_space.workspace_id, "provision": True}
    created = intern_space.call("POST", "/interns", body)
    assert created["status"] == "queued"
    assert intern_space.advance(2_000 + number) == f"2026-01-01T00:00:02.{number:03d}Z"
    assert intern_space.call("GET", f"/interns/{created['id']}")["status"] == "running"
    assert len(intern_space.call("GET", "/interns")["data"]) == 2
    prompt = {"stream": True, "messages": [{"role": "user", "content": f"test {number}"}]}
    said = intern_space.call("POST", f"/interns/{created['id']}/chat/completions", prompt)
    assert f"test {number}" in said and said.endswith("data: [DONE]\n\n")
