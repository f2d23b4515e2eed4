// The tool calls, approvals and questions of one turn, as tool parts.
import { defined, fieldsOf } from "../core/checks.ts";
import { parseJson } from "../core/text.ts";
import type {
  ItemData,
  ItemDeltaData,
  PermissionData,
  QuestionData,
  ToolCallPart,
  UniversalItem,
} from "../universal/events.ts";
import { putFile } from "./files.ts";
import type { AgentwireApproval, AskUserInput, Sink } from "./message.ts";

/** The name of the tool part that holds a question to the user. */
export const ASK_USER = "ask_user";

const isAskUser = (name: string): boolean => /^ask[_-]?user$/i.test(name);

/**
 * `held`: the call of a question, which is shown only if no question follows. `asked`: its question is shown instead.
 * `over`: the part has its last state.
 */
type Stage = "held" | "asked" | "writing" | "shown" | "over";

interface Call {
  /** The `toolCallId`. */
  readonly id: string;
  readonly head: {
    readonly toolName: string;
    readonly title?: string;
    readonly toolMetadata?: ToolMetadata;
  };
  stage: Stage;
  input: unknown;
  output: string;
  /** The length of the output when it was last shown. */
  shown: number;
  approval?: Approval;
}

type ToolMetadata = NonNullable<
  Extract<Parameters<Sink["put"]>[0], { readonly type: "tool-input-start" }>["toolMetadata"]
>;

interface Approval {
  readonly id: string;
  readonly descriptor: AgentwireApproval;
  isShown: boolean;
  /** Undefined while the request waits. */
  approved?: boolean;
}

interface Question {
  readonly data: QuestionData;
  isShown: boolean;
  isOver: boolean;
}

/** The output is shown whole each time, so a long one is shown again only after it has grown by a part. */
export const isDue = (length: number, shown: number): boolean => length - shown > (shown - 16_384) / 16;

export class Calls {
  readonly #sink: Sink;
  readonly #all: Call[] = [];
  /** By the item of the call. */
  readonly #items = new Map<string, Call>();
  readonly #calls = new Map<string, Call>();
  /** By the item of the result. */
  readonly #results = new Map<string, Call>();
  readonly #permissions = new Map<string, Call>();
  readonly #questions = new Map<string, Question>();
  /** The decisions and outputs that the user's messages already hold, by request. */
  readonly #replies = new Map<string, unknown>();

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** Whether the user was shown this request. */
  hasShown(id: string): boolean {
    return this.#permissions.get(id)?.approval?.isShown ?? this.#questions.get(id)?.isShown ?? false;
  }

  /** The user's message holds the decision (`true`: approved) or the answer. */
  replied(id: string, reply: unknown): void {
    this.#replies.set(id, reply);
  }

  /** Whether arguments are streaming. A step that began now would cut their part in two. */
  get isWriting(): boolean {
    return this.#all.some(({ stage }) => stage === "writing");
  }

