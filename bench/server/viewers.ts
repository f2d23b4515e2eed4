/**
 * Viewers of one chat, in a process of their own: raw readers of server-sent events. It tells the number of deltas that
 * all of them have, whenever that grows, and the number of turns that have ended.
 */
import { Agent, get, type IncomingMessage } from "node:http";
import * as z from "zod/mini";
import { childSettings, now, serveCalls, tell } from "../support/child.ts";

const DELTA = '"type":"item.delta"';
const END = '"type":"turn.ended"';

const { url } = z.object({ url: z.string() }).parse(childSettings());

/** Streams at once. More would measure how a server's queue of connections fills. */
const WAVE = 50;

const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
const open = new Set<IncomingMessage>();
/** By number of deltas: the viewers that have so many. */
const reached: number[] = [];
let opened = 0;
let frames = 0;
let bytes = 0;

/** Resolves when the stream has told everything so far. */
function view(): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent, headers: { accept: "text/event-stream" } }, (response) => {
      let deltas = 0;
      let rest = "";
      open.add(response);
      response.on("close", () => open.delete(response));
      response.on("error", () => {}); // the measurement has cut it
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.byteLength;
        const parts = (rest + chunk.toString("latin1")).split("\n\n");
        rest = parts.pop() ?? "";
        for (const frame of parts) {
          if (frame.includes("event: state")) resolve();
          if (!frame.includes("event: events")) continue;
          frames++;
          if (frame.includes(END)) tell(-1);
          for (let count = frame.split(DELTA).length - 1; count > 0; count--) has(++deltas);
        }
      });
    });
    request.on("error", reject);
  });
}

function has(deltas: number): void {
  const viewers = (reached[deltas] ?? 0) + 1;
  reached[deltas] = viewers;
  if (viewers === opened) tell(deltas, now());
}

serveCalls({
  /** Opens so many more, all before the first delta. */
  async open(count = 1) {
    opened += count;
    for (let begun = 0; begun < count; begun += WAVE)
      await Promise.all(Array.from({ length: Math.min(WAVE, count - begun) }, view));
    return opened;
  },
  close() {
    for (const response of open) response.destroy();
    opened = 0;
    return 0;
  },
  frames: () => frames,
  bytes: () => bytes,
});
