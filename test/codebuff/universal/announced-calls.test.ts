import { describe, expect, test } from "vitest";
import { Announced, type AnnouncedCall } from "../../../src/universal/engine/announced.ts";
import { callsDuring } from "../../core/support/costs.ts";
import { json } from "../../helpers/codebuff-requests.ts";
import { server, Universal } from "../../helpers/codebuff-universal.ts";
import { expectInvariants } from "../../universal/invariants.ts";

interface Said {
  readonly toolName?: string;
  readonly input: object;
}

/** Announces calls as t1, t2, ..., then asks for one: the announced call that its approval names, or the request's own id. */
async function linked(announced: readonly Said[], asked: Said & { requestId?: string }): Promise<unknown> {
  const made = await Universal.of("codebuff", {
    tools: { "*": () => json({ done: true }) },
    onToolApproval: "manual",
  });
  await made.prompt();
  for (const [at, { toolName = "act", input }] of announced.entries())
    await made.hears(server.chunk({ type: "tool_call", toolCallId: `t${at + 1}`, toolName, input }));
  await made.hears(server.call(asked));
  const events = await made.events();
  expectInvariants(events, { live: true });
  const request = events.find((event) => event.type === "permission.requested");
  const item = events.find(
    (event) => event.type === "item.started" && event.data.item.item_id === request?.data.item_id,
  );
  expect(item).toMatchObject({ data: { item: { content: [{ call_id: request?.data.call_id }] } } });
  return request?.data.call_id;
}

const write = (path: string, content: string): Said => ({ toolName: "write_file", input: { path, content } });
const run = (command: string, more: object = {}): Said => ({
  toolName: "run_terminal_command",
  input: { command, ...more },
});

describe("a request under another id belongs to", () => {
  test.each<[string, readonly Said[], Said & { requestId?: string }, string]>([
    [
      "the call with the server's id",
      [{ input: { a: 1 } }, { input: { a: 1 } }],
      { input: { a: 1 }, requestId: "t2" },
      "t2",
    ],
    [
      "the oldest call with its input",
      [{ input: { a: 2 } }, { input: { a: 1 } }, { input: { a: 1 } }],
      { input: { a: 1 } },
      "t2",
    ],
    [
      "a call with its input in another order, and without a field that is null",
      [{ input: { a: 2 } }, { input: { b: { d: 1, c: [2] }, a: 1, e: null } }],
      { input: { a: 1, b: { c: [2], d: 1 } } },
      "t2",
    ],
    [
      "the call that edits its file, because the server sends edits in another form",
      [write("a.txt", "a\n"), write("b.txt", "b\n")],
      { toolName: "write_file", input: { type: "patch", path: "b.txt", content: "@@ -1 +1 @@\n" } },
      "t2",
    ],
    [
      "the call with its command, to which the server adds a mode",
      [run("ls"), run("npm test", { process_type: "SYNC" })],
      run("npm test", { process_type: "SYNC", mode: "assistant" }),
      "t2",
    ],
    [
      "the only call of its tool, whose input the server has rewritten",
      [{ input: { a: "1" } }],
      { input: { a: 1 } },
      "t1",
    ],
    [
      "no call, if several have another input",
      [{ input: { a: 2 } }, { input: { a: 3 } }],
      { input: { a: 1 } },
      "r1",
    ],
    ["no call, if the only one edits another file", [write("a.txt", "x")], write("b.txt", "x"), "r1"],
    ["no call of another tool", [{ toolName: "look", input: { a: 1 } }], { input: { a: 1 } }, "r1"],
  ])("%s", async (_, announced, asked, callId) => {
    expect(await linked(announced, asked)).toBe(callId);
  });
});

test("a thousand requests in any order read each announced call a few times, and its input once", () => {
  const announced = new Announced<AnnouncedCall>();
  let reads = 0;
  const calls = Array.from({ length: 1_000 }, (_, at) => {
    let isTaken = false;
    return {
      name: "act",
      title: "Act",
      args: JSON.stringify({ a: at % 10 }),
      get isTaken() {
        reads++;
        return isTaken;
      },
      set isTaken(now) {
        isTaken = now;
      },
    };
  });
  for (const call of calls) announced.add(call);
  const parsed = callsDuring(JSON, ["parse"], () => {
    for (const { name, title, args } of calls.toReversed()) {
      const found = announced.find({ name, title, args });
      expect(found?.args).toBe(args);
      if (found) announced.take(found);
    }
  });
  expect(parsed).toBe(2 * calls.length);
  expect(reads).toBeLessThan(10 * calls.length);
});
