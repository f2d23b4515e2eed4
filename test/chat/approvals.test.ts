import type { Decision } from "agentwire";
import { type Chat, type ChatOptions, type ChatSnapshot, createChat, memoryStore } from "agentwire/chat";
import { agentStep, MockAgent, type MockTool } from "agentwire/testing";
import type { UniversalEvent } from "agentwire/universal";
import { fold } from "agentwire/universal";
import { expect, test } from "vitest";

// What a user has allowed beyond one call, in a chat.

const tool = (command: string, more: Partial<MockTool> = {}): MockTool => ({
  name: "shell",
  input: { command },
  grant: `\`${command}\` in the project`,
  approval: true,
  ...more,
});

/** An agent that runs `ls`, then `rm`, then `ls`, in each turn. */
const AGENT = () =>
  new MockAgent().script(() => ["ls", "rm", "ls"].map((command) => agentStep.tool(tool(command))));

function chatOn(agent: MockAgent, options: ChatOptions = {}): Chat {
  return createChat(agent, options);
}

/** Resolves when the chat waits for the user or for a prompt. */
function rests(chat: Chat): Promise<ChatSnapshot> {
  return new Promise((resolve) => {
    const look = (): void => {
      const now = chat.getSnapshot();
      if (now.pending.length === 0 && (now.busy || now.loading)) return;
      off();
      resolve(now);
    };
    const off = chat.subscribe(look);
    look();
  });
}

/** Sends a prompt, and decides on what waits, in order, until nothing does. Returns the commands that were asked about. */
async function turn(chat: Chat, ...decisions: Parameters<Chat["decide"]>[1][]): Promise<readonly unknown[]> {
  const asked: unknown[] = [];
  chat.send("go");
  for (let { pending } = await rests(chat); pending.length > 0; { pending } = await rests(chat)) {
    const [next] = pending;
    if (next?.type !== "approval") throw new Error("an approval is expected");
    asked.push(Reflect.get(Object(next.input), "command"));
    expect(chat.decide(next.id, decisions[asked.length - 1] ?? "once")).toEqual({ ok: true });
  }
  return asked;
}

test("`approvals` lists the grants of the turn and the session, without the client's ids", async () => {
  const chat = chatOn(AGENT());
  const lists: unknown[] = [];
  chat.subscribe(() => lists.push(chat.getSnapshot().approvals));
  const before = chat.getSnapshot().approvals;
  expect(await turn(chat, "always", { decision: "once", scope: "turn" })).toEqual(["ls", "rm"]);
  const both = lists.find((list) => (list as unknown[]).length === 2);
  expect(both).toEqual([
    { id: expect.any(String), tool: "shell", grant: "`ls` in the project", scope: "session" },
    { id: expect.any(String), tool: "shell", grant: "`rm` in the project", scope: "turn" },
  ]);
  const { approvals } = chat.getSnapshot();
  expect(approvals).toEqual([(both as unknown[])[0]]);
  expect(before).toEqual([]);
  expect(await turn(chat)).toEqual(["rm"]);
  expect(chat.getSnapshot().approvals).toBe(approvals);
  await chat.close();
  expect(chat.getSnapshot().approvals).toEqual([]);
});

test("`revoke` ends a grant at once, and returns ok without effect for an unknown id", async () => {
  const chat = chatOn(AGENT());
  await turn(chat, "always", "always");
  const [first, second] = chat.getSnapshot().approvals;
  expect(chat.revoke(first?.id ?? "")).toEqual({ ok: true });
  expect(chat.getSnapshot().approvals).toEqual([second]);
  for (const id of [first?.id ?? "", "never", ""]) expect(chat.revoke(id)).toEqual({ ok: true });
  expect(chat.getSnapshot().approvals).toEqual([second]);
  expect(await turn(chat)).toEqual(["ls", "ls"]);
  expect(chat.revoke(5 as never)).toMatchObject({ ok: false, error: { code: "invalid-input" } });
  await chat.close();
  expect(chat.revoke(second?.id ?? "")).toEqual({ ok: true });
});

