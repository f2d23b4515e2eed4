import { inspect } from "node:util";
import { remote } from "agentwire/remote";
import { expect, test } from "vitest";
import { Script } from "../universal/build.ts";
import { FakeRelay } from "./support/fake-relay.ts";
import { HastyClock } from "./support/world.ts";

const SECRET = "hush-4f9b-token";
const WORDS = `you said ${SECRET}, "${SECRET}" and [Bearer ${SECRET}]`;

/** The events of a client that hand on what the relay said as it was. */
const TOLD = ["status", "reconnecting", "reconnected", "disconnected", "protocolWarning", "turn"] as const;

test("a credential in `headers` that the relay repeats is in nothing that the client says itself", async () => {
  await using relay = await FakeRelay.start();
  const headers = () => ({ authorization: `Bearer ${SECRET}` });
  const client = remote({ url: relay.url, chat: "c", clock: new HastyClock(), headers }).client();
  const notes: string[] = [];
  const note = (what: string, value: unknown): void => {
    const text = inspect(value, { depth: 12, showHidden: true, maxStringLength: null });
    notes.push(`${what}: ${text} ${JSON.stringify(value)}`);
    if (value instanceof Error) note(`${what}, cause`, value.cause);
  };
  for (const name of [...TOLD, "frame", "message"] as const)
    client.on(name, (...values: readonly unknown[]) => {
      if (name !== "turn") note(name, values); // which leads to everything
    });
  relay.nextStreams.push(
    { status: 503, body: { code: "closing", message: WORDS } },
    { status: 200, body: WORDS, headers: { "content-type": "text/html" } },
    {
      status: 200,
      body: `event: state\ndata: ${WORDS}\n\n`,
      headers: { "content-type": "text/event-stream" },
    },
  );
  note("connect", await client.connect().catch((error: unknown) => error));
  while (client.status !== "ready") await client.connect().catch(() => {}); // each failed attempt rejects
  relay.write(`data: no JSON: ${WORDS}\n\n`);
  relay.nextCommands.push({ status: 409, body: { code: "settled", message: WORDS } });
  note("refused", await client.prompt("one").outcome);
  relay.onCommand = ({ key }) => {
    const script = new Script().session().turn("two", { prompt_id: key });
    script.error(WORDS, { turn_id: script.turnId });
    relay.tell(...script.turnEnded({ status: "failed" }).events);
  };
  note("failed", await client.prompt("two").outcome);
  relay.nextStreams.push({ status: 401, body: { code: "unauthorized", message: WORDS } });
  const lost = new Promise((resolve) => void client.on("status", (now) => now === "closed" && resolve(now)));
  relay.end("cut");
  await lost;
  note("closed", client.closedBy);
  note("connect", await client.connect().catch((error: unknown) => error));
  note("client", client);
  await client.close();
  expect(relay.headers.every(({ authorization }) => authorization === `Bearer ${SECRET}`)).toBe(true);
  expect(notes.filter((line) => line.includes(SECRET))).toEqual([]);
  for (const name of ["reconnecting", "protocolWarning", "disconnected", "refused", "failed", "closed"])
    expect(
      notes.filter((line) => line.startsWith(name) && line.includes("you said")),
      name,
    ).not.toEqual([]);
});
