// Unknown messages and bad JSON, sent after every message when a test asks for it.
import type { Settings } from "./profiles.ts";

const UNKNOWN_TYPE = '{"type":"AgentSpawned","agent_id":7,"name":"helper"}';

/** Text that is no JSON, and JSON that is no message. */
const BAD_JSON = [
  "",
  "not json",
  '{"type":"TextDelta","agent_id":0,',
  "null",
  "[]",
  '"Pong"',
  "{}",
  '{"type":"TextDelta","agent_id":"0","content":7}',
];

/** What follows every message. */
export function noiseAfterMessage({ unknownType, badJson }: Settings): readonly string[] {
  return [...(unknownType === "injected" ? [UNKNOWN_TYPE] : []), ...(badJson === "injected" ? BAD_JSON : [])];
}
