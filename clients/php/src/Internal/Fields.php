<?php

declare(strict_types=1);

namespace Till\Checkout\Internal;

use DateTimeImmutable;
use Exception;
use SensitiveParameter;
use Till\Checkout\Exception\UnexpectedDataException;

/**
 * Reads typed members of a decoded JSON object. A member that is null counts as absent.
 *
 * @internal
 */
final class Fields
{
    /** @param array<mixed> $data */
    public function __construct(#[SensitiveParameter] private readonly array $data)
    {
    }

    public function string(string $name): string
    {
        return $this->optionalString($name) ?? throw self::unexpected($name, 'a string');
    }

    public function optionalString(string $name): ?string
    {
        $value = $this->data[$name] ?? null;
        return $value === null || is_string($value) ? $value : throw self::unexpected($name, 'a string');
    }

    public function int(string $name): int
    {
        $value = $this->data[$name] ?? null;
        return is_int($value) ? $value : throw self::unexpected($name, 'an integer');
    }

    public function bool(string $name): bool
    {
        $value = $this->data[$name] ?? null;
        return is_bool($value) ? $value : throw self::unexpected($name, 'a boolean');
    }

    /** False if it is absent. */
    public function flag(string $name): bool
    {
        return isset($this->data[$name]) && $this->bool($name);
    }

    public function time(string $name): DateTimeImmutable
    {
        return $this->optionalTime($name) ?? throw self::unexpected($name, 'a time');
    }

    public function optionalTime(string $name): ?DateTimeImmutable
    {
        $value = $this->optionalString($name);
        try {
            return $value === null ? null : new DateTimeImmutable($value);
        } catch (Exception) {
            throw self::unexpected($name, 'a time');
        }
    }

    /** @return array<string, string> */
    public function map(string $name): array
    {
        return $this->optionalMap($name) ?? throw self::unexpected($name, 'an object');
    }

    /** @return ?array<string, string> */
    public function optionalMap(string $name): ?array
    {
        $value = $this->data[$name] ?? null;
        if ($value === null) {
            return null;
        }
        if (!is_array($value) || $value !== array_filter($value, is_string(...))) {
            throw self::unexpected($name, 'an object of strings');
        }
        return $value;
    }

    /**
     * @template T
     * @param callable(array<mixed>): T $read
     * @return list<T>
     */
    public function list(string $name, callable $read): array
    {
        $value = $this->data[$name] ?? null;
        if (!is_array($value) || !array_is_list($value) || $value !== array_filter($value, is_array(...))) {
            throw self::unexpected($name, 'a list of objects');
        }
        return array_map($read, $value);
    }

    private static function unexpected(string $name, string $expected): UnexpectedDataException
    {
        return new UnexpectedDataException("'$name' is missing or not $expected.");
    }
}