  start(item: UniversalItem, agent: string | undefined): void {
    if (this.#items.has(item.item_id)) return;
    const call = this.#make(callIn(item), agent);
    this.#items.set(item.item_id, call);
    if (isAskUser(call.head.toolName)) return;
    this.#open(call);
    call.stage = "writing";
  }

  complete(item: UniversalItem, agent: string | undefined): void {
    this.start(item, agent);
    const call = this.#items.get(item.item_id);
    if (!call) return;
    call.input = inputOf(callIn(item).arguments);
    if (item.status === "failed") this.#cut(call);
    else if (call.stage === "writing") this.#show(call);
  }

  grow({ item_id, delta }: ItemDeltaData): void {
    const call = this.#items.get(item_id);
    if (call?.stage === "writing")
      this.#sink.put({ type: "tool-input-delta", toolCallId: call.id, inputTextDelta: delta });
    const of = this.#results.get(item_id);
    if (of?.stage !== "shown") return;
    of.output += delta;
    if (isDue(of.output.length, of.shown)) this.#preview(of);
  }

  startResult(item: UniversalItem): void {
    const call = this.#callOf(item);
    if (call.stage === "asked" || call.stage === "over" || this.#results.has(item.item_id)) return;
    this.#results.set(item.item_id, call);
    this.#show(call);
    this.#preview(call);
  }

  completeResult({ item, state }: ItemData): void {
    this.startResult(item);
    const call = this.#results.get(item.item_id);
    if (call?.stage !== "shown") return;
    const output = item.content.find((part) => part.type === "tool_result")?.output ?? call.output;
    if (state === "denied") this.#deny(call, output);
    else if (item.status === "failed") this.#fail(call, output);
    else {
      call.stage = "over";
      this.#sink.put({ type: "tool-output-available", toolCallId: call.id, output });
    }
    for (const part of item.content) putFile(this.#sink, part, item.item_id, false);
  }

  permission(data: PermissionData): void {
    const { permission_id: id, call_id, item_id, metadata, preview } = data;
    if (this.#permissions.has(id)) return;
    const call =
      this.#items.get(item_id ?? "") ??
      this.#calls.get(call_id ?? "") ??
      this.#unannounced(data.action, call_id ?? id, fieldsOf(metadata)["input"]);
    const { grant, agent } = fieldsOf(metadata);
    const descriptor = {
      ...defined({ preview }),
      ...(typeof grant === "string" ? { grant } : {}),
      ...(typeof agent === "string" ? { agent } : {}),
    };
    call.approval = { id, descriptor, isShown: false };
    this.#permissions.set(id, call);
  }

  permissionResolved({ permission_id: id, status, reason }: PermissionData): void {
    const call = this.#permissions.get(id);
    const { approval } = call ?? {};
    if (!call || !approval || approval.approved !== undefined || call.stage === "over") return;
    const approved = status !== "reject";
    approval.approved = approved;
    const isKnown = approval.isShown ? this.#replies.get(id) === approved : approved && reason === "user";
    this.#show(call);
    if (!isKnown) {
      if (!approval.isShown) this.#request(call, approval, reason === "policy");
      const words = reason === undefined || reason === "user" ? {} : { reason };
      this.#sink.put({ type: "tool-approval-response", approvalId: id, approved, ...words });
    }
    if (!approved) this.#denied(call);
  }

  question(data: QuestionData): void {
    if (this.#questions.has(data.question_id)) return;
    this.#questions.set(data.question_id, { data, isShown: false, isOver: false });
    const call = this.#calls.get(data.call_id ?? "");
    if (call?.stage === "held") call.stage = "asked";
  }

  questionResolved({ question_id: id, status, answers = [], response, reason }: QuestionData): void {
    const question = this.#questions.get(id);
    if (!question || question.isOver) return;
    question.isOver = true;
    if (!question.isShown) this.#ask(question, true);
    const lists = answers.map(({ selected = [], other_text }) => [
      ...selected,
      ...(other_text ? [other_text] : []),
    ]);
    const output = this.#replies.get(id) ?? (lists.length > 0 ? lists : response);
    // With `providerExecuted`, the message does not look as if its answer was still to be sent.
    const of = { toolCallId: id, providerExecuted: true } as const;
    if (status === "answered") this.#sink.put({ ...of, type: "tool-output-available", output });
    else
      this.#sink.put({ ...of, type: "tool-output-error", errorText: `not answered (${reason ?? "user"})` });
  }

  /** The stream ends while the agent waits for the user: shows what waits. */
  pause(): void {
    for (const call of this.#all) {
      const { approval, stage } = call;
      if (!approval || stage === "over") continue;
      // A part that stays `approval-responded` would be sent again.
      if (approval.approved) this.#preview(call);
      else if (!approval.isShown) this.#request(call, approval, false);
    }
    for (const question of this.#questions.values())
      if (!question.isShown && !question.isOver) this.#ask(question, false);
  }

  /** The turn is over: ends what is open. */
  end(): void {
    for (const [id, question] of this.#questions) {
      if (!question.isShown) question.isOver = true;
      else
        this.questionResolved({ ...question.data, question_id: id, status: "rejected", reason: "cancelled" });
    }
    for (const call of this.#all) {
      const { approval } = call;
      if (call.stage === "writing") this.#cut(call);
      else if (approval?.isShown && approval.approved === undefined) {
        const approvalId = approval.id;
        this.#sink.put({ type: "tool-approval-response", approvalId, approved: false, reason: "cancelled" });
        this.#denied(call);
      } else if (call.stage === "held" || call.stage === "shown")
        this.#fail(call, "the turn ended before the result");
    }
  }

  #make({ name, call_id, title, tool_kind: kind, locations }: ToolCallPart, agent?: string): Call {
    const facts = defined({
      kind,
      locations: locations?.map(({ path, line }) => ({ path, ...defined({ line }) })),
      agent,
    });
    const call: Call = {
      id: this.#sink.key(call_id),
      head: {
        toolName: name,
        ...defined({ title }),
        ...(Object.keys(facts).length > 0 ? { toolMetadata: facts } : {}),
      },
      stage: "held",
      input: {},
      output: "",
      shown: 0,
    };
    this.#all.push(call);
    this.#calls.set(call_id, call);
    return call;
  }

  /** A call that no item has announced. */
  #unannounced(name: string, call_id: string, input: unknown): Call {
    const call = this.#make({ type: "tool_call", name, arguments: "", call_id });
    call.input = input ?? {};
    return call;
  }

  #callOf(item: UniversalItem): Call {
    const result = item.content.find((part) => part.type === "tool_result");
    const id = result?.call_id ?? item.native_item_id ?? item.item_id;
    return (
      this.#results.get(item.item_id) ??
      this.#items.get(item.parent_id ?? "") ??
      this.#calls.get(id) ??
      this.#unannounced("unknown", id, {})
    );
  }

  #open({ id, head }: Call): void {
    this.#sink.step();
    this.#sink.put({ type: "tool-input-start", toolCallId: id, ...head, ...OURS });
  }

  /** Shows the call with its whole input. */
  #show(call: Call): void {
    if (call.stage === "held") this.#open(call);
    else if (call.stage !== "writing") return;
    call.stage = "shown";
    const { id, head, input } = call;
    this.#sink.put({ type: "tool-input-available", toolCallId: id, ...head, input, ...OURS });
  }

  #cut(call: Call): void {
    if (call.stage === "writing") {
      const { id, head, input } = call;
      const errorText = "the arguments were cut off";
      this.#sink.put({ type: "tool-input-error", toolCallId: id, ...head, input, errorText, ...OURS });
    }
    call.stage = "over";
  }

