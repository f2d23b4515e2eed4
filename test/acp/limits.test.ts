// What an agent may not do to this client's memory, and what its words may not carry out.

import { AcpClient } from "agentwire/acp";
import { describe, expect, test } from "vitest";
import { END, world } from "./support/agent.ts";

describe("the words of an agent that does not start", () => {
  test("contain no part of a key, where they are cut", async () => {
    const key = "sk-live-0123456789abcdef0123456789abcdef";
    const script = `console.log("x".repeat(480) + " " + ${JSON.stringify(key)}); process.exit(1);`;
    const client = new AcpClient({ command: process.execPath, args: ["-e", script], env: { API_KEY: key } });
    const outcome = await client.prompt("go").outcome;
    await client.close();
    expect(
      JSON.stringify({ ...outcome, message: "error" in outcome && outcome.error?.message }),
    ).not.toContain("sk-live");
  });

  test("contain no part of a key, where the error output is cut", async () => {
    const key = "sk-live-0123456789abcdef0123456789abcdef";
    const script = `process.stderr.write(${JSON.stringify(key)} + "y".repeat(65_536 - 20), () => process.exit(1));`;
    const client = new AcpClient({ command: process.execPath, args: ["-e", script], env: { API_KEY: key } });
    const stderr: string[] = [];
    const outcome = await client.prompt("go").outcome;
    await client.close();
    const error = "error" in outcome ? outcome.error : undefined;
    stderr.push(String(error?.message), String((error as { stderr?: string } | undefined)?.stderr));
    expect(stderr.join()).not.toContain("abcdef");
  });
});

describe("an agent that is lost in a turn", () => {
  test("leaves no part of a key in `stderr`", async () => {
    const key = "sk-live-0123456789abcdef0123456789abcdef";
    const script = `
      const send = (m) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...m }) + "\\n");
      require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const { id, method } = JSON.parse(line);
        if (method === "initialize") send({ id, result: { protocolVersion: 1 } });
        if (method === "session/new") send({ id, result: { sessionId: "s" } });
        if (method === "session/prompt")
          process.stderr.write(${JSON.stringify(key)} + "y".repeat(65_536 - 20), () => process.exit(1));
      });`;
    const client = new AcpClient({
      command: process.execPath,
      args: ["-e", script],
      env: { API_KEY: key },
      mode: false,
    });
    const outcome = await client.prompt("go").outcome;
    await client.close();
    const { stderr } = (outcome as { error?: { stderr?: string } }).error ?? {};
    expect(stderr?.length).toBeGreaterThan(10_000);
    expect(stderr).not.toContain("abcdef");
  });
});

test.each([
  ["keeps the updates of a session whose id is not told yet", 10, "held"],
  ["keeps no updates of countless sessions", 1_000, undefined],
])("a client %s", async (_, others, title) => {
  await using w = world({
    answers: {
      "session/new": async (_message, agent) => {
        for (const id of [...Array(others).keys(), "s1"])
          agent.update(String(id), { sessionUpdate: "session_info_update", title: "held" });
        await agent.handled();
        return { sessionId: "s1" };
      },
    },
    script: () => END,
  });
  const conversation = w.client.conversation();
  expect((await conversation.open()).title).toBe(title);
});
