<?php

// In place of Composer's, with the Guzzle of the system's PHP.
require 'GuzzleHttp/autoload.php';
spl_autoload_register(function (string $name): void {
    $path = __DIR__ . '/../pts-client-php/lib/' . strtr(substr($name, strlen('Pts\\Client\\')), '\\', '/') . '.php';
    if (is_file($path)) {
        require $path;
    }
});
