// Prints TypeScript types for the OpenAPI document at the URL in the first argument.
import openapiTS, { astToString } from "openapi-typescript";

const response = await fetch(process.argv[2]);
if (!response.ok) throw new Error(`${response.url}: HTTP status ${response.status}`);
const document = await response.json();

// Errors and headers look the same in every operation; the library describes them once, by hand.
for (const operation of Object.values(document.paths).flatMap(Object.values)) {
  const successful = Object.entries(operation.responses).filter(([status]) => status.startsWith("2"));
  operation.responses = Object.fromEntries(
    successful.map(([status, { description, content }]) => [status, { description, content }]),
  );
}

// Beside a type, `anyOf` only narrows it (formats, required fields). The generator would make it `unknown`.
function dropNarrowing(value) {
  if (typeof value !== "object" || value === null) return;
  if ("type" in value) delete value.anyOf;
  Object.values(value).forEach(dropNarrowing);
}
dropNarrowing(document);

console.log("// Generated from Till's OpenAPI document by clients/typescript/generate. Do not edit.\n");
console.log(astToString(await openapiTS(document, { alphabetize: true })));
