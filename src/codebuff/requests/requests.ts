// Answers the server's requests to this machine (tools, files, MCP tools), each once, after the gate.
import { isAskUser, questionOf } from "../../codebuff-events/ask-user.ts";
import type { ToolOutput } from "../../codebuff-events/print-mode.ts";
import { CODEBUFF_SUBJECTS } from "../../codebuff-events/subjects.ts";
import { type Asking, Gate } from "../../core/gate/gate.ts";
import { subjectOf } from "../../core/gate/subject.ts";
import { Recent } from "../../core/recent.ts";
import { Table } from "../../core/table.ts";
import type { ToolCall } from "../../core/values.ts";
import {
  type McpToolDataRequest,
  type ReadFilesRequest,
  requestIdOf,
  type ServerRequest,
  type ToolCallRequest,
} from "../extensions.ts";
import type { InvalidFrame } from "../messages.ts";
import type { KnownPrompts } from "../prompts/known-prompts.ts";
import type { PromptEnd } from "../prompts/prompt.ts";
import type { SocketSession } from "../session/session.ts";
import {
  type FilesRead,
  fileText,
  type HandlerContext,
  readHandlerFiles,
  readHandlerOutput,
} from "./handlers.ts";
import { type RequestsBase, Responses } from "./responses.ts";
import { type Now, show, Task, type TaskSteps } from "./task.ts";
import {
  asking,
  handlerFor,
  REFUSED,
  readMcpTools,
  toolCallOf,
  toolError,
  toolTimeout,
} from "./tool-calls.ts";

/** ms for reading files. The server waits without end, and so would the turn. */
const FILES_TIMEOUT = 30_000;

/** ms for listing the tools of an MCP server. The MCP server may have to be installed first. The Codebuff server gives up after 50 s. */
const MCP_TIMEOUT = 45_000;

/** Upper bound on concurrent requests; further requests are refused. Far above the need of any agent, and low enough for any machine. */
const MAX_AT_ONCE = 100;

/** Characters of an id: real ids are much shorter. */
const MAX_ID = 1_000;

/** Upper bound on remembered tool calls, which are not run twice, and on remembered warnings. */
const REMEMBERED = 256;

export interface RequestsSetup extends RequestsBase {
  readonly known: KnownPrompts;
}

/** A job for a handler of the caller, if a handler is registered and the gate allows the call. */
interface Offer<T> extends Omit<TaskSteps<T>, "ask">, Pick<Asking, "source" | "about"> {
  /** The request in words, for messages. */
  readonly asked: string;
  readonly option: string;
  readonly run: ((context: HandlerContext) => T | Promise<T>) | undefined;
  readonly preview?: Asking["preview"];
}

/**
 * The server's requests to this machine: tools, files, MCP tools. Each request passes the gate. Each request is answered exactly once,
 * on its own session, whatever its handler does: an agent on the server waits for the response.
 */
export class ServerRequests {
  readonly #setup: RequestsSetup;
  readonly gate: Gate;
  readonly #responses: Responses;
  /** The running tasks, by `keyOf`: the key tells a repeated request from a new one. */
  readonly #tasks = new Table<string, Pick<Task<never>, "promptId" | "limited" | "isRunning" | "abandon">>();
  /** The tool calls of the current session. A restarted server may count its ids from the beginning. */
  #called = new Recent<string, true>(REMEMBERED);
  readonly #missing = new Recent<string, true>(REMEMBERED);

  constructor(setup: RequestsSetup) {
    this.#setup = setup;
    this.gate = new Gate(setup.core, setup.settings.approval, CODEBUFF_SUBJECTS);
    this.#responses = new Responses(setup);
  }

