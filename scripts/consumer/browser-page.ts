/**
 * Runs the bundle named by its argument with the globals of a browser and no others: a use of Node's is
 * an error here. Its WebSocket answers like the smallest server that the app could meet.
 */
import { readFile } from "node:fs/promises";
import { createContext, runInContext } from "node:vm";

type Listener = (event: { readonly data?: string; readonly code?: number; readonly reason?: string }) => void;

class FakeWebSocket {
  binaryType = "blob";
  readyState = 0;
  readonly #listeners = new Map<string, Set<Listener>>();

  constructor() {
    setTimeout(() => {
      this.readyState = 1;
      this.#fire("open", {});
    });
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, (this.#listeners.get(type) ?? new Set()).add(listener));
  }

  removeEventListener(type: string, listener: Listener): void {
    this.#listeners.get(type)?.delete(listener);
  }

  send(frame: string): void {
    for (const reply of answer(JSON.parse(frame))) {
      setTimeout(() => this.#fire("message", { data: JSON.stringify(reply) }));
    }
  }

  close(code = 1000, reason = ""): void {
    this.readyState = 3;
    setTimeout(() => this.#fire("close", { code, reason }));
  }

  #fire(type: string, event: Parameters<Listener>[0]): void {
    for (const listener of this.#listeners.get(type) ?? []) listener(event);
  }
}

interface Outbound {
  readonly type: string;
  readonly txid: number;
  readonly data?: { readonly type: string; readonly promptId: string };
}

/** The wire as documented: an ack for each message, two chunks and an end for a prompt. */
function answer({ txid, data }: Outbound): readonly object[] {
  const ack = { type: "ack", txid, success: true };
  if (data?.type !== "prompt") return [ack];
  const { promptId } = data;
  const chunk = (text: string) => ({
    type: "action",
    data: { type: "response-chunk", userInputId: promptId, chunk: text },
  });
  const end = { type: "action", data: { type: "prompt-response", promptId, sessionState: {} } };
  return [ack, chunk("one "), chunk("two"), end];
}

const [bundle] = process.argv.slice(2);
if (bundle === undefined) throw new Error("usage: browser-page.ts bundle.js");
const page = createContext({
  WebSocket: FakeWebSocket,
  console,
  setTimeout,
  clearTimeout,
  queueMicrotask,
  performance,
  crypto,
  URL,
  TextEncoder,
  TextDecoder,
  AbortController,
  AbortSignal,
});
runInContext(await readFile(bundle, "utf8"), page, { filename: "bundle.js", timeout: 5_000 });
