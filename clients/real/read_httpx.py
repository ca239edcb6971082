"""httpx behind a port of this machine: one process for all calls, since its start alone takes longer than some cases wait.

A call is a connection: a line of JSON comes (url, headers, body, ca), lines of JSON go out (status and type, bytes, an
error), and the connection ends. Where the other side leaves, the call is cancelled, as a user of asyncio would do it.
The process ends when its standard input does."""
import asyncio, base64, json, os, sys, threading
import httpx

clients = {}


def client_of(ca):
    if ca not in clients:
        clients[ca] = httpx.AsyncClient(http2=ca is not None, verify=ca or True, timeout=None)
    return clients[ca]


async def call(run, say):
    request = {"content": run["body"].encode(), "headers": run["headers"]}
    async with client_of(run.get("ca")).stream("POST", run["url"], **request) as response:
        await say({"status": response.status_code, "type": response.headers.get("content-type", "")})
        async for piece in response.aiter_bytes():
            await say({"bytes": base64.b64encode(piece).decode()})


async def serve(reader, writer):
    async def say(line):
        writer.write(json.dumps(line).encode() + b"\n")
        await writer.drain()

    work = asyncio.create_task(call(json.loads(await reader.readline()), say))
    left = asyncio.create_task(reader.read())
    await asyncio.wait([work, left], return_when=asyncio.FIRST_COMPLETED)
    if not work.done():
        work.cancel()
    [wrong] = await asyncio.gather(work, return_exceptions=True)
    left.cancel()
    if isinstance(wrong, Exception) and not writer.is_closing():
        await say({"error": f"{type(wrong).__name__}: {wrong}"})
    writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=2**24)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
asyncio.run(main())
