// The folder of chats: `--session` and `--continue`.
import { readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MockCodeyServer } from "agentwire/testing";
import { expect, test } from "vitest";
import { agentwire, programHome } from "./support/program.ts";

/** What the mock says where the conversation goes on, and not where it is a new one. */
const GOES_ON = "I am a mock";

const ask = async (...more: string[]) =>
  JSON.parse((await agentwire(["chat", "mock", "-p", "ask", "--output", "json", ...more])).stdout);

test("--session begins a chat and goes on with it, and --continue takes the last one", async () => {
  const first = await ask("--session", "first");
  expect(first).toMatchObject({ session: "first", status: "completed" });
  await ask("--session", "second");
  const again = await ask("--session", "first");
  expect(again.text).not.toContain(GOES_ON);
  await utimes(
    join(programHome(), "chats", "mock.second.state.json"),
    new Date(),
    new Date(Date.now() + 60_000),
  );
  expect(await ask("--continue")).toMatchObject({ session: "second" });
});

test("chats are for this user alone", async () => {
  await ask("--session", "first");
  const folder = join(programHome(), "chats");
  const files = await readdir(folder);
  expect(files.sort()).toEqual(["chat-mock%2efirst.jsonl", "mock.first.state.json"]);
  for (const file of files) expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
});

test("a mock keeps nothing unless a session is named; other backends do", async () => {
  expect(await ask()).not.toHaveProperty("session");
  await expect(readdir(programHome())).rejects.toThrow();
  await using server = await MockCodeyServer.start({ closeReply: true });
  const args = ["chat", "codey", "--url", server.url, "--output", "json", "-p"];
  const { session } = JSON.parse((await agentwire([...args, "one"])).stdout);
  expect(session).toMatch(/^\d{14}-\w{4}$/);
  const { stdout } = await agentwire([...args, "two", "--continue"]);
  expect(JSON.parse(stdout)).toMatchObject({ session, status: "completed" });
});

test("a server that has forgotten the conversation gets the transcript", async () => {
  await using server = await MockCodeyServer.start({ closeReply: true, answer: ({ content }) => [content] });
  const args = ["chat", "codey", "--url", server.url, "--session", "a", "-p"];
  await agentwire([...args, "the first prompt"]);
  const { stdout } = await agentwire([...args, "the second prompt"]);
  expect(stdout).toContain("the first prompt");
});

test("what a killed program has not noted is taken from the events, with the transcript", async () => {
  await ask("--session", "first");
  const file = join(programHome(), "chats", "mock.first.state.json");
  const before = await readFile(file, "utf8");
  await ask("--session", "first");
  await writeFile(file, before); // as if the second program had been killed
  const { text } = await ask("--session", "first");
  expect(text).toContain(GOES_ON); // the mock sees one prompt, with the transcript in it
  expect((JSON.parse(await readFile(file, "utf8")).messages as readonly unknown[]).length).toBe(6);
  await writeFile(file, "{ half");
  expect((await ask("--session", "first")).status).toBe("completed");
});
