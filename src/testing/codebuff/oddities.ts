// Unexpected frames that servers may send.
import type { FrameWriter } from "./frames.ts";
import type { CodebuffMockSettings } from "./options.ts";

/** A txid that no client reaches. */
const UNUSED_TXID = 999_999_999;

const UNKNOWN_MESSAGES = [
  '{"type":"broadcast","topic":"updates","data":{"text":"nobody subscribed to this"}}',
  '{"type":"action","data":{"type":"weather-report","temperature":21}}',
];

const GARBAGE = [
  ...["", "not json", '{"type":"ack","txid":', "null", "[]", '"ack"', "{}"],
  '{"type":"action","data":null}',
];

/** Frames that follow the success ack of `txid`. */
export function noiseAfterAck(
  { oddities }: CodebuffMockSettings,
  frames: FrameWriter,
  txid: number,
): readonly string[] {
  return [
    ...(oddities.duplicateAcks ? [frames.ack(txid)] : []),
    ...(oddities.unknownTxids ? [frames.ack(UNUSED_TXID), frames.nack(UNUSED_TXID, "No such message")] : []),
    ...(oddities.unknownMessages ? UNKNOWN_MESSAGES : []),
    ...(oddities.garbageFrames ? GARBAGE : []),
  ];
}

/** Frames between the ack of a prompt and its answer. */
export function noiseBeforeAnswer(
  { oddities }: CodebuffMockSettings,
  frames: FrameWriter,
  promptId: string,
): readonly string[] {
  const orphan = "nobodys-prompt";
  return [
    ...(oddities.orphanIds ? [frames.chunk(orphan, "for nobody"), frames.promptResponse(orphan, {})] : []),
    ...(oddities.subAgentIds ? [frames.chunk(`${promptId}-agent-1`, "from a sub-agent")] : []),
  ];
}
