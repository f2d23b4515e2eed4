// Joins the writes of a frame.

const BEGIN = "\u001b[?2026h";
const END = "\u001b[?2026l";

/**
 * The same terminal, on which a frame of Ink is one write: Ink marks the begin and the end of a frame (synchronized
 * output), and writes it in up to five pieces. A terminal without synchronized output would show each piece.
 */
export function oneWriteAFrame(stdout: NodeJS.WriteStream): NodeJS.WriteStream {
  let frame: string | undefined;
  const flush = (): void => {
    const text = frame;
    frame = undefined;
    if (text !== undefined) stdout.write(text);
  };
  const write = (piece: unknown, ...more: never[]): boolean => {
    if (frame === undefined && piece === BEGIN) {
      frame = "";
      queueMicrotask(flush); // an error may keep the end away
    }
    if (frame === undefined || typeof piece !== "string" || more.length > 0) {
      flush();
      return stdout.write(piece as string, ...more);
    }
    frame += piece;
    if (piece === END) flush();
    return true;
  };
  return new Proxy(stdout, {
    get: (target, name) => {
      if (name === "write") return write;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
