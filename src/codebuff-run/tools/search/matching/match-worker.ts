// The main thread's side of the worker: requests, answers, and a stop even during a match.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { Queue } from "../../../../core/queue.ts";
import { joinPath } from "../../door/paths.ts";
import type { LineRange } from "../hits.ts";
import type { WalkEntry } from "../walk.ts";
import type { TypeGlobs } from "./path-filter.ts";
import type { PatternSource } from "./pattern.ts";

export type WorkerSetup =
  | { readonly kind: "glob"; readonly pattern: string; readonly folder: string }
  | {
      readonly kind: "search";
      readonly pattern: PatternSource;
      readonly multiline: boolean;
      readonly maxPerFile: number;
      readonly globs: readonly string[];
      readonly types: readonly TypeGlobs[];
    };

export type WorkerRequest =
  | { readonly kind: "paths"; readonly paths: readonly Pick<WalkEntry, "path" | "isFolder">[] }
  | { readonly kind: "files"; readonly files: readonly Uint8Array[] };

/** One item per path or file, in order. */
export type WorkerReply =
  | { readonly kind: "paths"; readonly wanted: readonly boolean[] }
  | { readonly kind: "files"; readonly ranges: readonly (readonly LineRange[])[] }
  | { readonly kind: "failed"; readonly message: string };

/** MiB of the worker's heap. A search holds one file at a time: at most 20 MiB as text. */
const MAX_HEAP = 256;

export class WorkerError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "WorkerError";
  }
}

/** The worker's file: built in the package, TypeScript in the repository. */
function findProgram(): string {
  const here: string | undefined = import.meta.url; // undefined in a bundle that is CommonJS
  if (here !== undefined) {
    const path = fileURLToPath(new URL(here.endsWith(".ts") ? "./worker.ts" : "./search-worker.cjs", here));
    if (existsSync(path)) return path;
  }
  throw new WorkerError(
    "search-worker.cjs is missing: leave agentwire out of your bundle, so that its files stay together",
  );
}

interface Waiting {
  readonly resolve: (reply: WorkerReply) => void;
  readonly reject: (error: unknown) => void;
}

/** A thread that matches the agent's patterns. `close()` and the signal stop it even during a match. */
export class MatchWorker {
  readonly #worker: Worker;
  readonly #waiting = new Queue<Waiting>();
  readonly #signal: AbortSignal;
  #ended: { readonly reason: unknown } | undefined;

  /** @throws WorkerError if the worker's file is missing; the signal's reason */
  constructor(setup: WorkerSetup, signal: AbortSignal) {
    signal.throwIfAborted();
    this.#signal = signal;
    this.#worker = new Worker(findProgram(), {
      workerData: setup,
      // Node flags could slow the thread, and the environment holds keys.
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP },
    });
    this.#worker.on("message", (reply: WorkerReply) => this.#waiting.take()?.resolve(reply));
    this.#worker.on("error", (error) => this.#end(new WorkerError(error.message, { cause: error })));
    this.#worker.on("exit", () => this.#end(new WorkerError("the search thread ended")));
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  readonly #onAbort = (): void => {
    this.#end(this.#signal.reason);
    void this.#worker.terminate();
  };

  /** The entries that the globs select. @param top the folder of the entries */
  async select(entries: readonly WalkEntry[], top = ""): Promise<readonly WalkEntry[]> {
    const paths = entries.map(({ path, isFolder }) => ({ path: joinPath(top, path), isFolder }));
    const reply = await this.#ask({ kind: "paths", paths });
    if (reply.kind === "paths") return entries.filter((_, n) => reply.wanted[n]);
    throw new WorkerError(reply.kind === "failed" ? reply.message : "unexpected reply");
  }

  /** The matching lines of each file. Transfers the files: they are empty afterwards. */
  async matchFiles(files: readonly Uint8Array<ArrayBuffer>[]): Promise<readonly (readonly LineRange[])[]> {
    const buffers = new Set(files.map(({ buffer }) => buffer));
    const reply = await this.#ask({ kind: "files", files }, [...buffers]);
    if (reply.kind === "files") return reply.ranges;
    throw new WorkerError(reply.kind === "failed" ? reply.message : "unexpected reply");
  }

  #ask(request: WorkerRequest, handOver: readonly ArrayBuffer[] = []): Promise<WorkerReply> {
    if (this.#ended) return Promise.reject(this.#ended.reason);
    return new Promise((resolve, reject) => {
      this.#waiting.add({ resolve, reject });
      this.#worker.postMessage(request, [...handOver]);
    });
  }

  #end(reason: unknown): void {
    this.#ended ??= { reason };
    this.#signal.removeEventListener("abort", this.#onAbort);
    for (let next = this.#waiting.take(); next; next = this.#waiting.take()) next.reject(this.#ended.reason);
  }

  async close(): Promise<void> {
    this.#end(new WorkerError("the search has ended"));
    await this.#worker.terminate();
  }
}
