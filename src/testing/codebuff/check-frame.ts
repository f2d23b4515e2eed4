// Checks a client's frame, and words the refusal as the real server does.
import { type Dict, isDict } from "../server/dict.ts";
import { byteLength, type InboundFrame } from "../server/inbound.ts";
import { writePythonJson } from "../server/python-json.ts";
import { fieldIssues, type Issue, type ShapeTable } from "../shape.ts";
import type { ActionData } from "./messages.ts";
import type { CodebuffMockSettings } from "./options.ts";
import type { ViolationKind } from "./record.ts";

export type Inbound =
  | { readonly type: "identify"; readonly clientSessionId: string }
  | { readonly type: "ping" }
  | { readonly type: "subscribe" | "unsubscribe"; readonly topics: readonly string[] }
  | { readonly type: "action"; readonly data: ActionData };

export interface Accepted {
  readonly ok: true;
  readonly txid: number;
  readonly message: Inbound;
  readonly source: Dict;
}

export interface Refused {
  readonly ok: false;
  readonly error: string;
  /** The txid of the NACK. The original server repeats any value. */
  readonly txid?: unknown;
  /** `broken`: the NACK itself fails; before identify there is only a close. `none`: no answer. @default "nack" */
  readonly answer?: "broken" | "none";
  readonly violation: ViolationKind;
}

export type Verdict = Accepted | Refused;

const MESSAGES: ShapeTable = {
  identify: "clientSessionId:string",
  subscribe: "topics:string[]",
  unsubscribe: "topics:string[]",
  ping: "",
  action: "",
};

const PROXY_ACTIONS: ShapeTable = {
  prompt:
    "promptId:string prompt?:string|null content?:object[]|null promptParams?:object|null fingerprintId:string authToken?:string|null costMode?:string sessionState:object toolResults?:object[] model?:string|null repoUrl?:string|null agentId?:string|null",
  init: "fingerprintId:string authToken?:string|null fileContext:object repoUrl?:string|null",
};

const ORIGINAL_ACTIONS: ShapeTable = {
  prompt:
    "promptId:string prompt?:string content?:part[] promptParams?:object fingerprintId:string authToken?:string costMode?:string sessionState:sessionState toolResults:object[] model?:string repoUrl?:string agentId?:string",
  init: "fingerprintId:string authToken?:string fileContext:fileContext repoUrl?:string",
};

const EXTENSIONS: ShapeTable = {
  "tool-call-response": "requestId:string output:output[]",
  "read-files-response": "files:object requestId?:string",
  "mcp-tool-data": "requestId:string tools:tool[]",
};
const CANCEL: ShapeTable = { "cancel-user-input": "authToken:string promptId:string" };

/** The shapes inside actions. */
const PARTS: ShapeTable = {
  part: "type:text|image text?:string image?:string mediaType?:string",
  output: "type:json|media",
  tool: "name:string description?:string inputSchema:object",
  sessionState: "fileContext:fileContext mainAgentState:agent",
  agent:
    "agentId:string agentType:string|null agentContext:object ancestorRunIds?:string[] subagents:array childRunIds?:string[] messageHistory:array stepsRemaining:number creditsUsed:number directCreditsUsed?:number output?:object parentId?:string",
  fileContext:
    "projectRoot:string cwd:string fileTree:array fileTokenScores:object tokenCallers?:object knowledgeFiles:object userKnowledgeFiles?:object agentTemplates:object customToolDefinitions:object codebuffConfig?:object gitChanges:git changesSinceLastChat:object shellConfigFiles:object systemInfo:system",
  git: "status:string diff:string diffCached:string lastCommitMessages:string",
  system: "platform:string shell:string nodeVersion:string arch:string homedir:string cpus:number",
};

/** Checks one frame by the rules of the profile's server. */
export function checkFrame(frame: InboundFrame, settings: CodebuffMockSettings): Verdict {
  if (typeof frame !== "string" && settings.binary === "nack")
    return { ok: false, error: "Internal error: 'text'", violation: "binary-frame" };
  const raw = typeof frame === "string" ? frame : new TextDecoder().decode(frame);
  const limit = settings.sizeLimits ? settings.sizeLimits.maxFrameBytes : Number.POSITIVE_INFINITY;
  const bytes = byteLength(raw, limit);
  if (bytes > limit) {
    const error = `Message too large: ${bytes} bytes (limit: ${limit} bytes)`;
    return { ok: false, error, violation: "oversize-frame" };
  }
  const python = settings.errorTexts === "python";
  let source: unknown;
  try {
    source = JSON.parse(raw);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, error: python ? pythonJsonError(raw) : message, violation: "invalid-json" };
  }
  return python ? checkPython(source, settings) : checkOriginal(source, settings);
}

