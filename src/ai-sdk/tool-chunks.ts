// The tool calls, approvals and questions of one turn, as tool parts.
import { defined } from "../core/checks.ts";
import type { PermissionData, UniversalEvent } from "../universal/events.ts";
import { permissionFacts } from "../universal/item-content.ts";
import type { ChatApproval, ChatQuestionPart, ChatToolPart } from "../universal/transcript/message.ts";
import type { AskUserInput, ChunkSink } from "./message.ts";

/** The name of the tool part that holds a question to the user. */
export const ASK_USER = "ask_user";

/** The agent runs its tools itself, and the page does not know them. */
const OURS = { dynamic: true, providerExecuted: true } as const;

/** How far a call is shown: not yet, while its arguments stream, or whole. */
export interface ShownCall {
  stage: "held" | "writing" | "shown";
  /** The length of the arguments or of the output when they were last shown. */
  length: number;
  hasOutput: boolean;
  isDecided: boolean;
}

/** Whether a text that is shown whole each time is shown again: a long one only after it has grown by a part. */
export const isDue = (length: number, shown: number): boolean => length - shown > (shown - 16_384) / 16;

/**
 * What a text has gained since it had `length` characters. The delta of the event is the whole gain of the one text that
 * the event is about. Cutting the long text instead would copy all of it at each delta.
 */
export function gainOf(text: string, length: number, event: UniversalEvent): string {
  const delta = event.type === "item.delta" ? event.data.delta : "";
  return delta.length === text.length - length ? delta : text.slice(length);
}

export class ToolChunks {
  readonly #sink: ChunkSink;
  /** What `pause` shows, by request or call. */
  readonly #atPause = new Map<string, () => void>();
  readonly #asked = new Set<string>();
  /** The decisions and outputs that the page's messages already hold, by request. */
  readonly #replies = new Map<string, unknown>();
  /** The questions that were shown and wait. */
  readonly #questions = new Map<string, AskUserInput>();
  /** The calls whose arguments stream. */
  readonly #writing = new Set<ShownCall>();

  constructor(sink: ChunkSink) {
    this.#sink = sink;
  }

  /** Whether the user was shown this request. */
  hasShown(id: string): boolean {
    return this.#asked.has(id);
  }

