// SHA-256, for the signatures of tokens in any runtime.

const BLOCK = 64;

/** The first 32 bits of the fractional parts of the roots of the first primes. */
const [INITIAL, ROUNDS] = constants();

/** SHA-256. The platform's own answers later only, and a mock that thinks in a page has no Node. */
export function sha256(bytes: Uint8Array): Uint8Array {
  const state = Uint32Array.from(INITIAL);
  const words = new Uint32Array(64);
  const padded = pad(bytes);
  for (let at = 0; at < padded.byteLength; at += BLOCK) mix(state, words, padded, at);
  const digest = new DataView(new ArrayBuffer(32));
  for (const [index, word] of state.entries()) digest.setUint32(index * 4, word);
  return new Uint8Array(digest.buffer);
}

/** HMAC over SHA-256. */
export function hmacSha256(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  const short = key.length > BLOCK ? sha256(key) : key;
  const keyed = (mask: number, rest: Uint8Array) => {
    const whole = new Uint8Array(BLOCK + rest.length).fill(mask, 0, BLOCK);
    for (const [index, byte] of short.entries()) whole[index] = byte ^ mask;
    whole.set(rest, BLOCK);
    return sha256(whole);
  };
  return keyed(0x5c, keyed(0x36, bytes));
}

/** The message, a one, zeros, and its length in bits, in whole blocks. */
function pad(bytes: Uint8Array): DataView {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / BLOCK) * BLOCK);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
  return view;
}

function mix(state: Uint32Array, words: Uint32Array, view: DataView, at: number): void {
  const word = (index: number) => words[index] ?? 0;
  for (let index = 0; index < 16; index++) words[index] = view.getUint32(at + index * 4);
  for (let index = 16; index < 64; index++) {
    const [near, far] = [word(index - 2), word(index - 15)];
    const one = rotated(far, 7) ^ rotated(far, 18) ^ (far >>> 3);
    const two = rotated(near, 17) ^ rotated(near, 19) ^ (near >>> 10);
    words[index] = word(index - 16) + one + word(index - 7) + two;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (const [index, round] of ROUNDS.entries()) {
    const chosen = (e & f) ^ (~e & g);
    const first = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + chosen + round + word(index);
    const second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) >>> 0, c, b, a, (first + second) >>> 0];
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) state[index] = (state[index] ?? 0) + value;
}

function rotated(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

function constants(): readonly [readonly number[], readonly number[]] {
  const primes: number[] = [];
  for (let number = 2; primes.length < 64; number++)
    if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  const fraction = (root: number) => ((root % 1) * 4_294_967_296) >>> 0;
  return [primes.slice(0, 8).map((p) => fraction(Math.sqrt(p))), primes.map((p) => fraction(Math.cbrt(p)))];
}
