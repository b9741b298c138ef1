<?php

require __DIR__ . '/webhook.php';

foreach (file('php://stdin', FILE_IGNORE_NEW_LINES) as $line) {
    [$signature, $timestamp, $body, $secret, $now] = explode("\t", $line);
    echo verify_push($signature, $timestamp, base64_decode($body), $secret, (int) $now), "\n";
}
