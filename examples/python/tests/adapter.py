"""A client by hand, for the lab: npx intern-conformance client -- python3 tests/adapter.py"""

import codecs
import http.client
import json
import platform
import re
import urllib.parse

from intern_emulator_pytest.lab import serve


class Refused(Exception):
    def __init__(self, status, kind):
        super().__init__(f"{status} {kind}")
        self.status = status


def lines(response):
    """The lines of a stream as they come: each ends with CR, LF or both, wherever the pieces are cut."""
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    parts, first, after_cr = [], True, False
    while True:
        piece = response.read1(65536)
        if not piece:
            if response.length:  # http.client ends quietly where Content-Length told of more
                raise http.client.IncompleteRead(b"", response.length)
            return
        text = decode(piece)
        if not text:
            continue
        text = text[1:] if first and text[0] == "\ufeff" else text
        text = text[1:] if after_cr and text[:1] == "\n" else text
        first, after_cr = False, text[-1:] == "\r" if text else False
        *ended, rest = re.split("\r\n|\n|\r", text)
        for line in ended:
            yield "".join([*parts, line])
            parts = []
        parts.append(rest)


def read(run):
    place = urllib.parse.urlsplit(run["url"])
    connection = http.client.HTTPConnection(place.netloc, timeout=run["timeout"] / 1000)
    try:
        headers = {**run["headers"], "Content-Type": "application/json", "Accept": "text/event-stream"}
        connection.request("POST", place.path, json.dumps(run["body"]), headers)
        response = connection.getresponse()
        kind = response.headers.get_content_type() if response.getheader("content-type") else ""
        if response.status != 200 or kind != "text/event-stream":
            raise Refused(response.status, kind)
        event, data, last = "", [], ""
        for line in lines(response):
            name, _, value = line.partition(":")
            value = value[1:] if value[:1] == " " else value
            if line == "":
                if data:
                    yield {"event": event or "message", "data": "\n".join(data), "id": last}
                event, data = "", []
            elif name == "event":
                event = value
            elif name == "data":
                data.append(value)
            elif name == "id" and "\0" not in value:
                last = value
    finally:
        if connection.sock:  # before the response, which would read on to its end
            connection.sock.close()
        connection.close()


serve(read, "http.client by hand", platform.python_version())
