"""What comes beside the fixture's one thing: settings, refusals, the verifier of signatures."""

import pytest
from intern_emulator_pytest.ed25519 import is_strict, verify

pytest_plugins = ["pytester"]

# Test 1 of RFC 8032, 7.1: a signature of the empty message.
KEY = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
SIGNATURE = bytes.fromhex(
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
)


@pytest.mark.intern_space(profile="openrouter", clock="real")
def test_a_mark_gives_the_settings(intern_space):
    assert intern_space.target["profile"] == "openrouter"
    assert intern_space.control("GET", "/clock")["mode"] == "real"


def test_a_refusal_says_what_was_refused(intern_space):
    with pytest.raises(AssertionError, match=r"POST .*/interns: 400: .*name"):
        intern_space.call("POST", "/interns", {"workspace_id": intern_space.workspace_id})


def test_without_an_emulator_a_test_says_how_to_start_one(pytester, monkeypatch):
    monkeypatch.delenv("INTERN_CONTROL_URL")
    pytester.makepyfile("def test_it(intern_space): pass")
    said = pytester.runpytest_subprocess("-p", "intern_emulator_pytest")
    said.stdout.fnmatch_lines(["*INTERN_CONTROL_URL is not set: run `npx intern-emulator exec -- pytest`*"])


def test_the_verifier_takes_the_one_form_of_a_signature():
    assert verify(KEY, b"", SIGNATURE) and is_strict(KEY, SIGNATURE)
    assert not verify(KEY, b"another", SIGNATURE)
    # A key of small order verifies for any message elsewhere.
    assert not is_strict(bytes([1]) + bytes(31), SIGNATURE)
