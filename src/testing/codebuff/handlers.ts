// Handles each kind of message.
import type { CancelTimer, Clock } from "../../core/clock.ts";
import { type Account, refusalFrame, tokenRefusal } from "./account.ts";
import type { Accepted } from "./check-frame.ts";
import { failing } from "./failures.ts";
import type { FrameWriter } from "./frames.ts";
import type { CancelUserInputData, InitData, PromptData } from "./messages.ts";
import type { ClientHistory, ClientRecord } from "./mistakes.ts";
import { noiseBeforeAnswer } from "./oddities.ts";
import type { CodebuffMockSettings } from "./options.ts";
import { promptMessages } from "./prompt-messages.ts";
import type { CodebuffJournal, Mistake, MockConnection, ReceivedPrompt } from "./record.ts";
import type { RunPort } from "./reply.ts";
import { RequestSteps } from "./requests.ts";
import { PromptRun } from "./run.ts";
import type { ScriptedAnswer } from "./script.ts";

interface HandlerPort extends RunPort {
  readonly connection: MockConnection;
  readonly record: ClientRecord;
  blame(mistake: Mistake): void;
  beat(): void;
}

export interface HandlerHost {
  readonly settings: CodebuffMockSettings;
  readonly clock: Clock;
  readonly journal: CodebuffJournal;
  readonly frames: FrameWriter;
  readonly account: Account;
  readonly answer: ScriptedAnswer;
  historyOf(sessionId: string): ClientHistory;
  nextRequestId(): string;
}

export class Handlers {
  readonly topics = new Set<string>();
  readonly #host: HandlerHost;
  readonly #port: HandlerPort;
  readonly #requests: RequestSteps;
  readonly #runs = new Set<PromptRun>();
  readonly #lateEnds = new Set<CancelTimer>();

  constructor(host: HandlerHost, port: HandlerPort) {
    this.#host = host;
    this.#port = port;
    this.#requests = new RequestSteps(port, host.journal, host.clock);
  }

  get busy(): boolean {
    return this.#runs.size > 0;
  }

  /** Running prompts without a terminal message yet. */
  get unanswered(): readonly string[] {
    return [...this.#runs].filter((run) => run.awaited).map((run) => run.prompt.promptId);
  }

  stop(): void {
    for (const run of this.#runs) run.stop();
    for (const cancelTimer of this.#lateEnds) cancelTimer();
    this.#requests.end();
  }

  /** Settles when the message is handled. `ack` may be called early and repeatedly. */
  async handle({ txid, message }: Accepted, ack: () => void): Promise<void> {
    switch (message.type) {
      case "identify":
        // Acked, otherwise ignored.
        return this.#port.record.sawIdentify(
          message.clientSessionId,
          txid,
          this.#host.historyOf(message.clientSessionId),
        );
      case "ping":
        return this.#port.beat();
      case "subscribe":
      case "unsubscribe":
        return this.#changeTopics(message.type, message.topics);
      case "action":
        break;
    }
    const { data } = message;
    switch (data.type) {
      case "prompt":
        return this.#answer(data, txid, ack);
      case "init":
        return this.#init(data);
      case "cancel-user-input":
        return this.#cancel(data, txid);
      case "tool-call-response":
      case "read-files-response":
      case "mcp-tool-data":
        return this.#requests.answer(data, txid);
    }
  }

  #changeTopics(type: "subscribe" | "unsubscribe", topics: readonly string[]): void {
    const { frames, journal, settings } = this.#host;
    if (topics.length === 0 && settings.emptyTopics === "refuse") {
      const [what, noun] =
        type === "subscribe" ? ["subscribe to", "subscription"] : ["unsubscribe from", "unsubscription"];
      const error = `Internal error: Failed to ${what} topics: No topics provided for ${noun}`;
      this.#port.send(frames.nack(undefined, error));
      return;
    }
    for (const topic of topics) {
      if (type === "subscribe") this.topics.add(topic);
      else this.topics.delete(topic);
    }
    if (settings.heartbeat && settings.heartbeat.refresh === "ping-and-topics") this.#port.beat();
    journal.changed();
  }

  #init({ authToken }: InitData): void {
    const { account, frames, settings } = this.#host;
    const { init } = settings;
    const send = (frame: string) => this.#port.send(frame);
    if (init === "ack-only" || tokenRefusal(authToken, settings)) return;
    if (init === "usage") {
      send(frames.usageResponse(account.figures));
      send(frames.action({ type: "init-response", ...account.figures }));
    } else if (init === "respond") send(frames.initResponse());
    else send(frames.nack(undefined, `Internal error: Failed to initialize session: ${init.error}`));
  }

  #cancel({ authToken, promptId }: CancelUserInputData, txid: number): void {
    const { clock, frames, journal, settings } = this.#host;
    const { connection } = this.#port;
    const refusal = tokenRefusal(authToken, settings);
    const run = refusal
      ? undefined
      : [...this.#runs].find((each) => each.awaited && each.prompt.promptId === promptId);
    if (refusal === "action-error") this.#port.send(refusalFrame(refusal, promptId, frames));
    run?.cancel();
    const stopped = run !== undefined;
    journal.add(journal.cancels, { at: clock.now(), connection, txid, promptId, authToken, stopped });
    if (run && typeof settings.cancel === "object") this.#endLater(run, settings.cancel.lateTerminal);
  }

  #endLater(run: PromptRun, ms: number): void {
    const cancelTimer = this.#host.clock.setTimeout(
      () => {
        this.#lateEnds.delete(cancelTimer);
        run.endLate();
      },
      ms,
      { unref: true },
    );
    this.#lateEnds.add(cancelTimer);
  }

  async #answer(data: PromptData, txid: number, ack: () => void): Promise<void> {
    const { account, answer, clock, frames, journal, settings } = this.#host;
    const { connection } = this.#port;
    const { promptId } = data;
    this.#port.record.sawPrompt(promptId);
    const messages = promptMessages(data, settings.messageOrder);
    const prompt: ReceivedPrompt = { connection, txid, promptId, data, messages };
    const port: RunPort = {
      ...this.#port,
      send: (raw) => {
        this.#port.send(raw);
        // Only "chunk before ack" has delayed the ack until here.
        if (settings.ackOrder === "before") ack();
      },
    };
    const refusal = this.#refusalOf(prompt);
    if (refusal !== undefined) {
      journal.add(journal.prompts, prompt);
      port.send(refusal);
      return;
    }

    const run = new PromptRun({
      prompt,
      answer: settings.failure ? failing(settings.failure, answer) : answer,
      port,
      frames,
      settings,
      clock,
      requests: this.#requests,
      account,
      threw: (error) => journal.threw(error),
      nextRequestId: () => this.#host.nextRequestId(),
    });
    this.#runs.add(run);
    journal.add(journal.prompts, prompt);
    if (settings.usage === "around") this.#port.send(frames.usageResponse(account.figures));
    for (const raw of noiseBeforeAnswer(settings, frames, promptId)) port.send(raw);
    await run.perform();
    this.#runs.delete(run);
  }

  #refusalOf({ data, messages, promptId }: ReceivedPrompt): string | undefined {
    const { frames, settings } = this.#host;
    const refusal = tokenRefusal(data.authToken, settings);
    if (refusal) return refusalFrame(refusal, promptId, frames);
    if (messages.length > 0 || settings.messageOrder === "history-first") return undefined;
    this.#port.blame({ kind: "empty-prompt", detail: promptId });
    const message = "Failed to process prompt: No messages found in prompt action";
    return frames.promptError(promptId, { message });
  }
}
