// The requests of one session that wait for a decision or an answer.
import { defined, fieldsOf } from "../../core/checks.ts";
import { limitPreview } from "../../core/gate/preview-limits.ts";
import type { Answers, DecidedBy, Question, Ruling, ToolCall } from "../../core/values.ts";
import type {
  PermissionData,
  QuestionData,
  ResolvedReason,
  UniversalAnswer,
  UniversalQuestion,
} from "../events.ts";
import { finiteJson } from "./content.ts";
import type { Envelopes, Stated } from "./items.ts";

/** The reason for each cause of a decision or an answer. */
export const REASONS: Readonly<Record<DecidedBy, ResolvedReason>> = {
  callback: "user",
  reply: "user",
  policy: "policy",
  session: "policy",
  elsewhere: "policy",
  error: "policy",
  timeout: "timeout",
  cancelled: "cancelled",
  ended: "cancelled",
  disconnected: "disconnected",
};

const STATUSES = { once: "accept", always: "accept_for_session", reject: "reject" } as const;

export interface ApprovalDetails {
  readonly item_id?: string;
  readonly call_id?: string;
  readonly nativeId?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/**
 * The waiting requests of one session, by the client's ids. Each is resolved once. Event ids are `<session_id>.<n>`,
 * unique over all sessions and clients.
 */
export class Requests {
  readonly #envelopes: Envelopes;
  #count = 0;
  readonly #permissions = new Map<string, PermissionData>();
  readonly #questions = new Map<string, QuestionData>();
  /** Requests that were emitted, open or not. */
  readonly #told = new Set<string>();

  constructor(envelopes: Envelopes) {
    this.#envelopes = envelopes;
  }

  get hasOpen(): boolean {
    return this.#permissions.size + this.#questions.size > 0;
  }

  wasTold(id: string): boolean {
    return this.#told.has(id);
  }

  permission(call: ToolCall, { metadata, nativeId, ...details }: ApprovalDetails, stated: Stated): void {
    if (this.#told.has(call.id)) return;
    this.#told.add(call.id);
    const data: PermissionData = {
      permission_id: this.#newId(),
      action: call.name,
      status: "requested",
      state: "awaiting",
      metadata: finiteJson({
        ...idsOf(call.id, nativeId),
        toolName: call.name,
        input: call.input ?? null,
        ...defined({ grant: call.grant, agent: call.agent }),
        ...metadata,
      }),
      ...details,
      ...(call.preview ? { preview: limitPreview(call.preview) } : {}), // some clients have their own gate
    };
    this.#permissions.set(call.id, data);
    this.#envelopes.emit("permission.requested", data, stated);
  }

  /** Resolves an open permission. Ignores a resolved or unknown one. */
  decided(id: string, { decision, scope, tool }: Omit<Ruling, "by">, reason: ResolvedReason): void {
    const asked = this.#permissions.get(id);
    if (!this.#permissions.delete(id) || !asked) return;
    const { preview: _, ...data } = asked; // a log already has it
    const state = decision === "reject" ? "denied" : "approved";
    const lasts = scope ?? (decision === "always" ? "session" : "once");
    const resolved = { ...data, ...(tool ? everyCall(data) : {}), status: STATUSES[decision], reason };
    this.#envelopes.emit(
      "permission.resolved",
      { ...resolved, state, ...(decision === "reject" ? {} : { scope: lasts }) },
      "inferred",
    );
  }

  /** Resolves the open permissions of a call that the backend has decided. */
  decidedFor(callId: string, decision: Ruling["decision"]): void {
    if (this.#permissions.size === 0) return;
    for (const [id, { call_id }] of [...this.#permissions])
      if (call_id === callId || id === callId) this.decided(id, { decision }, "policy");
  }

  question(
    { id, questions }: Question,
    { call_id, nativeId }: Pick<ApprovalDetails, "call_id" | "nativeId">,
    stated: Stated,
  ): void {
    if (this.#told.has(id)) return;
    this.#told.add(id);
    const all = questions.map(
      ({ question, header, options, multiSelect: multi_select }): UniversalQuestion => ({
        question,
        ...defined({ header }),
        options: options.map(({ label, description }) => ({ label, ...defined({ description }) })),
        multi_select,
      }),
    );
    const data: QuestionData = {
      question_id: this.#newId(),
      prompt: all[0]?.question ?? "",
      options: all[0]?.options.map(({ label }) => label) ?? [],
      response: null,
      status: "requested",
      questions: all,
      metadata: idsOf(id, nativeId),
      ...defined({ call_id }),
    };
    this.#questions.set(id, data);
    this.#envelopes.emit("question.requested", data, stated);
  }

  answered(id: string, answers: Answers, reason: ResolvedReason, stated: Stated): void {
    const data = this.#questions.get(id);
    if (!data) return;
    const given = answers?.map((selected, index) => toAnswer(data.questions?.[index], selected, index));
    const [first] = given ?? [];
    this.#questions.delete(id);
    this.#envelopes.emit(
      "question.resolved",
      {
        ...data,
        status: given ? "answered" : "rejected",
        response: first?.selected?.[0] ?? first?.other_text ?? null,
        ...(given ? { answers: given } : {}),
        reason,
      },
      stated,
    );
  }

  /** The turn is over: resolves all requests, permissions first. */
  refuseAll(reason: ResolvedReason): void {
    for (const id of [...this.#permissions.keys()]) this.decided(id, { decision: "reject" }, reason);
    for (const id of [...this.#questions.keys()]) this.answered(id, undefined, reason, "inferred");
  }

  #newId(): string {
    return `${this.#envelopes.sessionId}.${++this.#count}`;
  }
}

/** The record of a grant that covers every call of the tool. */
function everyCall({ action, metadata }: PermissionData): Pick<PermissionData, "metadata"> {
  return { metadata: { ...fieldsOf(metadata), grant: `every call of ${action}` } };
}

function idsOf(id: string, nativeId: string | null = null) {
  return { request_id: id, native_id: nativeId };
}

/** Labels of the question are selections. Any other text is the user's own. */
function toAnswer(
  question: UniversalQuestion | undefined,
  given: readonly string[],
  question_index: number,
): UniversalAnswer {
  const labels = new Set(question?.options.map(({ label }) => label));
  const selected = given.filter((text) => labels.has(text));
  const other = given.filter((text) => !labels.has(text));
  return {
    question_index,
    ...(selected.length === 0 ? {} : { selected }),
    ...(other.length === 0 ? {} : { other_text: other.join("\n") }),
  };
}
