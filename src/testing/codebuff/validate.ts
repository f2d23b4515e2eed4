import type { Settings } from "./options.ts";
import {
  type Check,
  checkModel,
  coerceInteger,
  type Dict,
  dict,
  type Field,
  type Issue,
  integer,
  isDict,
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
import { PythonJsonError, parsePythonJson } from "./python-json-parse.ts";
import { pythonRepr, pythonTypeName } from "./python-repr.ts";
import type { PromptData, ViolationKind } from "./record.ts";

/** A message that passed the checks. */
export type Inbound =
  | { readonly type: "identify"; readonly clientSessionId: string }
  | { readonly type: "ping" }
  | { readonly type: "subscribe" | "unsubscribe"; readonly topics: readonly string[] }
  | { readonly type: "action"; readonly data: PromptData | InitData };

export interface InitData {
  readonly type: "init";
  readonly fingerprintId: string;
  readonly fileContext: Dict;
}

/** What the server makes of a frame. */
export type Verdict = Accepted | Refused;

export interface Accepted {
  readonly ok: true;
  readonly txid: number;
  readonly message: Inbound;
  /** The same before any reading: what the client wrote. */
  readonly source: Dict;
}

export interface Refused {
  readonly ok: false;
  /** The text of the NACK. */
  readonly error: string;
  /** The txid of the NACK, if it has one. */
  readonly txid: number | undefined;
  /** The ack itself did not validate: after identify a NACK about that, before it a plain close. */
  readonly unanswerable: boolean;
  readonly violation: ViolationKind;
}

/** Checks one frame, and words the refusal as the Python server does. */
export function checkFrame(frame: string | Uint8Array, settings: Settings): Verdict {
  if (typeof frame !== "string" && settings.binary === "nack")
    return refuse("binary-frame", "Internal error: 'text'");
  const raw = typeof frame === "string" ? frame : new TextDecoder().decode(frame);

  const limit = settings.sizeLimits ? settings.sizeLimits.maxFrameBytes : undefined;
  if (limit !== undefined && raw.length * 3 > limit) {
    const bytes = new TextEncoder().encode(raw).length;
    if (bytes > limit)
      return refuse("oversize-frame", `Message too large: ${bytes} bytes (limit: ${limit} bytes)`);
  }

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
  const model = typeof type === "string" ? MODELS.get(type) : undefined;
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
      isUnknownAction(source) ? "unknown-action" : "schema-error",
      error,
    );
  }
  const txid = readTxid(source, settings);
  return { ok: true, txid: typeof txid === "number" ? txid : 0, message: source, source };
}

function refuse(violation: ViolationKind, error: string): Refused {
  return { ok: false, error, txid: undefined, unanswerable: false, violation };
}

/** A NACK echoes the txid that came in, and fails itself when that is no integer. */
function refuseWithTxid(source: Dict, settings: Settings, violation: ViolationKind, error: string): Refused {
  const txid = readTxid(source, settings);
  if (typeof txid !== "object") return { ok: false, error, txid, unanswerable: false, violation };
  const { txid: input } = source;
  const broken = `Internal error: ${report("AckMessage", [{ path: "txid", input, ...txid }])}`;
  return { ok: false, error: broken, txid: undefined, unanswerable: true, violation };
}

function readTxid(source: Dict, settings: Settings): ReturnType<typeof coerceInteger> | undefined {
  const { txid } = source;
  if (txid === undefined || txid === null) return undefined;
  if (settings.txidChecks === "any" && typeof txid === "number") return txid;
  return coerceInteger(txid);
}

/** As Python sees it: what is empty is false. */
function isFalsy(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isDict(value) ? Object.keys(value).length === 0 : !value;
}

function isUnknownAction(source: Dict): boolean {
  const { type, data } = source;
  if (type !== "action" || !isDict(data)) return false;
  const { type: action } = data;
  return action !== "prompt" && action !== "init";
}

const nullableText: Check = nullable(text);

/** The order of the fields is the order of the lines in a report. */
const PROMPT_ACTION: Model = {
  name: "PromptAction",
  fields: [
    required("type", literal("prompt")),
    required("promptId", text),
    optional("prompt", nullableText),
    optional("content", nullable(listOf(dict))),
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
    required("type", literal("init")),
    required("fingerprintId", text),
    optional("authToken", nullableText),
    required("fileContext", dict),
    optional("repoUrl", nullableText),
  ],
};

const TOPICS: readonly Field[] = [required("topics", listOf(text))];

/** By the type of the message; `type` and `txid` are every model's own. */
const MODELS: ReadonlyMap<string, Model> = new Map<string, Model>([
  ["identify", { name: "IdentifyMessage", fields: [required("clientSessionId", text)] }],
  ["ping", { name: "PingMessage", fields: [] }],
  ["subscribe", { name: "SubscribeMessage", fields: TOPICS }],
  ["unsubscribe", { name: "UnsubscribeMessage", fields: TOPICS }],
  ["action", { name: "ActionMessage", fields: [required("data", unionOf([PROMPT_ACTION, INIT_ACTION]))] }],
]);

/** To be a message is to have no issue with its model. */
function conforms(source: Dict, issues: readonly Issue[]): source is Dict & Inbound {
  return "type" in source && issues.length === 0;
}
