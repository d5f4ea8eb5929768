<?php

// Loads the library, the tests and their dependencies: those that Composer installed, else those of Debian.

declare(strict_types=1);

if (is_file(__DIR__ . '/../vendor/autoload.php')) {
    require __DIR__ . '/../vendor/autoload.php';
    return;
}

foreach (['GuzzleHttp', 'GuzzleHttp/Psr7', 'Psr/Http/Client', 'Psr/SimpleCache'] as $package) {
    require_once "/usr/share/php/$package/autoload.php";
}
spl_autoload_register(static function (string $class): void {
    $folders = ['Till\\Checkout\\Tests\\' => __DIR__, 'Till\\Checkout\\' => __DIR__ . '/../src'];
    foreach ($folders as $prefix => $folder) {
        $file = $folder . '/' . strtr(substr($class, strlen($prefix)), '\\', '/') . '.php';
        if (str_starts_with($class, $prefix) && is_file($file)) {
            require $file;
            return;
        }
    }
});
