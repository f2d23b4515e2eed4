import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { bundle } from "../../scripts/support/bundle.ts";
import { measureSizes } from "../../scripts/support/sizes.ts";
import { bundlePage } from "../support/page.ts";
import type { Case, Figure } from "./figure.ts";

const ROOT = join(import.meta.dirname, "../..");

/** By entry: what the client may be, in kB. */
const CLIENTS = {
  codebuff: { bar: 51, aim: 49 },
  codey: { bar: 38, aim: 35 },
  cass: { bar: 49, aim: 44 },
  "codebuff-run": { bar: 52, aim: 46 },
} as const;

/** Entries whose sources a chat takes. Each is named as its source. */
const SOURCES = ["codebuff", "codey", "cass"] as const;

export const size: Case = {
  name: "size",
  about: "what a browser downloads",
  async measure(_effort, progress) {
    progress("bundling each entry for a browser");
    const { sizes, errors } = await measureSizes(ROOT);
    if (errors.length > 0) throw new Error(errors.join("\n"));
    const clients = Object.entries(CLIENTS).map(
      ([entry, limits]): Figure => ({
        name: `size-${entry}`,
        about: `browser bundle of the client in \`agentwire/${entry}\`, minified and gzipped`,
        unit: "kB",
        ...limits,
        measured: (sizes[`agentwire/${entry}, its client`]?.gzip ?? Number.NaN) / 1_000,
      }),
    );
    progress("bundling pages");
    const page = await bundlePage(ROOT, `export { CodebuffClient } from "agentwire/codebuff";`);
    const chats: Figure[] = [];
    for (const source of SOURCES) chats.push(await chatOver(source));
    return [
      ...clients,
      {
        name: "size-first-load",
        about:
          "what a page with the client in `agentwire/codebuff` loads before its first line runs, without what it loads by `import()`",
        unit: "kB",
        bar: 45,
        aim: 42,
        measured: page.first,
        peers: { "with all of it": page.whole },
      },
      ...chats,
      {
        name: "size-remote",
        about:
          "what `agentwire/remote` adds to a page with a chat over another backend, minified and gzipped",
        unit: "kB",
        bar: 6,
        measured: await addedBy("remote", "chat", "codey"),
      },
      {
        name: "size-server",
        about: "what `agentwire/server` adds to a program with `agentwire/chat`, minified and gzipped",
        unit: "kB",
        bar: 25,
        measured: await addedBy("server", "chat"),
      },
    ];
  },
};

/** kB that an entry adds to a program with others. */
async function addedBy(entry: string, ...others: readonly string[]): Promise<number> {
  const sizeOf = async (entries: readonly string[]): Promise<number> => {
    const program = entries.map((each, at) => `export * as entry${at} from "agentwire/${each}";`).join("\n");
    const { code, errors } = await bundle(ROOT, program, { minify: true });
    if (errors.length > 0) throw new Error(errors.join("\n"));
    return gzipSync(code, { level: 9 }).byteLength / 1_000;
  };
  return (await sizeOf([...others, entry])) - (await sizeOf(others));
}

async function chatOver(source: (typeof SOURCES)[number]): Promise<Figure> {
  const program = `export { createChat } from "agentwire/chat"; export { ${source} } from "agentwire/${source}";`;
  const { code, errors } = await bundle(ROOT, program, { minify: true });
  if (errors.length > 0) throw new Error(errors.join("\n"));
  return {
    name: `size-chat-${source}`,
    about: `browser bundle of \`createChat\` over \`${source}\`, minified and gzipped`,
    unit: "kB",
    bar: 60,
    aim: 52,
    measured: gzipSync(code, { level: 9 }).byteLength / 1_000,
  };
}
