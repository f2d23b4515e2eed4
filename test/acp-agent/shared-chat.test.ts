// A chat whose backend has more clients than the editor.
import type { AnyMessage } from "@agentclientprotocol/sdk";
import { acpAgent } from "agentwire/acp/agent";
import { memoryStore } from "agentwire/chat";
import { expect, test } from "vitest";
import { deferred } from "../../src/core/deferred.ts";
import { FakeSource } from "../helpers/fake-source.ts";
import { Script } from "../universal/build.ts";
import { play, streamPair, tell, until } from "./support.ts";

/** A turn of another client, which runs. */
const theirs = () => new Script("other").session().turn("their prompt", { prompt_id: "their-prompt" });

const sent = (source: FakeSource, count = 1) => until(source, ({ turns }) => turns.length === count);

test("`session/close`, `session/cancel` and the loss of the connection end no turn of another client", async () => {
  const source = new FakeSource({ cancelsOthers: true });
  await play({ source: () => source }, async ({ world, id, connection }) => {
    const other = await world.open();
    for (const session of [id, other]) {
      const response = world.prompt(session, "hi");
      await sent(source, session === id ? 1 : 2);
      source.turn.completes();
      await response;
      tell(source, theirs().events);
      await world.cancel(session);
    }
    await world.agent.request("session/close", { sessionId: id });
    await connection.close();
    expect(source.agents.map(({ cancelled, closes }) => [cancelled, closes])).toEqual([
      [[], 1],
      [[], 1],
    ]);
  });
});

test("a cancel after the end of the turn, while its updates are written, ends no turn of another client", async () => {
  const source = new FakeSource({ cancelsOthers: true });
  const [mine, there] = streamPair();
  const connection = await acpAgent(() => source).connect(there);
  const [reader, writer] = [mine.readable.getReader(), mine.writable.getWriter()];
  const say = (message: object) => writer.write({ jsonrpc: "2.0", ...message } as AnyMessage);
  const results = new Map<unknown, unknown>();
  const read = async (id: number): Promise<unknown> => {
    while (!results.has(id)) {
      const { value } = await reader.read();
      if (value && "result" in value) results.set(value.id, value.result);
    }
    return results.get(id);
  };
  await say({ id: 1, method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } });
  await read(1);
  await say({ id: 2, method: "session/new", params: { cwd: "/project", mcpServers: [] } });
  const { sessionId } = (await read(2)) as { sessionId: string };
  const prompt = [{ type: "text", text: "hi" }];
  await say({ id: 3, method: "session/prompt", params: { sessionId, prompt } });
  await sent(source);
  source.turn.says("Mine."); // nobody reads
  source.turn.completes();
  tell(source, theirs().events);
  await say({ method: "session/cancel", params: { sessionId } });
  await say({ id: 4, method: "session/list", params: {} }); // behind the cancel
  expect(await read(3)).toEqual({ stopReason: "end_turn" });
  await read(4);
  expect(source.agent.cancelled).toEqual([]);
  await connection.close();
});

test("a turn of another client that begins and fails meanwhile does not end the prompt, nor keep its cancel", async () => {
  const source = new FakeSource({ cancelsOthers: true });
  await play({ source: () => source }, async ({ world, id }) => {
    const first = world.prompt(id, "hi");
    await sent(source);
    tell(source, theirs().turnEnded({ status: "failed" }).events);
    source.turn.completes();
    expect(await first).toEqual({ stopReason: "end_turn" });
    const second = world.prompt(id, "again");
    await sent(source, 2);
    tell(source, theirs().events);
    await world.cancel(id);
    expect(await second).toEqual({ stopReason: "cancelled" });
    expect(source.turn.cancels).toBe(1);
    expect(source.agent.cancelled).toEqual([]);
  });
});

test("a cancel before the store has loaded takes the prompt back", async () => {
  const loading = deferred<void>();
  const inner = memoryStore();
  let loads = 0;
  const load = (id: string) => {
    loads++;
    return loading.promise.then(() => inner.load(id));
  };
  const source = new FakeSource();
  await play({ source: () => source, options: { store: { ...inner, load } } }, async ({ world, id }) => {
    const response = world.prompt(id, "hi");
    await until(null, () => loads > 0);
    await world.cancel(id);
    expect(await response).toEqual({ stopReason: "cancelled" });
    loading.resolve();
    const next = world.prompt(id, "again");
    await sent(source);
    source.turn.completes();
    expect(await next).toEqual({ stopReason: "end_turn" });
    expect(source.turns.map(({ text }) => text)).toEqual(["again"]);
  });
});
