// Speech: silent MP3 in base64, a WAV file, and the `audio` frame.
import type { CassMockSettings } from "./profiles.ts";
import type { CassServerFrame } from "./record.ts";

const FRAME_BYTES = 144;
/**
 * One MP3 frame in base64: MPEG-2 Layer III, 24 kHz, 48 kbit/s, mono, 24 ms of silence. Its byte count is divisible by
 * 3, so the base64 of several frames can be concatenated.
 */
const FRAME = `//NkwA${"A".repeat((FRAME_BYTES / 3) * 4 - 6)}`;
const HUGE_BYTES = 8 * 1_048_576;

/** Returns speech as base64, or an empty string if the switch `audio` sends no base64. */
export function spoken(audio: CassMockSettings["audio"]): string {
  if (audio === "inline" || audio === "legacy") return FRAME.repeat(5);
  if (audio === "huge") return FRAME.repeat(Math.ceil(HUGE_BYTES / FRAME_BYTES));
  return audio === "malformed" ? "this is *not* base64!" : "";
}

/** Returns a WAV file with one sample at 8 kHz. */
export function wav(): Uint8Array<ArrayBuffer> {
  const header = [
    0x46464952, 38, 0x45564157, 0x20746d66, 16, 0x10001, 8_000, 16_000, 0x100002, 0x61746164, 2,
  ];
  const view = new DataView(new ArrayBuffer(46));
  for (const [index, word] of header.entries()) view.setUint32(index * 4, word, true);
  return new Uint8Array(view.buffer);
}

/** The server's own origin, and a foreign origin. */
export interface Origins {
  readonly own: string;
  readonly foreign: string;
}

/** Returns an `audio` frame: with an address, or with the speech in base64. */
export function audioFrame(
  { audio, audioUrl }: CassMockSettings,
  path: string,
  { own, foreign }: Origins,
): CassServerFrame {
  if (audio === "legacy") return { type: "audio", audio: spoken(audio), audio_format: "mp3" };
  const origin = { relative: "", absolute: own, foreign }[audioUrl];
  return { type: "audio", url: origin + path };
}
