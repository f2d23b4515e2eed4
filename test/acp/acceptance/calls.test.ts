import { acpStep, acpTool, type MockAcpOptions } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { chosenBy, play } from "./support.ts";

const SHELL = acpTool.shell("touch x", "touched");
const asksOnce = { answer: () => [acpStep.calls(SHELL), "after"] };

describe("3 calls", () => {
  test.each(
    (["full", "none", "emptyThenFull", "inContent"] as const).flatMap((rawInput) =>
      (["toolCall", "permission"] as const).map((callFirst) => ({ rawInput, callFirst })),
    ),
  )(
    "3 first seen in $callFirst, with rawInput $rawInput, are one call that shows what it does",
    async (switches) => {
      await play(
        { mock: { ...asksOnce, ...switches }, client: { onToolApproval: "manual" } },
        async ({ agent, client, events }) => {
          const turn = client.prompt("go");
          turn.on("approval", (call) => {
            expect(JSON.stringify(call)).toContain("touch x");
            client.decide(call.id, "once");
          });
          const { toolCalls, text } = await turn.result;
          expect(text).toBe("after");
          expect(toolCalls).toMatchObject([{ state: "done", output: "touched" }]);
          expect(JSON.stringify(toolCalls[0]?.input)).toContain("touch x");
          expect(agent.requests.flatMap(chosenBy)).toEqual(["allow_once"]);
          const items = events.filter(
            ({ type, data }) => type === "item.completed" && "item" in data && data.item.kind === "tool_call",
          );
          expect(items).toHaveLength(1);
        },
      );
    },
  );

  test("3 first seen in an update, without `kind` and `rawInput`, are calls", async () => {
    const update = { sessionUpdate: "tool_call_update", toolCallId: "u", status: "completed", title: "Look" };
    const content = [{ type: "content", content: { type: "text", text: "seen" } }];
    await play({ mock: { answer: () => [acpStep.update({ ...update, content })] } }, async ({ client }) => {
      const { toolCalls, isEmpty } = await client.prompt("go").result;
      expect(toolCalls).toMatchObject([
        { id: "u", name: "other", state: "done", input: { title: "Look" }, output: "seen" },
      ]);
      expect(isEmpty).toBeUndefined();
    });
  });

  test("3 whose ids repeat are calls of their own", async () => {
    const call = { ...SHELL, toolCallId: "same" };
    const answer = () => [acpStep.calls(call), acpStep.calls(call)];
    await play({ mock: { answer }, client: { onToolApproval: () => true } }, async ({ client }) => {
      const conversation = client.conversation();
      const both = [await conversation.prompt("one").result, await conversation.prompt("two").result];
      const ids = both.flatMap(({ toolCalls }) => toolCalls.map(({ id, state }) => `${id} ${state}`));
      expect(ids).toEqual(["same done", "same~2 done", "same~3 done", "same~4 done"]);
    });
  });

  test("3 of a replay are no calls of the next turn", async () => {
    const call = { ...SHELL, toolCallId: "same" };
    const answer: MockAcpOptions["answer"] = ({ text }) =>
      text === "die" ? [acpStep.die({ exit: 0 })] : [acpStep.calls(call), "after"];
    await play({ mock: { answer }, client: { onToolApproval: () => true } }, async ({ client }) => {
      const conversation = client.conversation();
      await conversation.prompt("one").result;
      await conversation.prompt("die").outcome;
      await conversation.load();
      const { toolCalls } = await conversation.prompt("two").result;
      expect(toolCalls).toMatchObject([{ id: "same~2", state: "done" }]);
    });
  });
});

type Options = NonNullable<MockAcpOptions["options"]>;

