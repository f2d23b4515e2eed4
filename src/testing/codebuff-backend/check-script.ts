// Checks the answers of a script, and their switches.
import { checkNames, InvalidMockInput, type NamesOf } from "../names.ts";
import { isGate } from "./chunks.ts";
import type { BackendAnswer, BackendReply, BackendToolCall, BackendUsage } from "./script.ts";
import type { BackendSse } from "./switches.ts";

/** The names of `sse`. */
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

/** @throws InvalidMockInput for a number that cannot be meant */
export function checkSse(sse: BackendSse): void {
  const isWhole = (value: unknown, least: number) => Number.isInteger(value) && Number(value) >= least;
  if (sse.chunkBytes !== undefined && !isWhole(sse.chunkBytes, 1))
    throw new InvalidMockInput("`chunkBytes` is no size.", "Give a whole number of 1 or more.");
  for (const name of COUNTS)
    if (sse[name] !== undefined && !isWhole(sse[name], 0))
      throw new InvalidMockInput(`\`${name}\` is no number of frames.`, "Give a whole number of 0 or more.");
}

/** @throws InvalidMockInput for what is no answer, or has a field that cannot be meant */
export function checkReply(reply: unknown): asserts reply is BackendReply {
  if (typeof reply === "string") return;
  if (!isFields(reply))
    throw new InvalidMockInput(
      "an answer of the script is no answer.",
      'Such as "Hello" or { text: ["Hello"] }.',
    );
  checkNames(reply, ANSWER, "field of the answer");
  const { sse, reasoning, text, toolCalls, parts, frames } = reply;
  if (isFields(sse)) checkSse(sse);
  for (const [name, pieces] of Object.entries({ reasoning, text }))
    if (typeof pieces !== "string")
      for (const piece of listOf(pieces, name))
        if (typeof piece !== "string" && !passGate(piece))
          throw new InvalidMockInput(
            `\`${name}\` has a piece that is no text.`,
            "Give strings and promises.",
          );
  for (const call of listOf(toolCalls, "toolCalls")) if (!passGate(call)) checkCall(call);
  for (const part of listOf(parts, "parts")) if (!passGate(part)) checkPart(part);
  for (const frame of listOf(frames, "frames"))
    if (typeof frame !== "string" && !(frame instanceof Uint8Array) && !passGate(frame))
      throw new InvalidMockInput("a frame is no text.", "Give strings, bytes and promises.");
  const beside = ["reasoning", "text", "finish", "usage", "toolCalls", "parts"].filter(
    (name) => reply[name] !== undefined,
  );
  if (frames !== undefined && beside.length > 0)
    throw new InvalidMockInput(
      `\`frames\` stands in place of ${beside.join(", ")}.`,
      "Write everything into `frames`, or leave it out.",
    );
}

function checkPart(part: unknown): void {
  if (!isFields(part)) throw new InvalidMockInput("a part is no part.", 'Such as { text: "Hello" }.');
  checkNames(part, PART, "field of the part");
  if (Object.keys(part).length !== 1)
    throw new InvalidMockInput("a part has more than one field, or none.", "Make a part of each.");
  if (part["toolCall"] !== undefined) checkCall(part["toolCall"]);
}

function checkCall(call: unknown): void {
  if (!isFields(call) || typeof call["name"] !== "string")
    throw new InvalidMockInput("a tool call has no name.", 'Such as { name: "glob", arguments: {} }.');
  checkNames(call, TOOL_CALL, "field of the tool call");
  const { fragments = 1 } = call;
  if (!Number.isInteger(fragments) || Number(fragments) < 1)
    throw new InvalidMockInput("`fragments` is no number of fragments.", "Give a whole number of 1 or more.");
}

/** Whether it is a gate. One that rejects before the stream has come to it must not end the process. */
function passGate(value: unknown): boolean {
  if (typeof value === "function") return true;
  if (typeof value !== "object" || value === null || !isGate(value)) return false;
  Promise.resolve(value).catch(() => {});
  return true;
}

function listOf(value: unknown, name: string): readonly unknown[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw new InvalidMockInput(`\`${name}\` is no list.`, "Give an array.");
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isGate(value);
}
