import { markOf } from "./output.ts";

const BEGIN_OF_FRAME = "\u001b[?2026h";

/** A mark of the program. `ms`: of the program's own clock. */
export type ProgramMark =
  | { readonly type: "frame"; readonly ms: number; readonly columns: number }
  /** Bytes have arrived from the keyboard. */
  | { readonly type: "keys"; readonly bytes: number; readonly ms: number };

/**
 * Marks the output of this program: where a frame begins, and where keys have arrived. A test counts the frames between them as the program
 * wrote them, however late the test itself reads.
 */
export function markOutput(): void {
  const { stdin, stdout } = process;
  const write = stdout.write.bind(stdout);
  const mark = (made: ProgramMark): boolean => write(markOf(JSON.stringify(made)));
  stdout.write = new Proxy(stdout.write, {
    apply(original, self, given) {
      if (typeof given[0] === "string" && given[0].startsWith(BEGIN_OF_FRAME))
        mark({ type: "frame", ms: performance.now(), columns: stdout.columns });
      return Reflect.apply(original, self, given);
    },
  });
  stdin.push = new Proxy(stdin.push, {
    apply(original, self, given) {
      const [chunk] = given;
      if (chunk instanceof Uint8Array) mark({ type: "keys", bytes: chunk.length, ms: performance.now() });
      return Reflect.apply(original, self, given);
    },
  });
}
