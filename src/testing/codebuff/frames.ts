// Writes frames in the JSON style of each server.
import { type JsonStyle, PythonFloat, writePythonJson } from "../server/python-json.ts";
import type { AccountFigures, PromptErrorFields, PromptResponseFields } from "./messages.ts";
import type { CodebuffMockSettings } from "./options.ts";

type Fields = Readonly<Record<string, unknown>>;

export class FrameWriter {
  readonly #settings: CodebuffMockSettings;

  constructor(settings: CodebuffMockSettings) {
    this.#settings = settings;
  }

  ack(txid: number | undefined): string {
    return this.#control({ type: "ack", txid: txid ?? null, success: true, error: null });
  }

  /** `txid` is the client's value, which may not be a number. */
  nack(txid: unknown, error: string): string {
    return this.#control({ type: "ack", txid: txid ?? null, success: false, error });
  }

  initResponse(): string {
    const data = this.#withoutNulls(this.#settings.nulls !== "keep", {
      type: "init-response",
      message: "Session initialized successfully",
      agentNames: null,
      usage: this.#amount(0),
      remainingBalance: this.#amount(this.#settings.balance),
      next_quota_reset: null,
    });
    return this.#control({ type: "action", data });
  }

  usageResponse(figures: AccountFigures): string {
    return this.action({ type: "usage-response", ...figures });
  }

  /** Writes any action, with its fields unchanged. */
  action(data: Fields): string {
    return writePythonJson({ type: "action", data }, this.#promptStyle);
  }

  actionError({ message, error = null, remainingBalance = null }: PromptErrorFields): string {
    return this.#prompt({
      type: "action-error",
      message,
      error,
      remainingBalance: this.#amount(remainingBalance),
    });
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
    const { message, remainingBalance = null } = fields;
    const { error = this.#settings.errorTexts === "python" ? message : null } = fields;
    return this.#prompt({
      type: "prompt-error",
      userInputId: promptId,
      message,
      error,
      remainingBalance: this.#amount(remainingBalance),
    });
  }

  /** Like `json.dumps` on the real proxy, after nulls are removed. */
  #control(message: Fields): string {
    const style = this.#settings.jsonStyle === "compact" ? "compact" : "spaced";
    return writePythonJson(this.#withoutNulls(this.#settings.nulls !== "keep", message), style);
  }

  /** Like the real proxy's serialised models. */
  #prompt(data: Fields): string {
    return this.action(this.#withoutNulls(this.#settings.nulls === "omit", data));
  }

  get #promptStyle(): JsonStyle {
    return this.#settings.jsonStyle === "spaced" ? "spaced" : "compact";
  }

  /** Python keeps amounts as floats, so whole amounts are written with `.0`. */
  #amount(value: number | null): unknown {
    return this.#settings.errorTexts === "python" && value !== null ? new PythonFloat(value) : value;
  }

  /** Removes nulls at the top level only: nulls inside a session state belong to the user. */
  #withoutNulls(omit: boolean, fields: Fields): Fields {
    return omit ? Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) : fields;
  }
}
