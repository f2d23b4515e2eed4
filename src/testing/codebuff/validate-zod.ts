// Checks a frame as the original server (JavaScript) does.
import { COST_MODES, messageSchema } from "./codebuff-schema.ts";
import type { Settings } from "./profiles.ts";
import { coerceInteger } from "./pydantic.ts";
import type { ViolationKind } from "./record.ts";
import type { Accepted, Inbound, Refused, Verdict } from "./verdict.ts";
import { type Check, type Issue, isObject, number, wrongType } from "./zod-like.ts";

type Message = Readonly<Record<string, unknown>>;

/** Checks one frame as the original server does, and words the refusal as it does. */
export function checkJavaScript(raw: string, settings: Settings): Verdict {
  let source: unknown;
  try {
    source = JSON.parse(raw);
  } catch (error) {
    return refuse("invalid-json", error instanceof Error ? error.message : String(error), undefined);
  }
  // It looks into the message for the txid of its refusal, which throws only for null: no ack at all.
  if (source === null)
    return { ...refuse("schema-error", "null is not a message", undefined), answer: "none" };
  const issues = schemaFor(settings)(source, []);
  const message: Message = isObject(source) ? source : {};
  const { txid } = message;
  if (!conforms(message, issues)) return refuse(violationOf(message, issues), JSON.stringify(issues), txid);
  const number = typeof txid === "number" ? txid : Number(coerceInteger(txid));
  return { ok: true, txid: number, echo: number, message, source: message, notes: notesOn(message) };
}

const SCHEMAS = new WeakMap<Settings, Check>();

/** One schema for each server, not for each frame. */
function schemaFor(settings: Settings): Check {
  let schema = SCHEMAS.get(settings);
  if (!schema) {
    const { extensions, cancel, txidChecks } = settings;
    const txid = txidChecks === "any" ? number : coercible;
    schema = messageSchema({ extensions: extensions === "accept", cancel: cancel !== "nack", txid });
    SCHEMAS.set(settings, schema);
  }
  return schema;
}

function refuse(violation: ViolationKind, error: string, txid: unknown): Refused {
  return { ok: false, error, txid, answer: "nack", violation };
}

/** Whatever Python would take for an integer. */
const coercible: Check = (input, path) =>
  typeof coerceInteger(input) === "number" ? [] : [wrongType("integer", input, path)];

function notesOn(message: Inbound): Accepted["notes"] {
  if (message.type !== "action" || message.data.type !== "prompt") return [];
  const { costMode } = message.data;
  return costMode === undefined || COST_MODES.has(costMode)
    ? []
    : [{ kind: "unknown-cost-mode", detail: costMode }];
}

const ANSWERS: ReadonlySet<unknown> = new Set(["tool-call-response", "read-files-response", "mcp-tool-data"]);

function violationOf(message: Message, issues: readonly Issue[]): ViolationKind {
  const { type, data } = message;
  const unknown = issues.find((issue) => issue["code"] === "invalid_union_discriminator");
  const where = Array.isArray(unknown?.["path"]) ? unknown["path"].join(".") : "";
  if (where === "type" && type !== undefined) return "unknown-message";
  if (where === "data.type") return "unknown-action";
  return isObject(data) && ANSWERS.has(data["type"]) ? "answer-incomplete" : "schema-error";
}

/** To be a message is to have no issue with the schema. */
function conforms(source: Message, issues: readonly Issue[]): source is Message & Inbound {
  return "type" in source && issues.length === 0;
}
