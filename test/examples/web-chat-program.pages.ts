import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MockCodeyServer } from "agentwire/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { Child } from "./support/child.ts";
import { isSkipped, Stage } from "./support/web-chat.ts";

const START = fileURLToPath(new URL("../../examples/web-chat/start.ts", import.meta.url));

let stage: Stage;

beforeAll(async () => {
  if (!isSkipped) stage = await Stage.open();
});

afterAll(async () => {
  if (!isSkipped) await stage[Symbol.asyncDispose]();
});

describe.skipIf(isSkipped)("npm run example:web", () => {
  /** The program, up, and where its page is. */
  async function started(...args: string[]): Promise<{ readonly program: Child; readonly url: string }> {
    const program = new Child(START, ["--port", "0", ...args], {
      env: { AGENTWIRE_VITE_CACHE: stage.cacheDir },
      limit: 50_000,
    });
    await program.until("q ends.");
    const [url = ""] = /http:\S+/.exec(program.text) ?? [];
    return { program, url };
  }

  test("serves the page and mocks, restarts the mocks on r, and ends on Ctrl-C", async () => {
    const { program, url } = await started("--backend", "cass");
    await using _ = program;
    const [, email = "", password = ""] = /log in as (\S+) with the password (.+?),/.exec(program.text) ?? [];
    await using visitor = await stage.visitor(url);
    await visitor.logIn({ email, password });
    await visitor.say("Hello!");
    await visitor.hears("I am Cass");
    program.type("r");
    await visitor.sees("Reconnecting");
    await program.until("They are back.");
    await visitor.page.clock.fastForward(30_000); // the longest wait before an attempt
    await visitor.sees("Connected");
    await visitor.press("Log out");
    for (const [name, ask] of [
      ["Codebuff", "Allow get_time?"],
      ["Codey", "Allow mcp_shell?"],
    ] as const) {
      await visitor.page.getByLabel("Agent").selectOption(name);
      await visitor.press("Start");
      await visitor.say("Hello!");
      await visitor.reads(ask);
      await visitor.press("Leave");
    }
    expect(visitor.complaints).toEqual([]);
    program.interrupt();
    expect(await program.exitCode()).toBe(0);
    expect(program.stderr).toBe("");
  });

  test("serves the page for a given server at any address", async () => {
    await using server = await MockCodeyServer.start({
      closeReply: true,
      answer: ({ content }) => [`The real one hears: ${content}`],
    });
    const { program, url } = await started("--backend", "codey", `${server.url}/deep/inside`);
    await using _ = program;
    expect(program.text).toContain(`codey is at ${server.url}/deep/inside`);
    await using visitor = await stage.visitor(url);
    await visitor.press("Start");
    await visitor.say("hello");
    await visitor.hears("The real one hears: hello");
    expect(server.violations).toEqual([]);
  });

  test("builds the page into a folder", async () => {
    await using folder = await tempFolder();
    await using program = new Child(START, ["--build", folder.path]);
    expect(await program.exitCode()).toBe(0);
    const page = await readFile(join(folder.path, "index.html"), "utf8");
    for (const [, file = ""] of page.matchAll(/(?:src|href)="\.\/([^"]+)"/g))
      expect(await readFile(join(folder.path, file), "utf8")).not.toBe("");
    expect(page).toMatch(/<script type="module" [^>]*src="\.\/assets\/[^"]+\.js">/);
  });

  test("ends on q, and prints its usage with --help", async () => {
    const { program } = await started();
    await using _ = program;
    program.type("q");
    expect(await program.exitCode()).toBe(0);
    await using help = new Child(START, ["--help"]);
    expect(await help.exitCode()).toBe(0);
    expect(help.text).toContain("Usage: npm run example:web");
  });

  test.each([
    [["--nope"]],
    [["--port", "many"]],
    [["--backend", "nobody"]],
    [["ws://127.0.0.1:8000/"]],
    [["--backend", "mock", "ws://127.0.0.1:8000/"]],
    [["--backend", "codey", "ftp://127.0.0.1/"]],
    [["--backend", "codey", "nonsense"]],
  ])("refuses %j, and refers to --help", async (args) => {
    await using program = new Child(START, args);
    expect(await program.exitCode()).toBe(2);
    expect(program.stderr).toContain("Try --help.");
  });
});
