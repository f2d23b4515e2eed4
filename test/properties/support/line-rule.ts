import type { SentFrame } from "./watched-socket.ts";

/** What a client begins by itself: nothing of it may reach a proxy that works on a prompt. */
const BEGUN: ReadonlySet<string> = new Set(["ping", "prompt", "init", "subscribe", "unsubscribe"]);

/** What a server asks for. In the middle of a prompt, it shows that this server reads while it works. */
const ASKED: ReadonlySet<unknown> = new Set([
  "tool-call-request",
  "read-files",
  "read-files-request",
  "request-mcp-tool-data",
]);

/** ms of silence after which one ping may ask whether the prompt still runs. */
const PROBE_AFTER = 120_000;

/**
 * Whether one socket, of a proxy that reads nothing while it works, is written to only when it should be. Judged by the
 * frames alone. Where they leave open whether a prompt runs, the rule gives way.
 */
export class LineRule {
  /** The prompts that run, by id, with the txid of each. */
  readonly #running = new Map<string, number>();
  /** Those that seemed over, on any socket. One of them that goes on shows that this server does not work in order. */
  readonly #over: Set<string>;
  #silentSince = 0;
  #hasProbed = false;
  #isSure = true;

  constructor(over: Set<string>) {
    this.#over = over;
  }

  /** The client is about to be told of a frame. */
  hears(raw: unknown, now: number): void {
    const message = read(raw);
    // What cannot be read is no sign that the server still works.
    if (message["type"] !== undefined) this.#silentSince = now;
    if (message["type"] === "ack") this.#hearsAck(message);
    else if (message["type"] === "action") this.#hearsAction(read(message["data"]));
  }

  /** The client writes a frame; returns what is wrong with that. */
  writes({ type, txid, data }: SentFrame, now: number): string | undefined {
    if (!BEGUN.has(type)) return undefined;
    const [running] = this.#running.keys();
    const isProbe = type === "ping" && now - this.#silentSince >= PROBE_AFTER && !this.#hasProbed;
    if (isProbe) this.#hasProbed = true;
    if (type === "prompt") {
      this.#running.set(String(data["promptId"]), txid);
      this.#silentSince = now;
      this.#hasProbed = false;
    }
    return running !== undefined && this.#isSure && !isProbe
      ? `wrote ${type} while ${running} ran`
      : undefined;
  }

  #hearsAck({ txid, success }: Fields): void {
    if (typeof txid !== "number") {
      if (success === false) this.#isSure = false; // it may have ended anything
      return;
    }
    this.#endBefore(txid);
    for (const [id, its] of this.#running) if (its === txid && success === false) this.#end(id);
  }

  #hearsAction({ type, promptId, userInputId }: Fields): void {
    if (type === "action-error") this.#isSure = false;
    if (ASKED.has(type) && this.#running.size > 0) this.#isSure = false;
    const named = promptId ?? userInputId;
    if (typeof named !== "string") return;
    for (const id of this.#over) if (named === id || named.startsWith(`${id}-`)) this.#isSure = false;
    for (const [id, txid] of [...this.#running]) {
      if (named !== id && !named.startsWith(`${id}-`)) continue;
      this.#endBefore(txid);
      if (named === id && (type === "prompt-response" || type === "prompt-error")) this.#end(id);
    }
  }

  /** A proxy works in order: who is heard of now has come behind these. */
  #endBefore(before: number): void {
    for (const [id, txid] of [...this.#running]) if (txid < before) this.#end(id);
  }

  #end(id: string): void {
    this.#running.delete(id);
    this.#over.add(id);
  }
}

type Fields = Readonly<Record<string, unknown>>;

function read(raw: unknown): Fields {
  try {
    const value: unknown = typeof raw === "string" ? JSON.parse(raw) : raw;
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
