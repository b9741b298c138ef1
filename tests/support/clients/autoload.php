<?php

// In place of Composer's, with the Guzzle of the system.
require '/usr/share/php/GuzzleHttp/autoload.php';
spl_autoload_register(function (string $name): void {
    $path = strtr(substr($name, strlen('Pts\\Client\\')), '\\', '/');
    require __DIR__ . "/../pts-client-php/lib/$path.php";
});
