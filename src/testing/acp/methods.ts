// The agent's methods: what each request and notification of a client does.
import { type Dict, isDict } from "../server/dict.ts";
import type { AcpHost, KeptSession } from "./host.ts";
import { AcpLink, type AcpPort } from "./link.ts";
import type { MockAcpProcess, MockAcpReply, OpenRecord, ReceivedAcpMessage } from "./record.ts";
import { ACP_NOTIFICATIONS, isAbsolutePath, paramsProblem } from "./rules.ts";
import { AcpMockSession } from "./session.ts";

type Received = OpenRecord<ReceivedAcpMessage>;
type Link = AcpLink<AcpMockSession>;

const failure = (code: number, message: string, data?: unknown): MockAcpReply => ({
  error: { code, message, ...(data === undefined ? {} : { data }) },
});

/** The capability that each optional method needs. */
const NEEDS: Readonly<Record<string, string>> = {
  ...{
    "session/resume": "resume",
    "session/close": "close",
    "session/delete": "delete",
    "session/list": "list",
  },
};

/** Opens a link. */
export function linkAcp(host: AcpHost, port: AcpPort, process: MockAcpProcess | undefined): Link {
  return new AcpLink<AcpMockSession>(host, port, process, { handle });
}

/** Handles one message of the client. */
function handle(link: Link, received: Received, method: string, isNotification: boolean): void {
  const params = isDict(received.message["params"]) ? received.message["params"] : {};
  const refusal = refusalOf(link, method, params, isNotification);
  const reply = refusal ?? replyTo(link, received, method, params);
  if (reply && !isNotification) link.respond(received, reply);
}

function refusalOf(
  link: Link,
  method: string,
  params: Dict,
  isNotification: boolean,
): MockAcpReply | undefined {
  if (isNotification !== ACP_NOTIFICATIONS.has(method) || !isKnown(link, method)) {
    link.blame("unknown-method", method);
    return failure(-32601, `"Method not found": ${method}`, { method });
  }
  const problem = paramsProblem(method, params);
  if (problem !== undefined) {
    link.blame("invalid-params", problem);
    return failure(-32602, "Invalid params", { problem });
  }
  if (method === "initialize" || link.phase === "ready") return undefined;
  link.blame("before-initialize", method);
  return failure(-32600, "Not initialized");
}

function isKnown({ host: { capabilities, settings } }: Link, method: string): boolean {
  const { sessionCapabilities, loadSession, auth } = capabilities;
  const need = NEEDS[method];
  if (need !== undefined) return isDict(sessionCapabilities) && sessionCapabilities[need] !== undefined;
  if (method === "session/load") return loadSession === true;
  if (method === "logout") return isDict(auth) && auth["logout"] !== undefined;
  if (method === "session/set_model") return settings.models === "legacy" || settings.models === "both";
  if (method === "session/set_config_option")
    return settings.models === "configOptions" || settings.models === "both";
  return (
    ["initialize", "authenticate", "session/new", "session/set_mode", "session/prompt"].includes(method) ||
    ACP_NOTIFICATIONS.has(method)
  );
}

function initialize(link: Link, received: Received, params: Dict): void {
  const { capabilities, clock, facts, settings } = link.host;
  const asked = params["protocolVersion"];
  if (link.phase !== "new") link.blame("wrong-initialize", "a second one");
  if (asked !== 1) link.blame("wrong-initialize", `protocolVersion ${String(asked)}`);
  link.phase = "starting";
  link.clientCapabilities = isDict(params["clientCapabilities"]) ? params["clientCapabilities"] : {};
  link.clientInfo = isDict(params["clientInfo"]) ? params["clientInfo"] : {};
  const protocolVersion = asked === 1 ? settings.protocolVersion : (facts.newest ?? settings.protocolVersion);
  const answer = (): void => {
    link.phase = "ready";
    const { info: agentInfo, authMethods } = facts;
    link.respond(received, {
      result: { protocolVersion, agentCapabilities: capabilities, authMethods, agentInfo },
    });
  };
  if (settings.startDelay === 0) answer();
  else clock.setTimeout(answer, settings.startDelay, { unref: true });
}

