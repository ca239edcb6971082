#!/usr/bin/env python3
"""An adapter in Python 3 with its standard library alone: event streams, silence, aborts, gzip and deflate."""
import codecs, http.client, json, re, socket, sys, threading, urllib.parse, zlib

def say(line): print(json.dumps(line), flush=True)

def pieces(response):  # zlib.MAX_WBITS | 32 knows gzip and zlib by their headers; members of gzip follow one another
    coding, decoder = response.getheader("content-encoding"), zlib.decompressobj(zlib.MAX_WBITS | 32)
    while chunk := response.read1(65536):
        while coding and chunk:
            yield decoder.decompress(chunk)
            chunk, decoder = decoder.unused_data, zlib.decompressobj(zlib.MAX_WBITS | 32) if decoder.eof else decoder
        yield chunk
    if response.length or (coding and decoder.unconsumed_tail):  # Python ends quietly where Content-Length told of more.
        raise http.client.IncompleteRead(b"", response.length)

def events(response):  # WHATWG HTML 9.2.6, an event with the character that ends its blank line
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    parts, first, after_cr, kind, data, last = [], True, False, "", [], ""
    for chunk in pieces(response):
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

def sse(run, answer, aborted):
    headers = {**run["headers"], "content-type": "application/json", "accept": "text/event-stream", "accept-encoding": "gzip, deflate"}
    place, abort = urllib.parse.urlsplit(run["url"]), run.get("abort", {})
    connection = http.client.HTTPConnection(place.netloc, timeout=run.get("idle_limit", run["timeout"]) / 1000)
    def leave():  # A thread that waits for bytes hears of it at once.
        aborted.set()
        connection.sock and connection.sock.shutdown(socket.SHUT_RDWR)
    answer["events"] = []
    if abort.get("when") == "before":
        return aborted.set()
    timer = threading.Timer(abort["ms"] / 1000, leave) if abort.get("when") == "ms" else None
    timer and timer.start()
    try:
        connection.request("POST", place.path, json.dumps(run["body"]), headers)
        response = connection.getresponse()
        kind = response.headers.get_content_type() if response.getheader("content-type") else ""
        if response.status != 200 or kind != "text/event-stream":
            return {"error": {"message": f"{response.status} {kind}", "status": response.status}}
        for event in events(response):
            answer["events"].append(event)
            say({"run": run["run"], "event": event if len(event["data"]) < 65536 else {}})
            if len(answer["events"]) in (run.get("stop_after"), abort.get("n")):
                return aborted.set() if "n" in abort else None
    finally:
        timer and timer.cancel()
        connection.sock and connection.sock.close()  # before the response, which would read on to the end
        connection.close()

hello = {"adapter": "Python, standard library", "version": sys.version.split()[0], "layers": ["sse"]}
say({**hello, "abilities": ["idle", "abort"]})
for line in sys.stdin:
    run, answer, aborted = json.loads(line), {}, threading.Event()
    try:
        failed = sse(run, answer, aborted)
    except Exception as error:
        failed = {"error": {"message": repr(error)}}
    outcome = "aborted" if aborted.is_set() else "error" if failed else "complete"
    say({"run": run["run"], "outcome": outcome, **answer, **(failed or {})})
