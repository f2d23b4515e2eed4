import { acpStep, type MockAcpOptions } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { play, settleBy } from "./support.ts";

const fails =
  (status: number): NonNullable<MockAcpOptions["answer"]> =>
  ({ text }) =>
    text === "go" ? [acpStep.fail(status, "The model failed")] : ["fine"];

const SAID = (status: number) => `API Error: ${status} The model failed`;

describe("8 a model that fails", () => {
  test.each([
    ["rpcError", 500, { kind: "server_error", retryable: true }],
    ["rpcError", 429, { kind: "rate_limit", retryable: true }],
    ["rpcError", 400, { retryable: false }],
    ["textAndError", 500, { kind: "server_error", retryable: true }],
    ["httpCode", 500, { status: 500, retryable: true }],
    ["httpCode", 408, { status: 408, retryable: true }],
    ["httpCode", 400, { status: 400, retryable: false }],
  ] as const)("8 %s %i fails the turn, and says whether to try again", async (modelError, status, error) => {
    await play({ mock: { modelError, answer: fails(status) } }, async ({ client }) => {
      const conversation = client.conversation();
      const outcome = await conversation.prompt("go").outcome;
      const text = modelError === "textAndError" ? SAID(status) : "";
      expect(outcome).toMatchObject({
        status: "failed",
        error: { code: "turn-failed", ...error },
        partial: { text },
      });
      expect((outcome as { error: Error }).error.message).toContain("The model failed");
      expect((await conversation.prompt("next").result).text).toBe("fine");
    });
  });

  test("8 textEndTurn is the text of the answer, and is not read", async () => {
    await play({ mock: { modelError: "textEndTurn", answer: fails(500) } }, async ({ client, warnings }) => {
      expect(await client.prompt("go").result).toMatchObject({ text: SAID(500), stopReason: "end_turn" });
      expect(warnings).toEqual([]);
    });
  });

  test("8 silentEndTurn completes the turn, and warns", async () => {
    await play(
      { mock: { modelError: "silentEndTurn", answer: fails(500) } },
      async ({ client, warnings }) => {
        expect(await client.prompt("go").result).toMatchObject({ text: "", isEmpty: true });
        expect(warnings).toEqual(["empty-turn"]);
      },
    );
  });

  test("8 hang ends by `idleTimeout`, and the next prompt runs", async () => {
    const mock = { modelError: "hang", answer: fails(500) } as const;
    await play({ mock, client: { idleTimeout: 5_000 }, isTimed: true }, async ({ agent, client, clock }) => {
      const conversation = client.conversation();
      const turn = conversation.prompt("go");
      await agent.nextPrompt();
      expect(await settleBy(clock, turn.outcome)).toMatchObject({
        status: "failed",
        error: { code: "turn-timeout" },
      });
      expect(agent.cancels).toHaveLength(1);
      expect((await settleBy(clock, conversation.prompt("next").result)).text).toBe("fine");
    });
  });

  test.each(["atNew", "atPrompt", "refuses"] as const)(
    "8 an agent that wants a login %s fails the turn with its methods",
    async (auth) => {
      await play({ mock: { auth } }, async ({ agent, client }) => {
        const outcome = await client.prompt("go").outcome;
        const error = {
          code: "handshake-refused",
          reason: "auth",
          methods: [{ id: "login", name: "Log in" }],
        };
        expect(outcome).toMatchObject({ status: "failed", error });
        expect(agent.received.some(({ method }) => method === "authenticate")).toBe(false);
      });
      if (auth === "refuses") return;
      await play({ mock: { auth }, client: { auth: "login" } }, async ({ client }) => {
        expect((await client.prompt("go").result).text).toBe("You said: go");
      });
    },
  );

  test("8 a login that the agent refuses is `handshake-refused`", async () => {
    await play({ mock: { auth: "refuses" }, client: { auth: "login" } }, async ({ client }) => {
      const outcome = await client.prompt("go").outcome;
      expect(outcome).toMatchObject({
        error: { code: "handshake-refused", reason: "auth", delivery: "not-sent" },
      });
    });
  });
});

