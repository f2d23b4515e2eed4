import { type CassConversation, type CassStoredMessage, isAgentwireError, parseTags } from "agentwire/cass";
import { element, find, fromTemplate } from "./dom.ts";
import { factsOf, Reply } from "./reply.ts";
import type { Session } from "./session.ts";
import { plain } from "./trouble.ts";

type CassTurn = ReturnType<CassConversation["prompt"]>;

/** What a thread tells the page around it. */
export interface ThreadHost {
  /** There is more to see. */
  grown(): void;
  /** More replies are awaited, or fewer. */
  changed(): void;
  /** The server keeps it now, or has more of it. */
  stored(): void;
}

/** One conversation on the page. It goes on while another one is looked at. */
export class Thread {
  readonly element = element("div", "thread");
  readonly #session: Session;
  readonly #host: ThreadHost;
  /** What is awaited, the oldest first. */
  readonly #awaited = new Map<CassTurn, Reply>();
  /** What came of turns that have ended. */
  readonly #answered = new WeakMap<CassTurn, Reply>();
  /** Ends with the session. */
  readonly #signal: AbortSignal;
  #id: string | undefined;
  #conversation: Promise<CassConversation> | undefined;

  /** @param id undefined for one that the server does not keep, or not until something is said in it */
  constructor(session: Session, id: string | undefined, host: ThreadHost, signal: AbortSignal) {
    this.#session = session;
    this.#id = id;
    this.#host = host;
    this.#signal = signal;
    session.client.on("disconnected", () => this.#onLoss(), { signal });
    session.client.on("audio", (audio, turn) => this.#answered.get(turn)?.speaks(audio), { signal });
  }

  get id(): string | undefined {
    return this.#id;
  }

  get isEmpty(): boolean {
    return this.element.childElementCount === 0;
  }

  /** Whether a reply is awaited. */
  get isBusy(): boolean {
    return this.#awaited.size > 0;
  }

  /** Shows what the server has kept. */
  async load(): Promise<void> {
    if (this.#id === undefined) return;
    try {
      const { messages } = await this.#session.client.rest.getConversation(this.#id, {
        signal: this.#signal,
      });
      const before = messages.map((message) =>
        message.role === "user" ? mine(message.content) : this.#kept(message),
      );
      this.element.prepend(...before);
    } catch (error) {
      this.element.prepend(element("p", "system", `What was said before cannot be read: ${plain(error)}`));
    }
    this.#host.grown();
  }

  /** Says something, and shows how it is answered. */
  async say(text: string): Promise<void> {
    const reply = new Reply(this.#signal);
    this.element.append(mine(text), reply.element);
    reply.status("queued");
    this.#host.grown();
    const again = (): void => void this.say(text);
    try {
      const conversation = await this.#open();
      await this.#follow(conversation.prompt(text), reply, again);
    } catch (error) {
      if (!isAgentwireError(error)) throw error;
      reply.failed(error, again);
    }
    this.#host.grown();
  }

  /** What the server says besides. */
  note(text: string): void {
    this.element.append(element("p", "system", text));
    this.#host.grown();
  }

  /** Gives up the reply that is awaited longest. */
  cancel(): void {
    const [turn] = this.#awaited.keys();
    void turn?.cancel();
  }

  async #follow(turn: CassTurn, reply: Reply, again: () => void): Promise<void> {
    this.#awaited.set(turn, reply);
    this.#host.changed();
    turn.on("status", (status) => reply.status(status));
    turn.on("event", (event) => {
      reply.heard(event);
      this.#host.grown();
    });
    const outcome = await turn.outcome;
    this.#awaited.delete(turn);
    this.#answered.set(turn, reply);
    this.#host.changed();
    switch (outcome.status) {
      case "completed":
        reply.completed(outcome.result);
        this.#host.stored();
        break;
      case "cancelled":
        reply.cancelled();
        break;
      case "failed":
        reply.failed(outcome.error, again);
        break;
    }
  }

  /** The conversation that a prompt belongs to. Where the server keeps it, it has to exist first. */
  #open(): Promise<CassConversation> {
    this.#conversation ??= this.#make().catch((error: unknown) => {
      this.#conversation = undefined; // the next message tries again
      throw error;
    });
    return this.#conversation;
  }

  async #make(): Promise<CassConversation> {
    const { client, isSignedIn } = this.#session;
    if (this.#id === undefined && isSignedIn) {
      const { id } = await client.rest.newConversation();
      this.#id = id;
      this.#host.stored();
    }
    return client.conversation(this.#id === undefined ? {} : { id: this.#id });
  }

  #onLoss(): void {
    for (const [turn, reply] of this.#awaited) if (turn.status !== "queued") reply.lost();
  }

  #kept({ content, provider, model, input_tokens, output_tokens }: CassStoredMessage): HTMLElement {
    const reply = new Reply(this.#signal);
    // Most tags were taken out before it was stored, and with them their places; what is left is taken out here.
    const { text, reasoning } = parseTags(content);
    const facts = factsOf({ provider, model, inputTokens: input_tokens, outputTokens: output_tokens });
    reply.show({ text, reasoning, animations: [], facts });
    return reply.element;
  }
}

function mine(text: string): HTMLElement {
  const message = fromTemplate("mine-template", HTMLElement);
  find(message, ".bubble", HTMLElement).textContent = text;
  return message;
}
