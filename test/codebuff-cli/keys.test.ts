import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { inspect } from "node:util";
import { expect } from "vitest";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { cliWorld } from "../helpers/codebuff-cli.ts";
import { failureOf } from "../helpers/turns.ts";
import { describe, test } from "./rows.ts";

const KEY = "hush-4f9b";
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** A home in which the program has logged in with a token of its own. */
async function loggedIn(authToken: string) {
  const folder = await tempFolder();
  const file = join(folder.path, ".config/manicode/credentials.json");
  await mkdir(dirname(file), { recursive: true });
  const profile = { id: "1", email: "e", name: "n", fingerprintId: "f", fingerprintHash: "h", authToken };
  await writeFile(file, JSON.stringify({ default: profile }), { mode: 0o600 });
  return { path: folder.path, file, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

describe("the key", () => {
  test("switch requireKey: is passed to the program, wherever the client found it", async () => {
    await using home = await loggedIn("token-of-file");
    await using at = await cliWorld({ requireKey: true }, { homeDir: home.path });
    await at.client.prompt("hi").result;
    expect(at.cli.runs()[0]?.key).toEqual({ from: "env", sha256: sha256("token-of-file") });
    expect(at.client.credentials().credentials?.source).toBe("the program's own file");
  });

  test("2.5 conflict & 7 conflict warning & switch credentialsFile: causes one warning if the program prefers its own", async () => {
    await using home = await loggedIn("token-of-file");
    await using at = await cliWorld(
      { requireKey: true, credentialsFile: home.file },
      { homeDir: home.path, apiKey: KEY },
    );
    await at.client.prompt("hi").result;
    await at.client.prompt("hi").result;
    expect(at.cli.runs()[0]?.key).toEqual({ from: "file", sha256: sha256("token-of-file") });
    expect(at.warnings).toEqual([
      { kind: "credential-conflict", message: expect.stringContaining("isolateHome") },
    ]);
  });

  test("2.5 isolateHome & 7 isolated home: is the only one in a temporary home, which each run deletes", async () => {
    await using home = await loggedIn("token-of-file");
    await using at = await cliWorld({}, { homeDir: home.path, apiKey: KEY, isolateHome: true });
    await Promise.all([at.client.prompt("a").result, at.client.prompt("b").result]);
    const homes = at.cli.runs().map(({ env }) => env["HOME"] ?? "");
    expect(new Set([...homes, process.env["HOME"], home.path]).size).toBe(4);
    expect(at.cli.runs().map(({ env }) => env["USERPROFILE"])).toEqual(homes);
    expect(homes.filter((path) => existsSync(path))).toEqual([]);
    expect(at.warnings).toEqual([]);
  });

  test("2.5 nothing is written: is not written to any file", async () => {
    await using home = await loggedIn("token-of-file");
    const files = () =>
      readdirSync(home.path, { recursive: true, withFileTypes: true }).map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return {
          path,
          modified: statSync(path).mtimeMs,
          text: entry.isFile() ? readFileSync(path, "utf8") : "",
        };
      });
    const before = files();
    await using at = await cliWorld({}, { homeDir: home.path, apiKey: KEY });
    await at.client.prompt("hi").result;
    at.client.credentials();
    expect(files()).toEqual(before);
  });

  test("isolateHome: leaves no temporary home if the program cannot be started", async () => {
    await using at = await cliWorld({}, { isolateHome: true, command: "/nowhere/at/all" });
    expect(await failureOf(at.client.prompt("hi"))).toMatchObject({ code: "connect-failed" });
    await expect(at.client.probe()).rejects.toMatchObject({ code: "connect-failed" });
  });

  test("2.5 requireKey: is required, and nothing starts without it", async () => {
    await using at = await cliWorld({}, { requireKey: true });
    expect(await failureOf(at.client.prompt("hi"))).toMatchObject({
      code: "handshake-refused",
      reason: "rejected",
      delivery: "not-sent",
      input: "hi",
    });
    expect(at.cli.runs()).toEqual([]);
    await using other = await cliWorld({}, { requireKey: true, env: { CODEBUFF_API_KEY: KEY } });
    await other.client.prompt("hi").result;
  });

  test("2.5 no key: may be missing, because the program may be logged in itself", async () => {
    await using at = await cliWorld({ requireKey: true });
    expect(await failureOf(at.client.prompt("hi"))).toMatchObject({ kind: "auth" });
    expect(at.cli.runs()).toHaveLength(1);
  });
});

describe("keys are hidden", () => {
  test("7 masking: in frames, warnings, logs and messages, even if the program prints them", async () => {
    await using home = await loggedIn("token-of-file");
    const lines: string[] = [];
    const log = (line: string): void => void lines.push(line);
    const text = `Error: ${KEY} and token-of-file are refused\n`;
    await using at = await cliWorld(
      {
        events: [{ raw: `not json ${KEY}\n` }, { type: "error", message: `bad ${KEY}` }],
        stderr: [{ text }],
        exit: { code: 1 },
      },
      {
        apiKey: KEY,
        homeDir: home.path,
        debug: true,
        logger: { debug: log, info: log, warn: log, error: log },
      },
    );
    const told: unknown[] = [];
    at.client.on("frame", (frame) => told.push(frame));
    at.client.on("protocolWarning", (warning) => told.push(warning));
    at.client.on("stderr", (line) => told.push(line));
    at.client.on("spawned", ({ pid }) => told.push(pid));
    const error = await failureOf(at.client.prompt("hi"));

    expect(told.length).toBeGreaterThan(4);
    expect(lines.length).toBeGreaterThan(1);
    const shown = [
      inspect(told, { depth: 9 }),
      lines.join("\n"),
      inspect(error, { depth: 3 }),
      String(error),
    ];
    const said = [...shown, inspect(at.client, { depth: 9 }), inspect(at.client.credentials(), { depth: 9 })];
    for (const words of said.slice(0, 2)) expect(words).toContain("[redacted]");
    // The events are the program's own, and so is what is left of them in an error: only our own words are looked at.
    for (const words of [said[0], said[1], said[3], said[5]])
      expect(words).not.toMatch(/hush-4f9b|token-of-file/);
    expect(JSON.stringify(error)).not.toMatch(/token-of-file/);
  });

  test("in the report of `credentials()`", async () => {
    await using at = await cliWorld({}, { apiKey: KEY });
    const report = at.client.credentials();
    expect(report.findings[0]).toEqual({ place: "option apiKey", status: "used" });
    expect(JSON.stringify(report) + inspect(report, { depth: 9, showHidden: true })).not.toContain(KEY);
  });
});
