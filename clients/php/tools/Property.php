<?php

declare(strict_types=1);

namespace Till\Checkout\Tools;

use RuntimeException;

/** A property of a schema, and how it is written in PHP. */
final class Property
{
    public readonly string $name;
    /** Without the question mark. */
    private readonly string $type;
    /** As a documentation comment can say it, such as `list<string>`. */
    private readonly string $preciseType;
    /** The method of Fields that reads it, and its arguments after the name. */
    private readonly string $reader;
    private readonly string $readerArguments;

    /** @param array<string, mixed> $schema */
    public function __construct(
        public readonly string $wireName,
        private readonly array $schema,
        private readonly bool $required,
    ) {
        $this->name = lcfirst(str_replace('_', '', ucwords($wireName, '_')));
        $translation = $this->translate();
        [$this->type, $this->preciseType, $this->reader] = $translation;
        $this->readerArguments = $translation[3] ?? '';
    }

    public function documentation(): string
    {
        $type = $this->preciseType;
        if ($this->isNullable()) {
            $type = str_contains($type, '|') ? "$type|null" : "?$type";
        }
        return trim("@param $type \$$this->name " . ($this->schema['description'] ?? ''));
    }

    public function parameter(): string
    {
        $sensitive = $this->isSecret() ? '#[SensitiveParameter] ' : '';
        $type = $this->isNullable() ? "?$this->type" : $this->type;
        $default = match (true) {
            $this->isNullable() => ' = null',
            $this->isFlag() => ' = false',
            default => '',
        };
        return "{$sensitive}public readonly $type \$$this->name$default";
    }

    /** The expression that reads it from `$fields`. */
    public function reading(): string
    {
        $method = match (true) {
            $this->isFlag() => 'flag',
            $this->isNullable() => 'optional' . ucfirst($this->reader),
            default => $this->reader,
        };
        return "\$fields->$method('$this->wireName'$this->readerArguments)";
    }

    /** The expression that is serialized. */
    public function writing(): string
    {
        // An empty map, or one with the keys 0, 1, 2, would be written as a list.
        return $this->preciseType === 'array<string, string>'
            ? "\$this->$this->name === null ? null : (object) \$this->$this->name"
            : "\$this->$this->name";
    }

    /** @return list<string> */
    public function uses(): array
    {
        return [
            ...($this->type === 'DateTimeImmutable' ? ['DateTimeImmutable'] : []),
            ...($this->isSecret() ? ['SensitiveParameter'] : []),
        ];
    }

    public function isSecret(): bool
    {
        return ($this->schema['writeOnly'] ?? false) || $this->wireName === 'access_token';
    }

    private function isNullable(): bool
    {
        $optional = !$this->required || in_array('null', (array) ($this->schema['type'] ?? []), true);
        return $optional && !$this->isFlag();
    }

    /** A boolean that is false when it is absent. */
    private function isFlag(): bool
    {
        return !$this->required && $this->type === 'bool';
    }

    /** @return array{string, string, string, 3?: string} The values of the properties above. */
    private function translate(): array
    {
        if (isset($this->schema['$ref'])) {
            $class = basename($this->schema['$ref']);
            return [$class, $class, 'object'];
        }
        $types = array_values(array_diff((array) ($this->schema['type'] ?? []), ['null']));
        $items = $this->schema['items'] ?? [];
        if (isset($this->schema['enum'])) {
            $values = array_filter($this->schema['enum'], is_string(...));
            return ['string', "'" . implode("'|'", $values) . "'", 'string'];
        }
        if (isset($items['$ref'])) {
            $class = basename($items['$ref']);
            return ['array', "list<$class>", 'list', ", $class::fromArray(...)"];
        }
        if (($this->schema['format'] ?? '') === 'date-time') {
            return ['DateTimeImmutable', 'DateTimeImmutable', 'time'];
        }
        return match (true) {
            // An amount can be sent as a number as well, but a float would lose digits.
            $types === ['string'], $types === ['string', 'number'] => ['string', 'string', 'string'],
            $types === ['integer'] => ['int', 'int', 'int'],
            $types === ['boolean'] => ['bool', 'bool', 'bool'],
            $types === ['array'] && $items['type'] === 'string' => ['array', 'list<string>', 'strings'],
            $types === ['object'] && isset($this->schema['properties']) => ['array', $this->shape(), 'map'],
            $types === ['object'] => ['array', 'array<string, string>', 'map'],
            default => throw new RuntimeException("No type in PHP is known for '$this->wireName'."),
        };
    }
    /** The members of an object that is written in place. */
    private function shape(): string
    {
        $members = [];
        foreach ($this->schema['properties'] as $name => $schema) {
            $member = new self($name, $schema, in_array($name, $this->schema['required'] ?? [], true));
            $members[] = $name . ($member->required ? '' : '?') . ': ' . $member->type;
        }
        return 'array{' . implode(', ', $members) . '}';
    }
}
