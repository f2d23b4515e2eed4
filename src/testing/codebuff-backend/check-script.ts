// Checks the answers of a script and their switches.
import { checkMockNames, InvalidMockInput, type NamesOf } from "../names.ts";
import { isDict } from "../server/dict.ts";
import { isGate } from "./chunks.ts";
import type { BackendAnswer, BackendReply, BackendSse, BackendToolCall, BackendUsage } from "./script.ts";

export const SSE: NamesOf<BackendSse> = {
  ...{ chunkBytes: true, crlf: true, cr: true, noConnected: true, heartbeatMs: true, multiData: true },
  ...{ noDone: true, noFinish: true, noUsage: true, usageOnFinish: true, noToolIds: true },
  ...{ repeatToolIds: true, emptyChoices: true, extraChoice: true },
  ...{ cutAfter: true, endAfter: true, errorAfter: true, badJsonAfter: true, stallAfter: true },
  ...{ asJson: true, html502: true, redirect: true, gzip: true },
};
const USAGE: NamesOf<BackendUsage> = {
  ...{ cost: true, upstream_inference_cost: true, prompt_tokens: true },
  ...{ completion_tokens: true, cached_tokens: true, reasoning_tokens: true },
};
const ANSWER: NamesOf<BackendAnswer> = {
  match: { agentId: true, call: true, model: true },
  ...{ reasoning: true, text: true, toolCalls: true, parts: true, finish: true, usage: USAGE, frames: true },
  ...{ delayMs: true, gapMs: true, refused: { status: true, message: true, type: true }, sse: SSE },
};
const TOOL_CALL: NamesOf<BackendToolCall> = {
  ...{ name: true, arguments: true, rawArguments: true, fragments: true, id: true },
};
const PART = { text: true, reasoning: true, toolCall: TOOL_CALL };
const COUNTS = ["cutAfter", "endAfter", "errorAfter", "badJsonAfter", "stallAfter"] as const;

const isWhole = (value: unknown, least: number) => Number.isInteger(value) && Number(value) >= least;

/** @throws InvalidMockInput for an invalid number */
export function checkSse(sse: BackendSse): void {
  if (sse.chunkBytes !== undefined && !isWhole(sse.chunkBytes, 1))
    throw new InvalidMockInput("`chunkBytes` is no size.", "Give a whole number of 1 or more.");
  for (const name of COUNTS)
    if (sse[name] !== undefined && !isWhole(sse[name], 0))
      throw new InvalidMockInput(`\`${name}\` is no number of frames.`, "Give a whole number of 0 or more.");
}

/** @throws InvalidMockInput for an invalid answer or an unknown field */
export function checkReply(reply: unknown): asserts reply is BackendReply {
  if (typeof reply === "string") return;
  if (!isFields(reply))
    throw new InvalidMockInput(
      "an answer of the script is no answer.",
      'Such as "Hello" or { text: ["Hello"] }.',
    );
  checkMockNames(reply, ANSWER, "field of the answer");
  const { sse, frames, ...rest } = reply;
  if (isFields(sse)) checkSse(sse);
  const beside = ["reasoning", "text", "finish", "usage", "toolCalls", "parts"].filter(
    (name) => rest[name] !== undefined,
  );
  if (frames !== undefined && beside.length > 0)
    throw new InvalidMockInput(
      `\`frames\` stands in place of ${beside.join(", ")}.`,
      "Write everything into `frames`, or leave it out.",
    );
  for (const name of ["reasoning", "text"])
    for (const piece of itemsOf(reply, name))
      if (typeof piece !== "string")
        throw new InvalidMockInput(`\`${name}\` has a piece that is no text.`, "Give strings and promises.");
  for (const frame of itemsOf(reply, "frames"))
    if (typeof frame !== "string" && !(frame instanceof Uint8Array))
      throw new InvalidMockInput("a frame is no text.", "Give strings, bytes and promises.");
  for (const call of itemsOf(reply, "toolCalls")) checkCall(call);
  for (const part of itemsOf(reply, "parts")) checkPart(part);
}

function checkCall(call: unknown): void {
  if (!isFields(call) || typeof call["name"] !== "string")
    throw new InvalidMockInput("a tool call has no name.", 'Such as { name: "glob", arguments: {} }.');
  checkMockNames(call, TOOL_CALL, "field of the tool call");
  if (call["fragments"] !== undefined && !isWhole(call["fragments"], 1))
    throw new InvalidMockInput("`fragments` is no number of fragments.", "Give a whole number of 1 or more.");
}

function checkPart(part: unknown): void {
  if (!isFields(part)) throw new InvalidMockInput("a part is no part.", 'Such as { text: "Hello" }.');
  checkMockNames(part, PART, "field of the part");
  if (Object.keys(part).length !== 1)
    throw new InvalidMockInput(
      "a part has more than one field, or none.",
      "Give each part exactly one field.",
    );
  if (part["toolCall"] !== undefined) checkCall(part["toolCall"]);
}

/** Returns the items of a list but for its gates. The rejection of a gate that the stream has not reached must not end the process. */
function itemsOf(reply: Readonly<Record<string, unknown>>, name: string): readonly unknown[] {
  const list = reply[name] ?? [];
  if (typeof list === "string" && (name === "text" || name === "reasoning")) return [];
  if (!Array.isArray(list)) throw new InvalidMockInput(`\`${name}\` is no list.`, "Give an array.");
  return list.filter((item: unknown) => {
    const isObject = (typeof item === "object" && item !== null) || typeof item === "function";
    if (!isObject || !isGate(item)) return true;
    if (typeof item !== "function") Promise.resolve(item).catch(() => {});
    return false;
  });
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return isDict(value) && !isGate(value);
}
