import type { AcpClient } from "agentwire/acp";

/** The most lines that are kept for a report. */
const MAX_LINES = 200;

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly options?: readonly { readonly optionId: string; readonly kind: string }[] };
  readonly result?: { readonly outcome?: { readonly outcome: string; readonly optionId?: string } };
}

/** Reads the wire of a scenario's clients: what was answered to permission requests, and the last lines. */
export class WireTap {
  readonly lines: string[] = [];
  readonly chosen: string[] = [];
  readonly requested = new Set<string>();

  listen(client: AcpClient): void {
    const asked = new Map<unknown, Message>();
    client.on("protocolWarning", ({ message }) => this.#keep(`!! ${message}`));
    client.on("frame", ({ direction, text }) => {
      this.#keep(`${direction === "in" ? "<<" : ">>"} ${text}`);
      const message = parsed(text);
      if (direction === "in" && message?.method !== undefined && message.id !== undefined)
        this.requested.add(message.method);
      if (direction === "in" && message?.method === "session/request_permission")
        asked.set(message.id, message);
      const outcome = direction === "out" ? message?.result?.outcome : undefined;
      const options = outcome && asked.get(message?.id)?.params?.options;
      if (!options) return;
      const option = options.find(({ optionId }) => optionId === outcome.optionId);
      this.chosen.push(option?.kind ?? outcome.outcome);
    });
  }

  #keep(line: string): void {
    this.lines.push(line);
    if (this.lines.length > 2 * MAX_LINES) this.lines.splice(0, MAX_LINES);
  }
}

function parsed(text: string): Message | undefined {
  try {
    return JSON.parse(text) as Message;
  } catch {
    return undefined; // a stray line
  }
}
