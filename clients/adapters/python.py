#!/usr/bin/env python3
"""An adapter in Python 3 with its standard library alone: event streams."""
import codecs, http.client, json, re, sys, urllib.parse

def say(line): print(json.dumps(line), flush=True)

def events(response):  # WHATWG HTML 9.2.6, an event with the character that ends its blank line
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    parts, first, after_cr, kind, data, last = [], True, False, "", [], ""
    while chunk := response.read1(65536):
        if not (text := decode(chunk)):
            continue
        text, first = text.removeprefix("\ufeff" if first else ""), False
        if after_cr:
            text = text.removeprefix("\n")
        after_cr = text.endswith("\r")
        *lines, rest = re.split("\r\n|\n|\r", text)
        for line in lines:
            line, parts = "".join([*parts, line]), []
            if line == "":
                if data:
                    yield {"event": kind or "message", "data": "\n".join(data), "id": last}
                kind, data = "", []
            elif not line.startswith(":"):
                name, _, value = line.partition(":")
                value = value.removeprefix(" ")
                kind = value if name == "event" else kind
                if name == "data":
                    data.append(value)
                elif name == "id" and "\0" not in value:
                    last = value
        parts.append(rest)
    if response.length:  # Python ends quietly where Content-Length told of more.
        raise http.client.IncompleteRead(b"", response.length)

def sse(run, answer):
    headers = {**run["headers"], "content-type": "application/json", "accept": "text/event-stream"}
    place = urllib.parse.urlsplit(run["url"])
    connection = http.client.HTTPConnection(place.netloc, timeout=run["timeout"] / 1000)
    connection.request("POST", place.path, json.dumps(run["body"]), headers)
    response = connection.getresponse()
    answer["events"], kind = [], response.headers.get_content_type() if response.getheader("content-type") else ""
    if response.status != 200 or kind != "text/event-stream":
        return {"error": {"message": f"{response.status} {kind}", "status": response.status}}
    for event in events(response):
        answer["events"].append(event)
        say({"run": run["run"], "event": event if len(event["data"]) < 65536 else {}})
        if len(answer["events"]) == run.get("stop_after"):
            break
    response.close(), connection.close()

say({"adapter": "Python, standard library", "version": sys.version.split()[0], "layers": ["sse"]})
for line in sys.stdin:
    run, answer = json.loads(line), {}
    try:
        failed = sse(run, answer)
    except Exception as error:
        failed = {"error": {"message": repr(error)}}
    say({"run": run["run"], "outcome": "error" if failed else "complete", **answer, **(failed or {})})