/** Returns the answer; undefined if it is given already, or comes later. */
function replyTo(link: Link, received: Received, method: string, params: Dict): MockAcpReply | undefined {
  const { kept } = link.host;
  const session = link.open.get(String(params["sessionId"]));
  switch (method) {
    case "initialize":
      initialize(link, received, params);
      return undefined;
    case "session/prompt":
      prompt(link, received, params);
      return undefined;
    case "session/cancel":
      if (session) session.cancel();
      else link.blame("unknown-session", `session/cancel ${String(params["sessionId"])}`);
      return undefined;
    case "$/cancel_request":
      if (link.host.settings.cancelRequest !== "ignored")
        for (const each of link.open.values()) each.cancelRequest(params["requestId"]);
      return undefined;
    case "authenticate":
      return authenticate(link, String(params["methodId"]));
    case "logout":
      link.isAuthenticated = false;
      return { result: {} };
    case "session/new":
    case "session/load":
    case "session/resume":
      return openSession(link, received, method, params);
    case "session/list": {
      const sessions = [...kept.values()]
        .filter(({ cwd }) => params["cwd"] === undefined || cwd === params["cwd"])
        .map(({ id: sessionId, cwd, title }) => ({
          sessionId,
          cwd,
          ...(title === undefined ? {} : { title }),
        }));
      return { result: { sessions } };
    }
    case "session/close":
    case "session/delete": {
      const id = String(params["sessionId"]);
      if (!kept.has(id)) return unknownSession(link, method, id);
      session?.close();
      link.open.delete(id);
      if (method === "session/delete") kept.delete(id);
      return { result: {} };
    }
    default:
      if (!session) return unknownSession(link, method, String(params["sessionId"]));
      return choose(link, session, method, params);
  }
}

function authenticate(link: Link, methodId: string): MockAcpReply {
  const { facts, settings } = link.host;
  const exists = facts.authMethods.some(({ id }) => id === methodId);
  if (settings.auth === "none" || !exists) link.blame("authenticate-unasked", methodId);
  if (!exists) return failure(-32602, "Invalid params", { methodId });
  if (settings.auth === "refuses") return failure(-32000, "Authentication failed");
  link.isAuthenticated = true;
  return { result: {} };
}

function authRequired({ isAuthenticated, host: { settings } }: Link, at: "new" | "prompt"): boolean {
  if (isAuthenticated || settings.auth === "none") return false;
  return settings.auth === "refuses" || (settings.auth === "atNew") === (at === "new");
}

const AUTH_REQUIRED = failure(-32000, "Authentication required");

function unknownSession(link: Link, method: string, sessionId: string): MockAcpReply {
  const { load, prompt: usual } = link.host.facts.unknownSession;
  link.blame("unknown-session", `${method} ${sessionId}`);
  const code = method === "session/load" || method === "session/resume" ? load : usual;
  return failure(code, `Session ${sessionId} not found`, { sessionId });
}

/** `session/new`, `load` and `resume`. */
function openSession(link: Link, received: Received, method: string, params: Dict): MockAcpReply | undefined {
  const { host } = link;
  const { load } = host.settings;
  const cwd = String(params["cwd"]);
  if (!isAbsolutePath(cwd)) link.blame("relative-cwd", cwd);
  if (authRequired(link, "new")) return AUTH_REQUIRED;
  if (method === "session/load" && load === "error")
    return failure(-32603, "Internal error", { details: "No previous sessions found for this project." });
  const session = method === "session/new" ? newSession(link, cwd) : keptSession(link, method, params, cwd);
  if (!(session instanceof AcpMockSession)) return session;
  const isNew = method === "session/new";
  session.habit("beforeNew");
  if (method === "session/load" && load === "replay") session.replay();
  const choices = method === "session/load" && load === "silent" ? {} : session.choices();
  link.respond(received, { result: { ...(isNew ? { sessionId: session.id } : {}), ...choices } });
  if (method === "session/load" && load === "late") session.replay();
  session.habit("afterNew");
  return undefined;
}

