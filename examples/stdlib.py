import json
import os
import urllib.request

INTERN = f"{os.environ['INTERN_BASE_URL']}/interns/{os.environ['INTERN_INTERN_ID']}"
HEADERS = {"Authorization": f"Bearer {os.environ['INTERN_API_KEY']}", "Content-Type": "application/json"}


def chat(**body):
    """One turn: yields the chunks as they come."""
    data = json.dumps({"stream": True, **body}).encode()
    request = urllib.request.Request(f"{INTERN}/chat/completions", data, HEADERS)
    with urllib.request.urlopen(request, timeout=60) as response:
        for line in response:  # read on to [DONE]: leaving earlier cancels the run
            if line.startswith(b"data: {"):
                yield json.loads(line[len(b"data: ") :])


def say(**body):
    asked = session = None
    for chunk in chat(**body):
        for choice in chunk["choices"]:
            print(choice["delta"].get("content", ""), end="", flush=True)
            asked = (choice["delta"].get("tool_calls") or [asked])[0]
        session = chunk.get("session_id", session)
    return asked, session


prompt = {"role": "user", "content": "script: ask-permission"}
asked, session = say(messages=[prompt], approval_mode="manual")
print("\n" + asked["function"]["arguments"])
answer = {"role": "tool", "tool_call_id": asked["id"], "content": "allow_once"}
say(session_id=session, messages=[prompt, {"role": "assistant", "content": None, "tool_calls": [asked]}, answer])
