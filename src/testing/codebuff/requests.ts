// The server's requests on one connection, and their answers.
import type { CancelTimer, Clock } from "../../core/clock.ts";
import type { AnswerData, RequestResult } from "./client-actions.ts";
import type { CodebuffJournal } from "./journal.ts";
import type { Mistake, MockConnection, ReceivedAnswer } from "./record.ts";
import type { Asked } from "./request-steps.ts";

/** ms that a tool may take when the request does not say. */
const TOOL_TIMEOUT = 30_000;
/** ms that the server waits for the answer on top of what the tool may take. */
const TOOL_GRACE = 5_000;
/** ms that the server waits for the tools of an MCP server. */
const MCP_TIMEOUT = 50_000;

interface Request {
  readonly asked: Asked;
  readonly promptId: string;
  readonly result: Promise<RequestResult>;
  readonly settle: (result: RequestResult) => void;
  state: "open" | "answered" | "given-up";
  cancelTimer: CancelTimer | undefined;
}

/** What an answer needs of its connection. */
export interface RequestsPort {
  readonly connection: MockConnection;
  blame(mistake: Mistake): void;
}

/** The requests of the server on one connection, and what became of them. */
export class Requests {
  readonly #port: RequestsPort;
  readonly #journal: CodebuffJournal;
  readonly #clock: Clock;
  readonly #requests = new Map<string, Request>();

  constructor(port: RequestsPort, journal: CodebuffJournal, clock: Clock) {
    this.#port = port;
    this.#journal = journal;
    this.#clock = clock;
  }

  /** Takes note of a request that is being sent. */
  open(requestId: string, asked: Asked, promptId: string): void {
    if (this.#requests.get(requestId)?.state === "open")
      throw new TypeError(`The request ${requestId} is open already: give each its own requestId`);
    let settle: Request["settle"] = () => {};
    const result = new Promise<RequestResult>((resolve) => {
      settle = resolve;
    });
    const request: Request = { asked, promptId, result, settle, state: "open", cancelTimer: undefined };
    this.#requests.set(requestId, request);
    const patience = patienceFor(asked);
    if (patience !== undefined)
      request.cancelTimer = this.#clock.setTimeout(() => giveUp(request), patience, { unref: true });
  }

  /** Resolves when the answer has come or the server has given up; never rejects. */
  result(requestId: string): Promise<RequestResult> {
    const request = this.#requests.get(requestId);
    if (!request) throw new TypeError(`There is no request ${requestId} on this connection`);
    return request.result;
  }

  /** The client has answered. */
  answer(data: AnswerData, txid: number): void {
    const { requestId } = data;
    const known = requestId === undefined ? undefined : this.#requests.get(requestId);
    const request = known && answerKind(known.asked) === data.type ? known : undefined;
    const outcome = outcomeFor(request);
    const blame = (kind: Mistake["kind"], detail: string) => this.#port.blame({ kind, detail });
    const id = requestId ?? "no requestId";
    if (outcome === "unknown") blame("answer-unknown-request", known ? `${id}: a ${data.type}` : id);
    if (outcome === "repeated") blame("answer-repeated", id);
    if (outcome === "late") blame("answer-late", id);
    for (const path of missingPaths(request, data)) blame("answer-incomplete", `${id}: ${path}`);
    this.#journal.add(this.#journal.answers, {
      at: this.#clock.now(),
      connection: this.#port.connection,
      txid,
      kind: KINDS[data.type],
      requestId,
      promptId: request?.promptId,
      data,
      outcome,
    });
    if (request && outcome === "taken") {
      request.state = "answered";
      request.cancelTimer?.();
      request.settle(resultOf(data));
    }
  }

  /** The connection is over: nobody waits any more. */
  end(): void {
    for (const request of this.#requests.values()) request.cancelTimer?.();
  }
}

const KINDS = {
  "tool-call-response": "tool-call",
  "read-files-response": "read-files",
  "mcp-tool-data": "mcp-tools",
} as const satisfies { readonly [type in AnswerData["type"]]: ReceivedAnswer["kind"] };

function answerKind(asked: Asked): AnswerData["type"] {
  switch (asked.kind) {
    case "tool-call":
    case "planned-tool-call":
      return "tool-call-response";
    case "read-files":
      return "read-files-response";
    case "mcp-tools":
      return "mcp-tool-data";
  }
}

/** What a script goes on with that does not wait for an answer. */
export function emptyResult(asked: Asked): RequestResult {
  return asked.kind === "read-files" ? {} : [];
}

function resultOf(data: AnswerData): RequestResult {
  switch (data.type) {
    case "tool-call-response":
      return data.output;
    case "read-files-response":
      return data.files;
    case "mcp-tool-data":
      return data.tools;
  }
}

function outcomeFor(request: Request | undefined): ReceivedAnswer["outcome"] {
  if (!request) return "unknown";
  switch (request.state) {
    case "open":
      return "taken";
    case "answered":
      return "repeated";
    case "given-up":
      return "late";
  }
}

function missingPaths(request: Request | undefined, data: AnswerData): readonly string[] {
  if (request?.asked.kind !== "read-files" || data.type !== "read-files-response") return [];
  return request.asked.filePaths.filter((path) => !Object.hasOwn(data.files, path));
}

/** ms until the server goes on without an answer; undefined for never. */
function patienceFor(asked: Asked): number | undefined {
  switch (asked.kind) {
    case "tool-call": {
      const { timeout = TOOL_TIMEOUT } = asked.request;
      return timeout < 0 ? undefined : timeout + TOOL_GRACE;
    }
    case "planned-tool-call":
      return TOOL_TIMEOUT + TOOL_GRACE;
    case "read-files":
      return undefined;
    case "mcp-tools":
      return MCP_TIMEOUT;
  }
}

function giveUp(request: Request): void {
  request.state = "given-up";
  const { asked } = request;
  if (asked.kind === "tool-call" || asked.kind === "planned-tool-call") {
    const { toolName } = asked.request;
    const timeout = "timeout" in asked.request ? (asked.request.timeout ?? TOOL_TIMEOUT) : TOOL_TIMEOUT;
    const errorMessage = `Tool call '${toolName}' timed out after ${timeout / 1000}s`;
    request.settle([{ type: "json", value: { errorMessage } }]);
  } else request.settle(emptyResult(asked));
}
