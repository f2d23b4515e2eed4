import { CassClient } from "agentwire/cass";
import { expect, test, vi } from "vitest";
import { browserLike } from "./each.ts";

// All of it once more over the file that every runtime but Node gets for "#socket": the platform's own WebSocket,
// which sends no headers, cannot be cut, and tells of a broken link nothing but 1006.
vi.mock("../../../src/core/link/socket.node.ts", () => import("../../../src/core/link/socket.global.ts"));

import "./captures.test.ts";
import "./closings.test.ts";
import "./correlation.test.ts";
import "./differences.test.ts";
import "./identity.test.ts";
import "./reconnect.test.ts";
import "./rows-a-b.test.ts";
import "./rows-c.test.ts";
import "./rows-d.test.ts";
import "./rows-e.test.ts";
import "./rows-f.test.ts";
import "./secrets.test.ts";
import "./states.test.ts";
import "./switches-connection.test.ts";
import "./switches-faults.test.ts";
import "./switches-turns.test.ts";
import "./validation.test.ts";

test("this run uses the platform's WebSocket, which sends no headers", () => {
  expect(browserLike).toBe(true);
  const options = { url: "wss://example.org/ws", allowAnonymous: true, headers: { "x-tenant": "one" } };
  expect(() => new CassClient(options)).toThrow(expect.objectContaining({ code: "unsupported" }));
});
