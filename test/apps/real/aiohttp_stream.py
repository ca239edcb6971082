# The example of `aiohttp` for streams: the content, line by line, with its limit of five minutes.
import asyncio, json, os
import aiohttp

url = f"{os.environ['INTERN_BASE_URL']}/interns/{os.environ['INTERN_INTERN_ID']}/chat/completions"
body = {"stream": True, "messages": [{"role": "user", "content": "one two three"}]}


async def main():
    async with aiohttp.ClientSession(headers={"authorization": f"Bearer {os.environ['INTERN_API_KEY']}"}) as session:
        async with session.post(url, json=body, raise_for_status=True) as reply:
            async for line in reply.content:
                line = line.decode().strip()
                if line.startswith("data: ") and line != "data: [DONE]":
                    choices = json.loads(line[6:])["choices"]
                    if choices:
                        print(choices[0].get("delta", {}).get("content") or "", end="")


asyncio.run(main())
