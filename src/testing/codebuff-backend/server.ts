// `MockCodebuffBackend`: the HTTP backend of a Codebuff run, on a port of 127.0.0.1.
//
// How to extend this mock, most common first:
//
// 1. A new way to answer a chat call: a field of `BackendAnswer` in script.ts; its name in check-script.ts; chunks.ts for what
//    is said, stream.ts for how it is written.
// 2. A new switch: options.ts (the option with its TSDoc), settings.ts (its default), and the room of its behaviour:
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
 * The HTTP backend that a Codebuff run talks to, on a port of 127.0.0.1: users, runs and their steps, the registry of agents,
 * and chat calls that a scripted model answers as a stream. It records every request, and notes what a client does wrong.
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
  /** `http://127.0.0.1:PORT`, without a slash at its end. */
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
   * @throws InvalidInputError for an option that does not exist, and for a `port` that is in use; a TypeError too
   */
  static async start(options: MockCodebuffBackendOptions & PortOption = {}): Promise<MockCodebuffBackend> {
    checkMockNames(options, { ...BACKEND_OPTIONS, port: true }, "option");
    const { port = 0, ...rest } = options;
    const backend = new Backend(rest);
    const service = new Service(backend);
    const opened = await HttpPort.open(port, (message, response) => void service.answer(message, response));
    return new MockCodebuffBackend(backend, service, opened);
  }

  /** The key of the first user; empty where there is none. */
  get apiKey(): string {
    return this.#backend.users.first?.key ?? "";
  }

  /** What the model says from now on. A new script begins at its beginning, for all runs; its faults come on top. */
  get answer(): BackendScript {
    return this.#backend.model.script;
  }

  set answer(script: BackendScript) {
    this.#backend.use(script);
  }

  /** Whether a run has outlived the script. */
  get scriptExhausted(): boolean {
    return this.#backend.model.exhausted;
  }

  /** Every mistake that a client has made. None are noted with `strict: false`. */
  get violations(): readonly BackendViolation[] {
    return this.#backend.journal.violations;
  }

  /** Every request in the order of arrival, or those that fit. @throws InvalidInputError for a filter that does not exist */
  requests(filter: BackendRequestFilter = {}): readonly BackendRequest[] {
    checkMockNames(filter, FILTER, "filter");
    return this.#backend.journal.requests.filter((request) => fits(request, filter));
  }

  /** Every run in the order of START. */
  runs(): readonly BackendRun[] {
    return this.#backend.runs.all;
  }

  /** Sets switches anew, at any time. @throws InvalidInputError for a switch that does not exist */
  set(switches: MockCodebuffBackendSwitches): void {
    this.#backend.settings = setAnew(this.#backend.settings, switches);
  }

  /**
   * Makes a user.
   * @param user what is left out is made up: the keys `test-key`, `test-key-2`, the ids `user-1`, `user-2` and so on
   * @throws InvalidInputError for a field that does not exist, and for a key that is taken
   */
  addUser(user: Partial<BackendUser> = {}): BackendUser {
    return this.#backend.users.add(user);
  }

  /** Revokes an API key. */
  removeUser(key: string): void {
    this.#backend.users.remove(key);
  }

  /**
   * Lets requests to an endpoint fail. Of several faults for one request, the oldest counts.
   * @returns lifts the fault
   * @throws InvalidInputError for an endpoint or a field that does not exist
   */
  fault(endpoint: BackendEndpoint, fault: BackendFaultOptions): () => void {
    return this.#backend.faults.add(endpoint, fault);
  }

  /**
   * Resolves with the first value of `probe` that is not undefined, null or false. It is asked now, and again whenever
   * something happened: a request, a frame that was written, the end of an answer. Rejects when `probe` throws, and when the
   * server stops first.
   */
  waitFor<T>(probe: (backend: this) => T | undefined | false | null): Promise<T> {
    return this.#backend.journal.until(() => probe(this));
  }

  /**
   * Forgets requests, runs and violations, lifts the faults of `fault()`, and begins the script anew, with its own faults. Users
   * and switches stay.
   */
  reset(): void {
    this.#backend.reset();
  }

  /**
   * Ends everything: answers, timers, connections, waits. Idempotent, and waits for no client.
   * @throws InvalidInputError for a field that does not exist in what a script gave
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
