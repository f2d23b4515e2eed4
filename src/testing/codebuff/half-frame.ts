/** The header of an unmasked WebSocket text frame, and the first half of its payload. */
export function halfFrame(text: string): Uint8Array {
  const payload = new TextEncoder().encode(text);
  const half = payload.subarray(0, payload.length >> 1);
  const header = frameHeader(payload.length);
  const bytes = new Uint8Array(header.length + half.length);
  bytes.set(header);
  bytes.set(half, header.length);
  return bytes;
}

/** Three forms of the length: 7 bits, 16 bits after 126, 64 bits after 127. */
function frameHeader(length: number): Uint8Array {
  const size = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const header = new DataView(new ArrayBuffer(size));
  header.setUint8(0, 0x81);
  header.setUint8(1, size === 2 ? length : size === 4 ? 126 : 127);
  if (size === 4) header.setUint16(2, length);
  if (size === 10) header.setBigUint64(2, BigInt(length));
  return new Uint8Array(header.buffer);
}
