import { expect, test } from "vitest";
import { run, tail } from "../../scripts/support/run.ts";

const node = (code: string, timeout?: number) =>
  run(process.execPath, ["-e", code], {
    cwd: import.meta.dirname,
    ...(timeout === undefined ? {} : { timeout }),
  });

test("returns a program's output and exit code", async () => {
  const result = await node('console.log("out"); console.error("err"); process.exitCode = 3;');
  expect(result).toEqual({ ok: false, stdout: "out\n", stderr: "err\n", ending: "exit code 3" });
  expect(tail(result)).toBe("out\n\nerr");
});

test("kills a program that hangs, together with its child processes", async () => {
  // The grandchild inherits stdout: only its end lets the pipe close and the promise resolve.
  const hang = "setInterval(() => {}, 1000)";
  const code = `require("child_process").spawn(process.execPath, ["-e", "${hang}"], { stdio: "inherit" }); ${hang}`;
  const result = await node(code, 500);
  expect(result).toMatchObject({ ok: false, ending: "killed after 0.5 s" });
});

test("reports a program that could not be started", async () => {
  const result = await run("no-such-program-anywhere", [], { cwd: import.meta.dirname });
  expect(result.ok).toBe(false);
  expect(result.ending).toContain("could not be started");
});