function newSession(link: Link, cwd: string): AcpMockSession {
  const { host } = link;
  const kept: KeptSession = { id: host.newSessionId(), cwd, title: undefined, history: [] };
  host.kept.set(kept.id, kept);
  return new AcpMockSession(link, kept);
}

function keptSession(link: Link, method: string, params: Dict, cwd: string): AcpMockSession | MockAcpReply {
  const id = String(params["sessionId"]);
  const kept = link.host.kept.get(id);
  if (kept && kept.cwd !== cwd) link.blame("foreign-cwd", `${method} ${id}: ${cwd}`);
  if (!kept) return unknownSession(link, method, id);
  if (kept.cwd !== cwd)
    return failure(link.host.facts.unknownSession.load, `Session ${id} not found in ${cwd}`);
  link.open.get(id)?.stop();
  return new AcpMockSession(link, kept);
}

/** `session/set_mode`, `set_model` and `set_config_option`. */
function choose(link: Link, session: AcpMockSession, method: string, params: Dict): MockAcpReply {
  const id = String(params["modeId"] ?? params["modelId"] ?? params["configId"]);
  const { value } = params;
  const chosen =
    method === "session/set_mode"
      ? session.setMode(id)
      : method === "session/set_model"
        ? session.setModel(id)
        : session.setOption(id, value);
  if (chosen) return { result: method === "session/set_config_option" ? session.configOptions() : {} };
  link.blame("unknown-choice", `${method} ${id}${value === undefined ? "" : ` ${String(value)}`}`);
  return failure(-32602, "Invalid params", { id });
}

function prompt(link: Link, received: Received, params: Dict): void {
  const { clock, journal } = link.host;
  const sessionId = String(params["sessionId"]);
  const content = Array.isArray(params["prompt"]) ? params["prompt"].filter(isDict) : [];
  const text = content.map((block) => (block["type"] === "text" ? String(block["text"]) : "")).join("");
  const record = {
    ...{ at: clock.now(), link, number: journal.prompts.length + 1, sessionId, content, text },
    outcome: undefined,
  };
  journal.add(journal.prompts, record);
  const session = link.open.get(sessionId);
  const reply = earlyReply(link, session, content, text);
  if (session && !reply) {
    session.prompt(received, record);
    return;
  }
  link.respond(received, reply ?? unknownSession(link, "session/prompt", sessionId));
  Object.assign(record, { outcome: reply && "result" in reply ? "end_turn" : "error" });
  journal.changed();
}

/** The answer to a prompt that starts no turn. */
function earlyReply(
  link: Link,
  session: AcpMockSession | undefined,
  content: readonly Dict[],
  text: string,
): MockAcpReply | undefined {
  const isBlank = text.trim() === "" && content.every(({ type }) => type === "text");
  if (isBlank) link.blame("blank-prompt", JSON.stringify(content));
  if (!session) return undefined;
  if (authRequired(link, "prompt")) return AUTH_REQUIRED;
  if (isBlank) return { result: { stopReason: "end_turn" } };
  return refusedContent(link, content, link.host.capabilities["promptCapabilities"]);
}

function refusedContent(link: Link, content: readonly Dict[], taken: unknown): MockAcpReply | undefined {
  const has = (name: string): boolean => isDict(taken) && taken[name] === true;
  const type = content
    .map((block) => String(block["type"]))
    .find(
      (each) =>
        (each === "image" && !has("image")) ||
        (each === "audio" && !has("audio")) ||
        (each === "resource" && !has("embeddedContext")),
    );
  if (type === undefined) return undefined;
  link.blame("unsupported-content", type);
  return failure(-32602, `Invalid params: Unsupported content block type: ${type}`, { type });
}
