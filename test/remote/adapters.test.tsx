import { Chat as PageChat } from "@ai-sdk/react";
import { acpAgent } from "agentwire/acp/agent";
import { agUiAgent } from "agentwire/ag-ui";
import { AgentwireChatTransport, type AgentwireUIMessage, lastMessageIsDecided } from "agentwire/ai-sdk";
import { createChat } from "agentwire/chat";
import { withTelemetry } from "agentwire/otel";
import { useAgentChat, usePending } from "agentwire/react";
import { type RemoteClient, remote } from "agentwire/remote";
import { agentStep, MockAgent } from "agentwire/testing/agent";
import type { AgentSource } from "agentwire/universal";
import { Text } from "ink";
import { expect, test } from "vitest";
import { until } from "../../examples/support/until.ts";
import { choose, EditorWorld, streamPair } from "../acp-agent/support.ts";
import { approve, inputOf, interruptsOf, resumeOf, textOf } from "../ag-ui/support/client.ts";
import { collect, judge } from "../ag-ui/support/judge.ts";
import { openOver } from "../ink/open-chat.tsx";
import { sdk } from "../otel/support/sdk.ts";
import { mount, until as shows } from "../react/support/mount.ts";
import { CHAT, RealRelay } from "./support/real-relay.ts";

// Each adapter drives a turn with an approval over a relay, as over any other source.

interface Remote extends AsyncDisposable {
  readonly agent: MockAgent;
  readonly source: AgentSource<RemoteClient>;
}

async function relayed(): Promise<Remote> {
  const agent = new MockAgent({
    *script() {
      yield "I look. ";
      const { state } = yield* agentStep.tool({ name: "rm", input: { path: "a.txt" }, approval: true });
      yield `It is ${state}.`;
    },
  });
  const relay = await RealRelay.start(agent);
  return {
    agent,
    source: remote({ url: relay.url, chat: CHAT }),
    [Symbol.asyncDispose]: () => relay[Symbol.asyncDispose](),
  };
}

const ONCE = [{ decision: "once" }];

test("the AI SDK shows the answer, asks, and streams on", async () => {
  await using at = await relayed();
  const transport = new AgentwireChatTransport(createChat(at.source));
  const ui = new PageChat<AgentwireUIMessage>({ transport, sendAutomaticallyWhen: lastMessageIsDecided });
  await ui.sendMessage({ text: "Go" });
  const asked = ui.messages.at(-1)?.parts.find((part) => part.type === "dynamic-tool");
  if (asked?.state !== "approval-requested") throw new Error(`nobody asks: ${asked?.state}`);
  await ui.addToolApprovalResponse({ id: asked.approval.id, approved: true });
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (ui.status === "ready" && JSON.stringify(ui.messages).includes("It is done.")) resolve();
    };
    ui["~registerStatusCallback"](look);
    look();
  });
  expect(at.agent.decisions).toMatchObject(ONCE);
  await transport.close();
});

test("AG-UI interrupts the run for the approval, and resumes it", async () => {
  await using at = await relayed();
  const chat = createChat(at.source);
  const agent = agUiAgent(chat);
  const first = await collect(agent.run(inputOf(["Go"])));
  await judge(first);
  const [interrupt] = interruptsOf(first);
  const rest = await collect(agent.run(inputOf(["Go"], resumeOf(approve(interrupt?.id ?? "")))));
  await judge(rest);
  expect([textOf(first), textOf(rest)]).toEqual(["I look. ", "It is done."]);
  expect(at.agent.decisions).toMatchObject(ONCE);
  await chat.close();
});

test("OpenTelemetry has a span for the turn, and one for the call", async () => {
  await using at = await relayed();
  const { tracer, meter, spans } = sdk();
  const chat = createChat(withTelemetry(at.source, { tracer, meter }));
  chat.send("Go");
  await until(chat, ({ pending }) => pending.length > 0);
  chat.decide(chat.getSnapshot().pending[0]?.id ?? "", "once");
  await until(chat, ({ busy }) => !busy);
  expect(spans().map(({ name }) => name)).toEqual(["execute_tool rm", "invoke_agent remote"]);
  await chat.close();
});

test("an editor over ACP is asked, and gets the answer", async () => {
  await using at = await relayed();
  const server = acpAgent(() => at.source);
  const [agentSide, editorSide] = streamPair();
  const connection = server.connect(agentSide);
  const editor = new EditorWorld(editorSide, { permission: choose("once") });
  await editor.initialize();
  const id = await editor.open();
  expect(await editor.prompt(id, "Go")).toMatchObject({ stopReason: "end_turn" });
  expect(editor.text).toBe("I look. It is done.");
  expect(editor.permissions).toHaveLength(1);
  editor.assertValid(true);
  expect(at.agent.decisions).toMatchObject(ONCE);
  await editor.leave();
  await (await connection).closed;
});

test("React's hooks show the request and the answer", async () => {
  await using at = await relayed();
  const chat = createChat(at.source);
  const Screen = () => {
    const answer = useAgentChat(chat, ({ messages }) => messages.at(-1));
    const asked = usePending(chat).map(({ type }) => type);
    const text = answer?.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
    return <Text>{[text, ...asked].join("|")}</Text>;
  };
  using screen = mount(<Screen />);
  chat.send("Go");
  await until(chat, ({ pending }) => pending.length > 0);
  await shows(() => screen.shown === "I look. |approval");
  chat.decide(chat.getSnapshot().pending[0]?.id ?? "", "once");
  await until(chat, ({ busy }) => !busy);
  await shows(() => screen.shown === "I look. It is done.");
  await chat.close();
});

test("the terminal asks for a key, and shows the answer", async () => {
  await using at = await relayed();
  const { terminal } = await openOver(at.source);
  terminal.type("Go\r");
  await terminal.sees(/rm[\s\S]*y/);
  terminal.type("y");
  await terminal.sees(/It is done\./);
  expect(at.agent.decisions).toMatchObject(ONCE);
});
