// Reports everything that passes through a socket.
import { OPEN, type TestSocket } from "../socket.ts";
import type { RecordedClose, RecordedMessage, RecordedOpen } from "./line.ts";

type Unplaced<Line> = Omit<Line, "ms" | "conn">;

/** A line without its connection number and its time. */
export type Happening =
  | Unplaced<RecordedOpen>
  | (Unplaced<RecordedMessage> & { readonly ev?: never })
  | Unplaced<RecordedClose>
  | { readonly ev: "unreadable"; readonly problem: string };

/**
 * Reports everything that passes through a socket, from its opening to its end. `over` is also called for a socket that
 * never opened.
 * @returns a function that stops the reports
 */
export function watchSocket(
  socket: TestSocket,
  tell: (happening: Happening) => void,
  over: () => void,
): () => void {
  let opened = false;
  let leaving = false;

  // Another listener may have sent before this one gets the `open` event.
  const open = (): void => {
    if (!opened) tell({ ev: "open" });
    opened = true;
  };
  const pass = (dir: "c2s" | "s2c", data: unknown): void => {
    open();
    tell(messageOf(dir, data));
  };
  const leave = (): void => {
    if ((socket.readyState ?? OPEN) <= OPEN && !answersClose(socket)) leaving = true;
  };

  const restore = [
    // Report before sending, since a peer in the same process may answer at once. A socket that is not open sends
    // nothing.
    before(socket, "send", (data) => {
      if (socket.readyState === OPEN) pass("c2s", data);
    }),
    before(socket, "close", leave),
    before(socket, "terminate", leave),
  ];
  const onMessage = ({ data }: { readonly data: unknown }): void => pass("s2c", data);
  const onClose = ({ code, reason }: { readonly code: number; readonly reason: string }): void => {
    if (opened) tell({ ev: "close", code, reason, by: leaving ? "client" : "server" });
    release();
    over();
  };
  const release = (): void => {
    for (const undo of restore) undo();
    const remove: unknown = Reflect.get(socket, "removeEventListener");
    if (typeof remove !== "function") return;
    for (const pair of Object.entries({ open, message: onMessage, close: onClose }))
      Reflect.apply(remove, socket, pair);
  };
  socket.addEventListener("open", open);
  socket.addEventListener("message", onMessage);
  socket.addEventListener("close", onClose);
  if (socket.readyState === OPEN) open();
  return release;
}

/** `ws` answers a Close by calling its own `close()`, just as a user would. Only this field shows the difference. */
function answersClose(socket: TestSocket): boolean {
  return Reflect.get(socket, "_closeFrameReceived") === true;
}

/** Calls `first` with the first argument of each call of a method. Returns a function that undoes this. */
function before(socket: TestSocket, name: string, first: (arg: unknown) => void): () => void {
  const method: unknown = Reflect.get(socket, name);
  if (typeof method !== "function") return () => {};
  const own = Object.getOwnPropertyDescriptor(socket, name);
  const value = (...args: readonly unknown[]): unknown => {
    first(args[0]);
    return Reflect.apply(method, socket, args);
  };
  Object.defineProperty(socket, name, { value, configurable: true, writable: true });
  return () => {
    if (Reflect.get(socket, name) !== value) return; // the method was wrapped again meanwhile
    if (own) Object.defineProperty(socket, name, own);
    else Reflect.deleteProperty(socket, name);
  };
}

function messageOf(dir: "c2s" | "s2c", data: unknown): Happening {
  if (typeof data === "string") return { dir, raw: data };
  const bytes = bytesOf(data);
  if (!bytes) {
    const problem = "a binary message came as a Blob, which can only be read out of order";
    return { ev: "unreadable", problem: `${problem}: set the socket's binaryType to "arraybuffer"` };
  }
  try {
    const raw = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { dir, raw, binary: "utf8" };
  } catch {
    return { dir, raw: bytes.toString("base64"), binary: "base64" };
  }
}

function bytesOf(data: unknown): Buffer | undefined {
  if (ArrayBuffer.isView(data)) return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer || data instanceof SharedArrayBuffer) return Buffer.from(data);
  if (Array.isArray(data) && data.every((part) => Buffer.isBuffer(part))) return Buffer.concat(data); // `ws`, in fragments
  return undefined;
}
