"""An adapter for the client lab: `serve` lets the lab judge a client in Python.

    from intern_emulator_pytest.lab import serve
    serve(read, "my-client", "1.4.0")

`read(run)` makes the one call that a run asks for (`run["url"]`, `["headers"]`, `["body"]`, `["timeout"]` in ms), and yields
`{"event": …, "data": …, "id": …}` for each event as it comes. It raises what the client raises; an attribute `status` of that
is the HTTP status.
"""

import json
import sys


def _say(line):
    print(json.dumps(line), flush=True)


def serve(read, adapter, version, layers=("sse",), abilities=()):
    """Answers the lab on standard input and output until it has no more runs."""
    _say({"adapter": adapter, "version": version, "layers": list(layers), "abilities": list(abilities)})
    for line in sys.stdin:
        run = json.loads(line)
        answer = {"run": run["run"], "outcome": "complete", "events": []}
        try:
            for event in read(run):
                answer["events"].append(event)
                _say({"run": run["run"], "event": event if len(event["data"]) < 65536 else {}})
                if len(answer["events"]) == run.get("stop_after"):
                    break
        except Exception as error:
            failed = {"message": str(error) or repr(error), "status": getattr(error, "status", None)}
            answer.update(outcome="error", error={name: value for name, value in failed.items() if value is not None})
        _say(answer)
