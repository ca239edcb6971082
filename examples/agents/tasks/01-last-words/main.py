import json
import os
import sys

from client import read

url = f"{os.environ['INTERN_BASE_URL']}/interns/{os.environ['INTERN_INTERN_ID']}/chat/completions"
body = {"stream": True, "messages": [{"role": "user", "content": sys.argv[1]}]}
for data in read(url, os.environ["INTERN_API_KEY"], body):
    if data == "[DONE]":
        break
    for choice in json.loads(data)["choices"]:
        print(choice["delta"].get("content") or "", end="", flush=True)
print()
