import { CodeyClient } from "agentwire/codey";
import { expect, test, vi } from "vitest";
import { browserLike } from "./both.ts";

// All of it once more over the file that every runtime but Node gets for "#socket": the platform's own WebSocket,
// which sends no headers, cannot be cut, and tells of a broken link nothing but 1006.
vi.mock("../../../src/core/link/socket.node.ts", () => import("../../../src/core/link/socket.global.ts"));

import "./cancel.test.ts";
import "./validation.test.ts";
import "./silences.test.ts";
import "./repeated-ids.test.ts";
import "./resync.test.ts";
import "./connection-ends.test.ts";
import "./connection.test.ts";
import "./decisions.test.ts";
import "./differences.test.ts";
import "./documented.test.ts";
import "./errors.test.ts";
import "./life-cycle.test.ts";
import "./loss.test.ts";
import "./rows-1-5.test.ts";
import "./rows-11-15.test.ts";
import "./rows-16-20.test.ts";
import "./rows-6-10.test.ts";
import "./rules.test.ts";
import "./sequences.test.ts";
import "./switches-calls.test.ts";
import "./switches-connection.test.ts";
import "./switches-turns.test.ts";
import "./timers.test.ts";
import "./transcript.test.ts";

test("this run uses the platform's WebSocket, which sends no headers", () => {
  expect(browserLike).toBe(true);
  const headers = { "x-tenant": "one" };
  expect(() => new CodeyClient({ url: "wss://example.org/ws", headers })).toThrow(
    expect.objectContaining({ code: "unsupported" }),
  );
});
