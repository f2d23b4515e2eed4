import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { folderWorld } from "../codebuff-run/tools/tools-world.ts";
import { type AgentSetup, world } from "./support/agent.ts";

const EMBEDS: AgentSetup = { capabilities: { promptCapabilities: { embeddedContext: true } } };

const sent = ({ agent }: ReturnType<typeof world>): unknown =>
  agent.heard.find(({ method }) => method === "session/prompt")?.params.prompt;

describe("a prompt with files", () => {
  test("has links to them, for an agent that takes no texts", async () => {
    await using folder = await folderWorld({ "src/a b.ts": "let a;" });
    await using w = world({}, { cwd: folder.root, files: folder.tools });
    expect(w.client.capabilities.files).toBe(true);
    await w.client.prompt({ text: "look", files: ["./src/a b.ts"] }).result;
    const uri = pathToFileURL(join(folder.root, "src/a b.ts")).href;
    expect(sent(w)).toEqual([
      { type: "text", text: "look" },
      { type: "resource_link", uri, name: "a b.ts" },
    ]);
  });

  test("has their texts for an agent that takes them, and links to what is no text", async () => {
    await using folder = await folderWorld({ "a.ts": "let a;" });
    await writeFile(join(folder.root, "b.bin"), new Uint8Array([0, 1]));
    await using w = world(EMBEDS, { cwd: folder.root, files: folder.tools });
    await w.client.prompt({ text: "look", files: ["a.ts", "b.bin"] }).result;
    const uri = (path: string): string => pathToFileURL(join(folder.root, path)).href;
    expect(sent(w)).toEqual([
      { type: "text", text: "look" },
      { type: "resource", resource: { uri: uri("a.ts"), text: "let a;" } },
      { type: "resource_link", uri: uri("b.bin"), name: "b.bin" },
    ]);
  });

  test.each([".env", "missing.ts", "../a.ts"])(
    "fails for %s, and the agent hears nothing of it",
    async (path) => {
      await using folder = await folderWorld({ ".env": "KEY=1" });
      await using w = world(EMBEDS, { cwd: folder.root, files: folder.tools });
      const input = { text: "look", files: [path] };
      expect(await w.client.conversation().prompt(input).outcome).toMatchObject({
        status: "failed",
        error: { code: "invalid-input", delivery: "not-sent", input },
      });
      expect(w.agent.heard).toEqual([]);
      expect(await w.client.prompt("go on").result).toMatchObject({ text: "ok" });
    },
  );

  test("over `maxSendBytes` with its texts fails, and is not sent", async () => {
    await using folder = await folderWorld({ "a.ts": "a".repeat(2_000) });
    await using w = world(EMBEDS, { cwd: folder.root, files: folder.tools, maxSendBytes: 1_000 });
    expect(await w.client.prompt({ text: "look", files: ["a.ts"] }).outcome).toMatchObject({
      error: { code: "payload-too-large", delivery: "not-sent" },
    });
    expect(w.agent.methods()).not.toContain("session/prompt");
  });

  test("is refused without the option `files`, before the agent starts", async () => {
    await using w = world();
    expect(w.client.capabilities.files).toBe(false);
    expect(() => w.client.prompt({ text: "look", files: ["a.ts"] })).toThrow(
      expect.objectContaining({ code: "unsupported" }),
    );
    await expect(w.client.files("a")).rejects.toMatchObject({ code: "unsupported" });
    expect(w.agent.starts).toBe(0);
  });

  test("is cancelled before its files are read, and the next prompt goes on", async () => {
    await using folder = await folderWorld({ "a.ts": "let a;" });
    await using w = world({}, { cwd: folder.root, files: folder.tools });
    const conversation = w.client.conversation();
    const turn = conversation.prompt({ text: "look", files: ["a.ts"] });
    expect(await turn.cancel()).toMatchObject({ status: "cancelled" });
    expect(await conversation.prompt({ text: "again", files: ["a.ts"] }).result).toMatchObject({
      text: "ok",
    });
    expect(w.agent.methods().filter((method) => method === "session/prompt")).toHaveLength(1);
  });
});
