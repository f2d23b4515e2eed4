import { Writable } from "node:stream";
import { render } from "ink";
import type { ReactNode } from "react";

/** Components on a real React renderer, Ink, whose terminal is a string. */
export interface Mounted extends Disposable {
  /** What they show now. */
  readonly shown: string;
  rerender(node: ReactNode): void;
  unmount(): void;
}

export function mount(node: ReactNode): Mounted {
  let shown = "";
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      shown = chunk.toString();
      done();
    },
  });
  // `debug` writes each frame whole, and at once.
  const instance = render(node, { stdout, debug: true, patchConsole: false, interactive: false });
  return {
    get shown() {
      return shown;
    },
    rerender: (next) => instance.rerender(next),
    unmount: () => instance.unmount(),
    [Symbol.dispose]: () => instance.unmount(),
  };
}

/** Rounds of the event loop after which what was to happen has not happened. */
const MAX_ROUNDS = 1_000;

/** Lets React work until `holds` is true. It works in microtasks and immediates: no time passes. */
export async function until(holds: () => boolean): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    if (holds()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`Still not so after ${MAX_ROUNDS} rounds: ${holds}`);
}

/** Lets React finish what it has begun. */
export async function settled(): Promise<void> {
  for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve));
}
