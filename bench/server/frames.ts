const BYTES = 100;

/** How many different texts go round: enough that none is a constant, few enough to stay in every cache. */
const VARIETY = 64;

/** Texts of 100 ASCII bytes, with what an answer is made of: words, quotes, line ends. */
export const TEXTS: readonly string[] = Array.from({ length: VARIETY }, (_, index) =>
  `def step_${index}(value):\n    """Adds one, and says so."""\n    print("step ${index}:", value)\n    return value + 1\n`
    .padEnd(BYTES, "# and so on, ")
    .slice(0, BYTES),
);

/** Frames as they are on the wire, one behind the other. */
export interface Block {
  readonly bytes: Buffer;
  /** Where each frame ends. */
  readonly ends: readonly number[];
}

/** Makes the frames of messages: made once, they cost the server nothing while a client is measured. */
export function block(messages: readonly string[]): Block {
  return blockOf(messages.map(textFrame));
}

/** The same of frames that are bytes already. */
export function blockOf(frames: readonly Buffer[]): Block {
  let end = 0;
  const ends = frames.map((frame) => {
    end += frame.byteLength;
    return end;
  });
  return { bytes: Buffer.concat(frames), ends };
}

/** A whole text message of a server: FIN, opcode 1, no mask (RFC 6455, section 5.2). */
function textFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const { byteLength } = payload;
  if (byteLength > 0xffff) throw new RangeError("a frame of the bench is longer than 65 535 bytes");
  const header = byteLength < 126 ? [0x81, byteLength] : [0x81, 126, byteLength >> 8, byteLength & 0xff];
  return Buffer.concat([Buffer.from(header), payload]);
}
