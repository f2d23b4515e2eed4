// The approvals and questions of a chat on a relay that wait for a user, from its events.
import { defined, fieldsOf } from "../core/checks.ts";
import { askedOtherwise, readAnswer, readDecision } from "../core/gate/decision.ts";
import { neverAsked, REMEMBERED } from "../core/gate/outcome.ts";
import { Recent } from "../core/recent.ts";
import type { Answer, Decision, PendingRequest, Reply, Ruling, SettledRequest } from "../core/values.ts";
import type { PermissionData, QuestionData, UniversalEvent } from "../universal/events.ts";

interface Waiting {
  readonly sessionId: string;
  readonly request: PendingRequest;
}

/** Sends a reply. `refused` is called if the relay does not take it. */
type Send = (fields: Readonly<Record<string, unknown>>, refused: () => void) => void;

/** The requests that wait for a user. Their ids are those of the events, and a reply names its session. */
export class RemoteRequests {
  readonly #send: Send;
  readonly #waiting = new Map<string, Waiting>();
  /** The first reply of this client to each request. */
  readonly #rulings = new Recent<string, Ruling>(REMEMBERED);
  readonly #replies = new Recent<string, Reply>(REMEMBERED);

  constructor(send: Send) {
    this.#send = send;
  }

  /** Those that this client has not replied to. */
  get pending(): readonly PendingRequest[] {
    return [...this.#waiting.values()].map(({ request }) => request).filter(({ id }) => this.isOpen(id));
  }

  isOpen(id: string): boolean {
    return this.#waiting.has(id) && !this.#rulings.has(id) && !this.#replies.has(id);
  }

  /** Applies an event. Returns the request that it opens or ends. */
  event(
    event: UniversalEvent,
  ): { readonly opened: PendingRequest } | { readonly settled: SettledRequest } | undefined {
    const { session_id: sessionId, type, data } = event;
    if (type === "permission.requested" || type === "question.requested") {
      const request = type === "permission.requested" ? approvalOf(data) : questionOf(data);
      this.#waiting.set(request.id, { sessionId, request });
      return { opened: request };
    }
    if (type === "permission.resolved") return this.#resolved(data.permission_id, data);
    if (type === "question.resolved") return this.#resolved(data.question_id, data);
    if (type === "turn.ended" || type === "session.ended")
      for (const [id, waiting] of [...this.#waiting])
        if (waiting.sessionId === sessionId) this.#waiting.delete(id);
    return undefined;
  }

  /** The events so far are void. */
  reset(): void {
    this.#waiting.clear();
  }

  /** @param refused the relay did not take the decision: the request waits again */
  decide(id: string, decision: Decision, refused: (request: PendingRequest) => void): Ruling {
    const read = readDecision(decision);
    const known = this.#rulings.get(id);
    if (known) return known;
    const { sessionId, request } = this.#find(id);
    if (request.type !== "approval") throw askedOtherwise(id, "a question");
    const { decision: word, scope, tool, reason } = read;
    const wire = (scope ?? tool ?? reason) ? { decision: word, ...defined({ scope, tool, reason }) } : word;
    this.#rulings.set(id, { ...read, by: "reply" });
    this.#send({ type: "decide", session_id: sessionId, permission_id: id, decision: wire }, () => {
      if (this.#rulings.delete(id) && this.#waiting.has(id)) refused(request);
    });
    return { ...read, by: "reply" };
  }

  answer(id: string, answer: Answer, refused: (request: PendingRequest) => void): Reply {
    const known = this.#replies.get(id);
    if (known) return known;
    const { sessionId, request } = this.#find(id);
    if (request.type !== "question") throw askedOtherwise(id, "a tool call");
    const reply: Reply = { answers: readAnswer(request.question, answer), by: "reply" };
    this.#replies.set(id, reply);
    const fields = { type: "answer", session_id: sessionId, question_id: id, answer: reply.answers ?? null };
    this.#send(fields, () => {
      if (this.#replies.delete(id) && this.#waiting.has(id)) refused(request);
    });
    return reply;
  }

  #find(id: string): Waiting {
    const found = this.#waiting.get(id);
    if (found) return found;
    throw neverAsked(id);
  }

  #resolved(
    id: string,
    data: PermissionData | QuestionData,
  ): { readonly settled: SettledRequest } | undefined {
    const request = this.#waiting.get(id)?.request;
    this.#waiting.delete(id);
    if (!request) return undefined;
    if (request.type === "approval") {
      const { status } = data;
      const word = status === "reject" ? "reject" : status === "accept_for_session" ? "always" : "once";
      const ruling = this.#rulings.get(id) ?? { decision: word, by: "elsewhere" };
      if (!this.#rulings.has(id)) this.#rulings.set(id, ruling);
      return { settled: { ...request, ruling } };
    }
    const answers = "answers" in data ? data.answers : undefined;
    const reply: Reply = this.#replies.get(id) ?? {
      answers: answers?.map(({ selected = [], other_text }) => [
        ...selected,
        ...(other_text === undefined ? [] : [other_text]),
      ]),
      by: "elsewhere",
    };
    if (!this.#replies.has(id)) this.#replies.set(id, reply);
    return { settled: { ...request, reply } };
  }
}

function approvalOf({ permission_id: id, action: name, metadata, preview }: PermissionData): PendingRequest {
  const { input, grant, agent } = fieldsOf(metadata);
  const words = defined({
    grant: typeof grant === "string" ? grant : undefined,
    agent: typeof agent === "string" ? agent : undefined,
    preview,
  });
  return { type: "approval", id, call: { id, name, input, ...words, raw: metadata } };
}

function questionOf({ question_id: id, questions, prompt, options, metadata }: QuestionData): PendingRequest {
  const asked = questions ?? [
    { question: prompt, options: options.map((label) => ({ label })), multi_select: false },
  ];
  const list = asked.map(({ multi_select: multiSelect, ...question }) => ({ ...question, multiSelect }));
  return { type: "question", id, question: { id, questions: list, raw: metadata } };
}
