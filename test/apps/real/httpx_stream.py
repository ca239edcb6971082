# The example of `httpx` for streams, line by line, with its limits of five seconds.
import json, os
import httpx

url = f"{os.environ['INTERN_BASE_URL']}/interns/{os.environ['INTERN_INTERN_ID']}/chat/completions"
body = {"stream": True, "messages": [{"role": "user", "content": "one two three"}]}
with httpx.stream("POST", url, json=body, headers={"authorization": f"Bearer {os.environ['INTERN_API_KEY']}"}) as reply:
    reply.raise_for_status()
    for line in reply.iter_lines():
        line = line.rstrip("\r\n")
        if line.startswith("data: ") and line != "data: [DONE]":
            choices = json.loads(line[6:])["choices"]
            if choices:
                print(choices[0].get("delta", {}).get("content") or "", end="")
