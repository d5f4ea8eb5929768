// Writes each program of README.md into a folder, named after its heading: node readme.mjs README.md FOLDER
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const [readme, folder] = process.argv.slice(2);
await mkdir(folder, { recursive: true });
const counts = new Map();
let heading = "";
for (const [, title, program] of (await readFile(readme, "utf8")).matchAll(
  /^## ([^\n]*)$|^```ts\n(.*?)^```$/gms,
)) {
  if (title !== undefined) {
    heading = title.toLowerCase().replaceAll(" ", "-");
    continue;
  }
  const count = (counts.get(heading) ?? 0) + 1;
  counts.set(heading, count);
  await writeFile(join(folder, `${heading}${count > 1 ? `-${count}` : ""}.ts`), program);
}