test("`pending` shows what the decision `always` would grant, and which agent asks", async () => {
  const agent = new MockAgent().script([
    [
      agentStep.tool(tool("ls")),
      agentStep.subagent({
        type: "editor",
        name: "The Editor",
        steps: [agentStep.tool(tool("rm", { grant: "" }))],
      }),
    ],
  ]);
  const chat = chatOn(agent);
  chat.send("go");
  await rests(chat);
  const [first] = chat.getSnapshot().pending;
  expect(first).toMatchObject({ grant: "`ls` in the project" });
  expect(first).not.toHaveProperty("agent");
  chat.decide(first?.id ?? "", "once");
  await rests(chat);
  const [second] = chat.getSnapshot().pending;
  expect(second).toMatchObject({ agent: "The Editor" });
  expect(second).not.toHaveProperty("grant");
  chat.decide(second?.id ?? "", "always");
  expect(chat.getSnapshot().approvals).toEqual([]);
  await chat.close();
});

test("the events show each decision's scope and its grant in words", async () => {
  const agent = AGENT();
  const client = agent.client();
  const conversation = client.conversation();
  const stream = agent.toUniversal(conversation);
  const events: UniversalEvent[] = [];
  const shown: unknown[] = [];
  stream.on("event", (event) => {
    events.push(event);
    if (event.type === "permission.requested") shown.push(fold(events).pending.toArray());
  });
  let asked = 0;
  client.on("approval", ({ id }) => {
    const first: Decision = { decision: "once", scope: "turn" };
    client.decide(id, asked++ === 0 ? first : { decision: "always", tool: true });
  });
  await conversation.prompt("go").result;
  expect(shown[0]).toMatchObject([{ tool: "shell", grant: "`ls` in the project" }]);
  const resolved = events.flatMap(({ type, data }) => (type === "permission.resolved" ? [data] : []));
  expect(resolved).toMatchObject([
    { status: "accept", scope: "turn", reason: "user", metadata: { grant: "`ls` in the project" } },
    {
      status: "accept_for_session",
      scope: "session",
      reason: "user",
      metadata: { grant: "every call of shell" },
    },
    { status: "accept_for_session", scope: "session", reason: "policy" },
  ]);
});

test("grants are not saved or stored, so a restored chat or a second chat on the store asks again", async () => {
  const agent = AGENT();
  const store = memoryStore();
  const chat = chatOn(agent, { store, id: "one" });
  await rests(chat);
  await turn(chat, "always", "always");
  const { approvals, saved } = chat.getSnapshot();
  expect(approvals).toHaveLength(2);
  const viewer = chatOn(agent, { store, id: "one" });
  await rests(viewer);
  expect(viewer.getSnapshot().approvals).toEqual([]);
  expect(viewer.revoke(approvals[0]?.id ?? "")).toEqual({ ok: true });
  expect(chat.getSnapshot().approvals).toEqual(approvals);
  viewer.resume("without-context");
  expect(await turn(viewer)).toEqual(["ls", "rm", "ls"]);
  await chat.close();
  await viewer.close();
  const kept = JSON.stringify([saved, await store.load("one")]);
  for (const { id } of approvals) expect(kept).not.toContain(id);
  for (const from of [JSON.parse(JSON.stringify(saved)), { ...saved, approvals }]) {
    const restored = chatOn(agent, { from });
    expect(restored.getSnapshot().approvals).toEqual([]);
    expect(await turn(restored)).toEqual(["ls", "rm", "ls"]);
    await restored.close();
  }
});

test("a new client of the chat starts without grants, and revoking an old client's grant id does nothing", async () => {
  const agent = AGENT();
  const chat = chatOn(agent);
  await turn(chat, "always", "always");
  const [old] = chat.getSnapshot().approvals;
  agent.disconnect({ forGood: true });
  await agent.waitFor(() => chat.getSnapshot().connection.status === "closed");
  expect(chat.getSnapshot().approvals).toEqual([]);
  chat.connect();
  expect(agent.clients).toHaveLength(2);
  expect(chat.getSnapshot().approvals).toEqual([]);
  expect(await turn(chat, "always")).toEqual(["ls", "rm"]);
  const now = chat.getSnapshot().approvals;
  expect(chat.revoke(old?.id ?? "")).toEqual({ ok: true });
  expect(chat.getSnapshot().approvals).toBe(now);
  await chat.close();
});

test("a grant for the session ends when the backend loses the conversation's context", async () => {
  const agent = AGENT();
  const client = agent.client();
  client.on("approval", ({ id }) => void client.decide(id, "always"));
  await client.conversation().prompt("go").result;
  expect(client.grants).toHaveLength(2);
  agent.disconnect({ forgets: true });
  expect(client.grants).toEqual([]);
  await client.close();
});
