// The worker thread, as the main thread uses it: requests, answers, the end in the middle of a match.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { Queue } from "../../../../core/queue.ts";
import type { LineRange } from "../hits.ts";
import type { PathToMatch, WorkerReply, WorkerRequest, WorkerSetup } from "./worker-messages.ts";

/** MiB of the worker's heap: a file of 10 MiB is at most 20 as text, and a search holds one at a time. */
const MAX_HEAP = 256;

/** Why a worker gave no answer. */
export class WorkerError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "WorkerError";
  }
}

/** The worker's program: one file beside this one in the package, and TypeScript in the repository. */
function findProgram(): string {
  const here = import.meta.url;
  const path = fileURLToPath(new URL(here.endsWith(".ts") ? "./worker.ts" : "./search-worker.cjs", here));
  if (existsSync(path)) return path;
  throw new WorkerError(
    "search-worker.cjs is missing: leave agentwire out of your bundle, so that its files stay together",
  );
}

interface Waiting {
  readonly resolve: (reply: WorkerReply) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A thread that matches patterns of the agent, one request after the other. Ends with `close()` or the signal, in the middle of a match too: what waits then
 * is rejected.
 */
export class MatchWorker {
  readonly #worker: Worker;
  readonly #waiting = new Queue<Waiting>();
  readonly #signal: AbortSignal;
  #ended: { readonly reason: unknown } | undefined;

  /** @throws WorkerError without the worker's program, or the signal's reason */
  constructor(setup: WorkerSetup, signal: AbortSignal) {
    signal.throwIfAborted();
    this.#signal = signal;
    this.#worker = new Worker(findProgram(), {
      workerData: setup,
      // Nothing of this process: flags may load what makes a thread slow, and the environment has keys.
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

  /** Which of the paths are wanted. */
  async matchPaths(paths: readonly PathToMatch[]): Promise<readonly boolean[]> {
    const reply = await this.#ask({ kind: "paths", paths });
    if (reply.kind === "paths") return reply.wanted;
    throw new WorkerError(reply.kind === "failed" ? reply.message : "unexpected reply");
  }

  /** The lines of each file that match. The files are handed over, and empty afterwards. */
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

  /** Resolves when the thread has ended. */
  async close(): Promise<void> {
    this.#end(new WorkerError("the search has ended"));
    await this.#worker.terminate();
  }
}
