<?php

declare(strict_types=1);

namespace Till\Checkout\Tests;

use FilesystemIterator;
use PHPUnit\Framework\TestCase;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use ReflectionClass;
use ReflectionMethod;
use Till\Checkout\Testing\Demo;

/** Everything in the library has a type, and every array says what it holds. */
final class TypesTest extends TestCase
{
    /**
     * @dataProvider classes
     * @param class-string $name
     */
    public function testEverythingHasAType(string $name): void
    {
        $class = new ReflectionClass($name);
        self::assertTrue($class->isFinal() || $class->isInterface(), "$name can be extended");
        foreach ($class->getProperties() as $property) {
            // PHP has no type for a resource.
            if ($property->class === $name && $name !== Demo::class) {
                self::assertNotNull($property->getType(), "$name::\${$property->name}");
            }
        }
        foreach ($class->getMethods() as $method) {
            if ($method->class === $name && $method->isUserDefined()) {
                self::checkMethod($method);
            }
        }
    }

    /** @return iterable<string, array{string}> */
    public function classes(): iterable
    {
        $source = realpath(__DIR__ . '/../src');
        $files = new RecursiveDirectoryIterator($source, FilesystemIterator::SKIP_DOTS);
        foreach (new RecursiveIteratorIterator($files) as $file) {
            $name = substr((string) $file, strlen("$source/"), -strlen('.php'));
            yield $name => ['Till\\Checkout\\' . strtr($name, '/', '\\')];
        }
    }

    private static function checkMethod(ReflectionMethod $method): void
    {
        $place = "$method->class::$method->name()";
        $comment = (string) $method->getDocComment();
        if (!in_array($method->name, ['__construct', '__destruct'], true)) {
            self::assertNotNull($method->getReturnType(), $place);
        }
        if (str_contains((string) $method->getReturnType(), 'array')) {
            self::assertMatchesRegularExpression('/@return \S*(array|list)[<{]/', $comment, $place);
        }
        foreach ($method->getParameters() as $parameter) {
            $documented = "/@param [^\n]*(array|list|resource)\\S* ?[^\n]*\\\$$parameter->name\\b/";
            if ($parameter->getType() === null || str_contains((string) $parameter->getType(), 'array')) {
                self::assertMatchesRegularExpression($documented, $comment, "$place: \$$parameter->name");
            }
        }
    }
}
