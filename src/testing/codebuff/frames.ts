// Writes frames in the JSON style of each server.
import { type JsonStyle, PythonFloat, writePythonJson } from "../server/python-json.ts";
import type { AccountFigures, PromptErrorFields, PromptResponseFields } from "./messages.ts";
import type { CodebuffMockSettings } from "./options.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Writes the frames of one server, in its style. */
export class FrameWriter {
  readonly #settings: CodebuffMockSettings;

  constructor(settings: CodebuffMockSettings) {
    this.#settings = settings;
  }

  ack(txid: number | undefined): string {
    return this.#control({ type: "ack", txid: txid ?? null, success: true, error: null });
  }

  /** `txid` is what the client sent, which need not be a number. */
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

  /** Any action, with its fields as they are: what a script spells out, it gets. */
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

  /** What the real proxy writes with `json.dumps` after dropping nulls. */
  #control(message: Fields): string {
    const style = this.#settings.jsonStyle === "compact" ? "compact" : "spaced";
    return writePythonJson(this.#withoutNulls(this.#settings.nulls !== "keep", message), style);
  }

  /** What it writes straight from its models. */
  #prompt(data: Fields): string {
    return this.action(this.#withoutNulls(this.#settings.nulls === "omit", data));
  }

  get #promptStyle(): JsonStyle {
    return this.#settings.jsonStyle === "spaced" ? "spaced" : "compact";
  }

  /** Python holds amounts as floats, and writes a point into whole ones. */
  #amount(value: number | null): unknown {
    return this.#settings.errorTexts === "python" && value !== null ? new PythonFloat(value) : value;
  }

  /** One level deep: a null within a session state is the user's. */
  #withoutNulls(omit: boolean, fields: Fields): Fields {
    return omit ? Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) : fields;
  }
}
