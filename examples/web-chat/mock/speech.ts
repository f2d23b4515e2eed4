const SAMPLE_RATE = 16_000;
const HEADER_BYTES = 44;
/** Seconds of one syllable, and how many are enough. */
const SYLLABLE = 0.16;
const MAX_SYLLABLES = 24;
/** A pentatonic scale in Hz: any order of it sounds friendly. */
const SCALE = [262, 294, 330, 392, 440, 523];

/** A text, hummed: one tone for each word, as a WAV file. Nothing is spoken, but there is something to hear. */
export function hum(text: string): Uint8Array {
  const words = text.split(/\s+/).filter((word) => word !== "");
  const tones = words.slice(0, MAX_SYLLABLES).map((word) => SCALE[word.length % SCALE.length] ?? 262);
  const perTone = Math.round(SYLLABLE * SAMPLE_RATE);
  const view = new DataView(new ArrayBuffer(HEADER_BYTES + tones.length * perTone * 2));
  writeHeader(view);
  tones.forEach((tone, index) => {
    for (let at = 0; at < perTone; at++) {
      const offset = HEADER_BYTES + (index * perTone + at) * 2;
      view.setInt16(offset, Math.round(sample(tone, at, perTone) * 9_000), true);
    }
  });
  return new Uint8Array(view.buffer);
}

/** A soft tone that swells and fades, so that nothing clicks. */
function sample(tone: number, at: number, length: number): number {
  const phase = (2 * Math.PI * tone * at) / SAMPLE_RATE;
  const swell = Math.sin((Math.PI * at) / length) ** 2;
  return swell * (Math.sin(phase) + 0.3 * Math.sin(2 * phase) + 0.1 * Math.sin(3 * phase));
}

function writeHeader(view: DataView): void {
  const ascii = (at: number, text: string): void => {
    for (let index = 0; index < text.length; index++) view.setUint8(at + index, text.charCodeAt(index));
  };
  ascii(0, "RIFF");
  view.setUint32(4, view.byteLength - 8, true);
  ascii(8, "WAVEfmt ");
  view.setUint32(16, 16, true); // the bytes of this part
  view.setUint16(20, 1, true); // PCM
  view.setUint16(22, 1, true); // one channel
  view.setUint32(24, SAMPLE_RATE, true);
  view.setUint32(28, SAMPLE_RATE * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  ascii(36, "data");
  view.setUint32(40, view.byteLength - HEADER_BYTES, true);
}