describe("4 permissions", () => {
  const cases: readonly (readonly [Options, "gate" | "agent", "once" | "always" | "reject", string])[] = [
    ["oneEach", "gate", "once", "allow-once"],
    ["oneEach", "gate", "always", "allow-once"],
    ["oneEach", "agent", "always", "allow-always"],
    ["oneEach", "gate", "reject", "reject-once"],
    ["twoAlways", "gate", "always", "allow-once"],
    ["twoAlways", "agent", "always", "allow-always_project"],
    ["twoOnce", "gate", "once", "switch_mode"], // the first
    ["twoOnce", "agent", "always", "switch_mode"],
    ["noAlways", "agent", "always", "allow-once"],
    ["oddIds", "gate", "once", "reject"],
    ["oddIds", "agent", "always", "cancel"],
    ["oddIds", "gate", "reject", "allow"],
    ["unknownKind", "gate", "once", "allow-once"],
    ["unknownKind", "gate", "reject", "reject-once"],
    ["empty", "gate", "once", "cancelled"],
    ["empty", "gate", "reject", "cancelled"],
  ];
  test.each(cases)(
    "4 options %s, always: %s: `%s` is answered by its kind",
    async (options, always, decision, id) => {
      const client = { always, onToolApproval: () => decision };
      await play({ mock: { ...asksOnce, options }, client }, async ({ agent, client, warnings }) => {
        const { toolCalls } = await client.prompt("go").result;
        const outcome = id === "cancelled" ? { outcome: id } : { outcome: "selected", optionId: id };
        expect(agent.requests.map(({ reply }) => reply)).toEqual([{ result: { outcome } }]);
        expect(warnings.includes("no-such-option")).toBe(id === "cancelled");
        expect(toolCalls[0]?.state).toBe(
          decision === "reject" ? "denied" : id === "cancelled" ? "failed" : "done",
        );
      });
    },
  );

  test("4 `always` of the agent shows the name of its option, which says what it covers", async () => {
    const client = { always: "agent", onToolApproval: "manual" } as const;
    await play({ mock: { ...asksOnce, options: "twoAlways" }, client }, async ({ client }) => {
      const turn = client.prompt("go");
      turn.on("approval", (call) => {
        expect(call).toMatchObject({ grant: "Always allow in this project" });
        client.decide(call.id, "always");
      });
      await turn.result;
    });
  });

  const decided = {
    "a rule that allows": [{ toolPolicy: [{ tool: "execute", then: "allow" }] }, "allow_once"],
    "a rule that denies": [{ toolPolicy: [{ tool: "execute", then: "deny" }] }, "reject_once"],
    "a callback": [{ onToolApproval: () => true }, "allow_once"],
    "a callback that throws": [
      {
        onToolApproval: () => {
          throw new Error("/secret/path");
        },
      },
      "reject_once",
    ],
    "a callback that rejects": [{ onToolApproval: () => Promise.reject(new Error("no")) }, "reject_once"],
    nobody: [{}, "reject_once"],
  } as const;
  test.each(Object.entries(decided))(
    "4 %s decides once, and the agent hears one answer",
    async (_, [client, told]) => {
      await play({ mock: asksOnce, client }, async ({ agent, client }) => {
        await client.prompt("go").result;
        expect(agent.requests.flatMap(chosenBy)).toEqual([told]);
        expect(agent.received.filter(({ type }) => type === "response")).toHaveLength(1);
      });
    },
  );

  test("4 nobody decides in time: the request is cancelled", async () => {
    const client = { onToolApproval: "manual", approvalTimeout: 1_000 } as const;
    await play({ mock: asksOnce, client, isTimed: true }, async ({ agent, client, clock }) => {
      const turn = client.prompt("go");
      await new Promise((resolve) => turn.on("approval", resolve));
      await clock.advance(1_000);
      await turn.result;
      expect(agent.requests.flatMap(chosenBy)).toEqual(["cancelled"]);
    });
  });

  test.each(["serial", "parallel", "reversed"] as const)(
    "4 two calls that ask %s get one answer each",
    async (askOrder) => {
      const calls = [acpTool.shell("touch a", "A"), acpTool.shell("touch b", "B")];
      const client = {
        onToolApproval: ({ input }: { input: unknown }) => JSON.stringify(input).includes("touch a"),
      };
      await play(
        { mock: { answer: () => [acpStep.calls(...calls), "after"], askOrder }, client },
        async ({ agent, client }) => {
          const { toolCalls } = await client.prompt("go").result;
          expect(toolCalls).toMatchObject([{ state: "done", output: "A" }, { state: "denied" }]);
          const asked =
            askOrder === "reversed" ? ["reject_once", "allow_once"] : ["allow_once", "reject_once"];
          expect(agent.requests.flatMap(chosenBy)).toEqual(asked);
        },
      );
    },
  );

  test("4 a request that the agent withdraws is cancelled, and no longer waits for the user", async () => {
    await play({ mock: asksOnce, client: { onToolApproval: "manual" } }, async ({ agent, client }) => {
      const turn = client.prompt("go");
      await new Promise((resolve) => turn.on("approval", resolve));
      const { id, link } = await agent.nextRequest();
      link.say({ jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: id } });
      await turn.result;
      expect(agent.requests.flatMap(chosenBy)).toEqual(["cancelled"]);
      expect(client.pending).toEqual([]);
    });
  });
});
