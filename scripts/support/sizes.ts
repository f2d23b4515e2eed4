import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import * as z from "zod/mini";
import { bundle, firstFiles } from "./bundle.ts";
import { browserEntries, frameworksOf, specifierOf } from "./entries.ts";
import { readManifest } from "./manifest.ts";

/** The committed table, relative to the root of the tree. */
export const SIZES_FILE = "scripts/checks/sizes.json";

const size = z.object({ minified: z.number(), gzip: z.number(), first: z.optional(z.number()) });
const table = z.record(z.string(), size);

/** Bytes of one program in a browser. `first`: gzipped, without what is loaded later; absent if that is everything. */
export type Size = z.infer<typeof size>;

/** Bytes by what is imported. */
export type Sizes = Readonly<Record<string, Size>>;

export interface MeasuredSizes {
  readonly sizes: Sizes;
  /** What does not bundle. */
  readonly errors: readonly string[];
}

/** What a program imports that only wants to know what went wrong. */
export const ERRORS: readonly string[] = [
  "AgentwireError",
  "BufferOverflowError",
  "ClosedError",
  "ConnectError",
  "ConnectionLostError",
  "ConnectTimeoutError",
  "HandshakeError",
  "InvalidInputError",
  "isAgentwireError",
  "PayloadTooLargeError",
  "QueueFullError",
  "RequestError",
  "RequestTimeoutError",
  "TurnCancelledError",
  "TurnError",
  "TurnTimeoutError",
  "UnsupportedError",
];

/** The client of each entry that has more than one: what a program imports that wants no universal events. */
const CLIENTS: Readonly<Record<string, string>> = {
  "./codebuff": "CodebuffClient",
  "./codey": "CodeyClient",
  "./cass": "CassClient",
  "./codebuff-run": "CodebuffRun",
};

const ADAPTERS: readonly string[] = ["./react/ui", "./ai-sdk", "./ag-ui", "./otel", "./server", "./remote"];

/** What a browser downloads for each entry with all of it used, without frameworks, and for the errors alone. Needs `dist/`. */
export async function measureSizes(root: string): Promise<MeasuredSizes> {
  const manifest = await readManifest(root);
  const programs = browserEntries(manifest).flatMap((subpath) => {
    const specifier = specifierOf(manifest, subpath);
    const from = ` from ${JSON.stringify(specifier)};`;
    const external = frameworksOf(subpath);
    const everything = { name: specifier, program: `export *${from}`, external };
    const client = CLIENTS[subpath];
    if (client !== undefined)
      return [
        everything,
        { name: `${specifier}, its client`, program: `export { ${client} }${from}`, external },
      ];
    if (subpath !== ".") return [everything];
    return [
      everything,
      { name: `${specifier}, its errors`, program: `export { ${ERRORS.join(", ")} }${from}`, external },
    ];
  });
  if (["./chat", "./codey"].every((subpath) => browserEntries(manifest).includes(subpath))) {
    const [chat, codey] = ["./chat", "./codey"].map((subpath) => specifierOf(manifest, subpath));
    const program = `export { createChat } from ${JSON.stringify(chat)}; export { codey } from ${JSON.stringify(codey)};`;
    programs.push({ name: `a chat over ${codey}`, program, external: [] });
  }
  // An adapter comes with a chat: what it adds is the difference to the chat alone. So does a relay, or its client.
  for (const subpath of ADAPTERS.filter((each) => browserEntries(manifest).includes(each))) {
    const [chat, adapter] = ["./chat", subpath].map((each) => specifierOf(manifest, each));
    const program = `export * from ${JSON.stringify(chat)}; export * as adapter from ${JSON.stringify(adapter)};`;
    programs.push({ name: `agentwire/chat and ${adapter}`, program, external: frameworksOf(subpath) });
  }
  const sizes: Record<string, Size> = {};
  const errors: string[] = [];
  for (const { name, program, external } of programs) {
    const bundled = await bundle(root, program, { minify: true, external });
    errors.push(...bundled.errors);
    const gzip = zipped(bundled.code);
    if (bundled.errors.length > 0) continue;
    const first = (await firstFiles(root, program, external)).reduce((sum, file) => sum + zipped(file), 0);
    sizes[name] = { minified: Buffer.byteLength(bundled.code), gzip, ...(first < gzip ? { first } : {}) };
  }
  return { sizes, errors };
}

/** The committed table; empty where there is none. */
export async function readSizes(root: string): Promise<Sizes> {
  let text: string;
  try {
    text = await readFile(join(root, SIZES_FILE), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
    throw error;
  }
  return table.parse(JSON.parse(text));
}

/** The sizes as lines of a table, beside those that were committed. */
export function sizeTable(sizes: Sizes, committed: Sizes): readonly string[] {
  const rows = Object.entries(sizes).map(([name, { minified, gzip, first = gzip }]) => {
    const before = committed[name]?.gzip;
    const change = before === undefined ? "new" : percent(gzip / before - 1);
    return row(
      name,
      grouped(minified),
      grouped(gzip),
      grouped(first),
      before === undefined ? "" : grouped(before),
      change,
    );
  });
  return [row("import", "minified", "gzip -9", "at first", "committed", "change"), ...rows];
}

function zipped(code: string): number {
  return gzipSync(code, { level: 9 }).byteLength;
}

export function percent(ratio: number): string {
  const text = (ratio * 100).toFixed(1);
  return `${ratio > 0 ? "+" : ""}${text === "-0.0" ? "0.0" : text} %`;
}

export function grouped(bytes: number): string {
  return bytes.toString().replace(/\B(?=(\d{3})+$)/g, " ");
}

function row(name: string, ...columns: readonly string[]): string {
  return name.padEnd(22) + columns.map((column) => column.padStart(11)).join("");
}
