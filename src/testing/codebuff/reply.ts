// Writes the frames of an answer's steps.
import type { Account } from "./account.ts";
import type { FrameWriter } from "./frames.ts";
import { PrintModeStream } from "./print-mode.ts";
import type { Settings } from "./profiles.ts";
import { agentHistory, appendTurn, nextAgentState } from "./prompt-messages.ts";
import type { ReceivedPrompt } from "./record.ts";
import type { PromptErrorFields, PromptResponseFields, Step, SubAgentStep } from "./script.ts";
import { SseStream } from "./sse.ts";

/** What a running answer does to its connection. */
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
  readonly settings: Settings;
  readonly account: Account;
}

/** The steps that are done at once. */
export type PromptStep =
  | Exclude<Step, string | { kind: "silent" | "hang" | "delay" | "request" | "answer-to" }>
  | { readonly kind: "text"; readonly text: string };

const PYTHON_OBJECT =
  "<src.core.interfaces.response_processor_interface.ProcessedResponse object at 0x7f3a5c0d1e50>";
/** Credits that an answer costs whose script reports no cost. */
const USUAL_COST = 1;

/** What is said to one prompt: writes the frames of its steps, in the manner of the server. */
export class Reply {
  readonly #options: ReplyOptions;
  readonly #sse: SseStream;
  readonly #printMode: PrintModeStream | undefined;
  #text = "";
  #cost: number | undefined;
  #settled = false;
  #responded = false;

  constructor(options: ReplyOptions) {
    const { data } = options.prompt;
    this.#options = options;
    this.#sse = new SseStream(data.model ?? "gpt-4");
    if (options.settings.chunks === "print-mode")
      this.#printMode = new PrintModeStream(data.agentId ?? "base", agentHistory(data).length);
  }

  /** Whether the client has its terminal message, or wants none any more. */
  get settled(): boolean {
    return this.#settled;
  }

  /** The client wants no more of it. */
  cancel(): void {
    this.#settled = true;
    this.#printMode?.cut();
  }

  /** The script has said all it had to say. */
  end(): void {
    if (this.#settled) return;
    if (this.#options.settings.chunks === "openai-sse") {
      this.#chunk(this.#sse.stop());
      this.#chunk(this.#sse.done());
    }
    this.respond({});
  }

  /** What follows a whole answer. */
  afterword(): void {
    const { port, frames, settings, account } = this.#options;
    if (this.#responded && settings.usage === "around") port.send(frames.usageResponse(account.figures));
  }

  /** An action of the server in the middle of the answer. */
  act(data: Readonly<Record<string, unknown>>): void {
    const { port, frames } = this.#options;
    this.interlude();
    port.send(frames.action(data));
  }

  /** What the strings so far have said must be out before anything else comes. */
  interlude(): void {
    for (const chunk of this.#printMode?.interlude() ?? []) this.#send(chunk);
  }

  perform(step: PromptStep): void {
    const { port, frames, account, prompt } = this.#options;
    const { promptId } = prompt;
    switch (step.kind) {
      case "text":
        this.#sayText(step.text);
        break;
      case "chunk":
        if (typeof step.chunk === "string") this.#text += step.chunk;
        this.#say(step.chunk);
        break;
      case "sse-chunk":
        this.#text += step.text;
        this.#chunk(this.#sse.chunk(step.text));
        break;
      case "sse-stop":
        this.#chunk(this.#sse.stop());
        break;
      case "sse-error":
        this.#chunk(this.#sse.error(step.error));
        break;
      case "sse-done":
        this.#chunk(this.#sse.done());
        break;
      case "repr":
        this.#chunk(PYTHON_OBJECT);
        break;
      case "raw":
        port.send(step.frame);
        break;
      case "action": {
        const { type, idField, fields } = step;
        this.act({ type, ...(idField ? { [idField]: promptId } : {}), ...fields });
        break;
      }
      case "usage":
        this.interlude();
        port.send(frames.usageResponse({ ...account.figures, ...step.fields }));
        break;
      case "cost": {
        const { credits, agentId } = step;
        this.#cost = (this.#cost ?? 0) + credits;
        this.act({ type: "message-cost-response", promptId, credits, agentId });
        break;
      }
      case "sub-agent":
        this.interlude();
        this.#speakAs(`${promptId}-${step.suffix}`, step.step);
        break;
      case "respond":
        this.respond(step.fields);
        break;
      case "prompt-error":
        this.fail(step.fields);
        break;
      case "action-error":
        port.send(frames.actionError(step.fields));
        break;
      case "nack":
        port.send(frames.nack(undefined, step.error));
        break;
      case "drop":
        port.drop();
        break;
      case "drop-mid-frame":
        port.dropMidFrame(step.frame ?? frames.chunk(promptId, "this chunk is cut in two"));
        break;
      case "close":
        port.close(step.code, step.reason);
        break;
    }
  }

  respond(fields: PromptResponseFields): void {
    const { port, frames, account, prompt } = this.#options;
    const cost = this.#cost ?? USUAL_COST;
    for (const chunk of this.#printMode?.end(cost) ?? []) this.#send(chunk);
    const { sessionState, ...usual } = this.#results(cost);
    // Before it counts as sent: a state that is nested too deep cannot be written.
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

  #speakAs(userInputId: string, step: SubAgentStep): void {
    const { port, frames, prompt } = this.#options;
    if (typeof step === "string") port.send(frames.chunk(userInputId, step));
    else if (step.kind === "chunk") port.send(frames.chunk(userInputId, step.chunk));
    else if (step.kind === "prompt-error") port.send(frames.promptError(userInputId, step.fields));
    else port.send(frames.promptResponse(userInputId, prompt.data.sessionState, step.fields));
  }

  #sayText(text: string): void {
    this.#text += text;
    const { chunks } = this.#options.settings;
    if (chunks === "repr") this.#chunk(PYTHON_OBJECT);
    else if (chunks === "openai-sse") this.#chunk(this.#sse.chunk(text));
    else this.#say(text);
  }

  /** A chunk in the manner of the server. */
  #say(chunk: string | object): void {
    for (const each of this.#printMode?.chunk(chunk) ?? [chunk]) this.#send(each);
  }

  /** A chunk that is as it is. */
  #chunk(chunk: string): void {
    this.interlude();
    this.#send(chunk);
  }

  #send(chunk: string | object): void {
    const { port, frames, prompt } = this.#options;
    port.send(frames.chunk(prompt.promptId, chunk));
  }
}