  /** Shows a question again: the page's message already holds an answer. */
  askAgain(toolCallId: string): void {
    const input = this.#questions.get(toolCallId);
    if (input)
      this.#sink.put({
        type: "tool-input-available",
        toolCallId,
        toolName: ASK_USER,
        dynamic: true,
        input,
      });
  }

  /** The page's message holds the decision (`true`: approved) or the answer. */
  replied(id: string, reply: unknown): void {
    this.#replies.set(id, reply);
  }

  /** Whether arguments are streaming. A step that began now would cut their part in two. */
  get isWriting(): boolean {
    return this.#writing.size > 0;
  }

  /** Shows the open requests, because the stream ends while the agent waits for the user. */
  pause(): void {
    for (const show of this.#atPause.values()) show();
    this.#atPause.clear();
  }

  /** Shows what has changed in a call. Returns whether the call has its last state. */
  call(part: ChatToolPart, shown: ShownCall, event: UniversalEvent, agent: string | undefined): boolean {
    const { state, approval, output } = part;
    const toolCallId = this.#sink.key(part.callId);
    const hasFailed = state === "failed" || state === "abandoned";
    // The question that may follow takes the call's place.
    if (shown.stage === "held" && state === "requested" && /^ask[_-]?user$/i.test(part.name)) return false;
    if (shown.stage !== "shown") {
      const { input = {} } = part;
      const facts = defined({
        kind: part.kind,
        locations: part.locations?.map(({ path, line }) => ({ path, ...defined({ line }) })),
        agent,
      });
      const head = {
        toolCallId,
        toolName: part.name,
        ...OURS,
        ...defined({ title: part.title }),
        ...(Object.keys(facts).length > 0 ? { toolMetadata: facts } : {}),
      };
      if (shown.stage === "held") {
        this.#sink.step();
        this.#sink.put({ ...head, type: "tool-input-start" });
        shown.stage = "writing";
      }
      this.#writing.delete(shown);
      const mayGrow = event.type === "item.started" || event.type === "item.delta";
      if (typeof input === "string" && mayGrow) {
        this.#writing.add(shown);
        const inputTextDelta = gainOf(input, shown.length, event);
        shown.length = input.length;
        if (inputTextDelta) this.#sink.put({ type: "tool-input-delta", toolCallId, inputTextDelta });
        return false;
      }
      if (typeof input === "string" && hasFailed) {
        this.#sink.put({ ...head, type: "tool-input-error", input, errorText: "the arguments were cut off" });
        return true;
      }
      this.#sink.put({ ...head, type: "tool-input-available", input });
      shown.stage = "shown";
      shown.length = 0;
    }
    if (approval && !shown.isDecided) {
      if (approval.status === "requested") {
        if (event.type === "permission.requested" && event.data.permission_id === approval.id)
          this.#atPause.set(approval.id, () =>
            this.#request(toolCallId, approval, false, event.data, part.input),
          );
        return false;
      }
      shown.isDecided = true;
      if (this.#decided(toolCallId, approval)) return true;
    }
    const show = (preliminary: boolean): void => {
      shown.hasOutput = true;
      shown.length = output.length;
      const rest = preliminary ? { preliminary } : {};
      this.#sink.put({ type: "tool-output-available", toolCallId, output, ...rest });
    };
    // A part that stays `approval-responded` would be sent again.
    const key = `${toolCallId}/output`;
    this.#atPause.delete(key);
    switch (state) {
      case "requested":
      case "awaiting":
        return false;
      case "approved":
        this.#atPause.set(key, () => shown.hasOutput || show(true));
        return false;
      case "running":
        // Before an output nothing is shown: the backend may still deny the call, and a denied part has no output.
        if (output === "" && !approval) return false;
        if (!shown.hasOutput || isDue(output.length, shown.length)) show(true);
        return false;
      case "done":
        show(false);
        return true;
      case "denied":
        // The AI SDK knows a denial only as the response to a request, and of a call without an output.
        if (shown.hasOutput)
          this.#sink.put({ type: "tool-output-error", toolCallId, errorText: output || "denied" });
        else this.#decided(toolCallId, { id: `${toolCallId}/denied`, status: "reject", reason: "policy" });
        return true;
      case "failed":
      case "abandoned": {
        const errorText =
          output || (state === "failed" ? "the tool failed" : "the turn ended before the result");
        this.#sink.put({ type: "tool-output-error", toolCallId, errorText });
        return true;
      }
      default:
        return state satisfies never;
    }
  }

  /** Shows what has changed in a question. Returns whether it is over. */
  question(part: ChatQuestionPart): boolean {
    const { id: toolCallId, status, questions, reason } = part;
    const ask = (isOver: boolean): void => {
      this.#asked.add(toolCallId);
      const input: AskUserInput = { questions };
      this.#questions.set(toolCallId, input);
      const head = { toolCallId, toolName: ASK_USER, dynamic: true, ...(isOver ? OURS : {}) };
      this.#sink.step();
      this.#sink.put({ ...head, type: "tool-input-start" });
      this.#sink.put({ ...head, type: "tool-input-available", input });
    };
    if (status === "requested") {
      this.#atPause.set(toolCallId, () => ask(false));
      return false;
    }
    this.#atPause.delete(toolCallId);
    if (!this.#asked.has(toolCallId)) ask(true);
    this.#questions.delete(toolCallId);
    const given = part.answers.map(({ selected = [], other_text }) => [
      ...selected,
      ...(other_text ? [other_text] : []),
    ]);
    // With `providerExecuted`, the message does not look as if its answer was still to be sent.
    const over = { toolCallId, providerExecuted: true } as const;
    const output = this.#replies.get(toolCallId) ?? given;
    if (status === "answered") this.#sink.put({ ...over, type: "tool-output-available", output });
    else
      this.#sink.put({ ...over, type: "tool-output-error", errorText: `not answered (${reason ?? "user"})` });
    return true;
  }

  #request(
    toolCallId: string,
    { id: approvalId }: ChatApproval,
    isAutomatic: boolean,
    asked?: PermissionData,
    announced?: unknown,
  ): void {
    this.#asked.add(approvalId);
    const { preview, metadata } = asked ?? {};
    const { input = null, words } = permissionFacts({ metadata });
    // The backend may ask with another input than it has announced. The user decides on the input of the request.
    if (asked && input !== null && JSON.stringify(input) !== JSON.stringify(announced)) {
      const { action: toolName } = asked;
      this.#sink.put({ type: "tool-input-available", toolCallId, toolName, ...OURS, input });
    }
    const approvalDescriptor = { ...defined({ preview }), ...words };
    this.#sink.put({
      type: "tool-approval-request",
      approvalId,
      toolCallId,
      ...(Object.keys(approvalDescriptor).length > 0 ? { approvalDescriptor } : {}),
      ...(isAutomatic ? { isAutomatic } : {}),
    });
  }

  /** Shows a decision that the message does not hold yet. Returns whether the call was denied. */
  #decided(toolCallId: string, approval: ChatApproval): boolean {
    const { id: approvalId, status, reason } = approval;
    const approved = status !== "reject";
    const wasAsked = this.#asked.has(approvalId);
    this.#atPause.delete(approvalId);
    const isKnown = wasAsked ? this.#replies.get(approvalId) === approved : approved && reason === "user";
    if (!isKnown) {
      if (!wasAsked) this.#request(toolCallId, approval, reason === "policy");
      const words = reason === undefined || reason === "user" ? {} : { reason };
      this.#sink.put({ type: "tool-approval-response", approvalId, approved, ...words });
    }
    if (!approved) this.#sink.put({ type: "tool-output-denied", toolCallId });
    return !approved;
  }
}
