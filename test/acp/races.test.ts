// What happens at the same moment.
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeTools } from "agentwire/codebuff-run/tools";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { END, type Script, world } from "./support/agent.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "acp-races-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

describe("a cancel in the tick of the approval", () => {
  test.each([
    ["fs/write_text_file", () => ({ path: join(root, "gone"), content: "x" })],
    ["terminal/create", () => ({ command: "touch gone; sleep 2" })],
  ])("lets %s do nothing", async (method, params) => {
    const files = nodeTools({ root, terminal: true });
    const script: Script = async (turn) => {
      const answer = await turn.agent.ask(method, { sessionId: turn.sessionId, ...params() });
      answers.push(answer);
      return END;
    };
    const answers: unknown[] = [];
    const { client } = world(script, { cwd: root, files, onToolApproval: "manual" });
    const turn = client.prompt("go");
    const id = await new Promise<string>((resolve) => {
      client.on("approval", (call) => resolve(call.id));
    });
    client.decide(id, true);
    turn.cancel();
    await turn.outcome;
    await client.close(); // waits for commands
    await files.close();
    expect(await readdir(root)).toEqual([]);
    expect(answers).toMatchObject([{ error: { code: -32602 } }]);
  });
});

describe("a close of the client", () => {
  test("resolves when the commands of the agent have ended, too", async () => {
    const files = nodeTools({ root, terminal: true });
    const script: Script = async (turn) => {
      const { sessionId } = turn;
      await turn.agent.ask("terminal/create", {
        sessionId,
        command: "trap '' TERM; echo $$ > pid; while :; do sleep 0.1; done",
      });
      return undefined;
    };
    const { client } = world(script, { cwd: root, files, onToolApproval: () => true });
    void client.prompt("go").outcome;
    await vi.waitFor(async () => expect(await readFile(join(root, "pid"), "utf8")).toMatch(/\d\n/), 5_000);
    const pid = Number(await readFile(join(root, "pid"), "utf8"));
    await client.close();
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    await files.close();
  });
});

describe("a slow reader of one turn", () => {
  test("does not hold up another turn, or the start of its session", async () => {
    const script: Script = async (turn) => {
      if (turn.text === "fast") {
        turn.say("ok");
        return END;
      }
      for (let at = 0; at < 50; at++) {
        turn.say(`${at}`);
        await new Promise((resolve) => setImmediate(resolve));
      }
      sent();
      return END;
    };
    let sent = (): void => {};
    const isSent = new Promise<void>((resolve) => {
      sent = resolve;
    });
    const { client } = world(script, { maxQueuedEvents: 5 });
    const slow = client.prompt("slow");
    const reader = slow[Symbol.asyncIterator]();
    await reader.next(); // and never again
    await isSent;
    const { text } = await client.prompt("fast", { timeout: 2_000 }).result;
    expect(text).toBe("ok");
    await client.close({ force: true });
  });
});
