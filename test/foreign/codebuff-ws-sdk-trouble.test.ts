import { ManualClock, type MockCodebuffOptions, type MockCodebuffServer, step } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { gate } from "../helpers/codebuff.ts";
import type { Said } from "./said.ts";
import { SdkChild } from "./sdk-child.ts";
import {
  asks,
  CLOSED_BY_IT,
  chunk,
  endings,
  event,
  lastMessage,
  messages,
  mock,
  types,
  user,
  violations,
} from "./sdk-user.ts";

// Where a run of the original client does not go smoothly, and what the mock makes of it.

describe("a server that announces its shutdown", () => {
  /** An answer that waits in its middle. */
  function halting() {
    const { passed, open } = gate();
    async function* answer() {
      yield "Hel";
      await passed;
      yield "lo";
    }
    return { answer, open };
  }

  test("lets the original client finish its run on the same connection", async () => {
    const clock = new ManualClock();
    const { answer, open } = halting();
    await using server = await mock({ clock, answer });
    await using child = await asks(server);

    await child.until(({ said }) => said === "chunk");
    server.shutdown();
    open();
    expect(await child.end()).toContainEqual(lastMessage("Hello"));
    expect(types(server, "s2c")).toContain("request-reconnect");
    await clock.advance(30_000);
    expect(await endings(server)).toEqual([CLOSED_BY_IT]);
    expect(await violations(server)).toEqual([]);
  });

  test("loses the run of a client that reconnects at once, and records that", async () => {
    const { answer } = halting();
    await using server = await mock({ answer });
    {
      await using child = await user(server, { program: "prompt", habit: "reconnect" });
      await child.until(({ said }) => said === "chunk");
      server.shutdown();
      await child.meanwhile(server.waitFor(() => server.connections[1]));
    }
    expect((await endings(server))[0]).toBe(
      "1000 Forced reconnection due to server shutdown notice (client)",
    );
    expect(server.prompts).toHaveLength(1);
    expect(await violations(server)).toEqual(["left-mid-prompt"]);
  });
});

describe("a cancelled prompt of the original client", () => {
  const CANCELS: readonly (Pick<MockCodebuffOptions, "cancel"> & {
    readonly name: string;
    readonly after: readonly Said[];
  })[] = [
    { name: "sends nothing more", after: [] },
    {
      name: "may still complete late",
      cancel: { lateTerminal: 100 },
      after: [event("finish", { agentId: "base", totalCost: 1 }), lastMessage("One, ")],
    },
  ];

  test.each(CANCELS)("$name", async ({ name: _, after, ...options }) => {
    const clock = new ManualClock();
    await using server = await mock({ clock, answer: () => ["One, ", step.delay(50), "two"], ...options });
    await using child = await user(server, { program: "prompt", habit: "cancel" });

    await child.meanwhile(server.waitFor(() => server.cancels.length > 0));
    await clock.advance(100);
    child.endInput();
    expect(await child.end()).toEqual([
      event("start", { agentId: "base", messageHistoryLength: 0 }),
      chunk("One, "),
      event("text", { text: "One, " }),
      ...after,
    ]);
    expect(server.cancels).toMatchObject([
      { promptId: "p-1", authToken: "cb-pat-test", txid: 1, stopped: true },
    ]);
    expect(messages(server, "s2c")).toContainEqual({ type: "ack", txid: 1, success: true });
    expect(await violations(server)).toEqual([]);
  });
});

describe("the server still works after a failed connection of the original client:", () => {
  /** The client has nothing to say there but a ping, once it is well connected. */
  const firstFrameOn = (server: MockCodebuffServer, connection: number) =>
    server.waitFor(() =>
      server.frames.some((frame) => frame.direction === "c2s" && frame.connection.id === connection),
    );

  async function answersTheNext(server: MockCodebuffServer): Promise<void> {
    server.answer = () => ["still here"];
    await using next = await asks(server);
    expect(await next.end()).toContainEqual(lastMessage("still here"));
  }

  test("after a refused upgrade the client tries again, and never sends its prompt", async () => {
    await using server = await mock();
    server.refuseUpgrades(503);
    {
      await using child = await asks(server, { impatient: true });
      await child.until(({ said }) => said === "event");
      await child.meanwhile(server.waitFor(() => server.upgrades.length > 1));
      server.refuseUpgrades(undefined);
      await child.meanwhile(firstFrameOn(server, 1));
      expect(child.said).toEqual([event("error", { message: "Unexpected server response: 503" })]);
    }
    expect(server.upgrades[0]).toMatchObject({ url: "/ws", status: 503 });
    expect(server.prompts).toEqual([]);
    expect(await violations(server)).toEqual([]);
    await answersTheNext(server);
  });

  test.each([
    ["cut", () => step.drop()],
    ["cut in the middle of a frame", () => step.dropMidFrame()],
    ["closed", () => step.close(1012)],
  ])("after a connection is %s during a run, the client reconnects and stays silent", async (_, end) => {
    await using server = await mock({ answer: () => ["Hel", end()] });
    {
      await using child = await asks(server, { impatient: true });
      await child.meanwhile(firstFrameOn(server, 2));
      expect(child.said.filter(({ said }) => said === "result")).toEqual([]);
    }
    expect(server.prompts).toHaveLength(1);
    expect(await violations(server)).toEqual([]);
    await answersTheNext(server);
  });

  test("after a close with 1000, the client does not reconnect", async () => {
    await using server = await mock({ answer: () => ["Hel", step.close(1000)] });
    await using child = await asks(server, { impatient: true });
    // Nothing is left for it to do, and so it ends before its user's await does: 13, as Node says that.
    await expect(child.end()).rejects.toThrow("exit code 13");
    expect(server.connections).toHaveLength(1);
    expect(await violations(server)).toEqual([]);
    await answersTheNext(server);
  });
});

describe("the network block of the tests", () => {
  const ELSEWHERE = "192.0.2.1";

  test("refuses every kind of connection except to loopback", async () => {
    await using server = await mock();
    await using child = await user(server, { program: "break-out", to: ELSEWHERE });
    const hosts = [ELSEWHERE, ELSEWHERE, ELSEWHERE, `/${ELSEWHERE}`, ELSEWHERE];
    expect(await child.end()).toEqual(hosts.map((host) => ({ said: "refused", host })));
  });

  test("fails a test in which the original client tries to connect elsewhere", async () => {
    await using child = await SdkChild.start(ELSEWHERE, { program: "runs", runs: [{ prompt: "hi" }] });
    const story = `{"said":"refused","host":"${ELSEWHERE}"}`;
    await expect(child.until(({ said }) => said === "refused")).rejects.toThrow(story);
    await expect(child.end()).rejects.toThrow(story);
  });
});
