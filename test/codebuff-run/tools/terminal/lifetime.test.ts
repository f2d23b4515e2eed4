import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { processesWith } from "../../../tui/support/processes.ts";

/** Bytes of the flood; more by hand. */
const FLOOD = Number(process.env["FLOOD_BYTES"] ?? 1e9);

const program = (name: string): string => fileURLToPath(new URL(`programs/${name}`, import.meta.url));

/** Starts a program that runs a command. All that it starts has the variable MARK. */
function start(name: string, ...args: readonly string[]) {
  const mark = randomUUID();
  const child = spawn(process.execPath, [program(name), ...args], {
    env: { ...process.env, MARK: mark },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.on("data", (piece: Buffer) => {
    said += piece.toString();
  });
  return {
    child,
    closed: once(child, "close"),
    said: () => said,
    async gone(): Promise<void> {
      while (processesWith("MARK", mark).length > 0) await setImmediate();
    },
  };
}

describe.skipIf(process.platform === "win32")(
  "no process of a command survives the end of this process",
  () => {
    const command = `(trap '' TERM; sleep 1000; sleep 1000) & trap '' TERM; echo ready; sleep 1000; sleep 1000`;

    test("after an exit", async () => {
      const at = start("leaves.ts", "exits", command);
      expect(await at.closed).toEqual([3, null]);
      await at.gone();
    });

    test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("after %s", async (signal) => {
      const at = start("leaves.ts", "waits", command);
      while (!at.said().includes("ready")) await once(at.child.stdout, "data");
      at.child.kill(signal);
      expect(await at.closed).toEqual([null, signal]);
      await at.gone();
    });
  },
);

test.skipIf(process.platform === "win32")(
  `a command that writes ${FLOOD} bytes takes bounded memory, and makes few reports`,
  { timeout: 300_000 },
  async () => {
    const at = start("flood.ts", String(FLOOD));
    await at.closed;
    const { growth, reports, result } = JSON.parse(at.said());
    expect(result).toMatchObject({ exitCode: 0 });
    expect(result.stdout.length).toBeLessThanOrEqual(50_000);
    expect(reports).toBeLessThanOrEqual(60);
    // Kept, the output would take 1 GB. What grows are pieces that wait for the next collection.
    expect(growth).toBeLessThan(250_000_000);
  },
);
