import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { AcpClient, type AcpOptions, acp } from "agentwire/acp";
import { afterEach, describe, expect, test, vi } from "vitest";
import { tempFolder } from "../../scripts/support/temp-folder.ts";

const PROGRAM = join(import.meta.dirname, "support/program.ts");

function clientOf(switches: object, options: Partial<AcpOptions> = {}): AcpClient {
  const args = ["--disable-warning=ExperimentalWarning", PROGRAM, JSON.stringify(switches)];
  return new AcpClient({ command: process.execPath, args, mode: false, ...options });
}

afterEach(() => vi.unstubAllEnvs());

describe("an agent's program", () => {
  test("runs in `cwd`, without a shell, with a small environment", async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", "sk-secret");
    vi.stubEnv("LC_TIME", "C");
    vi.stubEnv("KEPT", "yes");
    await using folder = await tempFolder();
    const cwd = folder.path;
    const client = clientOf({}, { cwd, env: { MINE: "1" }, keepEnv: ["KEPT"] });
    const env = JSON.parse((await client.prompt("env").result).text);
    expect((await client.prompt("cwd").result).text).toBe(cwd);
    await client.close();
    const { PATH, HOME, USER, LANG, TMPDIR, AGENTWIRE_PROCESS, ...others } = env;
    expect(others).toMatchObject({ TERM: "dumb", NO_COLOR: "1", MINE: "1", KEPT: "yes", LC_TIME: "C" });
    expect(Object.keys(others).filter((name) => !/^(LC_\w+|TERM|NO_COLOR|MINE|KEPT)$/.test(name))).toEqual(
      [],
    );
  });

  test("that is not there, or is no program, is named in the error", async () => {
    const client = new AcpClient({ command: "no-such-agent" });
    await client.prompt("work").outcome;
    expect(client.status).toBe("idle");
    await expect(client.connect()).rejects.toMatchObject({
      code: "connect-failed",
      retryable: false,
      message: expect.stringContaining("`no-such-agent` is not to be found"),
    });
    await expect(new AcpClient({ command: tmpdir() }).connect()).rejects.toMatchObject({
      code: "connect-failed",
    });
  });

  test("that ends at once says why: by its first line (kimi 1.52), or its errors", async () => {
    await expect(clientOf({ banner: "no longer maintained", exit: 0 }).connect()).rejects.toMatchObject({
      code: "connect-failed",
      message: expect.stringContaining("it said: no longer maintained"),
    });
    await expect(
      clientOf({ complains: "no key abc123", exit: 2 }, { env: { API_KEY: "abc123" } }).connect(),
    ).rejects.toMatchObject({
      message: expect.stringMatching(/exit code 2 .*no key \[redacted\]/),
    });
  });

  test("that dies in a turn fails it with its exit and its errors", async () => {
    const client = clientOf({ dies: "exit", complains: "trace" });
    const told: unknown[] = [];
    client.on("status", (status) => told.push(status));
    client.on("disconnected", ({ code }) => told.push(code));
    const outcome = await client.prompt("work").outcome;
    expect(outcome).toMatchObject({
      error: {
        code: "connection-lost",
        delivery: "unknown",
        exitCode: 3,
        stderr: "trace",
        message: expect.stringMatching(/exit code 3; it said: trace$/),
      },
      partial: { text: "working" },
    });
    expect(told).toEqual(["ready", "connection-lost", "idle"]);
    await client.close();
  });
});

describe("a preset", () => {
  const install = (folder: string, name: string): void => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), "#!/bin/sh\n");
    chmodSync(join(folder, name), 0o755);
  };

  test("finds its program in absolute folders of PATH, outside of `cwd`", async () => {
    await using folder = await tempFolder();
    const [cwd, bin] = [join(folder.path, "project"), join(folder.path, "bin")];
    install(join(cwd, "bin"), "gemini");
    install(bin, "gemini");
    vi.stubEnv("PATH", ["bin", join(cwd, "bin"), bin].join(delimiter));
    const options = acp.presets.gemini({ cwd, args: ["-m", "x"], keepEnv: ["GEMINI_API_KEY"] });
    expect(options).toEqual({
      command: join(bin, "gemini"),
      args: ["--acp", "-m", "x"],
      mode: "default",
      cwd,
      keepEnv: ["GEMINI_API_KEY"],
    });
    expect(acp(options).client().status).toBe("idle");
  });

  test.each(Object.entries(acp.presets))(
    "%s names its versions, and says how it is installed",
    (_, preset) => {
      vi.stubEnv("PATH", "");
      expect(preset.facts.seenWith.length).toBeGreaterThan(0);
      expect(() => preset()).toThrow(preset.facts.install);
    },
  );
});
