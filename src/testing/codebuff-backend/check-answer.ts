// Checks the answers of a script.
import { checkNames, InvalidMockInput } from "../names.ts";
import { checkSse } from "./check-sse.ts";
import { isGate } from "./chunks.ts";
import { ANSWER, PART, TOOL_CALL } from "./names.ts";
import type { BackendReply } from "./script.ts";

/** @throws InvalidMockInput for what is no answer, or has a field that cannot be meant */
export function checkReply(reply: unknown): asserts reply is BackendReply {
  if (typeof reply === "string") return;
  if (!isObject(reply) || isGate(reply) || Array.isArray(reply))
    throw new InvalidMockInput(
      "an answer of the script is no answer.",
      'Such as "Hello" or { text: ["Hello"] }.',
    );
  checkNames(reply, ANSWER, "field of the answer");
  const sse: unknown = Reflect.get(reply, "sse");
  if (isObject(sse)) checkSse(sse);
  checkPieces(reply, "reasoning");
  checkPieces(reply, "text");
  const { toolCalls, parts, frames, ...rest }: Record<string, unknown> = { ...reply };
  for (const call of listOf(toolCalls, "toolCalls")) if (!passGate(call)) checkCall(call);
  for (const part of listOf(parts, "parts")) if (!passGate(part)) checkPart(part);
  for (const frame of listOf(frames, "frames"))
    if (typeof frame !== "string" && !(frame instanceof Uint8Array) && !passGate(frame))
      throw new InvalidMockInput("a frame is no text.", "Give strings, bytes and promises.");
  const beside = ["reasoning", "text", "finish", "usage"].filter((name) => rest[name] !== undefined);
  if (toolCalls !== undefined) beside.push("toolCalls");
  if (parts !== undefined) beside.push("parts");
  if (frames !== undefined && beside.length > 0)
    throw new InvalidMockInput(
      `\`frames\` stands in place of ${beside.join(", ")}.`,
      "Write everything into `frames`, or leave it out.",
    );
}

function checkPieces(reply: object, name: "reasoning" | "text"): void {
  const pieces: unknown = Reflect.get(reply, name);
  if (typeof pieces === "string") return;
  for (const piece of listOf(pieces, name))
    if (typeof piece !== "string" && !passGate(piece))
      throw new InvalidMockInput(`\`${name}\` has a piece that is no text.`, "Give strings and promises.");
}

function checkPart(part: unknown): void {
  if (!isObject(part)) throw new InvalidMockInput("a part is no part.", 'Such as { text: "Hello" }.');
  checkNames(part, PART, "field of the part");
  if (Object.keys(part).length !== 1)
    throw new InvalidMockInput("a part has more than one field, or none.", "Make a part of each.");
  const call: unknown = Reflect.get(part, "toolCall");
  if (call !== undefined) checkCall(call);
}

function checkCall(call: unknown): void {
  if (!isObject(call) || typeof Reflect.get(call, "name") !== "string")
    throw new InvalidMockInput("a tool call has no name.", 'Such as { name: "glob", arguments: {} }.');
  checkNames(call, TOOL_CALL, "field of the tool call");
  const fragments: unknown = Reflect.get(call, "fragments");
  if (fragments !== undefined && !(Number.isInteger(fragments) && Number(fragments) > 0))
    throw new InvalidMockInput("`fragments` is no number of fragments.", "Give a whole number of 1 or more.");
}

/** Whether it is a gate. One that rejects before the stream has come to it must not end the process. */
function passGate(value: unknown): boolean {
  if (typeof value === "function") return true;
  if (!isObject(value) || !isGate(value)) return false;
  Promise.resolve(value).catch(() => {});
  return true;
}

function listOf(value: unknown, name: string): readonly unknown[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw new InvalidMockInput(`\`${name}\` is no list.`, "Give an array.");
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
