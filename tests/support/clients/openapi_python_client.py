import json
import os

from client import AuthenticatedClient
from client.api.shipments import list_shipments
from client.api.trackings import create_tracking, get_tracking
from client.models import ErrorEnvelope, Registration, ShipmentSort, TrackingDeliveredPush

env = os.environ
service = AuthenticatedClient(env["BASE_URL"] + "/api/v1", token=env["API_KEY"], auth_header_name="X-API-Key", prefix="")


def data(answer):
    if isinstance(answer, ErrorEnvelope):
        raise ValueError(f"{answer.code}: {answer.data.docs_url}")
    return answer.data


def create(**fields):
    return data(create_tracking.sync(client=service, body=Registration(**fields)))


for number in env["NUMBERS"].split(","):
    create(tracking_number=number)
read = data(get_tracking.sync(env["PARCEL_ID"], client=service))
print(read.tracking_number, read.events[0].time.strftime("%Y-%m-%dT%H:%M:%SZ"))
listed, more = [], {}
while True:
    page = data(list_shipments.sync(client=service, q=env["PREFIX"], sort=ShipmentSort.SHIPMENT_SORT_CREATED_AT, limit=1, **more))
    listed += [shipment.tracking_number for shipment in page.shipments]
    if page.next_cursor is None:
        break
    more = {"cursor": page.next_cursor}
print(",".join(sorted(listed)))
print(create(tracking_number=env["NEW_NUMBER"], dry_run=True).would_charge)
try:
    create(tracking_number="!")
except ValueError as refused:
    print(refused)
# The header X-Webhook-Event names the type.
push = TrackingDeliveredPush.from_dict(json.loads(env["PUSH"]))
print(push.event.value, push.data.tracking_number)
