"""Signed requests to the daemon of an intern."""
import hashlib
import json
import urllib.request


def _post(url, headers, body, method="POST"):
    with urllib.request.urlopen(urllib.request.Request(url, body, headers, method=method), timeout=10) as response:
        return response.status, response.read()


def digest_of(body):
    """The digest that the proof is for."""
    text = json.dumps(json.loads(body), separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def send(sign_url, key, daemon_origin, daemon_token, method, path, headers, body):
    """Sends `body`, which is bytes, to the daemon, with a proof for it. Answers the status; a refusal raises."""
    asked = {"bodySha256": digest_of(body), "route": {"method": method.upper(), "path": path.split("?")[0]}}
    key_headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
    _, proof = _post(sign_url, key_headers, json.dumps(asked).encode())
    all_headers = {**headers, **json.loads(proof), "authorization": f"Bearer {daemon_token}"}
    status, _ = _post(daemon_origin + path, all_headers, body, method.upper())
    return status
