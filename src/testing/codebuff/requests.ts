// The server's requests on one connection, and their answers.
import type { CancelTimer, Clock } from "../../core/clock.ts";
import type { AnswerData, RequestResult } from "./messages.ts";
import type { CodebuffJournal, Mistake, MockConnection, ReceivedAnswer } from "./record.ts";
import type { Asked } from "./request-steps.ts";

interface Request {
  readonly asked: Asked;
  readonly promptId: string;
  readonly result: Promise<RequestResult>;
  readonly settle: (result: RequestResult) => void;
  /** How an answer that arrives now is classified. */
  state: Exclude<ReceivedAnswer["outcome"], "unknown">;
  cancelTimer: CancelTimer | undefined;
}

interface RequestsPort {
  readonly connection: MockConnection;
  blame(mistake: Mistake): void;
}

export class RequestSteps {
  readonly #port: RequestsPort;
  readonly #journal: CodebuffJournal;
  readonly #clock: Clock;
  readonly #requests = new Map<string, Request>();

  constructor(port: RequestsPort, journal: CodebuffJournal, clock: Clock) {
    this.#port = port;
    this.#journal = journal;
    this.#clock = clock;
  }

  open(requestId: string, asked: Asked, promptId: string): void {
    if (this.#requests.get(requestId)?.state === "taken")
      throw new TypeError(`The request ${requestId} is open already: give each its own requestId`);
    let settle: Request["settle"] = () => {};
    const result = new Promise<RequestResult>((resolve) => {
      settle = resolve;
    });
    const request: Request = { asked, promptId, result, settle, state: "taken", cancelTimer: undefined };
    this.#requests.set(requestId, request);
    const giveUp = () => {
      request.state = "late";
      settle(asked.late);
    };
    if (asked.patience !== undefined)
      request.cancelTimer = this.#clock.setTimeout(giveUp, asked.patience, { unref: true });
  }

  /** Resolves with the answer, or after the timeout; never rejects. */
  result(requestId: string): Promise<RequestResult> {
    const request = this.#requests.get(requestId);
    if (!request) throw new TypeError(`There is no request ${requestId} on this connection`);
    return request.result;
  }

  answer(data: AnswerData, txid: number): void {
    const { requestId } = data;
    const [kind, result] = read(data);
    const known = requestId === undefined ? undefined : this.#requests.get(requestId);
    const request = known?.asked.kind === kind ? known : undefined;
    const outcome: ReceivedAnswer["outcome"] = request?.state ?? "unknown";
    const id = requestId ?? "no requestId";
    const detail = known && !request ? `${id}: a ${data.type}` : id;
    if (outcome === "unknown") this.#port.blame({ kind: "answer-unknown-request", detail });
    else if (outcome !== "taken") this.#port.blame({ kind: `answer-${outcome}`, detail });
    for (const path of request?.asked.paths ?? [])
      if (!Object.hasOwn(result, path))
        this.#port.blame({ kind: "answer-incomplete", detail: `${id}: ${path}` });
    const { connection } = this.#port;
    const { promptId } = request ?? {};
    const at = this.#clock.now();
    const answer = { at, connection, txid, kind, requestId, promptId, data, outcome };
    this.#journal.add(this.#journal.answers, answer);
    if (!request || outcome !== "taken") return;
    request.state = "repeated";
    request.cancelTimer?.();
    request.settle(result);
  }

  /** The connection ended: cancels the timeouts. */
  end(): void {
    for (const request of this.#requests.values()) request.cancelTimer?.();
  }
}

function read(data: AnswerData): readonly [kind: ReceivedAnswer["kind"], result: RequestResult] {
  switch (data.type) {
    case "tool-call-response":
      return ["tool-call", data.output];
    case "read-files-response":
      return ["read-files", data.files];
    case "mcp-tool-data":
      return ["mcp-tools", data.tools];
  }
}
