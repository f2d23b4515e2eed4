import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { bundle } from "../../support/bundle.ts";
import { run, tail } from "../../support/run.ts";

/** What a bundler may leave of an unused import: nothing but an empty wrapper and comments. */
const LIMIT = 64;

/**
 * Globals that an import may add: zod, which is bundled in, keeps one registry for all its copies there.
 * An app cannot notice it unless it uses zod too, and then it must.
 */
const ALLOWED = /^added globalThis\.__zod_\w+$/;

/**
 * Prints what the import of `process.argv[2]` changes, behind the import of its peers, in a process: globals and built-in prototypes,
 * listeners, and whatever would keep it running. Descriptors are compared, not values read, because
 * reading some globals loads them.
 */
const OBSERVER = `
const watched = { globalThis, Object, Function, Array, String, Number, Promise, Symbol, Error, JSON, Math, Map, Set,
  RegExp, Date, URL, AbortSignal, EventTarget, TextDecoder, console };
const objects = Object.entries(watched).flatMap(([name, value]) =>
  typeof value === "function" ? [[name, value], [name + ".prototype", value.prototype]] : [[name, value]]);
const take = () => new Map(objects.map(([name, value]) => [name, Object.getOwnPropertyDescriptors(value)]));
const resources = () => [...process.eventNames().map((name) => "process.on(" + String(name) + ") x" + process.listenerCount(name)),
  ...process.getActiveResourcesInfo()].sort().join(", ");
const keys = ["value", "get", "set", "writable", "enumerable", "configurable"];
const [specifier, ...peers] = process.argv.slice(2);
for (const peer of peers) await import(peer); // what a peer of the user does is its own
take(); // Looking makes Node load what it had put off, so the first look does not count.
const before = take(), resourcesBefore = resources();
await import(specifier);
const changes = [];
for (const [name, now] of take()) {
  const was = before.get(name);
  for (const key of Reflect.ownKeys(now)) {
    const label = name + "." + String(key);
    if (!Object.hasOwn(was, key)) changes.push("added " + label);
    else if (keys.some((part) => !Object.is(was[key][part], now[key][part]))) changes.push("changed " + label);
  }
  for (const key of Reflect.ownKeys(was)) if (!Object.hasOwn(now, key)) changes.push("removed " + name + "." + String(key));
}
if (resources() !== resourcesBefore) changes.push("left " + resources() + " where there was " + (resourcesBefore || "nothing"));
console.log(JSON.stringify(changes));
`;

/** Whether `"sideEffects": false` is true of an entry: unused it costs nothing, and importing it does nothing. */
export async function judgeSideEffects(
  folder: string,
  specifier: string,
  peers: readonly string[] = [],
): Promise<readonly string[]> {
  const complaints: string[] = [];
  const bundled = await bundle(folder, `import ${JSON.stringify(specifier)};`, {
    platform: "node",
    minify: true,
    external: peers,
  });
  complaints.push(...bundled.errors);
  const bytes = Buffer.byteLength(bundled.code);
  if (bytes > LIMIT) complaints.push(`imported and not used, it still leaves ${bytes} bytes in a bundle`);

  const observer = join(folder, "observe-import.mjs");
  await writeFile(observer, OBSERVER);
  const observed = await run(process.execPath, [observer, specifier, ...peers], {
    cwd: folder,
    timeout: 30_000,
  });
  if (!observed.ok) return [...complaints, `importing it fails (${observed.ending}):\n${tail(observed)}`];
  const changes = z.array(z.string()).parse(JSON.parse(observed.stdout));
  for (const change of changes) {
    if (!ALLOWED.test(change)) complaints.push(`importing it has a side effect: ${change}`);
  }
  return complaints;
}
