// `MockCodebuffBackend`: the HTTP backend of a Codebuff run, on a port of 127.0.0.1.
//
// How to extend this mock, most common first:
//
// 1. A new way to answer a chat call: a field of `BackendAnswer` in script.ts; its name in check-script.ts; chunks.ts for what
//    is said, stream.ts for how it is written.
// 2. A new switch: options.ts (the option with its TSDoc), settings.ts (its default), and the file of its behaviour:
//    gates.ts for refused chat calls, stream.ts and framing.ts for streams, the file of an endpoint for the rest.
// 3. A new mistake of clients to notice: a kind in record.ts, and rules.ts.
// 4. A new endpoint: record.ts (its name), routes.ts, and its handler in service.ts.

import { checkMockNames, type NamesOf } from "../names.ts";
import type { PortOption } from "../server/listen.ts";
import { Backend } from "./backend.ts";
import { fits } from "./journal.ts";
import type { BackendUser, MockCodebuffBackendOptions, MockCodebuffBackendSwitches } from "./options.ts";
import { HttpPort } from "./port.ts";
import type {
  BackendEndpoint,
  BackendRequest,
  BackendRequestFilter,
  BackendRun,
  BackendViolation,
} from "./record.ts";
import type { BackendFaultOptions, BackendScript } from "./script.ts";
import { Service } from "./service.ts";
import { BACKEND_OPTIONS, setAnew } from "./settings.ts";

const FILTER: NamesOf<BackendRequestFilter> = {
  ...{ endpoint: true, action: true, method: true },
  ...{ runId: true, userId: true, state: true, status: true },
};

/**
 * The HTTP backend of a Codebuff run, on a port of 127.0.0.1: users, runs and steps, the agent registry, and chat calls
 * that a scripted model answers as a stream. It records every request and the client's mistakes.
 *
 * @example
 * ```ts
 * await using backend = await MockCodebuffBackend.start({
 *   answer: [
 *     { text: "I will look.", toolCalls: [{ name: "read_files", arguments: { paths: ["a.ts"] } }], usage: { cost: 0.05 } },
 *     "All done.",
 *   ],
 * });
 * // a client with `baseUrl: backend.url` and `apiKey: backend.apiKey`
 * ```
 */
export class MockCodebuffBackend implements AsyncDisposable {
  /** `http://127.0.0.1:PORT`, without a trailing slash. */
  readonly url: string;
  readonly #backend: Backend;
  readonly #service: Service;
  readonly #port: HttpPort;

  private constructor(backend: Backend, service: Service, port: HttpPort) {
    this.#backend = backend;
    this.#service = service;
    this.#port = port;
    this.url = `http://127.0.0.1:${port.number}`;
  }

  /**
   * Starts a backend on 127.0.0.1.
   * @throws InvalidInputError, which is also a TypeError, for an unknown option or a `port` in use
   */
  static async start(options: MockCodebuffBackendOptions & PortOption = {}): Promise<MockCodebuffBackend> {
    checkMockNames(options, { ...BACKEND_OPTIONS, port: true }, "option");
    const { port = 0, ...rest } = options;
    const backend = new Backend(rest);
    const service = new Service(backend);
    const opened = await HttpPort.open(port, (message, response) => void service.answer(message, response));
    return new MockCodebuffBackend(backend, service, opened);
  }

  /** The key of the first user; empty without users. */
  get apiKey(): string {
    return this.#backend.users.first?.key ?? "";
  }

  /** Sets the script. It starts from its beginning for all runs. Its faults are added to the existing ones. */
  get answer(): BackendScript {
    return this.#backend.model.script;
  }

  set answer(script: BackendScript) {
    this.#backend.use(script);
  }

  /** Whether a run has used up the script. */
  get scriptExhausted(): boolean {
    return this.#backend.model.exhausted;
  }

  /** All client mistakes. Empty with `strict: false`. */
  get violations(): readonly BackendViolation[] {
    return this.#backend.journal.violations;
  }

  /** All requests in the order of arrival, or the matching ones. @throws InvalidInputError for an unknown filter */
  requests(filter: BackendRequestFilter = {}): readonly BackendRequest[] {
    checkMockNames(filter, FILTER, "filter");
    return this.#backend.journal.requests.filter((request) => fits(request, filter));
  }

  /** All runs, in START order. */
  runs(): readonly BackendRun[] {
    return this.#backend.runs.all;
  }

  /** Changes switches, at any time. @throws InvalidInputError for an unknown switch */
  set(switches: MockCodebuffBackendSwitches): void {
    this.#backend.settings = setAnew(this.#backend.settings, switches);
  }

  /**
   * Adds a user.
   * @param user missing fields get defaults: the keys `test-key`, `test-key-2`, the ids `user-1`, `user-2` and so on
   * @throws InvalidInputError for an unknown field or a key in use
   */
  addUser(user: Partial<BackendUser> = {}): BackendUser {
    return this.#backend.users.add(user);
  }

  /** Revokes an API key. */
  removeUser(key: string): void {
    this.#backend.users.remove(key);
  }

  /**
   * Makes requests to an endpoint fail. If several faults match a request, the oldest applies.
   * @returns a function that removes the fault
   * @throws InvalidInputError for an unknown endpoint or field
   */
  fault(endpoint: BackendEndpoint, fault: BackendFaultOptions): () => void {
    return this.#backend.faults.add(endpoint, fault);
  }

  /**
   * Resolves with the first value of `probe` that is not undefined, null or false. Calls `probe` now and after every
   * change: a request, a written frame, the end of an answer. Rejects if `probe` throws, or if the server stops first.
   */
  waitFor<T>(probe: (backend: this) => T | undefined | false | null): Promise<T> {
    return this.#backend.journal.until(() => probe(this));
  }

  /**
   * Clears requests, runs and violations, removes the faults of `fault()`, and restarts the script with its own faults.
   * Users and switches stay.
   */
  reset(): void {
    this.#backend.reset();
  }

  /**
   * Stops everything: answers, timers, connections, waits. Idempotent. Does not wait for clients.
   * @throws InvalidInputError for an unknown field in a script's answer
   */
  async stop(): Promise<void> {
    this.#service.stop();
    await this.#port.stop();
    const { mistake } = this.#backend.journal;
    if (mistake) throw mistake;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
