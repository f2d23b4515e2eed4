// Uses a relay in whatever runtime as a stranger does. Its agent answers each prompt, and it takes 2 viewers at most.
import assert from "node:assert/strict";
import type { UniversalEvent } from "agentwire/universal";
import { TestViewer } from "./viewer.ts";

/** Sends a request to the relay. */
export type Ask = (path: string, init?: RequestInit) => Promise<Response>;

let keys = 0;

/** Rejects with what is wrong. */
export async function smoke(ask: Ask): Promise<void> {
  const chat = `/chats/smoke-${++keys}`;
  const open = async (path: string): Promise<TestViewer> => {
    const response = await ask(`${chat}${path}`);
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
    return new TestViewer(response);
  };
  const prompt = async (): Promise<void> => {
    const body = JSON.stringify({ key: `key-${++keys}`, type: "prompt", input: { text: "Hello" } });
    const headers = { "content-type": "application/json" };
    assert.equal((await ask(`${chat}/commands`, { method: "POST", headers, body })).status, 202);
  };

  const viewer = await open("/events");
  await prompt();
  await viewer.turns(1);
  const polled = ask(`${chat}/stream?offset=now&live=long-poll`);
  await prompt();
  assert.equal((await polled).status, 200);
  await viewer.turns(2);
  const lines = await (await ask(`${chat}/events?live=no`)).text();
  assert.deepEqual(
    lines
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
    viewer.events,
  );
  assert.deepEqual(await (await ask(`${chat}/stream`)).json(), viewer.events);
  const durable = await open("/stream?offset=-1&live=sse");
  await durable.until(({ frames }) => frames.at(-1)?.data?.includes("upToDate"));
  const data = durable.frames.filter(({ event }) => event === "data");
  const events = data.flatMap(({ data = "" }) => JSON.parse(data) as UniversalEvent[]);
  assert.deepEqual(events, viewer.events);

  // Viewers that leave make room.
  await Promise.all([viewer.close(), durable.close()]);
  const last = [await again(() => open("/events")), await again(() => open("/events"))];
  const head = await ask(chat, { method: "HEAD" });
  assert.equal(head.headers.get("relay-head"), viewer.position);
  assert.equal((await ask(`${chat}/stream`, { method: "PUT" })).status, 405);
  assert.equal((await ask(chat, { method: "DELETE" })).status, 204);
  for (const each of last) assert.equal(await each.ended(), "clean");
}

/** Tries until it works, for some seconds. */
async function again<T>(work: () => Promise<T>): Promise<T> {
  const until = performance.now() + 10_000;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      // The relay may not know yet that a viewer has left.
      if (performance.now() > until) throw error;
    }
  }
}
