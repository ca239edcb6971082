import json
import os
import sys
import urllib.request

from client import send

base, key = os.environ["INTERN_BASE_URL"], os.environ["INTERN_OAUTH_TOKEN"]
daemon = f"{base}/interns/{os.environ['INTERN_INTERN_ID']}/daemon"
with urllib.request.urlopen(urllib.request.Request(daemon, headers={"authorization": f"Bearer {key}"})) as response:
    access = json.load(response)
headers = {"content-type": "application/json"}
body = sys.argv[1].encode()
print(send(f"{daemon}/sign", key, access["origin"], access["token"], "POST", "/api/invoke", headers, body))
