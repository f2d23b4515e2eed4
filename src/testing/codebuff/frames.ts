import type { Settings } from "./options.ts";
import { PythonFloat, writePythonJson } from "./python-json.ts";

/** Fields of a prompt-response that a script may set. */
export interface PromptResponseFields {
  readonly promptId?: string;
  readonly sessionState?: unknown;
  readonly toolCalls?: readonly unknown[] | null;
  readonly toolResults?: readonly unknown[] | null;
  readonly output?: unknown;
}

/** Fields of a prompt-error that a script may set. */
export interface PromptErrorFields {
  readonly message: string;
  /** @default the message */
  readonly error?: string | null;
  /** @default null */
  readonly remainingBalance?: number | null;
}

type Fields = Readonly<Record<string, unknown>>;

/** Writes the frames of one server, in its style. */
export class FrameWriter {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  ack(txid: number | undefined): string {
    return this.#control({ type: "ack", txid: txid ?? null, success: true, error: null });
  }

  nack(txid: number | undefined, error: string): string {
    return this.#control({ type: "ack", txid: txid ?? null, success: false, error });
  }

  initResponse(): string {
    const data = this.#withoutNulls(this.#settings.nulls !== "keep", {
      type: "init-response",
      message: "Session initialized successfully",
      agentNames: null,
      usage: new PythonFloat(0),
      remainingBalance: new PythonFloat(this.#settings.balance),
      next_quota_reset: null,
    });
    return this.#control({ type: "action", data });
  }

  chunk(promptId: string, chunk: unknown): string {
    return this.#prompt({ type: "response-chunk", userInputId: promptId, chunk });
  }

  promptResponse(promptId: string, sessionState: unknown, fields: PromptResponseFields = {}): string {
    return this.#prompt({
      type: "prompt-response",
      promptId,
      sessionState,
      toolCalls: null,
      toolResults: null,
      output: null,
      ...fields,
    });
  }

  promptError(promptId: string, fields: PromptErrorFields): string {
    const { message, error = message, remainingBalance = null } = fields;
    return this.#prompt({
      type: "prompt-error",
      userInputId: promptId,
      message,
      error,
      remainingBalance: remainingBalance === null ? null : new PythonFloat(remainingBalance),
    });
  }

  /** What the real proxy writes with `json.dumps` after dropping nulls. */
  #control(message: Fields): string {
    const style = this.#settings.jsonStyle === "compact" ? "compact" : "spaced";
    return writePythonJson(this.#withoutNulls(this.#settings.nulls !== "keep", message), style);
  }

  /** What it writes straight from its models. */
  #prompt(data: Fields): string {
    const style = this.#settings.jsonStyle === "spaced" ? "spaced" : "compact";
    const fields = this.#withoutNulls(this.#settings.nulls === "omit", data);
    return writePythonJson({ type: "action", data: fields }, style);
  }

  /** One level deep: a null within a session state is the user's. */
  #withoutNulls(omit: boolean, fields: Fields): Fields {
    return omit ? Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) : fields;
  }
}
