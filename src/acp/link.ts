// One connection to an agent: its start, its requests, its loss and its end.

import { fieldsOf } from "../core/checks.ts";
import type { CancelTimer } from "../core/clock.ts";
import { type Deferred, deferred } from "../core/deferred.ts";
import {
  type AgentwireError,
  ConnectError,
  ConnectTimeoutError,
  HandshakeError,
  InvalidInputError,
  RequestTimeoutError,
} from "../core/errors.ts";
import { utf8Length } from "../core/text.ts";
import type { Exit } from "../process/group-process.ts";
import type { AcpCore } from "./acp-core.ts";
import { type AcpAgent, readAgent } from "./agent.ts";
import { AcpLostError, AgentRefusal, asAcpError, authError, endedEarly, exitWords, RPC } from "./errors.ts";
import { PROTOCOL_VERSION } from "./messages.ts";
import type { AcpStream } from "./options.ts";
import { loadSdk } from "./peer.ts";
import type { AcpSession } from "./session.ts";
import { MAX_STDERR, ProgramTransport, STDERR_MARGIN, StreamTransport, type Transport } from "./transport.ts";
import { AcpWire } from "./wire.ts";

/** What a link asks of its client. */
export interface AgentLinkUser {
  update(link: AgentLink, params: unknown): void;
  requested(link: AgentLink, method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  /** The link has ended. `error`: unexpectedly. */
  over(link: AgentLink, error: AcpLostError): void;
}

/** ms for `session/close`, then for the end after stdin was closed, then after SIGTERM. */
const CLOSE_TIME = 1_000;
const INPUT_TIME = 2_000;
const TERM_TIME = 1_000;

/** ms for a program to exit after it has closed its output. Then nothing can be heard of it, and it is ended. */
const MUTE_TIME = 500;

/** ms for a login, which may need the user in a browser. */
const AUTH_TIME = 300_000;

/** Characters of the agent's first line that is no message. */
const MAX_SAID = 500;

/** Characters of that line in which keys are looked for. A key that is cut in the middle is not known any more. */
const MAX_LINE = 16_384;

type State =
  | { readonly name: "starting"; readonly limit: CancelTimer }
  | { readonly name: "open" }
  /** Stdin is closed. `limit` sends SIGTERM. */
  | { readonly name: "ending"; readonly limit: CancelTimer }
  | { readonly name: "over"; readonly error: AgentwireError };

const NO_TIMER: CancelTimer = () => {};

/**
 * One process with its stdio, or a stream pair.
 *
 *     starting (initialize, authenticate) ──▶ open ──end()──▶ ending (stdin closed) ──▶ SIGTERM ──▶ SIGKILL ──▶ over
 *        └── exit, limit, refusal ──────────────┴── exit ───────┴──────────────────────────────────────────────▶
 */
export class AgentLink {
  readonly sessions = new Map<string, AcpSession>();
  /** Resolves when the agent is ready. Rejects if it will not be. */
  readonly opened: Deferred<void> = deferred();
  readonly ended: Deferred<void> = deferred();
  readonly #core: AcpCore;
  readonly #user: AgentLinkUser;
  readonly #wire: AcpWire;
  readonly #transport: Transport;
  /** Requests that wait for the agent, to be rejected at its end. */
  readonly #waiting = new Set<Deferred<unknown>>();
  #state: State;
  #agent: AcpAgent | undefined;
  /** The first line that was no message, before the agent spoke ACP. */
  #said = "";
  /** Cancels the end of an agent that has closed its output. */
  #cancelMute = NO_TIMER;
  #isMute = false;
  #isPaused = false;
  /** Requests with a limit that wait for the agent. */
  #shortRequests = 0;
  /** Why this client ends the link at once. */
  #because: AgentwireError | undefined;

