// Answers each request: faults first, then the route.
import type { IncomingMessage, ServerResponse } from "node:http";
import { agentRuns, steps } from "./agent-runs.ts";
import type { Backend } from "./backend.ts";
import { agents, docsSearch, healthz, me, tokenCount, webSearch } from "./bookkeeping.ts";
import { type Call, failed, type HttpReply, NOT_FOUND } from "./call.ts";
import { CHAT_FAILED, chat, directChat } from "./chat.ts";
import { Exchange } from "./exchange.ts";
import { playFault } from "./faults.ts";
import { readBodyText, readCall } from "./read-call.ts";
import type { BackendEndpoint } from "./record.ts";
import { noteRequest } from "./rules.ts";

const HANDLERS: {
  readonly [endpoint in Exclude<BackendEndpoint, "chat">]: (call: Call, backend: Backend) => HttpReply;
} = {
  healthz,
  me,
  agents,
  "agent-runs": agentRuns,
  steps,
  "token-count": tokenCount,
  "web-search": webSearch,
  "docs-search": docsSearch,
};

export class Service {
  readonly #backend: Backend;
  readonly #exchanges = new Set<Exchange>();

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** Answers one request. Never rejects. */
  async answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readBodyText(message);
    // The client left before the request was complete.
    if (text === undefined) return;
    const { journal, clock, faults } = this.#backend;
    const call = readCall(message, text, this.#backend);
    const { record } = call;
    const exchange = new Exchange(message, response, { record, journal, clock });
    this.#exchanges.add(exchange);
    try {
      const fault = faults.next(record);
      journal.requests.push(record);
      noteRequest(call, this.#backend);
      journal.changed();
      if (!fault || (await playFault(fault, record, exchange)) === "goes on")
        await this.#serve(call, exchange);
    } catch (error) {
      journal.threw(error);
      if (record.response) exchange.cut();
      else exchange.reply(record.endpoint === "chat" ? CHAT_FAILED : failed(500));
    } finally {
      this.#exchanges.delete(exchange);
    }
  }

  stop(): void {
    for (const exchange of this.#exchanges) exchange.abandon();
    this.#backend.journal.end(new Error("The mock server has stopped, so this cannot happen any more"));
  }

  async #serve(call: Call, exchange: Exchange): Promise<void> {
    const { endpoint, direct } = call.route;
    if (endpoint === undefined) exchange.reply(NOT_FOUND);
    else if (endpoint === "chat") await (direct ? directChat : chat)(call, this.#backend, exchange);
    else {
      const reply = HANDLERS[endpoint](call, this.#backend);
      const { finishSlowMs } = this.#backend.settings;
      if (call.record.action === "FINISH") await exchange.delay(finishSlowMs);
      exchange.reply(reply);
    }
  }
}
