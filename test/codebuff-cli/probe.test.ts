import { chmod, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { CodebuffCli } from "agentwire/codebuff-cli";
import { expect } from "vitest";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { cliWorld, NO_HOME } from "../helpers/codebuff-cli.ts";
import { failureOf } from "../helpers/turns.ts";
import { describe, test } from "./rows.ts";

describe("probe()", () => {
  test.each([
    ["note", { profile: "stream-json", freeFlag: "--free" }],
    ["fork", { profile: "json", freeFlag: "--lite" }],
    ["print", { profile: "print", freeFlag: "--lite" }],
  ] as const)("3.4 what %s has: finds version, profile and free flag", async (profile, found) => {
    await using at = await cliWorld({ profile, version: "1.2.3" });
    expect(await at.client.probe()).toMatchObject({ version: "1.2.3", ...found });
  });

  test("3.4 version and help & 3.4 cached & 2.1 probe --version & 2.1 probe --help: runs once, and its result works", async () => {
    await using at = await cliWorld({ profile: "fork" });
    const [first, second] = await Promise.all([at.client.probe(), at.client.probe()]);
    expect(second).toBe(first);
    expect(at.cli.runs().map(({ argv }) => argv)).toEqual([["--version"], ["--help"]]);
    const { profile, freeFlag } = first;
    const client = at.another({ ...(profile ? { profile } : {}), ...(freeFlag ? { freeFlag } : {}) });
    expect((await client.prompt("hi", { mode: "free" }).result).text).toBe("You said: hi");
  });

  test("3.4 probe of a user interface: finds nothing in a user interface, and leaves no process", async () => {
    await using folder = await tempFolder();
    const script = join(folder.path, "ui.cjs");
    await writeFile(script, 'process.stdout.write("\\u001b[2J"); setInterval(() => {}, 1e6);');
    const client = new CodebuffCli({ command: process.execPath, args: [script], homeDir: NO_HOME });
    expect(await client.probe()).toEqual({ flags: [] });
    await client.close();
  });

  test("3.4 five seconds & switch startDelayMs: waits at most five seconds for the version and for the help", async () => {
    await using at = await cliWorld({ startDelayMs: 1e6 });
    const probed = at.client.probe();
    await at.cli.nextRun();
    await at.clock.advance(5_000);
    await at.cli.nextRun();
    await at.clock.advance(5_000);
    expect(await probed).toEqual({ flags: [] });
    at.cli.set({ startDelayMs: 0 }); // a first start fetches the program, and the next one has it
    expect(await at.client.probe()).toMatchObject({ profile: "stream-json" });
  });

  test("does not take a launcher's output for the version", async () => {
    await using folder = await tempFolder();
    const command = join(folder.path, "tool");
    const script = `#!/bin/sh\necho '{"type":"download","version":"1.0","status":"complete"}'\necho "1.0 (abc)"\n`;
    await writeFile(command, script, { mode: 0o755 });
    await using at = await cliWorld({}, { command, args: [] });
    expect((await at.client.probe()).version).toBe("1.0 (abc)");
  });

  test("rejects when the client closes", async () => {
    await using at = await cliWorld({ startDelayMs: 1e6 });
    const probed = at.client.probe();
    const { pid } = await at.cli.nextRun();
    const refused = expect(probed).rejects.toMatchObject({ code: "closed" });
    await at.client.close();
    await refused;
    await at.cli.gone(pid);
  });

  test("names a missing program with `~` for the user's folder", async () => {
    const client = new CodebuffCli({ command: "/folder/of/me/tool", homeDir: "/folder/of/me" });
    await expect(client.probe()).rejects.toMatchObject({ message: expect.stringContaining("`~/tool`") });
    await client.close();
  });

  test.each([
    ["--print, --json", { flags: ["--json", "--print"], profile: "print" }],
    ["--json\n--stream-json", { flags: ["--stream-json", "--json"], profile: "stream-json" }],
    ["--json-schema --printer --freedom", { flags: [] }],
  ])("finds the best profile in the help %j, and no version in a failed run", async (help, found) => {
    await using folder = await tempFolder();
    const command = join(folder.path, "tool");
    const script = `case "$1" in --help) printf '%s' "${help}";; *) echo "no such option"; exit 1;; esac`;
    await writeFile(command, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const client = new CodebuffCli({ command, homeDir: NO_HOME });
    expect(await client.probe()).toEqual(found);
    await client.close();
  });

  test("can be repeated after it failed for a missing program", async () => {
    await using folder = await tempFolder();
    const command = join(folder.path, "later");
    const client = new CodebuffCli({ command, homeDir: NO_HOME });
    await expect(client.probe()).rejects.toMatchObject({ code: "connect-failed" });
    await writeFile(command, '#!/bin/sh\necho "$1 --json --lite"\n', { mode: 0o755 });
    expect(await client.probe()).toMatchObject({
      version: "--version --json --lite",
      profile: "json",
      freeFlag: "--lite",
    });
    await client.close();
  });
});

describe("a program", () => {
  test("3.1 ENOENT & 4 spawn_error: that is missing fails as not sent, with advice how to install it", async () => {
    await using at = await cliWorld({}, { command: "no-such-program" });
    const error = await failureOf(at.client.prompt("hi"));
    expect(error).toMatchObject({
      code: "connect-failed",
      delivery: "not-sent",
      input: "hi",
      retryable: false,
      cause: { code: "ENOENT" },
    });
    expect(String(error)).toContain("`no-such-program`");
    expect(String(error)).toContain("npm install -g codebuff");
    await expect(at.client.connect()).rejects.toMatchObject({
      code: "connect-failed",
      cause: { code: "ENOENT" },
    });
  });

  test("3.1 EACCES: that is not executable fails with a message about permissions", async () => {
    await using folder = await tempFolder();
    const command = join(folder.path, "tool");
    await writeFile(command, "#!/bin/sh\n");
    await using at = await cliWorld({}, { command });
    const error = await failureOf(at.client.prompt("hi"));
    expect(error).toMatchObject({
      code: "connect-failed",
      cause: { code: "EACCES" },
      message: expect.stringContaining("permissions"),
    });
    await expect(at.client.connect()).rejects.toMatchObject({ code: "connect-failed" });
  });

  test("5.9 command with spaces & 7 paths with spaces: may have spaces in its path, also a relative one", async () => {
    await using folder = await tempFolder();
    const command = join(folder.path, "my tool");
    await writeFile(command, `#!/bin/sh\necho '{"type":"text","text":"it runs"}'\n`);
    await chmod(command, 0o755);
    for (const given of [command, relative(process.cwd(), command)]) {
      const client = new CodebuffCli({ command: given, cwd: folder.path, homeDir: NO_HOME });
      expect((await client.prompt("hi").result).text).toBe("it runs");
      await client.close();
    }
  });

  test("3.1 bad cwd & 5.9 cwd deleted: whose folder is deleted before its start fails with a message about `cwd`", async () => {
    await using at = await cliWorld({ events: [{ hold: "go" }] }, { maxProcesses: 1 });
    const first = at.client.prompt("first");
    const folder = await tempFolder();
    const second = at.client.prompt("second", { cwd: folder.path });
    await folder[Symbol.asyncDispose]();
    await at.cli.nextRun();
    at.cli.release("go");
    await first.result;
    expect(await failureOf(second)).toMatchObject({
      code: "connect-failed",
      message: expect.stringContaining("`cwd`"),
      delivery: "not-sent",
      input: "second",
    });
  });

  test("that exists passes `connect()` without being started", async () => {
    await using at = await cliWorld();
    await at.client.connect();
    expect(at.client.status).toBe("ready");
    await at.client.connect();
    expect(at.cli.runs()).toEqual([]);
    await expect(at.another().connect({ signal: AbortSignal.abort("no") })).rejects.toMatchObject({
      cause: "no",
    });
  });
});
