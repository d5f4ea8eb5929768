<?php

declare(strict_types=1);

namespace Till\Checkout\Tools;

/** Writes a class for each schema of the OpenAPI document. */
final class ModelGenerator
{
    private const LINE_LENGTH = 110;

    /** @var array<string, array<string, mixed>> */
    private readonly array $schemas;
    /** @var list<string> */
    private readonly array $requestSchemas;

    /** @param array<string, mixed> $document */
    public function __construct(array $document)
    {
        $this->schemas = $document['components']['schemas'];
        $operations = array_merge(...array_map(array_values(...), array_values($document['paths'])));
        $contents = array_column(array_column($operations, 'requestBody'), 'content');
        $schemas = array_column(array_column($contents, 'application/json'), 'schema');
        $this->requestSchemas = $this->withParts(array_map(basename(...), array_column($schemas, '$ref')));
    }

    /**
     * The schemas, and those that they refer to.
     *
     * @param list<string> $names
     * @return list<string>
     */
    private function withParts(array $names): array
    {
        for ($next = 0; $next < count($names); $next++) {
            $schema = json_encode($this->schemas[$names[$next]], JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES);
            preg_match_all('~#/components/schemas/(\w+)~', $schema, $found);
            $names = array_values(array_unique([...$names, ...$found[1]]));
        }
        return $names;
    }

    /** @return array<string, string> The files by name. */
    public function files(): array
    {
        $files = [];
        foreach ($this->schemas as $name => $schema) {
            $files["$name.php"] = implode("\n", $this->file($name, $schema)) . "\n";
        }
        return $files;
    }

    /**
     * @param array<string, mixed> $schema
     * @return list<string>
     */
    private function file(string $name, array $schema): array
    {
        $isRequest = in_array($name, $this->requestSchemas, true);
        $properties = self::properties($schema);
        $uses = array_merge(
            $isRequest ? ['JsonSerializable'] : ['SensitiveParameter', 'Till\Checkout\Internal\Fields'],
            ...array_map(static fn (Property $property) => $property->uses(), $properties),
        );
        sort($uses);
        return [
            '<?php',
            '',
            '// Generated from the OpenAPI document. Do not edit: run `generate`.',
            '',
            'declare(strict_types=1);',
            '',
            'namespace Till\Checkout\Model;',
            '',
            ...array_map(static fn (string $use) => "use $use;", array_unique($uses)),
            '',
            ...self::comment('', isset($schema['description']) ? [$schema['description']] : []),
            "final class $name" . ($isRequest ? ' implements JsonSerializable' : ''),
            '{',
            ...self::constructor($properties),
            '',
            ...($isRequest ? self::jsonSerialize($properties) : self::fromArray($properties)),
            ...self::debugInfo($properties),
            '}',
        ];
    }

    /**
     * The properties, required ones first.
     *
     * @param array<string, mixed> $schema
     * @return list<Property>
     */
    private static function properties(array $schema): array
    {
        $required = $schema['required'] ?? [];
        $properties = [];
        foreach (array_unique([...$required, ...array_keys($schema['properties'])]) as $name) {
            $isRequired = in_array($name, $required, true);
            $properties[] = new Property($name, $schema['properties'][$name], $isRequired);
        }
        return $properties;
    }

    /**
     * @param list<Property> $properties
     * @return list<string>
     */
    private static function constructor(array $properties): array
    {
        $documentation = array_map(static fn (Property $property) => $property->documentation(), $properties);
        return [
            ...self::comment('    ', $documentation),
            '    public function __construct(',
            ...array_map(static fn (Property $property) => "        {$property->parameter()},", $properties),
            '    ) {',
            '    }',
        ];
    }

    /**
     * @param list<Property> $properties
     * @return list<string>
     */
    private static function fromArray(array $properties): array
    {
        $argument = static fn (Property $property) => "            $property->name: {$property->reading()},";
        return [
            '    /** @param array<mixed> $data */',
            '    public static function fromArray(#[SensitiveParameter] array $data): self',
            '    {',
            '        $fields = new Fields($data);',
            '        return new self(',
            ...array_map($argument, $properties),
            '        );',
            '    }',
        ];
    }

    /**
     * @param list<Property> $properties
     * @return list<string>
     */
    private static function jsonSerialize(array $properties): array
    {
        $member = static fn (Property $one) => "            '$one->wireName' => {$one->writing()},";
        return [
            '    public function jsonSerialize(): object',
            '    {',
            '        return (object) array_filter([',
            ...array_map($member, $properties),
            '        ], static fn (mixed $value) => $value !== null);',
            '    }',
        ];
    }

    /**
     * Hides a secret from dumps.
     *
     * @param list<Property> $properties
     * @return list<string>
     */
    private static function debugInfo(array $properties): array
    {
        $shown = array_filter($properties, static fn (Property $property) => !$property->isSecret());
        if (count($shown) === count($properties)) {
            return [];
        }
        return [
            '',
            '    /** @return array<string, mixed> Without the secret, for dumps. */',
            '    public function __debugInfo(): array',
            '    {',
            '        return [',
            ...array_map(static fn (Property $one) => "            '$one->name' => \$this->$one->name,", $shown),
            '        ];',
            '    }',
        ];
    }

    /**
     * @param list<string> $paragraphs
     * @return list<string>
     */
    private static function comment(string $indent, array $paragraphs): array
    {
        if ($paragraphs === []) {
            return [];
        }
        $lines = [];
        foreach ($paragraphs as $paragraph) {
            // Further lines of a tag are indented.
            $break = str_starts_with($paragraph, '@') ? "\n    " : "\n";
            $width = self::LINE_LENGTH - strlen("$indent * $break");
            $lines = [...$lines, ...explode("\n", wordwrap($paragraph, $width, $break))];
        }
        $lines = array_map(static fn (string $line) => "$indent * $line", $lines);
        return ["$indent/**", ...$lines, "$indent */"];
    }
}
