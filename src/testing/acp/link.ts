// One link: reads the client's lines, writes the agent's, and matches requests with answers.
import { type Dict, isDict } from "../server/dict.ts";
import type { AcpHost } from "./host.ts";
import { AcpLines, withUnknownField, writesOf } from "./output.ts";
import type {
  MockAcpEnd,
  MockAcpLink,
  MockAcpProcess,
  MockAcpReply,
  MockAcpRequest,
  MockAcpViolationKind,
  OpenRecord,
  ReceivedAcpMessage,
} from "./record.ts";
import { isOffered, resultProblem } from "./rules.ts";

/** The agent's side of the pipes. */
export interface AcpPort {
  write(bytes: Uint8Array): void;
  end(end: MockAcpEnd): void;
  /** Starts or ends a real command in a group of its own. Missing in process. */
  command?(id: number, on: boolean): void;
  /** Starts the child process that stays. Missing in process. */
  stay?(): void;
}

/** What a client has to answer before a turn of `cancel: "needsAnswers"` ends. */
const OF_USERS: ReadonlySet<string> = new Set(["session/request_permission", "elicitation/create"]);

interface OpenRequest {
  readonly record: OpenRecord<MockAcpRequest>;
  readonly answered: (reply: MockAcpReply) => void;
}

/** What a link asks of its sessions. */
export interface LinkedSession {
  readonly isBusy: boolean;
  /** The client has answered a request of this session. */
  answered(): void;
  /** Records the client's mistakes if it ends stdin now. */
  blameForLeaving(): void;
  /** Stops all turns without a message. */
  stop(): void;
}

/** Handles the requests and notifications of a link. */
export interface LinkHandler<Session extends LinkedSession> {
  handle(
    link: AcpLink<Session>,
    received: OpenRecord<ReceivedAcpMessage>,
    method: string,
    isNotification: boolean,
  ): void;
}

export class AcpLink<Session extends LinkedSession = LinkedSession> implements MockAcpLink {
  readonly id: number;
  readonly host: AcpHost;
  readonly process: MockAcpProcess | undefined;
  readonly open = new Map<string, Session>();
  clientCapabilities: Dict = {};
  clientInfo: Dict = {};
  /** `starting`: `initialize` came, and its response did not go out. */
  phase: "new" | "starting" | "ready" = "new";
  isAuthenticated = false;
  readonly #port: AcpPort;
  readonly #handler: LinkHandler<Session>;
  readonly #lines = new AcpLines((bytes) => this.#line(bytes));
  readonly #requests = new Map<unknown, OpenRequest>();
  readonly #ids = new Set<unknown>();
  #nextId = 0;
  #commands = 0;
  /** The process ends without its commands. */
  #leavesCommands = false;
  #said = 0;
  #hasWritten = false;
  #inputEnded = false;
  #ended: MockAcpLink["ended"];

  constructor(
    host: AcpHost,
    port: AcpPort,
    process: MockAcpProcess | undefined,
    handler: LinkHandler<Session>,
  ) {
    this.#handler = handler;
    this.host = host;
    this.id = host.journal.links.length + 1;
    this.process = process;
    this.#port = port;
    host.journal.add(host.journal.links, this);
    if (host.settings.stdinEnd === "leavesChild") port.stay?.();
    if (host.settings.stray === "beforeInit") this.raw("This agent is no longer maintained. Please upgrade.");
    this.#dieWhenDue();
  }

  get sessions(): readonly string[] {
    return [...this.open.keys()];
  }

  get inputEnded(): boolean {
    return this.#inputEnded;
  }

  get ended(): MockAcpLink["ended"] {
    return this.#ended;
  }

