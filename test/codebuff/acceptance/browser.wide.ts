import { CodebuffClient } from "agentwire/codebuff";
import { expect, test, vi } from "vitest";
import { browserLike } from "./both.ts";

// All of it once more over the file that every runtime but Node gets for "#socket": the platform's own WebSocket,
// which sends no headers, cannot be cut, and tells of a broken link nothing but 1006.
vi.mock("../../../src/core/link/socket.node.ts", () => import("../../../src/core/link/socket.global.ts"));

import "./checklist-events.test.ts";
import "./checklist-life.test.ts";
import "./checklist-requests.test.ts";
import "./checklist-wire.test.ts";
import "./closing.test.ts";
import "./edge-cases-1-9.test.ts";
import "./edge-cases-10-17.test.ts";
import "./errors.test.ts";
import "./findings.test.ts";
import "./timers.test.ts";

test("this run uses the platform's own WebSocket, which sends no headers", () => {
  expect(browserLike).toBe(true);
  const headers = { "x-tenant": "one" };
  expect(() => new CodebuffClient({ url: "wss://example.org/ws", headers })).toThrow(
    expect.objectContaining({ code: "unsupported" }),
  );
});