  /** Starts the agent. @throws ConnectError */
  constructor(core: AcpCore, user: AgentLinkUser) {
    this.#core = core;
    this.#user = user;
    const { settings, outbox, clock } = core;
    const { createStream, connectTimeout, maxLineBytes } = settings;
    this.#wire = new AcpWire(
      {
        outbox,
        write: (line) => {
          core.frame("out", line);
          this.#transport.write(line);
        },
        heard: (line, message) => {
          core.frame("in", line);
          core.message(message);
        },
        stray: (line, problem) => this.#stray(line, problem),
        update: (params) => user.update(this, params),
        notified: (method, params) => core.events.emit("notification", { method, params }),
        requested: (method, params, signal) => user.requested(this, method, params, signal),
      },
      maxLineBytes,
    );
    const listener = {
      stdout: (piece: Uint8Array) => this.#wire.push(piece),
      outputEnded: () => this.#outputEnded(),
      ended: (exit: Exit) => this.#wire.end(() => outbox.run(() => this.#over(this.#endOf(exit)))),
      failed: (error: Error) => outbox.run(() => this.#over(asAcpError(error, core.clean))),
    };
    const late = (): void => this.kill(tooSlow(connectTimeout));
    const limit = connectTimeout > 0 ? clock.setTimeout(late, connectTimeout) : NO_TIMER;
    this.#state = { name: "starting", limit };
    try {
      this.#transport = createStream
        ? new StreamTransport(checkedStream(createStream()), listener, clock)
        : new ProgramTransport(settings, listener, core.clean);
    } catch (error) {
      limit();
      throw error;
    }
    const { pid } = this.#transport;
    if (pid !== undefined) core.events.emit("spawned", { pid });
    void this.#start();
  }

  get isOver(): boolean {
    return this.#state.name === "over";
  }

  /** Whether new work may begin on this link. */
  get isUsable(): boolean {
    return this.#state.name === "starting" || this.#state.name === "open";
  }

  /** What the agent has said about itself. Undefined until it has. */
  get agent(): AcpAgent | undefined {
    return this.#agent;
  }

  /** The end of the error output, without keys. */
  get stderr(): string {
    const { stderr } = this.#transport;
    const text = this.#core.clean(stderr);
    return utf8Length(stderr) > MAX_STDERR ? text.slice(STDERR_MARGIN) : text; // its beginning may be half a key
  }

