import base64
import sys

from webhook import verify

for line in sys.stdin.read().splitlines():
    signature, timestamp, body, secret, now = line.split("\t")
    print(verify(signature, timestamp, base64.b64decode(body), secret, int(now)))
