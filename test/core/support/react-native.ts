import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";

const SOURCE = fileURLToPath(new URL("../../../src/", import.meta.url));

/** All clients as one script that sets the global `agentwire`, built as for an engine that is not Node. */
export async function bundleClients(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [`${SOURCE}index.ts`],
    bundle: true,
    platform: "neutral",
    mainFields: ["module", "main"],
    format: "iife",
    globalName: "agentwire",
    target: "es2022",
    write: false,
    logLevel: "silent",
    plugins: [
      {
        name: "socket",
        setup: ({ onResolve }) =>
          onResolve({ filter: /^#socket$/ }, () => ({ path: `${SOURCE}core/link/socket.global.ts` })),
      },
    ],
  });
  return outputFiles.map(({ text }) => text).join("");
}

const PARTS = [
  "protocol",
  "host",
  "hostname",
  "port",
  "username",
  "password",
  "hash",
  "origin",
  "pathname",
  "search",
];

/** React Native's class before it had a parser: an address with a slash behind it, whose parts throw. */
export class UrlWithoutParts {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text.endsWith("/") ? text : `${text}/`;
    for (const part of PARTS) {
      Object.defineProperty(this, part, {
        get() {
          throw new Error(`URL.${part} is not implemented`);
        },
      });
    }
  }

  get href(): string {
    return this.#text;
  }

  toString(): string {
    return this.#text;
  }
}

/** What apps bring to such an engine. */
export const POLYFILLS = {
  crypto: { getRandomValues: (array: Uint8Array) => crypto.getRandomValues(array) },
  URL,
  TextDecoder,
} as const;

/** An engine with the globals of React Native and no others. */
export class ReactNative {
  readonly #context;

  constructor(clients: string, polyfills: Partial<typeof POLYFILLS> = {}) {
    const { setTimeout, clearTimeout, queueMicrotask, performance, console, fetch, WebSocket } = globalThis;
    const own = { setTimeout, clearTimeout, queueMicrotask, performance, console, fetch, WebSocket };
    this.#context = createContext({ ...own, AbortController, URL: UrlWithoutParts, ...polyfills });
    this.#run("delete String.prototype.toWellFormed; delete String.prototype.isWellFormed;");
    this.#run(clients);
  }

  /** Runs the body of an async function there; what it returns comes back as JSON. */
  async run(program: string, input: object = {}): Promise<unknown> {
    const json = await this.#run(
      `(async (input) => { ${program} })(${JSON.stringify(input)}).then((value) => JSON.stringify(value))`,
    );
    return JSON.parse(String(json));
  }

  #run(script: string): unknown {
    return runInContext(script, this.#context);
  }
}