  /** Whether a request with a time limit is running. A request without a limit must not delay a reconnect for ever. */
  get working(): boolean {
    return [...this.#tasks.values()].some(({ limited }) => limited);
  }

  receive(session: SocketSession, request: ServerRequest): void {
    const { core } = this.#setup;
    const id = requestIdOf({ ...request });
    if (id === undefined || id.length > MAX_ID) {
      const why = "it has no id that can be used";
      core.warn("unanswerable-request", `a ${request.type} cannot be answered: ${why}`);
      return;
    }
    const key = keyOf(request, id);
    if (this.#tasks.has(key) || this.#called.get(key)) {
      core.warn("repeated-request", `a ${request.type} came twice; it is carried out once`);
      return;
    }
    switch (request.type) {
      case "tool-call-request":
        this.#called.set(key, true);
        this.#callTool(session, key, id, request);
        return;
      case "read-files":
      case "read-files-request":
        this.#readFiles(session, key, request);
        return;
      case "request-mcp-tool-data":
        this.#listMcpTools(session, key, request);
        return;
      default:
        request satisfies never;
    }
  }

  /** Refuses an unreadable request: its agent waits for a response. */
  refuse(session: SocketSession, { problem, request }: InvalidFrame): void {
    if (!request) return;
    const { type, requestId } = request;
    if (type === "tool-call-request")
      this.#responses.refuse(session, "tool-call-response", toolError(requestId, problem));
    else if (type === "request-mcp-tool-data")
      this.#responses.refuse(session, "mcp-tool-data", { requestId, tools: [] });
    else this.#responses.refuse(session, "read-files-response", { requestId, files: {} });
  }

  /** Abandons the requests of a prompt that is over. Handlers that run go on behind a prompt that completes. */
  promptEnding(promptId: string, how: PromptEnd): void {
    for (const task of this.#tasks.values()) {
      if (task.promptId !== promptId) continue;
      if (how !== "completed") task.abandon(how, REFUSED.other);
      else if (!task.isRunning) task.abandon("ended", REFUSED.completed);
    }
  }

  /** The session has ended: abandons all requests, because no response can be sent. */
  sessionEnded(): void {
    for (const task of this.#tasks.values()) task.abandon("disconnected", "the connection has ended");
    this.#called = new Recent(REMEMBERED);
  }

  #callTool(session: SocketSession, key: string, requestId: string, raw: ToolCallRequest): void {
    const { gate } = this;
    const { known, core, settings } = this.#setup;
    const { toolName: name, userInputId, mcpConfig } = raw;
    const named = userInputId == null ? known.onlyUnderWay() : known.named(userInputId);
    const { promptId } = named ?? {};
    const turn = named?.standing === "open" ? named.prompt?.turn : undefined;
    const call = toolCallOf(raw, gate.idFor(requestId), promptId);
    const job: Omit<TaskSteps<readonly ToolOutput[]>, "ask"> = {
      session,
      notice: "tool-call-response",
      call,
      promptId,
      turn,
      handler: `the handler of the tool \`${name}\``,
      timeout: toolTimeout(call),
      read: (output) => ({ requestId, output: readHandlerOutput(output) }),
      failed: (why) => toolError(requestId, why),
    };
    const notRun = named ? REFUSED[named.standing] : "it names no prompt, and not just one is under way";
    if (notRun !== undefined) {
      core.warn("unwanted-request", `a call of ${asked(name)} was refused: ${notRun}`);
      this.#refuse(job, notRun);
      return;
    }
    const asksUser = !mcpConfig && isAskUser(name);
    const isQuestion = asksUser && gate.answersQuestions;
    const question = isQuestion ? questionOf(call) : undefined;
    const handler = isQuestion ? undefined : handlerFor(settings.handlers, raw);
    if (question) this.#start(key, { ...job, handler: "`onQuestion`", ask: asking(gate, question) });
    else if (isQuestion) this.#refuse(job, "the input of the tool is no question");
    else {
      this.#offer(key, {
        ...job,
        asked: asked(name),
        option: mcpConfig ? "`onMcpToolCall`" : asksUser ? "`onQuestion`" : "`tools`",
        run: handler && ((context) => handler(call, context)),
        preview: handler?.preview && ((_, context) => handler.preview?.(call, context)),
        ...(mcpConfig
          ? { source: `mcp:${JSON.stringify(mcpConfig)}`, about: { subject: subjectOf(call) } }
          : {}),
      });
    }
  }

  #readFiles(session: SocketSession, key: string, raw: ReadFilesRequest): void {
    const { requestId, filePaths } = raw;
    const { onReadFiles } = this.#setup.settings.handlers;
    const answer = (files: FilesRead): object => ({
      requestId,
      // The server waits for every requested path, and for no other.
      files: Object.fromEntries(filePaths.map((path) => [path, fileText(files, path)])),
    });
    this.#offer(key, {
      session,
      notice: "read-files-response",
      asked: "files",
      option: "`onReadFiles`",
      source: "files", // a tool may also have the name `read_files`
      about: { subject: subjectOf({ name: "read_files", input: { paths: filePaths } }, CODEBUFF_SUBJECTS) },
      ...this.#forOnlyPrompt("read_files", { filePaths }, raw),
      handler: "`onReadFiles`",
      timeout: FILES_TIMEOUT,
      run: onReadFiles && ((context) => onReadFiles(filePaths, context)),
      read: (files) => answer(readHandlerFiles(files)),
      failed: () => answer({}),
    });
  }

  #listMcpTools(session: SocketSession, key: string, raw: McpToolDataRequest): void {
    const { requestId, mcpConfig, toolNames } = raw;
    const { onMcpTools } = this.#setup.settings.handlers;
    this.#offer(key, {
      session,
      notice: "mcp-tool-data",
      asked: "the tools of an MCP server",
      option: "`onMcpTools`",
      ...this.#forNoPrompt("mcp_tools", { mcpConfig, toolNames }, raw),
      source: `mcp-tools:${JSON.stringify(mcpConfig)}`, // the MCP server that is started or called
      handler: "`onMcpTools`",
      timeout: MCP_TIMEOUT,
      run: onMcpTools && ((context) => onMcpTools(raw, context)),
      read: (tools) => ({ requestId, tools: readMcpTools(tools) }),
      failed: () => ({ requestId, tools: [] }),
    });
  }

  /** A request for files names no prompt. The request belongs to the prompt under way, if there is exactly one. */
  #forOnlyPrompt(name: string, input: object, raw: ReadFilesRequest) {
    const { promptId, prompt } = this.#setup.known.onlyUnderWay() ?? {};
    const { call } = this.#forNoPrompt(name, input, raw);
    const named: ToolCall = promptId === undefined ? call : { ...call, turnId: promptId };
    return { call: named, promptId, turn: prompt?.turn };
  }

  /** The call for rules and approvals, for a request that names no prompt. */
  #forNoPrompt(name: string, input: object, raw: ReadFilesRequest | McpToolDataRequest) {
    const call: ToolCall = { id: this.gate.idFor(raw.requestId), name, input, raw };
    return { call, promptId: undefined, turn: undefined };
  }

  /** Brings a request before the gate. Without a handler, refuses the request without asking the user. */
  #offer<T>(key: string, { asked, option, run, preview, source, about, ...job }: Offer<T>): void {
    if (!run) {
      this.#warnMissing(asked, option);
      const why = `no handler is registered for ${asked}`;
      this.#refuse(job, why, { state: "failed", error: this.gate.unasked(why) });
      return;
    }
    const { gate } = this;
    this.#start<T>(key, {
      ...job,
      ask: (task, turn) =>
        gate.ask(job.call, {
          turn,
          isHandled: true,
          source,
          about,
          preview,
          decided: (ruling) => (ruling.decision === "reject" ? task.deny(ruling) : task.run(run)),
        }),
    });
  }

  #start<T>(key: string, job: TaskSteps<T>): void {
    if (this.#tasks.size >= MAX_AT_ONCE) {
      const why = `this client carries out ${MAX_AT_ONCE} requests at once, and no more`;
      this.#setup.core.warn("handler-failed", `${job.handler} was not called: ${why}`);
      this.#refuse(job, why, { state: "denied", deniedBy: "policy", reason: why });
      return;
    }
    const over = (): void => void this.#tasks.delete(key);
    const task = new Task(
      { core: this.#setup.core, known: this.#setup.known, responses: this.#responses, over },
      job,
    );
    this.#tasks.set(key, task);
    task.begin();
  }

  #refuse<T>(
    { session, notice, call, turn, failed }: Omit<TaskSteps<T>, "ask">,
    why: string,
    now: Now = { state: "failed", error: why },
  ): void {
    show(this.#setup.core, turn, call, now);
    this.#responses.refuse(session, notice, failed(why));
  }

  #warnMissing(what: string, option: string): void {
    if (this.#missing.get(what)) return;
    this.#missing.set(what, true);
    const message = `the server asked for ${what}, and nobody is registered for that: see the option ${option}`;
    this.#setup.core.warn("unhandled-request", message);
  }
}

/** The key that tells a repeated request from a new one. No known server uses the same key twice for one prompt. */
function keyOf(request: ServerRequest, id: string): string {
  if (request.type !== "tool-call-request") return JSON.stringify([request.type, id]);
  const { userInputId = null, toolName } = request;
  return JSON.stringify([
    request.type,
    id,
    userInputId === null ? null : bounded(userInputId),
    bounded(toolName),
  ]);
}

/** Shortens a text for a key: keys are remembered. A text longer than any real id is reduced to its beginning and its length. */
function bounded(text: string): string {
  return text.length <= MAX_ID ? text : `${text.slice(0, MAX_ID)}~${text.length}`;
}

/** A tool call in words, for messages. */
function asked(toolName: string): string {
  return `the tool "${toolName.slice(0, MAX_ID)}"`;
}