describe("12 what is no part of the protocol", () => {
  /** The methods of all that the client has written. */
  const USUAL = ["initialize", "session/new", "session/prompt"];

  test.each([
    ["off", "whole", []],
    ["beforeInit", "whole", ["stray-line"]],
    ["midTurn", "whole", ["stray-line"]],
    ["halfLine", "whole", ["stray-line"]],
    ["splitUtf8", "whole", []],
    ["crlf", "whole", []],
    ["bom", "whole", []],
    ["off", 1, []],
    ["off", 7, []],
  ] as const)(
    "12 stray: %s in pieces of %s: the answer is whole, and nothing is written to the agent for it",
    async (stray, chunking, warned) => {
      const answer = ["h\u00e9", "\u{1F600}", "!"];
      await play({ mock: { stray, chunking, answer } }, async ({ agent, client, warnings }) => {
        expect((await client.prompt("go").result).text).toBe("h\u00e9\u{1F600}!");
        expect(warnings).toEqual(warned);
        expect(agent.received.map(({ method }) => method)).toEqual(expect.arrayContaining(USUAL));
        expect(agent.received.filter(({ type }) => type === "response")).toEqual([]);
      });
    },
  );

  test.each([
    ["update", ["unknown-update"]],
    ["notification", []],
    ["request", []],
    ["stopReason", ["unknown-stop-reason"]],
    ["field", []],
  ] as const)("12 unknown: %s: the answer is whole, with a warning or an event", async (unknown, warned) => {
    await play({ mock: { unknown, answer: ["fine"] } }, async ({ agent, client, warnings }) => {
      const notified: string[] = [];
      client.on("notification", ({ method }) => notified.push(method));
      const turn = client.prompt("go");
      const types: string[] = [];
      for await (const { type } of turn) types.push(type);
      const { text, stopReason } = await turn.result;
      expect([text, stopReason]).toEqual(["fine", unknown === "stopReason" ? "max_vibes" : "end_turn"]);
      expect(warnings).toEqual(warned);
      expect(types).toEqual(unknown === "update" ? ["unknown", "text"] : ["text"]);
      expect(notified).toEqual(unknown === "notification" ? ["_mock/notify"] : []);
      const answers = agent.requests.map(({ reply }) => reply);
      expect(answers).toMatchObject(unknown === "request" ? [{ error: { code: -32601 } }] : []);
      expect(agent.received.filter(({ type }) => type === "response")).toHaveLength(answers.length);
    });
  });

  test("12 a line of 33 MiB is skipped with a warning, and the turn goes on", async () => {
    await play({ mock: { huge: true, answer: ["fine"] } }, async ({ client, warnings }) => {
      expect((await client.prompt("go").result).text).toBe("fine");
      expect(warnings).toEqual(["stray-line"]);
    });
  });

  test("12 empty chunks, and echoes of the prompt, are no part of the answer", async () => {
    await play(
      { mock: { emptyChunks: true, echoPrompt: true, answer: ["fi", "ne"] } },
      async ({ client, events }) => {
        expect((await client.prompt("go").result).text).toBe("fine");
        const said = events.flatMap(({ type, data }) =>
          type === "item.completed" && "item" in data && data.item.kind === "message" ? [data.item.role] : [],
        );
        expect(said).toEqual(["user", "assistant"]);
      },
    );
  });
});

describe("12 an agent that does not start", () => {
  test.each([0, 2, "1"] as const)(
    "12 version %j is refused, and nothing more is sent",
    async (protocolVersion) => {
      await play({ mock: { protocolVersion } }, async ({ agent, client }) => {
        const outcome = await client.prompt("go").outcome;
        expect(outcome).toMatchObject({
          error: { code: "handshake-refused", reason: "version", delivery: "not-sent" },
        });
        expect(agent.received.map(({ method }) => method)).toEqual(["initialize"]);
      });
    },
  );

  test("12 an agent that never answers fails after `connectTimeout`; one that is slow does not", async () => {
    const late = { client: { connectTimeout: 1_000 }, isTimed: true };
    await play({ ...late, mock: { startDelay: 10_000 } }, async ({ client, clock }) => {
      const outcome = await settleBy(clock, client.prompt("go").outcome);
      expect(outcome).toMatchObject({
        error: { code: "connect-timeout", retryable: true, delivery: "not-sent" },
      });
    });
    await play({ ...late, mock: { startDelay: 900 } }, async ({ client, clock }) => {
      expect((await settleBy(clock, client.prompt("go").result)).text).toBe("You said: go");
    });
  });
});