  /** Bytes of the client. */
  receive(bytes: Uint8Array): void {
    if (this.#ended === undefined || isMuteOnly(this.#ended)) this.#lines.push(bytes);
  }

  /** The client has ended stdin. */
  endInput(): void {
    if (this.#inputEnded) return;
    this.#inputEnded = true;
    if (this.#lines.hasRest) this.blame("invalid-line", "the last line has no newline");
    for (const session of this.open.values()) session.blameForLeaving();
    const { stdinEnd } = this.host.settings;
    this.host.journal.changed();
    if (stdinEnd === "ignores") return;
    if (stdinEnd === "finishesTurn") this.leaveWhenIdle();
    else this.die({ exit: 0 });
  }

  /** Exits if stdin has ended and no turn runs. */
  leaveWhenIdle(): void {
    const isBusy = [...this.open.values()].some((session) => session.isBusy);
    const leaves = this.#inputEnded && this.host.settings.stdinEnd === "finishesTurn";
    if (leaves && !isBusy) this.die({ exit: 0 });
  }

  /** The process received a signal that it can handle. */
  signalled(signal: string): void {
    const { sigterm } = this.host.settings;
    this.host.journal.changed();
    if (signal !== "SIGTERM" || sigterm === "ignored") return;
    if (sigterm === "ends") this.die({ exit: 143 });
    else this.#end({ exit: 143 }, false);
  }

  /** The process is gone, or the streams were cancelled. */
  gone(): void {
    if (this.#ended === undefined || isMuteOnly(this.#ended)) this.#finish("killed");
  }

  die(end: MockAcpEnd): void {
    this.#end(end, !("signal" in end));
  }

  #end(end: MockAcpEnd, withCommands: boolean): void {
    if (this.#ended !== undefined && !isMuteOnly(this.#ended)) return;
    this.#leavesCommands = !withCommands;
    this.#finish(end);
    this.#port.end(end);
  }

  #finish(end: MockAcpLink["ended"]): void {
    this.#ended = end;
    if (end === "killed" || !isMuteOnly(end)) for (const session of this.open.values()) session.stop();
    this.host.journal.changed();
  }

  say(message: Dict): void {
    if (this.#ended !== undefined) return;
    const { settings } = this.host;
    this.raw(JSON.stringify(settings.unknown === "field" ? withUnknownField(message) : message));
    this.#said++;
    this.#dieWhenDue();
  }

  #dieWhenDue(): void {
    const { dieAt } = this.host.settings;
    if (dieAt === "off" || this.#said < dieAt.after) return;
    const { after: _, ...end } = dieAt;
    this.die(end);
  }

  raw(line: string | Uint8Array): void {
    if (this.#ended !== undefined) return;
    const { clock, journal, settings } = this.host;
    const raw = typeof line === "string" ? line : new TextDecoder().decode(line);
    journal.add(journal.lines, { at: clock.now(), link: this, direction: "out", raw });
    for (const bytes of writesOf(line, settings, !this.#hasWritten)) this.#port.write(bytes);
    this.#hasWritten = true;
  }

  notify(method: string, params: Dict): void {
    this.say({ jsonrpc: "2.0", method, params });
  }

  /** Sends a request. Resolves with the client's answer, or never. */
  ask(method: string, params: Dict): Promise<MockAcpReply> {
    const { clock, journal } = this.host;
    const id = this.#nextId++;
    return new Promise((answered) => {
      const record: OpenRecord<MockAcpRequest> = {
        ...{ at: clock.now(), link: this, id, method, params },
        ...{ reply: undefined, cancelledFirst: false },
      };
      this.#requests.set(id, { record, answered });
      journal.add(journal.requests, record);
      this.say({ jsonrpc: "2.0", id, method, params });
    });
  }

  /** The requests of a session to its user that are not answered. */
  unanswered(sessionId: string): readonly OpenRecord<MockAcpRequest>[] {
    return [...this.#requests.values()]
      .map(({ record }) => record)
      .filter(({ method, params }) => OF_USERS.has(method) && params["sessionId"] === sessionId);
  }

  /** Answers a request of the client. */
  respond(received: OpenRecord<ReceivedAcpMessage>, outcome: MockAcpReply): void {
    const response: Dict = { jsonrpc: "2.0", id: received.message["id"], ...outcome };
    received.response = response;
    this.say(response);
    this.host.journal.changed();
  }

  /** Starts a real command, in a process. Returns what ends it. */
  startCommand(): () => void {
    const id = ++this.#commands;
    this.#port.command?.(id, true);
    return () => {
      if (!this.#leavesCommands) this.#port.command?.(id, false);
    };
  }

  blame(kind: MockAcpViolationKind, detail: string): void {
    const { journal } = this.host;
    journal.add(journal.violations, { link: this, kind, detail: detail.slice(0, 300) });
  }

  #line(bytes: Uint8Array): void {
    const { clock, journal } = this.host;
    const raw = new TextDecoder().decode(bytes);
    journal.add(journal.lines, { at: clock.now(), link: this, direction: "in", raw });
    const message = parsed(bytes);
    if (message === undefined) this.#refuse("invalid-line", raw, -32700, "Parse error");
    else if (!isDict(message) || message["jsonrpc"] !== "2.0")
      this.#refuse("invalid-message", raw, -32600, "Invalid request");
    else this.#take(message, raw);
  }

  #take(message: Dict, raw: string): void {
    const { method, id } = message;
    const isId = typeof id === "string" || typeof id === "number";
    if (typeof method === "string" && (isId || id === undefined)) {
      const received = this.#note(message, id === undefined ? "notification" : "request", method);
      if (isId && this.#ids.has(id)) this.blame("repeated-id", `${method} ${id}`);
      this.#ids.add(id);
      this.#handler.handle(this, received, method, id === undefined);
      this.host.journal.changed();
    } else if (method === undefined && isId) this.#answer(id, message);
    // An error without an id answers a line that the client could not read.
    else this.#refuse("invalid-message", raw, -32600, "Invalid request");
  }

  #note(message: Dict, type: ReceivedAcpMessage["type"], method: string | undefined) {
    const { clock, journal } = this.host;
    const received: OpenRecord<ReceivedAcpMessage> = {
      ...{ at: clock.now(), link: this, type, method, message, response: undefined },
    };
    journal.add(journal.received, received);
    return received;
  }

  #refuse(kind: MockAcpViolationKind, raw: string, code: number, message: string): void {
    this.blame(kind, raw);
    const { badLine } = this.host.facts;
    if (badLine === "exit") this.die({ exit: 1 });
    if (badLine === "error") this.say({ jsonrpc: "2.0", id: null, error: { code, message } });
  }

  #answer(id: string | number, message: Dict): void {
    const open = this.#requests.get(id);
    const method = open?.record.method ?? this.#methodOf(id);
    this.#note(message, "response", method);
    if (!open) {
      this.blame(method === undefined ? "unknown-answer" : "repeated-answer", `${method ?? ""} ${id}`.trim());
      return;
    }
    this.#requests.delete(id);
    const { record, answered } = open;
    const { error, result } = message;
    record.reply = isDict(error) ? { error } : { result };
    if (isDict(error)) this.#checkError(record.method, error);
    else this.#checkResult(record, result);
    this.host.journal.changed();
    // A cancelled turn that waits for answers ends before its script sees this one.
    if (typeof record.params["sessionId"] === "string") this.open.get(record.params["sessionId"])?.answered();
    answered(record.reply);
  }

  #methodOf(id: string | number): string | undefined {
    return this.host.journal.requests.find((each) => each.link === this && each.id === id)?.method;
  }

  #checkError(method: string, { code, message }: Dict): void {
    if (Number.isInteger(code) && typeof message === "string") return;
    this.blame("invalid-answer", `${method}: the error lacks a code or a message`);
  }

  #checkResult({ method, params }: MockAcpRequest, result: unknown): void {
    const problem = resultProblem(method, result);
    if (problem !== undefined) this.blame("invalid-answer", problem);
    else if (!isOffered(method, params, this.clientCapabilities)) this.blame("unoffered-result", method);
    const { outcome } = isDict(result) ? result : {};
    if (method !== "session/request_permission" || !isDict(outcome) || outcome["outcome"] !== "selected")
      return;
    const { options } = params;
    const chosen = Array.isArray(options) && options.some(({ optionId }) => optionId === outcome["optionId"]);
    if (!chosen) this.blame("unknown-option", String(outcome["optionId"]));
  }
}

/** Whether the process still reads: only its stdout is closed. */
const isMuteOnly = (end: MockAcpLink["ended"]): boolean => typeof end === "object" && "closeStdout" in end;

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
