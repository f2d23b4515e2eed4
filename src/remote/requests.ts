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

interface RequestsHost {
  /** Sends a reply. `refused` is called if the relay does not take it. */
  send(fields: Readonly<Record<string, unknown>>, refused: () => void): void;
  /** A request has ended for this client. */
  onSettled(request: SettledRequest, sessionId: string): void;
  /** A request waits, for the first time, or again because the relay has refused the reply. */
  onOpened(request: PendingRequest, sessionId: string): void;
}

/** The requests that wait for a user. Their ids are those of the events, and a reply names its session. */
export class RemoteRequests {
  readonly #host: RequestsHost;
  readonly #waiting = new Map<string, Waiting>();
  /** The first reply of this client to each request. */
  readonly #rulings = new Recent<string, Ruling>(REMEMBERED);
  readonly #replies = new Recent<string, Reply>(REMEMBERED);

  constructor(host: RequestsHost) {
    this.#host = host;
  }

  /** Those that this client has not replied to. */
  get pending(): readonly PendingRequest[] {
    return [...this.#waiting.values()].map(({ request }) => request).filter(({ id }) => this.isOpen(id));
  }

  isOpen(id: string): boolean {
    return this.#waiting.has(id) && !this.#rulings.has(id) && !this.#replies.has(id);
  }

  /** Applies an event. */
  event(event: UniversalEvent): void {
    const { session_id: sessionId, type, data } = event;
    if (type === "permission.requested" || type === "question.requested") {
      const request = type === "permission.requested" ? approvalOf(data) : questionOf(data);
      this.#waiting.set(request.id, { sessionId, request });
      this.#host.onOpened(request, sessionId);
    }
    if (type === "permission.resolved") this.#resolved(data.permission_id, data);
    if (type === "question.resolved") this.#resolved(data.question_id, data);
    if (type === "turn.ended" || type === "session.ended")
      for (const [id, waiting] of [...this.#waiting])
        if (waiting.sessionId === sessionId) this.#waiting.delete(id);
  }

  /** The events so far are void. */
  reset(): void {
    this.#waiting.clear();
  }

  decide(id: string, decision: Decision): Ruling {
    const read = readDecision(decision);
    const known = this.#rulings.get(id);
    if (known) return known;
    const { sessionId, request } = this.#find(id);
    if (request.type !== "approval") throw askedOtherwise(id, "a question");
    const { decision: word, scope, tool, reason } = read;
    const wire = (scope ?? tool ?? reason) ? { decision: word, ...defined({ scope, tool, reason }) } : word;
    const ruling: Ruling = { ...read, by: "reply" };
    this.#rulings.set(id, ruling);
    this.#host.send({ type: "decide", session_id: sessionId, permission_id: id, decision: wire }, () => {
      if (this.#rulings.delete(id) && this.#waiting.has(id)) this.#host.onOpened(request, sessionId);
    });
    this.#host.onSettled({ ...request, ruling }, sessionId);
    return ruling;
  }

  answer(id: string, answer: Answer): Reply {
    const known = this.#replies.get(id);
    if (known) return known;
    const { sessionId, request } = this.#find(id);
    if (request.type !== "question") throw askedOtherwise(id, "a tool call");
    const reply: Reply = { answers: readAnswer(request.question, answer), by: "reply" };
    this.#replies.set(id, reply);
    const fields = { type: "answer", session_id: sessionId, question_id: id, answer: reply.answers ?? null };
    this.#host.send(fields, () => {
      if (this.#replies.delete(id) && this.#waiting.has(id)) this.#host.onOpened(request, sessionId);
    });
    this.#host.onSettled({ ...request, reply }, sessionId);
    return reply;
  }

  #find(id: string): Waiting {
    const found = this.#waiting.get(id);
    if (found) return found;
    throw neverAsked(id);
  }

  /** Somebody else, or a rule, has ended the request, unless this client has replied first. */
  #resolved(id: string, data: PermissionData | QuestionData): void {
    const waiting = this.#waiting.get(id);
    const isMine = !this.isOpen(id);
    this.#waiting.delete(id);
    if (!waiting || isMine) return;
    const { request, sessionId } = waiting;
    const by = "elsewhere";
    if (request.type === "approval") {
      const { status } = data;
      const decision = status === "reject" ? "reject" : status === "accept_for_session" ? "always" : "once";
      this.#rulings.set(id, { decision, by });
      this.#host.onSettled({ ...request, ruling: { decision, by } }, sessionId);
      return;
    }
    const given = "answers" in data ? data.answers : undefined;
    const answers = given?.map(({ selected = [], other_text: own }) =>
      own === undefined ? selected : [...selected, own],
    );
    this.#replies.set(id, { answers, by });
    this.#host.onSettled({ ...request, reply: { answers, by } }, sessionId);
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