  /**
   * Sends a request. `limit` in ms; 0: none.
   * @throws AgentRefusal, RequestTimeoutError, or the error of a link that ends meanwhile
   */
  async request(method: string, params: object, limit: number): Promise<unknown> {
    const state = this.#state;
    if (state.name === "over") throw state.error;
    const waiting = deferred<unknown>();
    this.#waiting.add(waiting);
    const { outbox, clock } = this.#core;
    const late = (): void =>
      waiting.reject(
        new RequestTimeoutError(`the agent did not answer \`${method}\` within ${limit} ms`, {
          timeout: limit,
        }),
      );
    const isShort = limit > 0;
    const cancel = isShort ? clock.setTimeout(late, limit) : NO_TIMER;
    if (isShort && ++this.#shortRequests === 1) this.#transport.resume();
    this.#wire.request(method, params).then(waiting.resolve, waiting.reject);
    try {
      return await waiting.promise;
    } catch (error) {
      if (error instanceof AgentRefusal && error.code === RPC.authRequired)
        throw outbox.run(() => this.authError(error));
      throw error;
    } finally {
      cancel();
      this.#waiting.delete(waiting);
      if (isShort && --this.#shortRequests === 0 && this.#isPaused) this.#transport.pause();
    }
  }

  notify(method: string, params: object): void {
    if (this.#state.name === "open") this.#wire.notify(method, params);
  }

  authError({ message }: AgentRefusal): AgentwireError {
    return authError(this.#core.clean(message), this.#agent?.authMethods ?? [], this.stderr);
  }

  /** Its turns wait for slow readers. An answer to a short request is read all the same. */
  pause(): void {
    this.#isPaused = true;
    if (this.#shortRequests === 0) this.#transport.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#transport.resume();
  }

  /** Ends the agent politely: its sessions, its input, then signals. Resolves when nothing of it is left. */
  async end(): Promise<void> {
    if (this.#state.name === "open" && this.#agent?.closesSessions) {
      const closed = [...this.sessions.keys()].map((sessionId) =>
        this.request("session/close", { sessionId }, CLOSE_TIME).catch(() => {}),
      );
      await Promise.all(closed);
    }
    this.#core.outbox.run(() => this.#endInput());
    await this.ended.promise;
  }

  /** Ends the agent at once, and all that it has started. `because`: the error of what waits for it. */
  kill(because?: AgentwireError): void {
    if (this.#state.name === "over") return;
    this.#because ??= because;
    this.#transport.kill();
  }

  #outputEnded(): void {
    const { clock } = this.#core;
    this.#cancelMute = clock.setTimeout(() => {
      this.#isMute = true;
      this.#transport.terminate(TERM_TIME);
    }, MUTE_TIME);
  }

  #endInput(): void {
    const { name } = this.#state;
    if (name === "over" || name === "ending") return;
    const limit = this.#core.clock.setTimeout(() => this.#transport.terminate(TERM_TIME), INPUT_TIME);
    this.#become({ name: "ending", limit });
    this.#transport.resume();
    this.#transport.endInput();
  }

  async #start(): Promise<void> {
    const core = this.#core;
    const { settings, outbox } = core;
    const { auth, clientInfo } = settings;
    try {
      const sdk = await loadSdk();
      if (this.isOver) return;
      this.#wire.connect(sdk);
      const params = {
        protocolVersion: PROTOCOL_VERSION,
        clientInfo,
        clientCapabilities: core.clientCapabilities,
      };
      const told = await this.request("initialize", params, 0);
      const agent = readAgent(told);
      if (agent.protocolVersion !== PROTOCOL_VERSION) throw otherVersion(agent.protocolVersion);
      this.#agent = agent;
      outbox.run(() => {
        if (this.#state.name === "starting") this.#become({ name: "starting", limit: NO_TIMER });
      });
      if (auth !== undefined) await this.request("authenticate", { methodId: auth }, AUTH_TIME);
      outbox.run(() => {
        if (this.#state.name !== "starting") return;
        this.#become({ name: "open" });
        this.opened.resolve();
      });
    } catch (error) {
      const refused = error instanceof AgentRefusal ? this.#refused(error) : error;
      outbox.run(() => this.kill(asAcpError(refused, core.clean)));
    }
  }

  #refused({ message }: AgentRefusal): AgentwireError {
    const words = this.#core.clean(message);
    const hint = "check that its arguments make it speak ACP";
    return new ConnectError(`the agent refused \`initialize\`: ${words}; ${hint}`, {
      retryable: false,
      delivery: "not-sent",
    });
  }

  #stray(line: string, problem: string): void {
    this.#core.frame("in", line);
    if (!this.#agent && this.#said === "")
      this.#said = this.#core.clean(line.slice(0, MAX_LINE)).trim().slice(0, MAX_SAID);
    this.#core.warn("stray-line", `the agent sent ${problem}`, { raw: line });
  }

  #endOf(exit: Exit): AgentwireError {
    if (this.#because) return this.#because;
    const { settings } = this.#core;
    const words = this.#isMute ? "the agent's program has closed its output" : exitWords(exit);
    const lines = this.stderr.split("\n").filter((line) => line.trim() !== "");
    const last = lines.slice(-3).join("\n").slice(-MAX_SAID);
    if (this.#state.name === "starting")
      return endedEarly(settings.command, exit, this.#said === "" ? last : this.#said);
    return new AcpLostError(last === "" ? words : `${words}; it said: ${last}`, exit, this.stderr);
  }

  #over(error: AgentwireError): void {
    if (this.#state.name === "over") return;
    this.#become({ name: "over", error });
    this.#cancelMute();
    this.opened.reject(error);
    for (const waiting of this.#waiting) waiting.reject(error);
    const isLost = error instanceof AcpLostError;
    this.#user.over(this, isLost ? error : new AcpLostError(error.message, NO_EXIT, this.stderr));
    this.#wire.close();
    this.ended.resolve();
  }

  #become(next: State): void {
    const last = this.#state;
    this.#state = next;
    if ("limit" in last) last.limit();
  }
}

const NO_EXIT: Exit = { code: null, signal: null };

/** @throws InvalidInputError for anything but a pair of streams */
function checkedStream(stream: AcpStream): AcpStream {
  const { readable, writable } = fieldsOf(stream);
  const has = (of: unknown, name: string): boolean => typeof fieldsOf(of)[name] === "function";
  if (has(readable, "getReader") && has(writable, "getWriter")) return stream;
  throw new InvalidInputError(
    "`createStream` returned no pair of streams.",
    "Return { readable, writable }, such as `new MockAcpAgent().connect()`.",
  );
}

function tooSlow(timeout: number): ConnectTimeoutError {
  const hint =
    "raise `connectTimeout` if the agent starts slowly; check that its arguments make it speak ACP";
  return new ConnectTimeoutError(timeout, "answer `initialize`", hint);
}

function otherVersion(version: unknown): HandshakeError {
  const words = `the agent speaks version ${String(version)} of ACP, and this client speaks ${PROTOCOL_VERSION}`;
  return new HandshakeError("version", words, { delivery: "not-sent" });
}