function actionsOf({ errorTexts, extensions, cancel }: CodebuffMockSettings): ShapeTable {
  return {
    ...(errorTexts === "python" ? PROXY_ACTIONS : ORIGINAL_ACTIONS),
    ...(extensions === "accept" && EXTENSIONS),
    ...(cancel !== "nack" && CANCEL),
  };
}

function violationOf({ type, data }: Dict, actions: ShapeTable): ViolationKind {
  if (type !== "action" || !isDict(data)) return "schema-error";
  const action = String(data["type"]);
  if (!Object.hasOwn(actions, action)) return "unknown-action";
  return Object.hasOwn(EXTENSIONS, action) ? "answer-incomplete" : "schema-error";
}

function accepted(source: Dict, txid: number): Accepted {
  return { ok: true, txid, message: source as Dict & Inbound, source };
}

// The proxy: texts of Python

/** The error text of Python's JSON parser. Four kinds were captured; other mistakes get the most similar text. */
function pythonJsonError(raw: string): string {
  if (/^\[{1000}/.test(raw))
    return "maximum recursion depth exceeded while decoding a JSON array from a unicode string";
  const brace = /^\{\s*(?=[^"\s])/.exec(raw)?.[0].length;
  const at = (char: number) => `line 1 column ${char + 1} (char ${char})`;
  if (brace !== undefined)
    return `Invalid JSON: Expecting property name enclosed in double quotes: ${at(brace)}`;
  if (raw.startsWith("{")) return `Invalid JSON: Expecting ',' delimiter: ${at(raw.length)}`;
  return `Invalid JSON: Expecting value: ${at(0)}`;
}

function checkPython(source: unknown, settings: CodebuffMockSettings): Verdict {
  if (!isDict(source)) {
    const error = `'${pythonType(source)}' object has no attribute 'get'`;
    return { ok: false, error, violation: "schema-error" };
  }
  const { type, txid } = source;
  const number = settings.txidChecks === "any" && typeof txid === "number" ? txid : pythonInteger(txid);
  const refuse = (violation: ViolationKind, error: string): Refused => {
    // A NACK repeats the txid. It fails if the txid is not an integer.
    if (typeof number === "number" || txid === undefined || txid === null)
      return { ok: false, error, txid: typeof number === "number" ? number : undefined, violation };
    const broken = report("AckMessage", [`txid\n${pythonLine(...number, txid)}`]);
    return { ok: false, error: `Internal error: ${broken}`, answer: "broken", violation };
  };
  if (!type) return refuse("schema-error", "Message missing 'type' field");
  if (typeof type !== "string" || !Object.hasOwn(MESSAGES, type))
    return refuse(
      "unknown-message",
      `Unknown message type: ${typeof type === "string" ? type : pythonRepr(type)}`,
    );

  const actions = actionsOf(settings);
  const lines =
    txid === undefined
      ? [`txid\n${pythonLine(...MISSING, source)}`]
      : settings.txidChecks === "any" && typeof txid !== "number"
        ? [`txid\n${pythonLine("float_type", "Input should be a valid number", txid)}`]
        : typeof number === "number"
          ? []
          : [`txid\n${pythonLine(...number, txid)}`];
  lines.push(...fieldIssues(source, MESSAGES[type] ?? "").map((issue) => pythonIssue(issue)));
  if (type === "action") lines.push(...actionLines(source, actions));
  if (lines.length === 0) return accepted(source, Number(number));
  const model = `${type.charAt(0).toUpperCase()}${type.slice(1)}Message`;
  return refuse(violationOf(source, actions), `Message validation failed: ${report(model, lines)}`);
}

/** The errors of an action's data, from all branches of the union. */
function actionLines(source: Dict, actions: ShapeTable): readonly string[] {
  const { data } = source;
  if (data === undefined) return [`data\n${pythonLine(...MISSING, source)}`];
  const branches = Object.entries(actions).map(([action, shape]) => {
    const model = `${action.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}Action`;
    if (!isDict(data)) {
      const text = `Input should be a valid dictionary or instance of ${model}`;
      return [`data.${model}\n${pythonLine("model_type", text, data)}`];
    }
    return fieldIssues(data, `type:${action} ${shape}`, PARTS).map((issue) =>
      pythonIssue(issue, `data.${model}.`),
    );
  });
  return branches.some((issues) => issues.length === 0) ? [] : branches.flat();
}

const MISSING = ["missing", "Field required"] as const;

const PYTHON_TEXTS: Readonly<Record<string, readonly [type: string, text: string]>> = {
  string: ["string_type", "Input should be a valid string"],
  object: ["dict_type", "Input should be a valid dictionary"],
  array: ["list_type", "Input should be a valid list"],
};

function pythonIssue({ path, expected, input, parent }: Issue, prefix = ""): string {
  const text = PYTHON_TEXTS[expected] ?? ["literal_error", `Input should be '${expected}'`];
  const line = input === undefined ? pythonLine(...MISSING, parent) : pythonLine(...text, input);
  return `${prefix}${path.join(".")}\n${line}`;
}

function pythonLine(type: string, text: string, input: unknown): string {
  const value = pythonRepr(input);
  const shown = value.length > 50 ? `${value.slice(0, 25)}...${value.slice(-24)}` : value;
  return `  ${text} [type=${type}, input_value=${shown}, input_type=${pythonType(input)}]\n    For further information visit https://errors.pydantic.dev/2.13/v/${type}`;
}

/** The text of a `ValidationError`. */
function report(model: string, lines: readonly string[]): string {
  return [`${lines.length} validation error${lines.length === 1 ? "" : "s"} for ${model}`, ...lines].join(
    "\n",
  );
}

/** Reads a txid as pydantic does, or returns its errors. */
function pythonInteger(txid: unknown): number | readonly [type: string, text: string] {
  const integer = "Input should be a valid integer";
  if (typeof txid === "boolean" || Number.isInteger(txid)) return Number(txid);
  if (typeof txid === "string")
    return /^-?\d+$/.test(txid)
      ? Number(txid)
      : ["int_parsing", `${integer}, unable to parse string as an integer`];
  if (typeof txid === "number") return ["int_from_float", `${integer}, got a number with a fractional part`];
  return ["int_type", integer];
}

const PYTHON_WORDS: Readonly<Record<string, string>> = { null: "None", true: "True", false: "False" };

/** Formats a value roughly as Python does. */
function pythonRepr(value: unknown): string {
  const text = writePythonJson(value, "spaced").replaceAll('"', "'");
  return text.replace(/\b(?:null|true|false)\b/g, (word) => PYTHON_WORDS[word] ?? word);
}

function pythonType(value: unknown): string {
  if (value === null) return "NoneType";
  if (Array.isArray(value)) return "list";
  if (typeof value === "number") return Number.isInteger(value) ? "int" : "float";
  return { string: "str", boolean: "bool", object: "dict" }[typeof value as "string"] ?? "";
}

// The original server: lists of issues

function checkOriginal(source: unknown, settings: CodebuffMockSettings): Verdict {
  // The server reads the message's txid for the refusal. Only `null` makes this throw, so `null` gets no ack.
  if (source === null)
    return { ok: false, error: "null is not a message", answer: "none", violation: "schema-error" };
  const refuse = (violation: ViolationKind, issues: readonly object[]): Refused => ({
    ok: false,
    error: JSON.stringify(issues),
    txid: isDict(source) ? source["txid"] : undefined,
    violation,
  });
  if (!isDict(source))
    return refuse("schema-error", [zodIssue({ path: [], expected: "object", input: source })]);
  const { type, txid, data } = source;
  if (typeof type !== "string" || !Object.hasOwn(MESSAGES, type))
    return refuse(type === undefined ? "schema-error" : "unknown-message", [unknownType(MESSAGES, "type")]);

  const actions = actionsOf(settings);
  const action = isDict(data) ? String(data["type"]) : "";
  // Python's integers matter only with `txidChecks: "coerce"`.
  const number = settings.txidChecks === "any" && typeof txid === "number" ? txid : pythonInteger(txid);
  const takesTxid =
    typeof number === "number" && (settings.txidChecks === "coerce" || typeof txid === "number");
  const issues = takesTxid ? [] : [zodIssue({ path: ["txid"], expected: "number", input: txid })];
  issues.push(...fieldIssues(source, MESSAGES[type] ?? "").map(zodIssue));
  if (type === "action") {
    if (!isDict(data)) issues.push(zodIssue({ path: ["data"], expected: "object", input: data }));
    else if (!Object.hasOwn(actions, action)) issues.push(unknownType(actions, "data", "type"));
    else issues.push(...fieldIssues(data, actions[action] ?? "", PARTS, ["data"]).map(zodIssue));
  }
  return issues.length === 0
    ? accepted(source, Number(number))
    : refuse(violationOf(source, actions), issues);
}

/** One issue of the list, with its keys in the server's order. */
function zodIssue({ path, expected, input }: Pick<Issue, "path" | "expected" | "input">): object {
  const received = input === null ? "null" : Array.isArray(input) ? "array" : typeof input;
  const message = received === "undefined" ? "Required" : `Expected ${expected}, received ${received}`;
  return { code: "invalid_type", expected, received, path, message };
}

function unknownType(known: ShapeTable, ...path: readonly string[]): object {
  const options = Object.keys(known);
  const message = `Invalid discriminator value. Expected ${options.map((option) => `'${option}'`).join(" | ")}`;
  return { code: "invalid_union_discriminator", options, path, message };
}
