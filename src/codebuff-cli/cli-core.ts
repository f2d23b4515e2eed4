import { checkCallOptions, checks } from "../core/checks.ts";
import type { CloseOptions, ConnectOptions } from "../core/client/agent-client.ts";
import { Redactor } from "../core/client/redact.ts";
import type { SharedClient } from "../core/client/socket-client.ts";
import { Voice } from "../core/client/voice.ts";
import type { CancelTimer, Clock } from "../core/clock.ts";
import { deferred } from "../core/deferred.ts";
import { ClosedError, ConnectError } from "../core/errors.ts";
import type { LiveTurn } from "../core/turn/live-turn.ts";
import type { RunnerHost, TurnLimits } from "../core/turn/runner.ts";
import type { Answer, ClientStatus, Decision, PendingRequest, Reply, Ruling } from "../core/values.ts";
import { locate } from "./command.ts";
import { secretsGiven } from "./credentials.ts";
import { notStarted } from "./errors.ts";
import { CLI_EVENTS, type CodebuffCliClientEvents } from "./events.ts";
import { homeFolder, withoutHome } from "./folder.ts";
import type { CodebuffCliEvent } from "./messages.ts";
import type { CodebuffCliSettings } from "./options.ts";
import type { CodebuffCliResult } from "./turn.ts";

/** The parts of a client that are made after its core. */
export interface CliRooms {
  readonly turns: {
    /** Whether a process is running. */
    readonly busy: boolean;
    /** A turn that has not settled. */
    find(turnId: string): LiveTurn<CodebuffCliEvent, CodebuffCliResult> | undefined;
    /** Hands back the turns that wait for a process. */
    giveBack(): void;
    /** Ends all processes; with `force` at once. */
    endAll(force: boolean): void;
  };
  /** The agents' questions to the user. */
  readonly questions: Pick<CliCore, "pending" | "isOpen" | "decide" | "answer"> & { close(): void };
}

/** The core of a client without a connection, like `ClientCore`: status, events, warnings and logs without credentials, and closing. */
export class CliCore
  extends Voice<CodebuffCliEvent, CodebuffCliResult, CodebuffCliClientEvents>
  implements
    SharedClient<CodebuffCliEvent, CodebuffCliResult, CodebuffCliClientEvents>,
    RunnerHost<CodebuffCliEvent, CodebuffCliResult>
{
  readonly settings: CodebuffCliSettings;
  readonly clock: Clock;
  readonly limits: TurnLimits;
  /** Removes credentials and the user's folder from the program's output. */
  readonly clean: (text: string) => string;
  readonly #closing = new AbortController();
  readonly #closed = deferred<void>();
  #rooms: CliRooms | undefined;
  #status: ClientStatus = "idle";
  #cancelDrain: CancelTimer = () => {};

  constructor(settings: CodebuffCliSettings) {
    const { apiKey, logger, homeDir, outbox, debug, clock, env, args } = settings;
    const redactor = new Redactor();
    super({ events: CLI_EVENTS, outbox, redactor, logger, debug });
    redactor.use("options", apiKey, ...secretsGiven(env, args));
    const home = homeFolder();
    this.settings = settings;
    this.clock = clock;
    this.limits = settings;
    this.clean = (text) => redactor.redact(withoutHome(withoutHome(text, homeDir), home));
  }

  /** Takes the client's other parts. The client can be used from now on. If the signal was aborted earlier, the client closes at once. */
  serve(rooms: CliRooms): void {
    this.#rooms = rooms;
    const { signal } = this.settings;
    if (signal?.aborted) this.#onAbort();
    else signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  get #served(): CliRooms {
    if (!this.#rooms) throw new Error("the client is used before its rooms are made");
    return this.#rooms;
  }

  /** The environment of this process, with the caller's additions. */
  get variables(): NodeJS.ProcessEnv {
    return { ...process.env, ...this.settings.env };
  }

  get status(): ClientStatus {
    return this.#status;
  }

  /** Aborted when the client is told to close: stops the questions to the program (`probe`). */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  get isClosing(): boolean {
    return this.closing.aborted;
  }

  get closedBy(): ClosedError | undefined {
    return this.status === "closed" ? this.closedError : undefined;
  }

  get closedError(): ClosedError | undefined {
    if (!this.isClosing) return undefined;
    return new ClosedError("this client was closed; make a new one", { delivery: "not-sent" });
  }

  /** @throws ClosedError on a client that takes no new calls. */
  assertOpen(): void {
    const closed = this.closedError;
    if (closed) throw closed;
  }

  override get pending(): readonly PendingRequest[] {
    return this.#served.questions.pending;
  }

  override isOpen(id: string): boolean {
    return this.#served.questions.isOpen(id);
  }

  override find(turnId: string): LiveTurn<CodebuffCliEvent, CodebuffCliResult> | undefined {
    return this.#served.turns.find(turnId);
  }

  decide(id: string, decision: Decision): Ruling {
    return this.#served.questions.decide(id, decision);
  }

  answer(id: string, answer: Answer): Reply {
    return this.outbox.run(() => this.#served.questions.answer(id, answer));
  }

  /** Checks whether the program exists. */
  connect(options: ConnectOptions = {}): Promise<void> {
    checkCallOptions(options, { signal: checks.signal });
    return this.outbox.run(() => this.#look(options));
  }

  async #look({ signal }: ConnectOptions): Promise<void> {
    this.assertOpen();
    if (signal?.aborted) {
      throw new ConnectError("the wait for the program was aborted", { cause: signal.reason });
    }
    const { command } = this.settings;
    try {
      locate(command, this.variables);
    } catch (cause) {
      throw notStarted(command, cause, this.clean);
    }
    this.ready();
  }

  /** The program was found or is about to be started. */
  ready(): void {
    if (!this.isClosing) this.#setStatus("ready");
  }

  /** There is no connection to hurry. */
  wanted(): void {}

  /** There is no connection to make. */
  needed(): void {}

  close(options: CloseOptions = {}): Promise<void> {
    checkCallOptions(options, { force: checks.boolean, drainTimeout: checks.delay });
    const { force = false, drainTimeout = 0 } = options;
    this.outbox.run(() => this.#close(force, drainTimeout));
    return this.#closed.promise;
  }

  #close(force: boolean, drainTimeout: number): void {
    const { turns, questions } = this.#served;
    if (this.#status === "closed") return;
    this.#setStatus("draining");
    this.#closing.abort(new ClosedError("the client was closed while it asked the program"));
    questions.close();
    turns.giveBack();
    if (!turns.busy) this.#end();
    else if (force || drainTimeout === 0) turns.endAll(force);
    else {
      this.#cancelDrain();
      this.#cancelDrain = this.clock.setTimeout(() => turns.endAll(false), drainTimeout);
    }
  }

  /** The last process has ended. */
  idle(): void {
    if (this.isClosing) this.#end();
  }

  #end(): void {
    this.#cancelDrain();
    this.settings.signal?.removeEventListener("abort", this.#onAbort);
    this.#setStatus("closed");
    this.#closed.resolve();
  }

  #setStatus(status: ClientStatus): void {
    if (this.#status === status) return;
    this.#status = status;
    this.tellStatus(status);
  }

  readonly #onAbort = (): void => void this.close();
}
