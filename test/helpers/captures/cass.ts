// Plays captures of both versions of Cass to the client: each file gives one stream.
import { readFile } from "node:fs/promises";
import type { CassPromptInput } from "agentwire/cass";
import { toUniversal } from "agentwire/cass";
import type { UniversalEvent } from "agentwire/universal";
import { type Line, replaying, unsignedToken } from "../../cass/support/replay.ts";
import { allOf } from "../../universal/all-of.ts";
import { goldenOptions } from "../../universal/golden-options.ts";

const GREETING: Line = {
  dir: "s2c",
  raw: '{"type":"connected","message":"","sdk_mode":true,"user_id":null}',
};
const CHAT: Line = { dir: "c2s", raw: '{"type":"chat","message":"hi"}' };

export async function playCass(file: string): Promise<readonly (readonly UniversalEvent[])[]> {
  const captured = (await readFile(file, "utf8")).trim().split("\n").map(readLine);
  const types = captured.map(typeOf);
  // One capture begins in the middle of a turn.
  const begun = types.includes("connected") ? captured : [GREETING, CHAT, ...captured];
  // The captured client sent some messages that this one does not send.
  const lines = begun.filter((line) => line.dir !== "c2s" || typeOf(line) === "chat");
  const prompts = lines.filter(({ dir }) => dir === "c2s").map(promptOf);
  if (prompts.length === 0) return [];
  const { user_id: user } = fieldsOf(lines.find((line) => typeOf(line) === "connected"));
  const who = typeof user === "string" ? { token: unsignedToken(user) } : { allowAnonymous: true as const };
  const { client } = replaying(lines, { ...who, reconnect: false });
  const stream = toUniversal(client, { inferTools: true, includeDebug: true, ...goldenOptions() });
  await Promise.all(prompts.map((prompt) => client.prompt(prompt).outcome));
  await client.close();
  return [await allOf(stream)];
}

/** A note tells how the connection ended. */
function readLine(text: string): Line {
  const line: Line = JSON.parse(text);
  const code = /^CLOSED .*?code=(\d+)/.exec(line.text ?? "")?.[1];
  return code === undefined ? line : { ...line, code: Number(code) };
}

const fieldsOf = (line: Line | undefined): Readonly<Record<string, unknown>> => JSON.parse(line?.raw ?? "{}");

const typeOf = (line: Line): unknown => fieldsOf(line)["type"];

function promptOf(line: Line): CassPromptInput {
  const { message, conversation_id: conversationId } = fieldsOf(line);
  return { message: String(message), ...(typeof conversationId === "string" && { conversationId }) };
}
