// Writes the frames of one answer, in the style of the server.
import type { Account } from "./account.ts";
import type { FrameWriter } from "./frames.ts";
import type { AccountFigures, PromptErrorFields, PromptResponseFields } from "./messages.ts";
import type { CodebuffMockSettings } from "./options.ts";
import { PrintModeStream } from "./print-mode.ts";
import { agentHistory, appendTurn, nextAgentState } from "./prompt-messages.ts";
import type { ReceivedPrompt } from "./record.ts";
import { PYTHON_OBJECT, SseStream } from "./sse.ts";

/** The connection, as a running answer uses it. */
export interface RunPort {
  send(text: string): void;
  close(code: number, reason: string): void;
  drop(): void;
  dropMidFrame(text: string): void;
}

export interface ReplyOptions {
  readonly prompt: ReceivedPrompt;
  readonly port: RunPort;
  readonly frames: FrameWriter;
  readonly settings: CodebuffMockSettings;
  readonly account: Account;
}

/** The cost in credits of an answer whose script reports no cost. */
const USUAL_COST = 1;

export class PromptReply {
  readonly sse: SseStream;
  readonly #options: ReplyOptions;
  readonly #printMode: PrintModeStream | undefined;
  #text = "";
  #cost: number | undefined;
  #settled = false;
  #responded = false;

  constructor(options: ReplyOptions) {
    const { data } = options.prompt;
    this.#options = options;
    this.sse = new SseStream(data.model ?? "gpt-4");
    if (options.settings.chunks === "print-mode")
      this.#printMode = new PrintModeStream(data.agentId ?? "base", agentHistory(data).length);
  }

  get figures(): AccountFigures {
    return this.#options.account.figures;
  }

  /** Whether the client has its terminal message, or has cancelled. */
  get settled(): boolean {
    return this.#settled;
  }

  /** The client cancelled the prompt. */
  cancel(): void {
    this.#settled = true;
    this.#printMode?.cut();
  }

  end(): void {
    if (this.#settled) return;
    if (this.#options.settings.chunks === "openai-sse") {
      this.raw(this.sse.stop());
      this.raw(this.sse.done());
    }
    this.respond({});
  }

  /** Sends the usage that follows a whole answer. */
  afterword(): void {
    const { port, frames, settings } = this.#options;
    if (this.#responded && settings.usage === "around") port.send(frames.usageResponse(this.figures));
  }

  /** Sends a string step, as the switch `chunks` says. */
  text(text: string): void {
    const { chunks } = this.#options.settings;
    if (chunks === "repr") this.raw(PYTHON_OBJECT, text);
    else if (chunks === "openai-sse") this.raw(this.sse.chunk(text), text);
    else this.say(text);
  }

  say(chunk: string | object): void {
    if (typeof chunk === "string") this.#text += chunk;
    for (const each of this.#printMode?.chunk(chunk) ?? [chunk]) this.#send(each);
  }

  /** Sends a chunk unchanged. @param text the text that the chunk contains */
  raw(chunk: string, text = ""): void {
    this.#text += text;
    this.interlude();
    this.#send(chunk);
  }

  act(data: Readonly<Record<string, unknown>>): void {
    const { port, frames } = this.#options;
    this.interlude();
    port.send(frames.action(data));
  }

  /** Sends pending events, such as the text of the strings so far. */
  interlude(): void {
    for (const chunk of this.#printMode?.interlude() ?? []) this.#send(chunk);
  }

  addCost(credits: number, agentId: string | undefined): void {
    const { promptId } = this.#options.prompt;
    this.#cost = (this.#cost ?? 0) + credits;
    this.act({ type: "message-cost-response", promptId, credits, agentId });
  }

  respond(fields: PromptResponseFields): void {
    const { port, frames, account, prompt } = this.#options;
    const cost = this.#cost ?? USUAL_COST;
    for (const chunk of this.#printMode?.end(cost) ?? []) this.#send(chunk);
    const { sessionState, ...usual } = this.#results(cost);
    // Write the frame first: writing throws for a state that is nested too deeply.
    const frame = frames.promptResponse(prompt.promptId, sessionState, { ...usual, ...fields });
    if (!this.#responded) account.charge(cost);
    this.#settled = true;
    this.#responded = true;
    port.send(frame);
  }

  fail(fields: PromptErrorFields): void {
    const { port, frames, prompt } = this.#options;
    this.#settled = true;
    port.send(frames.promptError(prompt.promptId, fields));
  }

  #results(cost: number): PromptResponseFields {
    const { prompt, settings } = this.#options;
    switch (settings.sessionState) {
      case "echo":
        return { sessionState: prompt.data.sessionState };
      case "append":
        return { sessionState: appendTurn(prompt.data, this.#text) };
      case "new": {
        const output = { type: "lastMessage", value: this.#text };
        const sessionState = nextAgentState(prompt.data, this.#text, cost);
        return { sessionState, toolCalls: [], toolResults: [], output };
      }
    }
  }

  #send(chunk: string | object): void {
    const { port, frames, prompt } = this.#options;
    port.send(frames.chunk(prompt.promptId, chunk));
  }
}
