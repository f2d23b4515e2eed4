// Speech: silent MP3 in base64, a WAV file, and the frame with the address of one.
import type { CassMockSettings } from "./profiles.ts";
import type { CassServerFrame } from "./record.ts";

const FRAME_BYTES = 144;
/**
 * One frame of an MP3 file, in base64: MPEG-2 Layer III, 24 kHz, 48 kbit/s, mono, 24 ms of silence. Its bytes are
 * divisible by 3, so that frames can be strung together.
 */
const FRAME = `//NkwA${"A".repeat((FRAME_BYTES / 3) * 4 - 6)}`;
const HUGE_BYTES = 8 * 1_048_576;

/** The base64 of a frame; empty where speech has none. */
export function spoken(audio: CassMockSettings["audio"]): string {
  if (audio === "inline" || audio === "legacy") return FRAME.repeat(5);
  if (audio === "huge") return FRAME.repeat(Math.ceil(HUGE_BYTES / FRAME_BYTES));
  return audio === "malformed" ? "this is *not* base64!" : "";
}

/** A WAV file of one sample, at 8 kHz. */
export function wav(): Uint8Array<ArrayBuffer> {
  const header = [
    0x46464952, 38, 0x45564157, 0x20746d66, 16, 0x10001, 8_000, 16_000, 0x100002, 0x61746164, 2,
  ];
  const view = new DataView(new ArrayBuffer(46));
  for (const [index, word] of header.entries()) view.setUint32(index * 4, word, true);
  return new Uint8Array(view.buffer);
}

/** Where a server is reached, and another address of it. */
export interface Origins {
  readonly own: string;
  readonly foreign: string;
}

/** Speech in a frame of its own: its address, or itself. */
export function audioFrame(
  { audio, audioUrl }: CassMockSettings,
  path: string,
  { own, foreign }: Origins,
): CassServerFrame {
  if (audio === "legacy") return { type: "audio", audio: spoken(audio), audio_format: "mp3" };
  const origin = { relative: "", absolute: own, foreign }[audioUrl];
  return { type: "audio", url: origin + path };
}
