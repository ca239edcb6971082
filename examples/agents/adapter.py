"""An adapter of the client lab for a client of a task in Python: python3 adapter.py FOLDER/client.py."""
import base64
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[1])))
import client  # noqa: E402


def say(line):
    print(json.dumps(line), flush=True)


def sse(run, key):
    events = []
    for data in client.read(run["url"], key, run["body"], run["timeout"] / 1000):
        events.append({"event": "message", "data": data, "id": ""})
        say({"run": run["run"], "event": {}})
        if len(events) == run.get("stop_after"):
            break
    return {"events": events}


def signing(run, key):
    request = run["request"]
    body, at = base64.b64decode(request["body_base64"]), (run["sign_url"], key, run["daemon_origin"], run["daemon_token"])
    return {"status": client.send(*at, request["method"], request["path"], request["headers"], body)}


CALLS = {"sse": sse, "signing": signing}
layers = [layer for name, layer in (("read", "sse"), ("send", "signing")) if hasattr(client, name)]
say({"adapter": "a client of examples/agents", "version": "1", "layers": layers})
for line in sys.stdin:
    run = json.loads(line)
    try:
        answer = {"outcome": "complete", **CALLS[run["layer"]](run, run["headers"]["authorization"][len("Bearer "):])}
    except Exception as error:
        status = getattr(error, "code", None)
        answer = {"outcome": "error", "error": {"message": repr(error), **({"status": status} if status else {})}}
    say({"run": run["run"], **answer})
