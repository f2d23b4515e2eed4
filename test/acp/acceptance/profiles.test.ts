import { acp } from "agentwire/acp";
import { type ChatMessage, type ChatPart, createChat } from "agentwire/chat";
import { acpStep, acpTool, ManualClock, MockAcpAgent, type MockAcpOptions } from "agentwire/testing";
import type { UniversalEvent, UniversalOptions } from "agentwire/universal";
import { describe, expect, test } from "vitest";
import { chosenBy, faultsOf, settleBy, until } from "./support.ts";

type Profile = NonNullable<MockAcpOptions["profile"]>;

const shell = () => [acpStep.calls(acpTool.shell("touch x", "touched")), "after"];

const SCRIPTS: Readonly<Record<string, () => readonly (string | ReturnType<typeof acpStep.thought>)[]>> = {
  talk: () => [acpStep.thought("hm"), "Hel", "lo"],
  look: () => [acpStep.calls(acpTool.read("/project/a.txt", "content")), "seen"],
  ...{ allow: shell, reject: shell, always: shell, again: shell },
  ask: shell,
  stream: () => ["working", acpStep.hang()],
  run: () => [acpStep.calls(acpTool.shell("sleep", "", { permission: false, hangs: true }))],
  fail: () => [acpStep.fail(500, "The model failed")],
  next: () => ["fine"],
};

/** A chat with an agent of a profile, and what it says of each turn. */
function talkTo(profile: Profile) {
  const clock = new ManualClock();
  const agent = new MockAcpAgent({ profile, clock, answer: ({ text }) => SCRIPTS[text]?.() ?? [] });
  const source = acp({ createStream: () => agent.connect(), clock, onToolApproval: "manual" });
  const events: UniversalEvent[] = [];
  const seen: { tell?: () => void } = {};
  const chat = createChat(
    {
      ...source,
      client() {
        const client = source.client();
        client.on("event", ({ type }) => type === "tool_call" && seen.tell?.());
        return client;
      },
      toUniversal(of: Parameters<typeof source.toUniversal>[0], options?: UniversalOptions) {
        const stream = source.toUniversal(of, options);
        stream.on("event", (event) => void events.push(event));
        return stream;
      },
    },
    { clock },
  );
  const rests = () => until(chat, ({ busy, pending }) => !busy || pending.length > 0);
  return {
    agent,
    chat,
    clock,
    events,
    /** Resolves when the client next hears of a call. A chat shows it once the agent says that it runs, or its end. */
    hearsOfCall: () =>
      new Promise<void>((resolve) => {
        seen.tell = resolve;
      }),
    /** Sends a prompt, and decides on what it asks. Returns the answer, and what the agent was told. */
    async turn(text: string, decision?: Parameters<typeof chat.decide>[1]) {
      const before = agent.requests.length;
      chat.send(text);
      let asked = 0;
      for (let { pending } = await rests(); pending.length > 0; { pending } = await rests()) {
        const [request] = pending;
        if (!request || decision === undefined) throw new Error(`${text}: nothing should be asked`);
        asked++;
        chat.decide(request.id, decision);
        await until(chat, (now) => !now.pending.some(({ id }) => id === request.id));
      }
      return {
        ...read(chat.getSnapshot().messages),
        asked,
        told: agent.requests.slice(before).flatMap(chosenBy),
      };
    },
    /** Sends a prompt, and cancels it at a moment. */
    async cancelled(text: string, moment: Promise<unknown>) {
      chat.send(text);
      await moment;
      chat.cancel();
      await settleBy(
        clock,
        until(chat, ({ busy }) => !busy),
      ); // opencode takes 1.7 s
      return read(chat.getSnapshot().messages);
    },
  };
}

/** The last answer, in short. */
function read(messages: Iterable<ChatMessage>) {
  const last = [...messages].at(-1);
  const parts: readonly ChatPart[] = [...(last?.parts ?? [])];
  const textOf = (type: string) =>
    parts.map((part) => (part.type === type && "text" in part ? part.text : "")).join("");
  const tools = parts.flatMap((part) => (part.type === "tool" ? [part] : []));
  const error = last?.error;
  return {
    role: last?.role,
    status: last?.status,
    text: textOf("text"),
    reasoning: textOf("reasoning"),
    tools,
    error,
  };
}

