"""A strict verifier of Ed25519 signatures, for daemons in Python. No dependencies: the file works alone, too.

Libraries accept signatures that a daemon must refuse: keys and points of small order, which verify for any message, and
second encodings of one signature. `is_strict` refuses those before the equation; call it before `verify` of a faster
library, or use `verify` here (some 10 ms each).

    python3 -m intern_emulator_pytest.ed25519 node_modules/intern-emulator/fixtures/vectors/ed25519.json
"""

import hashlib
import json
import sys

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493  # the order of the base point
D = -121665 * pow(121666, -1, P) % P
ROOT = pow(2, (P - 1) // 4, P)  # of -1


def decode(text):
    """The point that 32 bytes encode, in extended coordinates; None for what is no canonical encoding."""
    number = int.from_bytes(text, "little")
    sign, y = number >> 255, number & (2**255 - 1)
    if len(text) != 32 or y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]), (p[1] + p[0]) * (q[1] + q[0])
    c, d = 2 * p[3] * q[3] * D, 2 * p[2] * q[2]
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(n, p):
    total = (0, 1, 1, 0)
    while n:
        if n & 1:
            total = add(total, p)
        p, n = add(p, p), n >> 1
    return total


def equal(p, q):
    return (p[0] * q[2] - q[0] * p[2]) % P == 0 and (p[1] * q[2] - q[1] * p[2]) % P == 0


BASE = decode((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def has_small_order(point):
    return equal(times(8, point), (0, 1, 1, 0))


def is_strict(public_key, signature):
    """Whether key and signature have the one form that a signer makes."""
    if len(signature) != 64 or int.from_bytes(signature[32:], "little") >= L:
        return False
    points = [decode(public_key), decode(signature[:32])]
    return all(point is not None and not has_small_order(point) for point in points)


def verify(public_key, message, signature):
    """Whether a signature of 64 bytes is one of the message by the key of 32 bytes, and the only form of it."""
    if not is_strict(public_key, signature):
        return False
    key, r = decode(public_key), decode(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    digest = hashlib.sha512(signature[:32] + public_key + message).digest()
    k = int.from_bytes(digest, "little") % L
    return equal(times(s, BASE), add(r, times(k, key)))


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        vectors = json.load(file)["vectors"]
    wrong = 0
    for vector in vectors:
        parts = [bytes.fromhex(vector[name]) for name in ("public_key", "message", "signature")]
        if verify(*parts) != vector["accept"]:
            wrong += 1
            print("WRONG", vector["name"], vector["comment"])
    print(f"{len(vectors) - wrong} of {len(vectors)} right")
    sys.exit(1 if wrong else 0)
