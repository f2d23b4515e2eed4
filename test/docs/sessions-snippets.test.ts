import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { type Chat, createChat } from "agentwire/chat";
import { remote } from "agentwire/remote";
import { createRelay, memoryLog } from "agentwire/server";
import { relayListener } from "agentwire/server/node";
import { agentStep, ManualClock, MockAgent } from "agentwire/testing/agent";
import { expect, onTestFinished, test } from "vitest";
import * as page from "../../docs/snippets/sessions.ts";
import { until } from "../../examples/support/until.ts";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { Child } from "../examples/support/child.ts";

async function listening(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("no port");
  return String(address.port);
}

test("the first program of docs/sessions.md serves a chat that each viewer continues, also after a restart", async () => {
  await using folder = await tempFolder();
  const probe = createServer();
  const port = await listening(probe);
  probe.close();
  const programOf = async (name: string): Promise<string> => {
    const text = await readFile(new URL(`../../docs/snippets/${name}.ts`, import.meta.url), "utf8");
    const path = join(folder.path, `${name}.ts`);
    const own = text.replace("8787", port).replace("chats.sqlite", join(folder.path, "chats.sqlite"));
    await writeFile(path, own);
    return path;
  };
  const [server, viewer] = [await programOf("sessions-first"), await programOf("sessions-viewer")];
  const turn = "user: Hello!\nassistant: You said: Hello!\n";
  for (const told of [turn, turn.repeat(2)]) {
    await using relay = new Child(server);
    await using one = new Child(viewer); // it tries until the relay is there
    expect(await one.exitCode()).toBe(0);
    expect(one.text).toBe(told);
    relay.interrupt();
    expect(await relay.exitCode()).toBe(0);
  }
});

test("`authorize` lets owners do all, lets guests read, and keeps others out", async () => {
  const agent = new MockAgent();
  const users = {
    byCookie: async (cookie: string | null) =>
      cookie === null ? undefined : { id: cookie, isGuest: cookie === "guest" },
    owns: async (user: string, chat: string) => user !== "stranger" && chat === "first",
  };
  const relay = page.members(() => agent, memoryLog(), users);
  onTestFinished(() => relay.close({ drain: 0 }));
  const host = "https://chat.example.com";
  const status = async (cookie: string, action: "read" | "prompt", chat = "first"): Promise<number> => {
    const body = JSON.stringify({ key: `${cookie} ${chat}`, type: "prompt", input: { text: "Hello" } });
    const headers = { cookie, "content-type": "application/json", "sec-fetch-site": "same-origin" };
    const [path, init] = action === "read" ? ["events?live=no", {}] : ["commands", { method: "POST", body }];
    const request = new Request(`${host}/chats/${chat}/${path}`, { ...init, headers });
    return (await relay.handler(request)).status;
  };
  expect([await status("ada", "prompt"), await status("ada", "read")]).toEqual([202, 200]);
  expect([await status("guest", "read"), await status("guest", "prompt")]).toEqual([200, 403]);
  expect([await status("stranger", "read"), await status("ada", "read", "second")]).toEqual([401, 401]);
  const other = await relay.handler(new Request("https://evil.example/chats/first/events"));
  expect(other.status).toBe(403);
});

test("SIGTERM ends the relay, its server and its log, and a turn that is longer as failed", async () => {
  const clock = new ManualClock();
  const log = memoryLog();
  const agent = new MockAgent({ script: () => [agentStep.wait("never")] });
  const relay = createRelay({ source: () => agent, log, authorize: () => ({ user: "ada" }), clock });
  const server = createServer(relayListener(relay.handler));
  const url = `http://127.0.0.1:${await listening(server)}/chats`;
  const closed = once(server, "close");
  const before = process.listeners("SIGTERM");
  page.endsWell(relay, server, log);
  const added = process.listeners("SIGTERM").filter((listener) => !before.includes(listener));
  const chat: Chat = createChat(remote({ url, chat: "first" }));
  onTestFinished(() => chat.close());
  chat.send("Work.");
  await agent.waitFor(({ prompts }) => prompts.length === 1);
  for (const listener of added) (listener as () => void)();
  process.off("SIGTERM", added[0] as () => void);
  for (let second = 0; second < 20; second++) {
    expect(chat.getSnapshot().messages.at(-1)?.status).not.toBe("failed");
    await clock.advance(1_000);
    await new Promise(setImmediate); // the lease is renewed meanwhile
  }
  await until(chat, ({ messages }) => messages.at(-1)?.status === "failed");
  await chat.close();
  server.closeAllConnections();
  await closed;
  await expect(log.head("first")).rejects.toMatchObject({ code: "closed" });
});
