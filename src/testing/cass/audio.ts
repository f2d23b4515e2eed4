// A short sound file, as speech.

const FRAME_BYTES = 144;
/**
 * One frame of an MP3 file, in base64: MPEG-2 Layer III, 24 kHz, 48 kbit/s, mono, as speech comes. Everything behind its
 * header is zero, which is 24 ms of silence. Its bytes are divisible by 3, so that frames can be strung together.
 */
const FRAME = `//NkwA${"A".repeat((FRAME_BYTES / 3) * 4 - 6)}`;
const SHORT_SPEECH = FRAME.repeat(5);
const HUGE_BYTES = 8 * 1_048_576;
const SAMPLE_RATE = 8_000;

/** The base64 in a frame. */
export function spoken(audio: "inline" | "huge" | "malformed" | "legacy"): string {
  switch (audio) {
    case "inline":
    case "legacy":
      return SHORT_SPEECH;
    case "huge":
      return FRAME.repeat(Math.ceil(HUGE_BYTES / FRAME_BYTES));
    case "malformed":
      return "this is *not* base64!";
  }
}

/** A WAV file of one sample. */
export function wav(): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(46));
  const ascii = (at: number, text: string) => {
    for (let index = 0; index < text.length; index++) view.setUint8(at + index, text.charCodeAt(index));
  };
  ascii(0, "RIFF");
  view.setUint32(4, 38, true);
  ascii(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, SAMPLE_RATE, true);
  view.setUint32(28, SAMPLE_RATE * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  ascii(36, "data");
  view.setUint32(40, 2, true);
  return new Uint8Array(view.buffer);
}
