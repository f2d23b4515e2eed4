/** What the page keeps in `localStorage` or `sessionStorage`. Where the browser forbids both, nothing is kept, and nothing is thrown. */
type Kind = "localStorage" | "sessionStorage";

/** The value; `null` if there is none, or the browser forbids it. */
export function readKept(kind: Kind, key: string): string | null {
  try {
    return window[kind].getItem(key); // reading `window[kind]` throws where it is forbidden
  } catch {
    return null;
  }
}

/** Keeps a value. What is too long is not kept, and the value before is gone. */
export function keep(kind: Kind, key: string, value: string): void {
  forget(kind, key);
  try {
    window[kind].setItem(key, value);
  } catch {} // the page does without it
}

export function forget(kind: Kind, key: string): void {
  try {
    window[kind].removeItem(key);
  } catch {}
}
