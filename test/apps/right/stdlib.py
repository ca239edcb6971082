"""Answers a question of an intern with Python's standard library, and looks closely at what it gets."""

import json
import os
import sys
import urllib.error
import urllib.request

INTERN = f"{os.environ['INTERN_BASE_URL']}/interns/{os.environ['INTERN_INTERN_ID']}"
HEADERS = {"Authorization": f"Bearer {os.environ['INTERN_API_KEY']}", "Content-Type": "application/json"}


def events(response):
    """The data of each event of the default type. Python reads lines of LF and CRLF whole, whatever the pieces."""
    data, kind = [], ""
    for raw in response:
        line = raw.decode().rstrip("\r\n")
        if line == "":
            if data and kind in ("", "message"):
                yield "\n".join(data)
            data, kind = [], ""
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "data":
            data.append(value)
        if name == "event":
            kind = value


def turn(**body):
    """One turn: its text, what was asked, and the session. Anything but a whole reply is an error."""
    request = urllib.request.Request(f"{INTERN}/chat/completions", json.dumps({"stream": True, **body}).encode(), HEADERS)
    text, asked, session, finish = "", None, None, None
    with urllib.request.urlopen(request, timeout=1.5) as response:
        for data in events(response):
            if data == "[DONE]":
                break
            chunk = json.loads(data)
            if "error" in chunk:
                sys.exit(f"the run failed: {chunk['error']['message']}")
            for choice in chunk.get("choices", []):
                text += choice["delta"].get("content") or ""
                asked = (choice["delta"].get("tool_calls") or [asked])[0]
                finish = choice.get("finish_reason") or finish
            session = chunk.get("session_id", session)
        else:
            sys.exit("the reply was cut")
    if finish not in ("stop", "tool_calls"):
        sys.exit(f"the reply ended with {finish}")
    return text, asked, session


def main():
    prompt = {"role": "user", "content": "script: ask-permission"}
    text, asked, session = turn(messages=[prompt], approval_mode="manual")
    print(text)
    if asked is None:
        sys.exit("expected a question")
    answer = {"role": "tool", "tool_call_id": asked["id"], "content": "allow_once"}
    text, _, _ = turn(session_id=session, messages=[prompt, {"role": "assistant", "content": None, "tool_calls": [asked]}, answer])
    if text != "Allowed once.":
        sys.exit(f"expected to hear of the permission, heard {text}")
    print(text)


try:
    main()
except (OSError, ValueError, KeyError) as error:
    sys.exit(f"{type(error).__name__}: {error}")
