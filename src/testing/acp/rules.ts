// Checks of what a client sends: the shapes of its messages and answers.
import { type Dict, isDict } from "../server/dict.ts";
import { fieldIssues, type ShapeTable } from "../shape.ts";

const SHAPES: ShapeTable = {
  caps: "fs?:fs terminal?:boolean session?:object elicitation?:elicitation auth?:object",
  fs: "readTextFile?:boolean writeTextFile?:boolean",
  elicitation: "form?:object url?:object",
  info: "name:filled title?:string|null version:string",
  mcp: "name:string",
  block: "type:text|image|audio|resource_link|resource",
  outcome: "outcome:selected|cancelled optionId?:string",
  exit: "exitCode?:whole|null signal?:string|null",
};

const SESSION = "sessionId:filled";
const FOLDER = "cwd:filled mcpServers:mcp[] additionalDirectories?:string[]";

/** The `params` of each request and notification of a client. */
const PARAMS: ShapeTable = {
  initialize: "protocolVersion:whole clientCapabilities?:caps clientInfo?:info",
  authenticate: "methodId:filled",
  logout: "",
  "session/new": FOLDER,
  "session/load": `${SESSION} ${FOLDER}`,
  "session/resume": `${SESSION} cwd:filled mcpServers?:mcp[] additionalDirectories?:string[]`,
  "session/close": SESSION,
  "session/delete": SESSION,
  "session/list": "cwd?:string cursor?:string",
  "session/set_mode": `${SESSION} modeId:filled`,
  "session/set_config_option": `${SESSION} configId:filled`,
  "session/set_model": `${SESSION} modelId:filled`,
  "session/prompt": `${SESSION} prompt:block[]`,
  "session/cancel": SESSION,
  "$/cancel_request": "",
};

/** The methods that are notifications. */
export const ACP_NOTIFICATIONS: ReadonlySet<string> = new Set(["session/cancel", "$/cancel_request"]);

/** The fields of content blocks, by type. */
const BLOCKS: ShapeTable = {
  text: "text:string",
  image: "data:filled mimeType:filled",
  audio: "data:filled mimeType:filled",
  resource_link: "name:string uri:filled",
  resource: "resource:object",
};

/** The `result` of each request of the agent. */
const RESULTS: ShapeTable = {
  "session/request_permission": "outcome:outcome",
  "fs/read_text_file": "content:string",
  "fs/write_text_file": "",
  "terminal/create": "terminalId:filled",
  "terminal/output": "output:string truncated:boolean exitStatus?:exit|null",
  "terminal/wait_for_exit": "exitCode?:whole|null signal?:string|null",
  "terminal/kill": "",
  "terminal/release": "",
  "elicitation/create": "action:accept|decline|cancel content?:object|null",
};

/** Returns the first problem of the `params` of a known method, or undefined. */
export function paramsProblem(method: string, params: Dict): string | undefined {
  const [issue] = fieldIssues(params, PARAMS[method] ?? "", SHAPES);
  if (issue) return `${method}: ${issue.path.join(".")} is not ${issue.expected}`;
  if (method !== "session/prompt" || !Array.isArray(params["prompt"])) return undefined;
  for (const block of params["prompt"].filter(isDict)) {
    const [wrong] = fieldIssues(block, BLOCKS[String(block["type"])] ?? "");
    if (wrong) return `${method}: ${String(block["type"])}.${wrong.path.join(".")} is not ${wrong.expected}`;
  }
  return undefined;
}

/** Returns the first problem of a result, or undefined. Results of other methods may be anything. */
export function resultProblem(method: string, result: unknown): string | undefined {
  const shape = RESULTS[method];
  if (shape === undefined) return undefined;
  if (!isDict(result)) return `${method}: the result is not an object`;
  const [issue] = fieldIssues(result, shape, SHAPES);
  return issue && `${method}: ${issue.path.join(".")} is not ${issue.expected}`;
}

/** Whether a client offered to serve a method of the agent. */
export function isOffered(method: string, params: Dict, capabilities: Dict): boolean {
  const { fs, terminal, elicitation } = capabilities;
  if (method === "fs/read_text_file") return isDict(fs) && fs["readTextFile"] === true;
  if (method === "fs/write_text_file") return isDict(fs) && fs["writeTextFile"] === true;
  if (method.startsWith("terminal/")) return terminal === true;
  if (method === "elicitation/create")
    return isDict(elicitation) && isDict(elicitation[String(params["mode"])]);
  return method === "session/request_permission";
}

/** Whether a path is absolute, on any platform. */
export const isAbsolutePath = (path: string): boolean => /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(path);
