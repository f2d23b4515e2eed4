import type { CodebuffBackend } from "./backend.ts";
import { ClientHistory, type Mistake } from "./mistakes.ts";
import { noiseBeforeAnswer } from "./oddities.ts";
import { promptMessages } from "./prompt-messages.ts";
import type { MockConnection, PromptData, ReceivedPrompt } from "./record.ts";
import { Run, type RunPort } from "./run.ts";
import type { Accepted } from "./validate.ts";

/** What the handlers need of their connection. */
export interface HandlerPort extends RunPort {
  readonly connection: MockConnection;
  blame(mistake: Mistake): void;
  /** A ping was processed. */
  beat(): void;
}

/** What the server does about each message, once it has passed the checks. */
export class Handlers {
  readonly topics = new Set<string>();
  /** What the client's session id has done before; set when that is known. */
  history = new ClientHistory();
  readonly #backend: CodebuffBackend;
  readonly #port: HandlerPort;
  readonly #runs = new Set<Run>();

  constructor(backend: CodebuffBackend, port: HandlerPort) {
    this.#backend = backend;
    this.#port = port;
  }

  /** Whether an answer is under way. */
  get busy(): boolean {
    return this.#runs.size > 0;
  }

  /** The prompts under way that have no terminal message yet. */
  get unanswered(): readonly string[] {
    return [...this.#runs].filter((run) => run.awaited).map((run) => run.prompt.promptId);
  }

  /** Stops the answers under way. */
  stop(): void {
    for (const run of this.#runs) run.stop();
  }

  /** Settles when the message is done with. `ack` may be called early, and more than once. */
  async handle({ txid, message }: Accepted, ack: () => void): Promise<void> {
    switch (message.type) {
      case "identify":
        return this.#port.blame({ kind: "second-identify", detail: message.clientSessionId });
      case "ping":
        return this.#port.beat();
      case "subscribe":
      case "unsubscribe":
        return this.#changeTopics(message.type, message.topics);
      case "action":
        return message.data.type === "prompt" ? this.#answer(message.data, txid, ack) : this.#init();
    }
  }

  #changeTopics(type: "subscribe" | "unsubscribe", topics: readonly string[]): void {
    const { frames, journal, settings } = this.#backend;
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
    journal.changed();
  }

  #init(): void {
    const { frames, settings } = this.#backend;
    if (settings.init === "ack-only") return;
    const failed = settings.init !== "respond" && `Failed to initialize session: ${settings.init.error}`;
    this.#port.send(failed ? frames.nack(undefined, `Internal error: ${failed}`) : frames.initResponse());
  }

  async #answer(data: PromptData, txid: number, ack: () => void): Promise<void> {
    const { answer, clock, frames, journal, settings } = this.#backend;
    const { connection } = this.#port;
    const { promptId } = data;
    const mistake = this.history.sawPrompt(promptId);
    if (mistake) this.#port.blame(mistake);

    const prompt: ReceivedPrompt = { connection, txid, promptId, data, messages: promptMessages(data) };
    const port: RunPort = {
      ...this.#port,
      send: (raw) => {
        this.#port.send(raw);
        // Only the oddity "chunk before ack" has left the ack until here.
        if (settings.ackOrder === "before") ack();
      },
    };
    if (prompt.messages.length === 0) {
      this.#port.blame({ kind: "empty-prompt", detail: promptId });
      journal.addPrompt(prompt);
      const message = "Failed to process prompt: No messages found in prompt action";
      port.send(frames.promptError(promptId, { message }));
      return;
    }

    const run = new Run({ prompt, answer, port, frames, settings, clock });
    this.#runs.add(run);
    journal.addPrompt(prompt);
    for (const raw of noiseBeforeAnswer(settings.oddities, frames, promptId)) port.send(raw);
    await run.perform();
    this.#runs.delete(run);
  }
}
