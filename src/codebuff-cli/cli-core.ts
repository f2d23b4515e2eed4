import { checkCallOptions, checks } from "../core/checks.ts";
import type { CloseOptions } from "../core/client/agent-client.ts";
import { Redactor } from "../core/client/redact.ts";
import { Voice } from "../core/client/voice.ts";
import type { CancelTimer, Clock } from "../core/clock.ts";
import { deferred } from "../core/deferred.ts";
import { ClosedError } from "../core/errors.ts";
import type { LiveTurn } from "../core/turn/live-turn.ts";
import type { RunnerHost, TurnLimits } from "../core/turn/runner.ts";
import type { ClientStatus, PendingRequest } from "../core/values.ts";
import { CLI_EVENTS, type CodebuffCliClientEvents } from "./client-events.ts";
import { secretsGiven } from "./environment.ts";
import type { CodebuffCliEvent } from "./events.ts";
import { homeFolder, withoutHome } from "./folder.ts";
import type { CodebuffCliOptions, CodebuffCliSettings } from "./options.ts";
import { SignalRelay } from "./signal-relay.ts";
import type { CodebuffCliResult } from "./turn.ts";

/** The turns and processes of a client, made once its core is there. */
export interface CliWork {
  /** Whether a process runs. */
  readonly busy: boolean;
  /** A turn that has not settled. */
  find(turnId: string): LiveTurn<CodebuffCliEvent, CodebuffCliResult> | undefined;
  /** Hands back the turns that wait for a process. */
  giveBack(): void;
  /** Ends all that runs; `force` does not wait for anything to end by itself. */
  endAll(force: boolean): void;
  /** Passes a signal on to all that runs. */
  forward(signal: NodeJS.Signals): void;
}

/** What agents have asked the user. */
export interface CliQuestions {
  readonly pending: readonly PendingRequest[];
  isOpen(id: string): boolean;
  close(): void;
}

/** What a client has besides its processes: its status, its events, warnings and logs without credentials, and the way out. */
export class CliCore
  extends Voice<CodebuffCliEvent, CodebuffCliResult, CodebuffCliClientEvents>
  implements RunnerHost<CodebuffCliEvent, CodebuffCliResult>
{
  readonly settings: CodebuffCliSettings;
  readonly clock: Clock;
  readonly limits: TurnLimits;
  /** Takes credentials and the user's folder out of what the program says. */
  readonly clean: (text: string) => string;
  readonly #signal: AbortSignal | undefined;
  readonly #closing = new AbortController();
  readonly #closed = deferred<void>();
  #work: CliWork | undefined;
  #questions: CliQuestions | undefined;
  #relay: SignalRelay | undefined;
  #status: ClientStatus = "idle";
  #cancelDrain: CancelTimer = () => {};

  constructor(options: CodebuffCliOptions, settings: CodebuffCliSettings) {
    const { apiKey, logger, homeDir, signal } = options;
    const { outbox, debug, clock, env, args } = settings;
    const redactor = new Redactor();
    super({ events: CLI_EVENTS, outbox, redactor, logger, debug });
    redactor.use("options", apiKey, ...secretsGiven(env, args));
    const home = homeFolder();
    this.settings = settings;
    this.clock = clock;
    this.limits = settings;
    this.clean = (text) => redactor.redact(withoutHome(withoutHome(text, homeDir), home));
    this.#signal = signal;
  }

  /** From here on the client can be used. A signal that was aborted before closes it at once. */
  serve(work: CliWork, questions: CliQuestions): void {
    this.#work = work;
    this.#questions = questions;
    this.#relay = new SignalRelay(this.settings.forwardSignals, (signal) => work.forward(signal));
    if (this.#signal?.aborted) this.#onAbort();
    else this.#signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  get status(): ClientStatus {
    return this.#status;
  }

  /** Aborted when the client is told to close: what asks the program is to stop. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  get isClosing(): boolean {
    return this.closing.aborted;
  }

  get closedError(): ClosedError | undefined {
    if (!this.isClosing) return undefined;
    return new ClosedError("this client was closed; make a new one", { delivery: "not-sent" });
  }

  /** @throws ClosedError on a client that takes nothing new. */
  assertOpen(): void {
    const closed = this.closedError;
    if (closed) throw closed;
  }

  override get pending(): readonly PendingRequest[] {
    return this.#questions?.pending ?? [];
  }

  override isOpen(id: string): boolean {
    return this.#questions?.isOpen(id) ?? false;
  }

  override find(turnId: string): LiveTurn<CodebuffCliEvent, CodebuffCliResult> | undefined {
    return this.#work?.find(turnId);
  }

  /** The program was found, or is about to be started. */
  ready(): void {
    if (!this.isClosing) this.#setStatus("ready");
  }

  /** A process waits for no connection: there is nothing to hurry. */
  wanted(): void {}

  /** Nor is there one to make. */
  needed(): void {}

  close(options: CloseOptions = {}): Promise<void> {
    checkCallOptions(options, { force: checks.boolean, drainTimeout: checks.delay });
    const { force = false, drainTimeout = 0 } = options;
    this.outbox.run(() => this.#close(force, drainTimeout));
    return this.#closed.promise;
  }

  #close(force: boolean, drainTimeout: number): void {
    const work = this.#work;
    if (this.#status === "closed" || !work) return;
    this.#setStatus("draining");
    this.#closing.abort(new ClosedError("the client was closed while it asked the program"));
    this.#questions?.close();
    work.giveBack();
    if (!work.busy) this.#end();
    else if (force || drainTimeout === 0) work.endAll(force);
    else {
      this.#cancelDrain();
      this.#cancelDrain = this.clock.setTimeout(() => work.endAll(false), drainTimeout);
    }
  }

  /** The last process is gone. */
  idle(): void {
    if (this.isClosing) this.#end();
  }

  #end(): void {
    this.#relay?.stop();
    this.#cancelDrain();
    this.#signal?.removeEventListener("abort", this.#onAbort);
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
