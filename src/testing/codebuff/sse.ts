// Chunks that contain raw server-sent events, as the deployed proxy sends them.
import { writePythonJson } from "../server/python-json.ts";
import type { SseErrorFields } from "./messages.ts";

/** The chunks of one answer, as the deployed proxy forwards them: raw SSE frames of an OpenAI stream. */
export class SseStream {
  readonly #model: string;
  #started = false;

  constructor(model: string) {
    this.#model = model;
  }

  chunk(text: string): string {
    // Only the first delta has the role.
    const delta = this.#started ? { content: text } : { role: "assistant", content: text };
    this.#started = true;
    return sseFrame({ ...this.#head(), choices: [{ index: 0, delta, finish_reason: null }] });
  }

  /** The proxy itself makes this frame, with another key order. */
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

/** The chunk that the real proxy sends when it forwards an object without reading it. */
export const PYTHON_OBJECT =
  "<src.core.interfaces.response_processor_interface.ProcessedResponse object at 0x7f3a5c0d1e50>";
