import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { runInShell } from "../../src/program/tui/shell.ts";

/** Whether a process runs. One that has ended may wait for its new parent to look at it, as a zombie. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.trim().startsWith("Z");
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

test("a shell command returns its exit code and the output of both streams", async () => {
  let said = "";
  const { ended } = runInShell("echo out; echo err >&2; exit 3", (text) => {
    said += text;
  });
  expect(await ended).toEqual({ type: "exited", code: 3 });
  expect(said.split("\n").sort()).toEqual(["", "err", "out"]);
});

test("stopping a shell command ends its child processes, even one that ignores SIGTERM", async () => {
  let said = "";
  const running = runInShell("(trap '' TERM; echo ready $BASHPID; sleep 1000) & sleep 1000", (text) => {
    said += text;
  });
  await until(() => said.includes("ready"));
  running.stop();
  expect(await running.ended).toMatchObject({ type: "killed" });
  const pid = Number(/ready (\d+)/.exec(said)?.[1]);
  if (pid > 0) await until(() => !isAlive(pid)); // a shell without BASHPID says no number
});

test("a shell command that does not exist prints the shell's error", async () => {
  let said = "";
  const { ended } = runInShell("no-such-command-here", (text) => {
    said += text;
  });
  expect(await ended).toEqual({ type: "exited", code: 127 });
  expect(said).toContain("not found");
});

test.each([
  ["longer than the system takes", "x".repeat(3_000_000)],
  ["with a character that no command may have", "echo \0"],
])("a shell command %s fails without a throw", async (_, command) => {
  const running = runInShell(command, () => {});
  expect(await running.ended).toMatchObject({ type: "failed" });
  running.stop();
});