  #preview(call: Call): void {
    const { id: toolCallId, output } = call;
    call.shown = output.length;
    this.#sink.put({ type: "tool-output-available", toolCallId, output, preliminary: true });
  }

  #request(call: Call, approval: Approval, isAutomatic: boolean): void {
    this.#show(call);
    approval.isShown = true;
    const { id: approvalId, descriptor } = approval;
    this.#sink.put({
      type: "tool-approval-request",
      approvalId,
      toolCallId: call.id,
      ...(Object.keys(descriptor).length > 0 ? { approvalDescriptor: descriptor } : {}),
      ...(isAutomatic ? { isAutomatic } : {}),
    });
  }

  /** The call was denied without a request. The AI SDK knows denials only as the response to a request. */
  #deny(call: Call, reason: string): void {
    const approvalId = `${call.id}/denied`;
    this.#request(call, { id: approvalId, descriptor: {}, isShown: false }, true);
    this.#sink.put({ type: "tool-approval-response", approvalId, approved: false, reason });
    this.#denied(call);
  }

  #denied(call: Call): void {
    call.stage = "over";
    this.#sink.put({ type: "tool-output-denied", toolCallId: call.id });
  }

  #fail(call: Call, errorText: string): void {
    this.#show(call);
    call.stage = "over";
    this.#sink.put({ type: "tool-output-error", toolCallId: call.id, errorText });
  }

  /** @param isOver nobody can answer any more */
  #ask(question: Question, isOver: boolean): void {
    question.isShown = true;
    const { question_id: toolCallId, questions, prompt, options } = question.data;
    const input: AskUserInput = {
      questions: questions ?? [
        { question: prompt, options: options.map((label) => ({ label })), multi_select: false },
      ],
    };
    const of = { toolCallId, toolName: ASK_USER, dynamic: true, ...(isOver ? OURS : {}) };
    this.#sink.step();
    this.#sink.put({ ...of, type: "tool-input-start" });
    this.#sink.put({ ...of, type: "tool-input-available", input });
  }
}

/** The agent runs its tools itself, and the page does not know them. */
const OURS = { dynamic: true, providerExecuted: true } as const;

function callIn(item: UniversalItem): ToolCallPart {
  const call_id = item.native_item_id ?? item.item_id;
  const part = item.content.find((each) => each.type === "tool_call");
  return part ?? { type: "tool_call", name: "unknown", arguments: "", call_id };
}

function inputOf(text: string): unknown {
  try {
    return parseJson(text, "null");
  } catch {
    return text;
  }
}
