# The example of `requests` for streams: `iter_lines`.
import json, os
import requests

url = f"{os.environ['INTERN_BASE_URL']}/interns/{os.environ['INTERN_INTERN_ID']}/chat/completions"
body = {"stream": True, "messages": [{"role": "user", "content": "one two three"}]}
reply = requests.post(
    url, json=body, headers={"authorization": f"Bearer {os.environ['INTERN_API_KEY']}"}, stream=True
)
reply.raise_for_status()
for line in reply.iter_lines():
    if line and line.startswith(b"data: ") and line != b"data: [DONE]":
        choices = json.loads(line[6:])["choices"]
        if choices:
            print(choices[0].get("delta", {}).get("content") or "", end="")
