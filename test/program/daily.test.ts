// The screen over the folder of chats and the folder of the agent.
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MockCodebuffBackend } from "agentwire/testing";
import { expect, test } from "vitest";
import { Terminal } from "../tui/support/terminal.ts";
import { composer, leave, over, send } from "../tui/support/user.ts";
import { agentwire, emptyFolder } from "./support/program.ts";
import { programFile } from "./support/program-file.ts";

const READY = /^ready\b/m;
const SIZE = { columns: 120, rows: 40 };

/** How often a text stands in the whole terminal. */
const count = (terminal: Terminal, text: string): number =>
  terminal.scrollback().join("\n").split(text).length - 1;

/** Sends a prompt to the mock, and waits for its answer. */
async function ask(terminal: Terminal, text: string): Promise<void> {
  await send(terminal, text);
  await terminal.until(`You said: ${text}.`);
  await over(terminal);
}

test("/new and /chats go from chat to chat, and each goes on where it was left, by its state too", async () => {
  await using home = await emptyFolder();
  const env = { AGENTWIRE_HOME: home.path };
  const args = ["chat", "mock", "--session", "first", "--allow", "shell"];
  await using terminal = await Terminal.start(programFile(), { args, env, ...SIZE });
  await terminal.until(READY);
  expect(terminal.shows(/^mock$/m)).toBe(true); // the header
  await ask(terminal, "the first prompt");
  await send(terminal, "/new");
  await terminal.until(READY);
  await ask(terminal, "another prompt");
  terminal.type("/chats the");
  await terminal.until(/ {2}the first prompt {2}\d{4}-[\s\S]*› \/chats the/);
  terminal.type("\u001b[B\r");
  await terminal.until(() => count(terminal, "You said: the first prompt.") === 2);
  await send(terminal, "goes it on");
  await terminal.until("You said: goes it on.");
  await over(terminal);
  expect(count(terminal, "I am a mock")).toBe(3); // said to the first prompt of a conversation: once each, and shown again
  await send(terminal, "/new");
  await terminal.until(READY);
  terminal.type("\u001b[A");
  await terminal.until(() => composer(terminal) === "goes it on"); // the history of the folder
  terminal.press("ctrl-c");
  await ask(terminal, "the last prompt");
  await leave(terminal);
  expect(terminal.shows("To go on: agentwire chat mock --session first --allow shell")).toBe(true);
  const [prompts = ""] = await readdir(join(home.path, "history"));
  expect((await stat(join(home.path, "history", prompts))).mode & 0o777).toBe(0o600);
  const files = await readdir(join(home.path, "chats"));
  expect(files.filter((file) => file.endsWith(".state.json"))).toHaveLength(3);
  const { stdout } = await agentwire(
    ["chat", "mock", "--continue", "--allow", "*", "-p", "x", "--output", "json"],
    {
      env,
    },
  );
  expect(JSON.parse(stdout).text).not.toContain("I am a mock"); // goes on with the chat that was left last
  expect(JSON.parse(stdout).session).not.toBe("first");
});

test("with --cwd, @ names a file for the prompt; code has colours, and /export writes the chat", async () => {
  await using backend = await MockCodebuffBackend.start({
    openAiCompatible: true,
    answer: ["It says:\n\n```ts\nconst greeting = 1;\n```\n"],
  });
  await using folder = await emptyFolder();
  await writeFile(join(folder.path, "greeting.txt"), "Hello, wrld!\n");
  const args = ["chat", "run", "--url", `${backend.url}/v1`, "--model", "a-model", "--cwd", folder.path];
  const env = { OPENAI_API_KEY: backend.apiKey, AGENTWIRE_HOME: join(folder.path, ".home") };
  await using terminal = await Terminal.start(programFile(), { args, env, ...SIZE });
  await terminal.until(READY);
  expect(terminal.scrollback().join("\n")).toContain(`run a-model\n${folder.path}\n`);
  terminal.type("What says @gree");
  await terminal.until(/greeting\.txt[\s\S]*› What says @gree$/m);
  terminal.type("\t");
  await terminal.until(/› What says @greeting\.txt/);
  terminal.press("enter");
  await terminal.until("const greeting = 1;");
  await over(terminal);
  expect(JSON.stringify(backend.requests())).toContain("Hello, wrld!");
  expect(terminal.raw).toContain("const\u001b["); // coloured by itself
  const file = join(folder.path, "chat.md");
  await send(terminal, `/export ${file}`);
  await terminal.until("written to");
  expect(await readFile(file, "utf8")).toContain("const greeting = 1;");
  await leave(terminal);
});
