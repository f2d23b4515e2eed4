import { join } from "node:path";
import { expect } from "vitest";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { cliWorld, HELD } from "../helpers/codebuff-cli.ts";
import { failureOf, shown, thrown } from "../helpers/turns.ts";
import { describe, test } from "./rows.ts";

/** The values of `--continue` of all runs. */
const continued = (at: { readonly cli: { runs(): readonly { readonly options: object }[] } }) =>
  at.cli.runs().map(({ options }) => Object.entries(options).find(([name]) => name === "--continue")?.[1]);

describe("a session id given with a prompt of a conversation", () => {
  test("continues that session, without a warning about continuity", async () => {
    await using at = await cliWorld({}, { requireContinuity: true });
    const conversation = at.client.conversation();
    await conversation.prompt("one").result;
    await conversation.prompt("two", { sessionId: "abc" }).result;
    expect(continued(at)).toEqual([undefined, "abc"]);
    expect(at.warnings).toEqual([]);
  });
});

describe("prompts that wait within a conversation", () => {
  test("count towards `maxQueuedTurns` until they are cancelled", async () => {
    await using at = await cliWorld({ events: HELD }, { maxQueuedTurns: 2 });
    const conversation = at.client.conversation();
    const first = conversation.prompt("one");
    const second = conversation.prompt("two");
    const third = conversation.prompt("three");
    expect(thrown(() => conversation.prompt("four"))).toMatchObject({ code: "queue-full" });
    await third.cancel();
    const fourth = conversation.prompt("four");
    at.cli.release("go");
    expect(
      (await Promise.all([first, second, fourth].map(({ outcome }) => outcome))).map(({ status }) => status),
    ).toEqual(["completed", "completed", "completed"]);
  });

  test("fail at once when the client closes, while the running turn may finish", async () => {
    await using at = await cliWorld({ events: HELD });
    const conversation = at.client.conversation();
    const first = conversation.prompt("one");
    const second = conversation.prompt("two");
    await shown(first, "part");
    const closed = at.client.close({ drainTimeout: 10_000 });
    expect(await failureOf(second)).toMatchObject({ code: "closed", delivery: "not-sent" });
    expect(first.status).toBe("streaming");
    at.cli.release("go");
    await closed;
    expect(first.status).toBe("completed");
  });
});

