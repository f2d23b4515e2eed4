import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { CodebuffCliOptions } from "agentwire/codebuff-cli";
import { expect } from "vitest";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { cliWorld } from "../helpers/codebuff-cli.ts";
import { shown } from "../helpers/turns.ts";
import { describe, test } from "./rows.ts";

/** A program that ends while something that it has started holds its pipes: it is known how, and the rest is waited for. */
async function draining(
  how: { readonly says?: string; readonly code: number },
  options: CodebuffCliOptions = {},
) {
  const folder = await tempFolder();
  const command = join(folder.path, "tool");
  const says = how.says === undefined ? "" : `echo '${how.says}'`;
  const stays = "(read none < fifo) &";
  await writeFile(command, `#!/bin/sh\nmkfifo fifo\n${stays}\n${says}\nexit ${how.code}\n`, { mode: 0o755 });
  const at = await cliWorld({}, { command, args: [], cwd: folder.path, ...options });
  const turn = at.client.prompt("hi");
  await at.clock.armed(1_000);
  return {
    ...at,
    turn,
    async [Symbol.asyncDispose]() {
      await writeFile(join(folder.path, "fifo"), "\n"); // what holds the pipes ends with that
      await at[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const FINISH = '{"type":"finish","totalCost":1}';

describe.skipIf(process.platform === "win32")(
  "a program that has exited while its pipes are still open",
  () => {
    test("fails with its exit code, even after `finish` and a passed `exitGrace`", async () => {
      await using at = await draining({ says: FINISH, code: 7 }, { exitGrace: 500 });
      await at.clock.advance(1_000);
      expect(await at.turn.outcome).toMatchObject({
        status: "failed",
        error: { kind: "process_exit", exitCode: 7 },
      });
    });

    test.each<[string, CodebuffCliOptions, string | undefined]>([
      ["silence", { idleTimeout: 500 }, '{"type":"text","text":"part"}'],
      ["a silent start", { startupTimeout: 500 }, undefined],
      ["staying after `finish`", { exitGrace: 500 }, FINISH],
    ])("does not fail for %s", async (_, options, says) => {
      await using at = await draining({ ...(says === undefined ? {} : { says }), code: 0 }, options);
      expect(at.clock.pending).toBe(1);
      await at.clock.advance(1_000);
      expect(await at.turn.outcome).toMatchObject({ status: "completed", result: { exitCode: 0 } });
    });
  },
);

test.skipIf(process.platform === "win32")(
  "a program that exits with open pipes during a slow read completes once the reader goes on",
  async () => {
    await using folder = await tempFolder();
    const command = join(folder.path, "tool");
    const lines = ["a", "b", "c"].map((words) => JSON.stringify({ type: "text", text: words }));
    const says = [...lines, FINISH].map((line) => `echo '${line}'`).join("\n");
    await writeFile(command, `#!/bin/sh\nmkfifo fifo\n(read none < fifo) &\necho $$ > pid\n${says}\n`, {
      mode: 0o755,
    });
    await using at = await cliWorld({}, { command, args: [], cwd: folder.path, maxQueuedEvents: 2 });
    const turn = at.client.prompt("hi");
    const reader = turn[Symbol.asyncIterator]();
    await shown(turn, "ab");
    const pid = Number(await readFile(join(folder.path, "pid"), "utf8"));
    while (isAlive(pid)) await setImmediate();
    for (let moment = 0; moment < 10; moment++) await setImmediate(); // in which its exit is noticed
    expect(at.clock.pending).toBe(0);
    for (let count = 0; count < 3; count++) await reader.next();
    await at.clock.armed(1_000);
    await at.clock.advance(1_000);
    expect(await turn.outcome).toMatchObject({ status: "completed", result: { text: "abc", exitCode: 0 } });
    await writeFile(join(folder.path, "fifo"), "\n"); // what holds the pipes ends with that
  },
);

test("a program that writes too much and stops slowly fails for its output, not for silence", async () => {
  const scenario = { ignoreSigterm: true, events: [{ raw: `${"x".repeat(50)}\n` }, { hold: "for ever" }] };
  await using at = await cliWorld(scenario, {
    profile: "json",
    maxOutputBytes: 10,
    idleTimeout: 400,
    killGrace: 1_500,
  });
  const turn = at.client.prompt("hi");
  await at.clock.armed(1_500);
  await at.clock.advance(1_500);
  expect(await turn.outcome).toMatchObject({
    status: "failed",
    error: { code: "turn-failed", kind: "protocol_error" },
  });
});

test.each([{}, { noFinish: true }])("output after the exit causes no timeout, with %o", async (switches) => {
  const scenario = { exitBeforeFlush: true, holdPipes: 1e6, ...switches };
  await using at = await cliWorld(scenario, { idleTimeout: 500, exitGrace: 500 });
  const turn = at.client.prompt("hi");
  await Promise.all([shown(turn, "You said: hi"), at.clock.armed(1_000)]);
  await at.clock.advance(1_000);
  expect(await turn.outcome).toMatchObject({ status: "completed", result: { exitCode: 0 } });
});
