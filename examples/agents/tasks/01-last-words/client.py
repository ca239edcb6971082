"""The answers of interns, event by event."""
import json
import urllib.request


def read(url, key, body, timeout=30):
    """Sends `body`, and yields the data of each event of the answer as it comes."""
    headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=timeout) as response:
        while piece := response.read1(4096):
            for line in piece.decode("utf-8", "ignore").split("\n"):
                if line.startswith("data: "):
                    yield line[len("data: "):]