/** What differs between the profiles. `rpcError`: a failed model fails the turn. */
const PROFILES: Readonly<
  Record<
    Profile,
    { readonly goesOn?: true; readonly hasInput?: true; readonly fails?: true; readonly failsBy: string }
  >
> = {
  documented: { goesOn: true, hasInput: true, fails: true, failsBy: "" },
  gemini: { goesOn: true, fails: true, failsBy: "" },
  claude: { goesOn: true, hasInput: true, fails: true, failsBy: "API Error: 500 The model failed" },
  codex: { hasInput: true, failsBy: "API Error: 500 The model failed" },
  copilot: { hasInput: true, failsBy: "API Error: 500 The model failed" },
  kimi: { failsBy: "" },
  opencode: { hasInput: true, fails: true, failsBy: "" },
  qwen: { hasInput: true, fails: true, failsBy: "" },
};

describe.each(Object.entries(PROFILES))(
  "2 one chat program on %s",
  (profile, { goesOn, hasInput, fails, failsBy }) => {
    test("2 text, thought, call, allow, reject, always, cancel, error, next prompt", async () => {
      const { agent, chat, clock, events, turn, cancelled, hearsOfCall } = talkTo(profile as Profile);

      expect(await turn("talk")).toMatchObject({
        role: "assistant",
        status: "completed",
        text: "Hello",
        reasoning: "hm",
      });

      const look = await turn("look");
      expect(look).toMatchObject({
        status: "completed",
        text: "seen",
        tools: [{ state: "done", output: "content" }],
      });

      const allow = await turn("allow", "once");
      expect(allow).toMatchObject({ status: "completed", text: "after", asked: 1, told: ["allow_once"] });
      expect(allow.tools).toMatchObject([
        { state: "done", output: "touched", approval: { status: "accept" } },
      ]);
      expect(JSON.stringify([allow.tools[0]?.input, allow.tools[0]?.title])).toContain("touch x");

      const reject = await turn("reject", "reject");
      expect(reject).toMatchObject({
        status: "completed",
        text: goesOn ? "after" : "",
        told: ["reject_once"],
      });
      expect(reject.tools).toMatchObject([{ state: "denied", approval: { status: "reject" } }]);

      expect(await turn("always", "always")).toMatchObject({ text: "after", asked: 1, told: ["allow_once"] });
      expect(await turn("again", "once")).toMatchObject({
        text: "after",
        asked: hasInput ? 0 : 1,
        told: ["allow_once"],
      });
      expect(chat.getSnapshot().approvals).toHaveLength(hasInput ? 1 : 0);
      for (const { id } of chat.getSnapshot().approvals) chat.revoke(id);

      expect(
        await cancelled(
          "stream",
          until(chat, ({ messages }) => read(messages).text === "working"),
        ),
      ).toMatchObject({
        status: "cancelled",
        text: "working",
      });
      expect(
        await cancelled(
          "ask",
          until(chat, ({ pending }) => pending.length > 0),
        ),
      ).toMatchObject({
        status: "cancelled",
        tools: [{ state: "denied" }],
      });
      expect(chat.getSnapshot().pending).toEqual([]);
      expect(agent.requests.at(-1)?.reply).toEqual({ result: { outcome: { outcome: "cancelled" } } });
      const run = await cancelled("run", hearsOfCall());
      expect(run).toMatchObject({ status: "cancelled" });
      expect(run.tools.map(({ state }) => state)).toEqual(["abandoned"]);

      const fail = await turn("fail");
      expect(fail).toMatchObject({ status: fails ? "failed" : "completed", text: failsBy });
      expect(fail.error === undefined).toBe(!fails);

      expect(await turn("next")).toMatchObject({ status: "completed", text: "fine" });

      await settleBy(clock, chat.close());
      expect(faultsOf(events)).toEqual([]);
      expect(agent.violations).toEqual([]);
      expect(agent.requests.filter(({ reply }) => reply === undefined)).toEqual([]);
      await agent.stop();
    });
  },
);
