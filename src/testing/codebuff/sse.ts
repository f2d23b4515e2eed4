// Chunks that hold raw server-sent events, as the deployed proxy sends them.
import { writePythonJson } from "../server/python-json.ts";
import type { SseErrorFields } from "./messages.ts";

/** The chunks of one answer as the deployed proxy passes them on: raw SSE frames of an OpenAI stream. */
export class SseStream {
  readonly #model: string;
  #started = false;

  constructor(model: string) {
    this.#model = model;
  }

  chunk(text: string): string {
    // The stream's first delta names the role, the later ones do not.
    const delta = this.#started ? { content: text } : { role: "assistant", content: text };
    this.#started = true;
    return sseFrame({ ...this.#head(), choices: [{ index: 0, delta, finish_reason: null }] });
  }

  /** The proxy makes this frame by itself, with its keys in another order. */
  stop(): string {
    const { id, object, created, model } = this.#head();
    const choices = [{ index: 0, delta: {}, finish_reason: "stop" }];
    return sseFrame({ object, choices, id, model, created });
  }

  error({ message, type = "BackendError", status = 404, retryable = false }: SseErrorFields): string {
    return sseFrame({
      ...this.#head(),
      choices: [{ index: 0, delta: {}, finish_reason: "error" }],
      error: { type, message, code: String(status), retryable, status_code: status },
    });
  }

  done(): string {
    return "data: [DONE]\n\n";
  }

  #head() {
    return { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: this.#model };
  }
}

function sseFrame(payload: object): string {
  return `data: ${writePythonJson(payload, "spaced")}\n\n`;
}

/** What the real proxy sends as a chunk where it forgets to read an object. */
export const PYTHON_OBJECT =
  "<src.core.interfaces.response_processor_interface.ProcessedResponse object at 0x7f3a5c0d1e50>";
