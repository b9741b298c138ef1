<?php

require __DIR__ . '/shop.php';

$headers = [
    'webhook-id' => getenv('WEBHOOK_ID'),
    'webhook-timestamp' => getenv('WEBHOOK_TIMESTAMP'),
    'webhook-signature' => getenv('WEBHOOK_SIGNATURE'),
];
$body = getenv('BODY');
echo units_left(), ' ', receive($body, $headers), ' ', receive($body . ' ', $headers), "\n";
