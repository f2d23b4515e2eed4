import { execFile } from "node:child_process";
import type * as FileSystem from "node:fs";
import type * as System from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { findCodebuffCredentials, listCodebuffChats } from "agentwire/codebuff-cli";
import { afterEach, describe, expect, test, vi } from "vitest";
import { cliWorld } from "../helpers/codebuff-cli.ts";

/** What the system does not do. */
const lacks = vi.hoisted(() => ({ home: false, homeName: false, removing: false }));

vi.mock("node:os", async (load) => {
  const system = await load<typeof System>();
  return {
    ...system,
    homedir: () => {
      if (lacks.home) throw Object.assign(new Error("no home"), { code: "ERR_SYSTEM_ERROR" });
      return lacks.homeName ? "" : system.homedir();
    },
  };
});

vi.mock("node:fs", async (load) => {
  const files = await load<typeof FileSystem>();
  return {
    ...files,
    rmSync: (...given: Parameters<typeof files.rmSync>) => {
      files.rmSync(...given);
      if (lacks.removing) throw new Error(`EACCES: permission denied, rmdir '${String(given[0])}/go/pkg'`);
    },
  };
});

afterEach(() => Object.assign(lacks, { home: false, homeName: false, removing: false }));

describe("a user without a home folder", () => {
  test("can prompt, and has no credentials file or chats", async () => {
    lacks.home = true;
    await using at = await cliWorld();
    const client = at.another({ homeDir: undefined } as object);
    expect((await client.prompt("hi").result).text).toBe("You said: hi");
    expect(findCodebuffCredentials({}, {}).findings.map(({ status }) => status)).toEqual([
      "none",
      "none",
      "missing",
      "missing",
      "missing",
    ]);
    expect(listCodebuffChats()).toEqual([]);
  });

  test("has no files in this process's folder if the home is an empty string", () => {
    lacks.homeName = true;
    expect(findCodebuffCredentials({}, {}).findings.every(({ path }) => path === undefined)).toBe(true);
  });
});

test("a temporary home that cannot be deleted causes a warning, and the turn completes", async () => {
  await using at = await cliWorld({}, { isolateHome: true });
  lacks.removing = true;
  expect((await at.client.prompt("hi").result).text).toBe("You said: hi");
  expect(at.warnings).toEqual([{ kind: "home-left", message: expect.stringContaining("EACCES") }]);
});

test.skipIf(process.platform === "win32")(
  "a system without free file handles fails the turn, and nothing else",
  async () => {
    const program = fileURLToPath(new URL("programs/no-files.ts", import.meta.url));
    const hooks = fileURLToPath(new URL("../helpers/from-source.ts", import.meta.url));
    const run = promisify(execFile);
    const command = [process.execPath, "--import", hooks, program];
    const { stdout } = await run("sh", ["-c", 'ulimit -n 64; exec "$0" "$@"', ...command]);
    expect(stdout).toMatch(/^begins\n.* could not be started \(EMFILE\)\n$/);
  },
);
