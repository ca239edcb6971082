"""httpx as a command: the body on standard input; the answer as HTTP prints it."""
import json, sys
import httpx

url, headers, ca = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else None
out = sys.stdout.buffer
with httpx.Client(http2=ca is not None, verify=ca or True, timeout=None) as client:
    with client.stream("POST", url, content=sys.stdin.buffer.read(), headers=headers) as response:
        out.write(f"HTTP/1.1 {response.status_code}\r\ncontent-type: {response.headers.get('content-type', '')}\r\n\r\n".encode())
        out.flush()
        for piece in response.iter_bytes():
            out.write(piece)
            out.flush()
