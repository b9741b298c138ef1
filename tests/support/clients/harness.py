import os

from shop import receive, units_left

body = os.environ["BODY"].encode()
headers = {name: os.environ[name.upper().replace("-", "_")] for name in ("webhook-id", "webhook-timestamp", "webhook-signature")}
print(units_left(), receive(body, headers), receive(body + b" ", headers))
