// Odd frames that real servers send between others.
import type { FrameWriter } from "./frames.ts";
import type { Oddities } from "./options.ts";

/** A txid that no client counts up to. */
const UNUSED_TXID = 999_999_999;

/** What follows the success ack of `txid`. */
export function noiseAfterAck(
  oddities: Oddities,
  frames: FrameWriter,
  txid: number | bigint,
): readonly string[] {
  const noise: string[] = [];
  if (oddities.duplicateAcks) noise.push(frames.ack(txid));
  if (oddities.unknownTxids) noise.push(frames.ack(UNUSED_TXID), frames.nack(UNUSED_TXID, "No such message"));
  if (oddities.unknownMessages)
    noise.push(
      '{"type":"broadcast","topic":"updates","data":{"text":"nobody subscribed to this"}}',
      '{"type":"action","data":{"type":"weather-report","temperature":21}}',
    );
  if (oddities.garbageFrames)
    noise.push(
      "",
      "not json",
      '{"type":"ack","txid":',
      "null",
      "[]",
      '"ack"',
      "{}",
      '{"type":"action","data":null}',
    );
  return noise;
}

/** What comes between the ack of a prompt and its answer. */
export function noiseBeforeAnswer(
  oddities: Oddities,
  frames: FrameWriter,
  promptId: string,
): readonly string[] {
  const noise: string[] = [];
  if (oddities.orphanIds)
    noise.push(frames.chunk("nobodys-prompt", "for nobody"), frames.promptResponse("nobodys-prompt", {}));
  if (oddities.subAgentIds) noise.push(frames.chunk(`${promptId}-agent-1`, "from a sub-agent"));
  return noise;
}
