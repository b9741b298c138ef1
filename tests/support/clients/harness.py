import os

from pts_client import ShipmentSort, ShipmentsApi
from shop import ApiClient, TrackingsApi, receive, register, settings

ids = [register(number) for number in os.environ["NUMBERS"].split(",")]
with ApiClient(settings) as client:
    print(TrackingsApi(client).get_tracking(ids[0]).data.tracking_number)
    listed, cursor = [], None
    while True:
        page = ShipmentsApi(client).list_shipments(q=os.environ["PREFIX"], sort=ShipmentSort.ShipmentSortCreatedAt, limit=1, cursor=cursor).data
        listed += [shipment.tracking_number for shipment in page.shipments]
        cursor = page.next_cursor
        if cursor is None:
            break
print(",".join(listed))
try:
    register("----1")
except ValueError as refused:
    print(refused)
body = os.environ["BODY"].encode()
headers = {name: os.environ[name.upper().replace("-", "_")] for name in ("webhook-id", "webhook-timestamp", "webhook-signature")}
print(receive(body, headers), receive(body + b" ", headers))
