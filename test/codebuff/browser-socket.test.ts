import { CodebuffClient, isAgentwireError } from "agentwire/codebuff";
import { MockCodebuffServer } from "agentwire/testing";
import { expect, test, vi } from "vitest";
import { errorSaying } from "../helpers/errors.ts";

// The file that every runtime but Node gets for "#socket".
vi.mock("../../src/core/link/socket.node.ts", () => import("../../src/core/link/socket.global.ts"));

test("headers are refused if the platform cannot send them; the error names `createWebSocket`", () => {
  const make = (): CodebuffClient =>
    new CodebuffClient({ url: "wss://example.org/ws", headers: { "x-tenant": "one" } });
  expect(make).toThrow(errorSaying("unsupported", /`createWebSocket`/));
  try {
    make();
  } catch (error) {
    expect(isAgentwireError(error, "unsupported")).toBe(true);
  }
});

test("headers are accepted with `createWebSocket`, even if the platform cannot send them", () => {
  const createWebSocket = (): never => {
    throw new Error("not in this test");
  };
  const headers = { "x-tenant": "one" };
  expect(() => new CodebuffClient({ url: "wss://example.org/ws", headers, createWebSocket })).not.toThrow();
});

test("the client reads the global `WebSocket` when it dials, so a test can replace it", async () => {
  await using server = await MockCodebuffServer.start();
  const dialled: string[] = [];
  const Original = globalThis.WebSocket;
  const client = new CodebuffClient({ url: server.url, settleWindow: 0 });
  vi.stubGlobal(
    "WebSocket",
    class extends Original {
      constructor(url: string, protocols?: string[]) {
        super(url, protocols);
        dialled.push(url);
      }
    },
  );
  try {
    expect((await client.prompt("hello").result).text).not.toBe("");
  } finally {
    vi.unstubAllGlobals();
    await client.close();
  }
  expect(dialled).toEqual([server.url]);
  expect(server.violations).toEqual([]);
});
