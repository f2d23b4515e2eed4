// WebSocket frames as bytes, whole and halved.

/** The first byte of a frame: whether it ends its message, and what is in it. */
export const FRAME = { text: 0x81, textBegins: 0x01, goesOn: 0x00, ends: 0x80 } as const;

/** A WebSocket frame as a server writes it, unmasked. */
export function rawFrame(firstByte: number, payload: Uint8Array): Uint8Array {
  return joined(frameHeader(firstByte, payload.length), payload);
}

/** The header of a text frame, and the first half of its payload. */
export function halfFrame(text: string): Uint8Array {
  const payload = new TextEncoder().encode(text);
  return joined(frameHeader(FRAME.text, payload.length), payload.subarray(0, payload.length >> 1));
}

/** Three forms of the length: 7 bits, 16 bits after 126, 64 bits after 127. */
function frameHeader(firstByte: number, length: number): Uint8Array {
  const size = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const header = new DataView(new ArrayBuffer(size));
  header.setUint8(0, firstByte);
  header.setUint8(1, size === 2 ? length : size === 4 ? 126 : 127);
  if (size === 4) header.setUint16(2, length);
  if (size === 10) header.setBigUint64(2, BigInt(length));
  return new Uint8Array(header.buffer);
}

function joined(header: Uint8Array, payload: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(header.length + payload.length);
  bytes.set(header);
  bytes.set(payload, header.length);
  return bytes;
}
