#!/usr/bin/env python3
"""An adapter in Python 3 with its standard library alone: signed requests to a daemon."""
import base64, hashlib, http.client, json, sys, urllib.parse

def say(line):
    print(json.dumps(line), flush=True)

def send(url, path, method, headers, body, timeout):
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=timeout / 1000)
    connection.request(method, path, body, headers)
    return connection, connection.getresponse()

def signing(run, answer):
    request, origin = run["request"], run["daemon_origin"]
    body, method = base64.b64decode(request["body_base64"]), request["method"].upper()
    route = {"method": method, "path": request["path"].split("?")[0]}
    asked = json.dumps({"bodySha256": hashlib.sha256(body).hexdigest(), "route": route})
    headers, path = {**run["headers"], "content-type": "application/json"}, urllib.parse.urlsplit(run["sign_url"]).path
    _, response = send(run["sign_url"], path, "POST", headers, asked, run["timeout"])
    if (text := response.read()) and response.status != 200:
        return {"error": {"message": text.decode("utf-8", "replace"), "status": response.status}}
    if response.status != 200:
        return {"error": {"message": response.reason, "status": response.status}}
    own = {name.lower(): value for name, value in request["headers"].items()}
    fresh = {name.lower(): value for name, value in json.loads(text).items()}
    headers = {**own, **fresh, "authorization": f"Bearer {run['daemon_token']}"}
    _, response = send(origin, request["path"], method, headers, body, run["timeout"])
    answer["status"], text = response.status, response.read()
    if response.status > 299:
        return {"error": {"message": text.decode("utf-8", "replace"), "status": response.status}}

say({"adapter": "Python, standard library, signing", "version": sys.version.split()[0], "layers": ["signing"]})
for line in sys.stdin:
    run, answer = json.loads(line), {}
    try:
        failed = signing(run, answer)
    except Exception as error:
        failed = {"error": {"message": repr(error)}}
    say({"run": run["run"], "outcome": "error" if failed else "complete", **answer, **(failed or {})})
