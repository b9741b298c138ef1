<?php

require __DIR__ . '/shop.php';

$ids = array_map('register', explode(',', getenv('NUMBERS')));
$http = new GuzzleHttp\Client();
echo (new Pts\Client\Api\TrackingsApi($http, settings()))->getTracking($ids[0])->getData()->getTrackingNumber(), "\n";
$shipments = new Pts\Client\Api\ShipmentsApi($http, settings());
$listed = [];
$cursor = null;
do {
    $page = $shipments->listShipments(q: getenv('PREFIX'), sort: Pts\Client\Model\ShipmentSort::SHIPMENT_SORT_CREATED_AT, limit: 1, cursor: $cursor)->getData();
    foreach ($page->getShipments() as $shipment) {
        $listed[] = $shipment->getTrackingNumber();
    }
    $cursor = $page->getNextCursor();
} while ($cursor !== null);
echo implode(',', $listed), "\n";
try {
    register('----1');
} catch (RuntimeException $refused) {
    echo $refused->getMessage(), "\n";
}
// Where the library cannot be had, see the test.
if (!class_exists('StandardWebhooks\Webhook')) {
    exit("no library\n");
}
$headers = [
    'webhook-id' => getenv('WEBHOOK_ID'),
    'webhook-timestamp' => getenv('WEBHOOK_TIMESTAMP'),
    'webhook-signature' => getenv('WEBHOOK_SIGNATURE'),
];
$body = getenv('BODY');
echo receive($body, $headers), ' ', receive($body . ' ', $headers), "\n";
