import type { CodebuffClient } from "agentwire/codebuff";
import { expect, test } from "vitest";
import { countingController, once } from "../helpers/codebuff.ts";
import { GROWTH, growthOver, held, type RemotePair, remotePair, TIMES } from "./support.ts";

/** What an idle ready client holds: one socket, the timer of its next ping, and no turn. */
const IDLE = { turns: 0, sockets: 1, tcp: 1, timers: 1 };

/** Nothing of the turn is kept here, so what is left of it is held by the client. */
async function answered(client: CodebuffClient, signal: AbortSignal): Promise<void> {
  const turn = client.prompt("hello", { signal, timeout: 60_000 });
  let text = "";
  for await (const event of turn) if (event.type === "response-chunk") text += event.text;
  expect(text).toBe("one two three");
  expect((await turn.result).text).toBe(text);
}

/** Cancelled in the middle of its answer, by each of the two ways in turn. */
async function cancelled(client: CodebuffClient, signal: AbortSignal, leaves: boolean): Promise<void> {
  const turn = client.prompt({ prompt: "hang" }, { signal, timeout: 60_000 });
  for await (const event of turn) {
    if (event.type !== "response-chunk") continue;
    if (leaves) break;
    void turn.cancel();
  }
  expect((await turn.outcome).status).toBe("cancelled");
}

async function reconnected({ client, server }: RemotePair): Promise<void> {
  const back = once(client, "reconnected");
  server.cut();
  await back;
}

/** Runs everything once for long enough that it is compiled, on a client that is gone afterwards. */
async function warmUp(
  profile: "proxy" | "codebuff",
  work: (pair: RemotePair) => Promise<void>,
): Promise<void> {
  await using made = await remotePair(profile, TOKEN);
  for (let time = 0; time < TIMES; time++) await work(made);
}

/** With a token a cancel goes out on the wire. */
const TOKEN = { authToken: "token-of-nobody" };

test("a thousand turns with one client and one signal leave no resources behind", async () => {
  const { controller, listeners } = countingController();
  const { signal } = controller;
  await warmUp("proxy", ({ client }) => answered(client, signal));
  await using made = await remotePair("proxy");
  expect(await held(made)).toEqual(IDLE);
  const growth = await growthOver(() => answered(made.client, signal));
  expect(await held(made)).toEqual(IDLE);
  expect(listeners()).toBe(0);
  expect(growth).toBeLessThan(GROWTH);
});

test("a thousand cancelled turns leave no resources behind", async () => {
  const { controller, listeners } = countingController();
  const { signal } = controller;
  let leaves = false;
  const cancel = async ({ client }: { readonly client: CodebuffClient }): Promise<void> => {
    leaves = !leaves;
    await cancelled(client, signal, leaves);
  };
  await warmUp("codebuff", cancel);
  await using made = await remotePair("codebuff", TOKEN);
  const growth = await growthOver(() => cancel(made));
  await made.client.prompt("hello").result; // behind the answers to all that was cancelled
  expect(await held(made)).toEqual(IDLE);
  expect(listeners()).toBe(0);
  expect(growth).toBeLessThan(GROWTH);
});

test("a thousand reconnects leave only one socket behind", async () => {
  await warmUp("proxy", reconnected);
  const { controller, listeners } = countingController();
  await using made = await remotePair("proxy", { signal: controller.signal });
  const growth = await growthOver(() => reconnected(made));
  await made.clock.advance(5_000); // the timer that watches whether the link is stable
  expect(await held(made)).toEqual(IDLE);
  expect(listeners()).toBe(1); // the client's own
  expect(growth).toBeLessThan(GROWTH);
  await made.client.close();
  // Not the object of the last socket: the reason of a closed client leads to it until somebody reads its stack.
  expect(await held(made)).toMatchObject({ turns: 0, tcp: 0, timers: 0 });
  expect(listeners()).toBe(0);
});
