# The example of `tenacity`: it stops after three attempts, two seconds apart. `requests` has a limit of 35 s.
import os, re
import requests
from tenacity import retry, stop_after_attempt, wait_fixed

url = f"{os.environ['INTERN_BASE_URL']}/interns/{os.environ['INTERN_INTERN_ID']}/chat/completions"
headers = {"authorization": f"Bearer {os.environ['INTERN_API_KEY']}"}


@retry(stop=stop_after_attempt(3), wait=wait_fixed(2))
def ask(text):
    body = {"stream": True, "messages": [{"role": "user", "content": text}]}
    reply = requests.post(url, json=body, headers=headers, timeout=35)
    reply.raise_for_status()
    if '"finish_reason":"stop"' not in reply.text:
        raise EOFError("the reply was cut")
    return "".join(re.findall(r'"content":"([^"]*)"', reply.text))


print(ask("one two three"))
