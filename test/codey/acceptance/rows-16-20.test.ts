import { CodeyClient } from "agentwire/codey";
import { codeyStep, codeyTool, ManualClock, MockCodey } from "agentwire/testing";
import { expect } from "vitest";
import { collect, eventsOf, failureOf, frame, link, shown } from "../../helpers/codey.ts";
import { MemorySocket } from "../../helpers/codey-sockets.ts";
import { onBoth } from "./both.ts";
import { play, read } from "./calls.ts";

onBoth("acceptance 18: the root is who speaks first", async ({ client, server }) => {
  server.answer = () => [codeyStep.raw(frame.text("five ", 5)), codeyStep.hang()];
  const turn = client.prompt("go");
  await shown(turn, "five ");
  const finished = collect(client, "event");
  link(server).send(frame.finished(3));
  link(server).send(frame.text("more", 5));
  link(server).send(frame.finished(8, 5));
  expect(await turn.result).toMatchObject({ text: "five more", usage: { outputTokens: 8 } });
  expect(finished.map(({ type }) => type)).toEqual(["Finished", "TextDelta", "Finished"]);
});

onBoth(
  "acceptance 18: while nobody has spoken the root is 0, and another's Finished ends nothing",
  async ({ client, server }) => {
    server.answer = () => [codeyStep.raw(frame.finished(9, 1)), "zero"];
    const { text, usage } = await client.prompt("go").result;
    expect([text, usage?.outputTokens]).toEqual(["zero", 10]);
  },
);

onBoth(
  "acceptance 18: a sub-agent's Finished behind an Error does not count as the session's usage",
  { mock: { cancelReply: "none" } },
  async ({ client, server }) => {
    server.answer = ({ content }) => (content === "go" ? ["one", codeyStep.hang()] : ["yes"]);
    const turn = client.prompt("go");
    await shown(turn, "one");
    link(server).send(frame.error("no"));
    link(server).send(frame.finished(500, 1));
    expect(await failureOf(turn)).toMatchObject({ code: "turn-failed" });
    expect((await client.prompt("next").result).usage).toMatchObject({ outputTokens: 10, inexact: true });
  },
);

onBoth(
  "acceptance 18: a result that comes behind its turn is stray, or late in the next one",
  { mock: { lateBackground: true }, client: { onToolApproval: () => true }, warns: ["stray-message"] },
  async ({ client, server }) => {
    server.answer = ({ content }) =>
      content === "go" ? [codeyStep.calls(read({ background: true }))] : ["yes"];
    const stray = collect(client, "stray");
    const late = collect(client, "late");
    expect((await client.prompt("go").result).toolCalls).toMatchObject([{ state: "abandoned" }]);
    await client.ping();
    expect(stray.at(-1)).toMatchObject({ type: "ToolCompleted", call_id: "toolu_1" });
    const first = client.prompt("go");
    const next = client.prompt("next");
    const events = eventsOf(next);
    await Promise.all([first.result, next.result]);
    expect(late.at(-1)).toMatchObject({ type: "ToolCompleted", call_id: "toolu_2" });
    expect(events.map(({ type }) => type)).toEqual(["TextDelta", "Finished"]);
  },
);

onBoth(
  "acceptance 19: pings, states and histories asked for at once in a turn resolve in order, outside of it",
  async ({ client, server }) => {
    server.answer = () => ["one", codeyStep.hang()];
    const turn = client.prompt("go");
    const events = eventsOf(turn);
    await shown(turn, "one");
    const order: string[] = [];
    const requests = [1, 2, 3].flatMap((number) => [
      client.ping().then(() => order.push(`ping ${number}`)),
      client.getState().then(() => order.push(`state ${number}`)),
      client.getHistory().then(() => order.push(`history ${number}`)),
    ]);
    await Promise.all(requests);
    expect(order).toEqual(
      [1, 2, 3].flatMap((number) => [`ping ${number}`, `state ${number}`, `history ${number}`]),
    );
    expect(events.map(({ type }) => type)).toEqual(["TextDelta"]);
    expect((await turn.cancel()).status).toBe("cancelled");
  },
);

onBoth("acceptance 20: the same turns over a socket in memory", { connected: false }, async ({ profile }) => {
  const mock = new MockCodey({ profile });
  const clock = new ManualClock();
  const client = new CodeyClient({
    url: "ws://127.0.0.1:9999",
    clock,
    createWebSocket: () => new MemorySocket(mock),
    onToolApproval: ({ name }) => name === "mcp_read_file",
  });
  mock.answer = ({ content }) =>
    content === "hang"
      ? ["one", codeyStep.hang()]
      : ["Look. ", codeyStep.calls(read(), codeyTool.shell("ls")), content];
  const { text, toolCalls } = await client.prompt("hello").result;
  expect([text, toolCalls.map(({ state }) => state)]).toEqual(["Look. hello", ["done", "denied"]]);
  const turn = client.prompt("hang");
  await shown(turn, "one");
  expect((await turn.cancel()).status).toBe("cancelled");
  expect((await client.getState()).type).toBe("State");
  const closed = client.close();
  await clock.advance(1_000);
  await closed;
  expect([mock.violations, clock.pending]).toEqual([[], 0]);
  await mock.stop();
});

onBoth(
  "acceptance 20: the same turns over the other socket of Node",
  { client: { WebSocket: globalThis.WebSocket, onToolApproval: () => true } },
  async (scene) => {
    const { calls } = await play(scene, read());
    expect(calls).toMatchObject([{ state: "done", output: "alpha" }]);
  },
);