describe("a conversation", () => {
  test("3.3 continued & switch continueStore & switch sessionKey: continues the program's session with its history", async () => {
    await using folder = await tempFolder();
    await using at = await cliWorld({
      sessionKey: "session_id",
      continueStore: join(folder.path, "chats.json"),
    });
    const conversation = at.client.conversation();
    const { sessionId } = await conversation.prompt("one").result;
    await conversation.prompt("two").result;

    expect(continued(at)).toEqual([undefined, sessionId]);
    expect(at.cli.runs()[1]?.history).toEqual([
      { role: "user", content: "one" },
      { role: "assistant", content: "You said: one" },
    ]);
    expect(conversation.messages).toEqual([
      { role: "user", content: "one" },
      { role: "assistant", content: "You said: one" },
      { role: "user", content: "two" },
      { role: "assistant", content: "You said: two" },
    ]);
    expect(conversation.state).toEqual({ protocol: "codebuff-cli", version: 1, sessionId });
  });

  test("continues from its state in another client", async () => {
    await using at = await cliWorld({ sessionKey: "chatId", sessionId: "2026-02-04T10-00-00.000Z" });
    const first = at.client.conversation();
    await first.prompt("one").result;
    const state = JSON.parse(JSON.stringify(first.state));
    await at.another().conversation({ from: state }).prompt("two").result;
    expect(continued(at)).toEqual([undefined, "2026-02-04T10-00-00.000Z"]);
  });

  test("3.3 one at a time & 5.11 a conversation & 7 serialised: runs one prompt at a time, whatever `maxProcesses`", async () => {
    await using at = await cliWorld({
      events: { byPrompt: { one: HELD } },
      sessionKey: "session_id",
      sessionId: "s-1",
    });
    const conversation = at.client.conversation();
    const one = conversation.prompt("one");
    const two = conversation.prompt("two");
    await shown(one, "part");
    expect(two.status).toBe("queued");
    expect(at.cli.runs()).toHaveLength(1);
    at.cli.release("go");
    await two.result;
    expect(continued(at)).toEqual([undefined, "s-1"]);
  });

  test("7 --continue once, never empty & switch sessionId: follows the newest session id of the program", async () => {
    await using at = await cliWorld({ sessionKey: "session_id", sessionId: "a" });
    const conversation = at.client.conversation();
    await conversation.prompt("one").result;
    at.cli.set({ sessionId: "b" });
    await conversation.prompt("two").result;
    await conversation.prompt("three").result;
    expect(continued(at)).toEqual([undefined, "a", "b"]);
    expect(at.cli.runs().map(({ argv }) => argv)).toEqual([
      ["--stream-json", "--", "one"],
      ["--stream-json", "--continue", "a", "--", "two"],
      ["--stream-json", "--continue", "b", "--", "three"],
    ]);
  });

  test("3.3 requested id & 7 caller's id: keeps the caller's session if the program names none", async () => {
    await using at = await cliWorld();
    const conversation = at.client.conversation({
      from: { protocol: "codebuff-cli", version: 1, sessionId: "mine" },
    });
    const { sessionId } = await conversation.prompt("one").result;
    await conversation.prompt("two").result;
    expect(sessionId).toBe("mine");
    expect(continued(at)).toEqual(["mine", "mine"]);
    expect(at.warnings).toEqual([]);
  });

  test("3.3 no id & 7 continuity: starts anew at each prompt if the program names no session, with a warning", async () => {
    await using at = await cliWorld();
    const conversation = at.client.conversation();
    await conversation.prompt("one").result;
    expect(at.warnings).toEqual([]);
    await conversation.prompt("two").result;
    expect(at.warnings).toEqual([expect.objectContaining({ kind: "no-continuity" })]);
    expect(continued(at)).toEqual([undefined, undefined]);
    expect(conversation.state).toEqual({ protocol: "codebuff-cli", version: 1 });
  });

  test("3.3 requireContinuity: refuses the next prompt if the program names no session", async () => {
    await using at = await cliWorld({}, { requireContinuity: true });
    const conversation = at.client.conversation();
    await conversation.prompt("one").result;
    expect(await failureOf(conversation.prompt("two"))).toMatchObject({
      code: "unsupported",
      delivery: "not-sent",
    });
    expect(at.cli.runs()).toHaveLength(1);
  });

  test("ignores a session id that could be read as a flag", async () => {
    await using at = await cliWorld({ sessionKey: "session_id", sessionId: "--max" });
    const conversation = at.client.conversation();
    await conversation.prompt("one").result;
    await conversation.prompt("two").result;
    expect(continued(at)).toEqual([undefined, undefined]);
  });

  test.each([
    null,
    "s-1",
    {},
    { protocol: "codey", version: 1, sessionId: "s" },
    { protocol: "codebuff-cli", version: 2, sessionId: "s" },
    { protocol: "codebuff-cli", version: 1, sessionId: "--max" },
    { protocol: "codebuff-cli", version: 1, sessionId: 7 },
  ])("refuses the state %j", async (from) => {
    await using at = await cliWorld();
    expect(thrown(() => at.client.conversation({ from } as never))).toMatchObject({ code: "invalid-input" });
  });

  test("starts anew at each prompt if the program has no `--continue`", async () => {
    await using at = await cliWorld(
      { profile: "print", sessionKey: "session_id", sessionId: "s" },
      { profile: "print" },
    );
    const conversation = at.client.conversation();
    const [one, two] = [conversation.prompt("one"), conversation.prompt("two")];
    expect(await one.result).toMatchObject({ sessionId: "s" });
    await two.result;
    await conversation.prompt("three").result;
    expect(continued(at)).toEqual([undefined, undefined, undefined]);
    expect(at.warnings.map(({ kind }) => kind)).toEqual(["no-continuity", "no-continuity"]);
    expect(conversation.state).toEqual({ protocol: "codebuff-cli", version: 1 });
  });

  test("cannot continue a saved session if the program has no `--continue`", async () => {
    await using at = await cliWorld(
      { profile: "print", sessionKey: "session_id", sessionId: "s" },
      { profile: "print" },
    );
    const from = { protocol: "codebuff-cli", version: 1, sessionId: "s" } as const;
    expect(thrown(() => at.client.conversation({ from }).prompt("hi"))).toMatchObject({
      code: "invalid-input",
      message: expect.stringContaining("`sessionId`"),
    });
  });
});

describe("a prompt outside a conversation", () => {
  test("continues a given session, and its result names it", async () => {
    await using at = await cliWorld();
    expect(await at.client.prompt("hi", { sessionId: "mine" }).result).toMatchObject({ sessionId: "mine" });
    expect(await at.client.prompt("hi").result).not.toHaveProperty("sessionId");
    expect(continued(at)).toEqual(["mine", undefined]);
  });

  test.each(["session_id", "sessionId", "conversationId", "conversation_id", "chatId"])(
    "3.3 id from %s: reads its session id there",
    async (sessionKey) => {
      await using at = await cliWorld({ sessionKey, sessionId: "told" });
      expect(await at.client.prompt("hi", { sessionId: "mine" }).result).toMatchObject({ sessionId: "told" });
    },
  );

  test("that is cancelled has the session in its partial result", async () => {
    await using at = await cliWorld({ events: HELD, sessionKey: "session_id", sessionId: "told" });
    const turn = at.client.prompt("hi");
    await shown(turn, "part");
    expect(await turn.cancel()).toMatchObject({
      partial: { text: "part", state: { protocol: "codebuff-cli", version: 1, sessionId: "told" } },
    });
  });
});
