// The approvals and questions of a chat on a relay that wait for a user, from its events.
import { defined } from "../core/checks.ts";
import { askedOtherwise, readAnswer, readDecision } from "../core/gate/decision.ts";
import { neverAsked, REMEMBERED } from "../core/gate/outcome.ts";
import { Recent } from "../core/recent.ts";
import type { Answer, Decision, PendingRequest, Reply, Ruling, SettledRequest } from "../core/values.ts";
import type { Json, PermissionData, QuestionData, UniversalEvent } from "../universal/events.ts";
import { permissionFacts } from "../universal/item-content.ts";

interface Waiting {
  readonly sessionId: string;
  readonly request: PendingRequest;
}

interface RequestsHost {
  /** Sends a reply. `refused` is called if the relay does not take it. */
  send(fields: Readonly<Record<string, Json>>, refused: () => void): void;
  /** A request has ended for this client. */
  onSettled(request: SettledRequest, sessionId: string): void;
  /** A request waits, for the first time, or again because the relay has refused the reply. */
  onOpened(request: PendingRequest, sessionId: string): void;
}

/** The requests that wait for a user. Their ids are those of the events, and a reply names its session. */
export class RemoteRequests {
  readonly #host: RequestsHost;
  readonly #waiting = new Map<string, Waiting>();
  /** How requests ended for this client: by its own reply, before the relay has taken it, or elsewhere. */
  readonly #settled = new Recent<string, SettledRequest>(REMEMBERED);

  constructor(host: RequestsHost) {
    this.#host = host;
  }

  /** Those that this client has not replied to. */
  get pending(): readonly PendingRequest[] {
    return [...this.#waiting.values()].map(({ request }) => request).filter(({ id }) => this.isOpen(id));
  }

  isOpen(id: string): boolean {
    return this.#waiting.has(id) && !this.#settled.has(id);
  }

  /** Applies an event. */
  event({ session_id: sessionId, type, data }: UniversalEvent): void {
    if (type === "permission.requested") this.#opened(sessionId, approvalOf(data));
    else if (type === "question.requested") this.#opened(sessionId, questionOf(data));
    else if (type === "permission.resolved") this.#resolved(data.permission_id, data);
    else if (type === "question.resolved") this.#resolved(data.question_id, data);
    else if (type === "turn.ended" || type === "session.ended")
      for (const [id, waiting] of this.#waiting)
        if (waiting.sessionId === sessionId) this.#waiting.delete(id);
  }

  /** The events so far are void. */
  reset(): void {
    this.#waiting.clear();
  }

  decide(id: string, given: Decision): Ruling {
    const read = readDecision(given);
    const known = this.#settled.get(id);
    if (known?.type === "approval") return known.ruling;
    const { sessionId, request } = this.#find(id);
    if (request.type !== "approval") throw askedOtherwise(id, "a question");
    const ruling: Ruling = { ...read, by: "reply" };
    const decision = Object.keys(read).length > 1 ? { ...read } : read.decision;
    const fields = { type: "decide", session_id: sessionId, permission_id: id, decision };
    this.#reply({ ...request, ruling }, sessionId, fields);
    return ruling;
  }

  answer(id: string, given: Answer): Reply {
    const known = this.#settled.get(id);
    if (known?.type === "question") return known.reply;
    const { sessionId, request } = this.#find(id);
    if (request.type !== "question") throw askedOtherwise(id, "a tool call");
    const reply: Reply = { answers: readAnswer(request.question, given), by: "reply" };
    const fields = { type: "answer", session_id: sessionId, question_id: id, answer: reply.answers ?? null };
    this.#reply({ ...request, reply }, sessionId, fields);
    return reply;
  }

  #find(id: string): Waiting {
    const found = this.#waiting.get(id);
    if (found) return found;
    throw neverAsked(id);
  }

  #reply(settled: SettledRequest, sessionId: string, fields: Readonly<Record<string, Json>>): void {
    const { id } = settled;
    this.#settle(settled, sessionId);
    this.#host.send(fields, () => {
      const waiting = this.#waiting.get(id);
      if (this.#settled.delete(id) && waiting) this.#host.onOpened(waiting.request, sessionId);
    });
  }

  #settle(settled: SettledRequest, sessionId: string): void {
    this.#settled.set(settled.id, settled);
    this.#host.onSettled(settled, sessionId);
  }

  #opened(sessionId: string, request: PendingRequest): void {
    this.#waiting.set(request.id, { sessionId, request });
    this.#host.onOpened(request, sessionId);
  }

  /** Somebody else, or a rule, has ended the request, unless this client has replied first. */
  #resolved(id: string, data: PermissionData | QuestionData): void {
    const waiting = this.isOpen(id) ? this.#waiting.get(id) : undefined;
    this.#waiting.delete(id);
    if (!waiting) return;
    const { sessionId, request } = waiting;
    const by = "elsewhere";
    if (request.type === "approval") {
      const { status } = data;
      const decision = status === "reject" ? "reject" : status === "accept_for_session" ? "always" : "once";
      this.#settle({ ...request, ruling: { decision, by } }, sessionId);
    } else {
      const given = "answers" in data ? data.answers : undefined;
      const answers = given?.map(({ selected = [], other_text: own }) =>
        own === undefined ? selected : [...selected, own],
      );
      this.#settle({ ...request, reply: { answers, by } }, sessionId);
    }
  }
}

function approvalOf(data: PermissionData): PendingRequest {
  const { permission_id: id, action: name, metadata, preview } = data;
  const { input, words } = permissionFacts(data);
  return {
    type: "approval",
    id,
    call: { id, name, input, ...words, ...defined({ preview }), raw: metadata },
  };
}

function questionOf({ question_id: id, questions, prompt, options, metadata }: QuestionData): PendingRequest {
  const asked = questions ?? [
    { question: prompt, options: options.map((label) => ({ label })), multi_select: false },
  ];
  const list = asked.map(({ multi_select: multiSelect, ...question }) => ({ ...question, multiSelect }));
  return { type: "question", id, question: { id, questions: list, raw: metadata } };
}
