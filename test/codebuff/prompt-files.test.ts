import { describe, expect, test } from "vitest";
import { folderWorld } from "../codebuff-run/tools/tools-world.ts";
import { readyPair } from "../helpers/codebuff.ts";

describe.each(["proxy", "codebuff"] as const)("a prompt with files, on the server %s", (profile) => {
  const start = (files?: Awaited<ReturnType<typeof folderWorld>>["tools"]) =>
    readyPair({
      mock: { profile, answer: () => ["ok"] },
      client: { authToken: "token-1234", ...(files ? { files } : {}) },
    });

  test("has their texts, and a conversation keeps them", async () => {
    await using folder = await folderWorld({ "src/a.ts": "let a;" });
    await using it = await start(folder.tools);
    expect(it.client.capabilities.files).toBe(true);
    const conversation = it.client.conversation();
    await conversation.prompt({ text: "Explain", files: ["./src/a.ts"] }).result;
    expect(JSON.stringify(it.server.prompts[0]?.data)).toContain('File \\"src/a.ts\\":\\nlet a;');
    expect(JSON.stringify(it.server.prompts[0]?.data)).toContain("Explain");
    expect(JSON.stringify(conversation.messages)).toContain("let a;");
    await it.client.prompt({ text: "Explain", files: ["src/a.ts"] }).result;
    expect(JSON.stringify(it.server.prompts[1]?.data)).toContain("let a;");
    expect(it.server.violations).toEqual([]);
  });

  test("fails if a file may not be read, and is not sent", async () => {
    await using folder = await folderWorld({ ".env": "KEY=1" });
    await using it = await start(folder.tools);
    const outcome = await it.client.prompt({ text: "Explain", files: [".env"] }).outcome;
    expect(outcome).toMatchObject({
      status: "failed",
      error: { code: "invalid-input", delivery: "not-sent", message: expect.stringContaining("blocked") },
    });
    expect(it.server.prompts).toEqual([]);
    expect(await it.client.prompt("Go on").result).toMatchObject({ text: "ok" });
  });

  test("that is cancelled at once is not sent, and `close()` hands it back", async () => {
    await using folder = await folderWorld({ "a.md": "a" });
    await using it = await start(folder.tools);
    const input = { text: "Explain", files: ["a.md"] };
    expect(await it.client.prompt(input).cancel()).toMatchObject({ status: "cancelled" });
    const turn = it.client.prompt(input);
    await it.client.close();
    expect(await turn.outcome).toMatchObject({ error: { code: "closed", delivery: "not-sent", input } });
    expect(it.server.prompts).toEqual([]);
  });

  test("is refused without the option `files`", async () => {
    await using it = await start();
    expect(it.client.capabilities.files).toBe(false);
    expect(() => it.client.prompt({ text: "Explain", files: ["a.md"] })).toThrow(
      expect.objectContaining({ code: "unsupported" }),
    );
    await expect(it.client.files("a")).rejects.toMatchObject({ code: "unsupported" });
  });
});
