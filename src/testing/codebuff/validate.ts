// Checks a frame as the Python server does.
import { type Dict, isDict } from "../server/dict.ts";
import { PythonJsonError, parsePythonJson } from "../server/python-json-parse.ts";
import { pythonRepr, pythonTypeName } from "../server/python-repr.ts";
import { contentItem } from "./chat-message.ts";
import type { Settings } from "./profiles.ts";
import {
  type Check,
  checkModel,
  coerceInteger,
  dict,
  type Field,
  type Issue,
  integer,
  listOf,
  literal,
  type Model,
  nullable,
  number,
  optional,
  report,
  required,
  text,
  unionOf,
} from "./pydantic.ts";
import type { ViolationKind } from "./record.ts";
import type { Inbound, Refused, Verdict } from "./verdict.ts";

/** Checks one frame as the Python server does, and words the refusal as it does. */
export function checkPython(raw: string, settings: Settings): Verdict {
  let source: unknown;
  try {
    source = parsePythonJson(raw);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return refuse("invalid-json", error instanceof PythonJsonError ? `Invalid JSON: ${message}` : message);
  }
  if (!isDict(source))
    return refuse("schema-error", `'${pythonTypeName(source)}' object has no attribute 'get'`);
  return checkMessage(source, settings);
}

function checkMessage(source: Dict, settings: Settings): Verdict {
  const { type } = source;
  if (isFalsy(type)) return refuseWithTxid(source, settings, "schema-error", "Message missing 'type' field");
  const model = typeof type === "string" ? modelOf(type, settings) : undefined;
  if (!model) {
    const shown = typeof type === "string" ? type : pythonRepr(type);
    return refuseWithTxid(source, settings, "unknown-message", `Unknown message type: ${shown}`);
  }
  const txidCheck = settings.txidChecks === "any" ? number : integer;
  const issues = checkModel(
    { name: model.name, fields: [required("txid", txidCheck), ...model.fields] },
    source,
  );
  if (!conforms(source, issues)) {
    const error = `Message validation failed: ${report(model.name, issues)}`;
    return refuseWithTxid(
      source,
      settings,
      isUnknownAction(source, settings) ? "unknown-action" : "schema-error",
      error,
    );
  }
  const txid = readTxid(source, settings);
  const echo = typeof txid === "object" || txid === undefined ? 0 : txid;
  return { ok: true, txid: Number(echo), echo, message: source, source, notes: [] };
}

function refuse(violation: ViolationKind, error: string): Refused {
  return { ok: false, error, txid: undefined, answer: "nack", violation };
}

/** A NACK echoes the txid that came in, and fails itself when that is no integer. */
function refuseWithTxid(source: Dict, settings: Settings, violation: ViolationKind, error: string): Refused {
  const txid = readTxid(source, settings);
  if (typeof txid !== "object") return { ok: false, error, txid, answer: "nack", violation };
  const { txid: input } = source;
  const broken = `Internal error: ${report("AckMessage", [{ path: "txid", input, ...txid }])}`;
  return { ok: false, error: broken, txid: undefined, answer: "broken", violation };
}

function readTxid(source: Dict, settings: Settings): ReturnType<typeof coerceInteger> | undefined {
  const { txid } = source;
  if (txid === undefined || txid === null) return undefined;
  if (settings.txidChecks === "any" && (typeof txid === "number" || typeof txid === "bigint")) return txid;
  return coerceInteger(txid);
}

/** As Python sees it: what is empty is false. */
function isFalsy(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isDict(value) ? Object.keys(value).length === 0 : !value;
}

function isUnknownAction(source: Dict, settings: Settings): boolean {
  const { type, data } = source;
  if (type !== "action" || !isDict(data)) return false;
  const { type: action } = data;
  return !actionsOf(settings).some(([name]) => name === action);
}

const nullableText: Check = nullable(text);

/** The type of an action, and what else it holds. */
type NamedModel = readonly [type: string, model: Model];

/** The order of the fields is the order of the lines in a report. */
const PROMPT_ACTION: Model = {
  name: "PromptAction",
  fields: [
    required("promptId", text),
    optional("prompt", nullableText),
    optional("content", nullable(listOf(contentItem))),
    optional("promptParams", nullable(dict)),
    required("fingerprintId", text),
    optional("authToken", nullableText),
    optional("costMode", text),
    required("sessionState", dict),
    optional("toolResults", listOf(dict)),
    optional("model", nullableText),
    optional("repoUrl", nullableText),
    optional("agentId", nullableText),
  ],
};

const INIT_ACTION: Model = {
  name: "InitAction",
  fields: [
    required("fingerprintId", text),
    optional("authToken", nullableText),
    required("fileContext", dict),
    optional("repoUrl", nullableText),
  ],
};

/** The real one has none of these: they are for a proxy that learns them, with a switch. */
const EXTENSIONS: readonly NamedModel[] = [
  [
    "tool-call-response",
    {
      name: "ToolCallResponseAction",
      fields: [required("requestId", text), required("output", listOf(dict))],
    },
  ],
  [
    "read-files-response",
    { name: "ReadFilesResponseAction", fields: [optional("requestId", text), required("files", dict)] },
  ],
  [
    "mcp-tool-data",
    { name: "McpToolDataAction", fields: [required("requestId", text), required("tools", listOf(dict))] },
  ],
];

const CANCEL: NamedModel = [
  "cancel-user-input",
  { name: "CancelUserInputAction", fields: [required("authToken", text), required("promptId", text)] },
];

const TOPICS: readonly Field[] = [required("topics", listOf(text))];

/** By the type of the message; `type` and `txid` are every model's own. */
const MODELS: ReadonlyMap<string, Model> = new Map<string, Model>([
  ["identify", { name: "IdentifyMessage", fields: [required("clientSessionId", text)] }],
  ["ping", { name: "PingMessage", fields: [] }],
  ["subscribe", { name: "SubscribeMessage", fields: TOPICS }],
  ["unsubscribe", { name: "UnsubscribeMessage", fields: TOPICS }],
]);

function modelOf(type: string, settings: Settings): Model | undefined {
  if (type !== "action") return MODELS.get(type);
  return { name: "ActionMessage", fields: [required("data", unionOf(actionsOf(settings).map(withType)))] };
}

function actionsOf({ extensions, cancel }: Settings): readonly NamedModel[] {
  return [
    ["prompt", PROMPT_ACTION],
    ["init", INIT_ACTION],
    ...(extensions === "accept" ? EXTENSIONS : []),
    ...(cancel === "nack" ? [] : [CANCEL]),
  ];
}

function withType([type, { name, fields }]: NamedModel): Model {
  return { name, fields: [required("type", literal(type)), ...fields] };
}

/** To be a message is to have no issue with its model. */
function conforms(source: Dict, issues: readonly Issue[]): source is Dict & Inbound {
  return "type" in source && issues.length === 0;
}
