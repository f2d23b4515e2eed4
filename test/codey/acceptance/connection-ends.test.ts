import { codeyStep } from "agentwire/testing";
import { expect } from "vitest";
import {
  asked,
  FAREWELL,
  failureOf,
  frame,
  link,
  once,
  rejection,
  sent,
  shown,
  walkBackoff,
} from "../../helpers/codey.ts";
import { onBoth, type Scene, type SceneOptions } from "./both.ts";
import { read } from "./calls.ts";

const manual: SceneOptions = { client: { onToolApproval: "manual" } };

/** A script that never ends, but for a prompt that says something else than `go`. */
const endless: SceneOptions = {
  mock: { answer: ({ content }) => (content === "go" ? ["one", codeyStep.hang()] : ["yes"]) },
};

onBoth(
  "6.1 any, fatal: while idle it closes the client",
  { warns: ["server-error"] },
  async ({ client, server }) => {
    const gone = once(client, "disconnected");
    link(server).send(frame.error("gone", true));
    expect(await gone).toMatchObject({ code: "connection-lost", retryable: false });
    expect(client.status).toBe("closed");
  },
);

onBoth(
  "6.1 any, fatal: behind a Cancel the turn is cancelled, and the client closed",
  { ...endless, mock: { ...endless.mock, cancelReply: "none" } },
  async ({ client, server }) => {
    const turn = client.prompt("go");
    await shown(turn, "one");
    const outcome = turn.cancel();
    link(server).send(frame.error("gone", true));
    expect(await outcome).toMatchObject({ status: "cancelled", partial: { endedBy: { fatal: true } } });
    expect(client.status).toBe("closed");
  },
);

onBoth(
  "6.1 any, fatal: a client that reconnects does not, for the server has had enough",
  { client: { reconnect: {} }, warns: ["server-error"] },
  async (scene) => {
    walkBackoff(scene);
    link(scene.server).send(frame.error("gone", true));
    await once(scene.client, "disconnected");
    expect(scene.client.status).toBe("closed");
  },
);

const LOSSES: readonly (readonly [string, (scene: Scene) => unknown])[] = [
  ["a close", ({ server }) => link(server).close(1001)],
  ["a socket error", ({ server }) => link(server).faults.malformed("bad-utf8")],
  ["a broken link", ({ server }) => link(server).drop()],
  ["the pong deadline", ({ clock }) => clock.advance(30_000)],
];

for (const [what, lose] of LOSSES) {
  onBoth(
    `6.1 any, lost: ${what} rejects the turn, its approvals and every request; nothing stays pending`,
    // A socket that breaks the protocol is answered with a Close by the platform, which asks nobody before.
    { client: { onToolApproval: "manual", requestTimeout: 0 }, mistakes: ["left-mid-turn"] },
    async (scene) => {
      const { client, server } = scene;
      server.answer = () => [codeyStep.calls(read())];
      const turn = client.prompt("go");
      const next = client.prompt("next");
      await asked(turn);
      server.set({ frozen: "midSession" });
      const requests = [client.ping(), client.getState(), client.getHistory()].map(rejection);
      await server.waitFor(() => sent(server).includes("GetHistory"));
      lose(scene);
      expect(await failureOf(turn)).toMatchObject({
        code: "connection-lost",
        delivery: "unknown",
        sideEffectsPossible: true,
      });
      expect(turn.pending).toEqual([]);
      for (const request of requests) expect(await request).toMatchObject({ code: "connection-lost" });
      expect(await failureOf(next)).toMatchObject({
        code: "context-lost",
        delivery: "not-sent",
        input: "next",
      });
      expect(client.status).toBe("closed");
    },
  );
}

onBoth(
  "6.1 any, close(): in a turn with open approvals it says Cancel and denies them first",
  manual,
  async ({ client, server }) => {
    server.answer = () => [codeyStep.calls(read(), read({ background: true, callId: "b" }))];
    const turn = client.prompt("go");
    const next = client.prompt("next");
    await Promise.all([asked(turn, (id) => id !== "b"), asked(turn, (id) => id === "b")]);
    const closed = client.close();
    expect(await failureOf(turn)).toMatchObject({ code: "closed", delivery: "unknown" });
    expect(await failureOf(next)).toMatchObject({ code: "closed", delivery: "not-sent", input: "next" });
    const connection = link(server);
    await server.waitFor(() => connection.state === "closed");
    await closed;
    const [, cancel, ...rest] = sent(server);
    expect([cancel, ...rest.splice(-3)]).toEqual(["Cancel", ...FAREWELL]);
    expect(rest.sort()).toEqual(["ToolDecision b false", "ToolDecision toolu_1 false"]);
  },
);
