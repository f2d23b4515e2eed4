import { getEventListeners } from "node:events";
import { ManualClock } from "agentwire/testing";
import { afterEach, describe, expect, test, vi } from "vitest";
import { CLIENT_EVENTS, type ClientEvents } from "../../../src/core/client/agent-client.ts";
import type { ClientProtocol } from "../../../src/core/client/client-core.ts";
import { ClientCore } from "../../../src/core/client/client-core.ts";
import {
  resolveSocketOptions,
  SOCKET_CHECKS,
  type SocketClientOptions,
} from "../../../src/core/client/options.ts";
import { ConnectionLostError, HandshakeError, isAgentwireError } from "../../../src/core/errors.ts";
import { Gate } from "../../../src/core/gate/gate.ts";
import { APPROVAL_CHECKS, type ApprovalOptions } from "../../../src/core/gate/options.ts";
import type { TurnResult } from "../../../src/core/turn/turn.ts";
import { FakeSocket } from "../../helpers/fake-socket.ts";
import { mapWorkDuring } from "../support/costs.ts";
import { settle, wordOf } from "../support/promises.ts";

type Events = ClientEvents<string, TurnResult>;

/** A client core with a protocol that does nothing. */
function rig(options: Partial<SocketClientOptions & ApprovalOptions> = {}) {
  const clock = new ManualClock();
  const sockets: FakeSocket[] = [];
  const told = { closing: 0, busy: false };
  const createWebSocket = () => {
    const socket = new FakeSocket();
    sockets.push(socket);
    return socket;
  };
  const all: SocketClientOptions & ApprovalOptions = {
    url: "ws://127.0.0.1/ws",
    createWebSocket,
    clock,
    ...options,
  };
  const protocol: ClientProtocol = {
    opened: () => {},
    message: (value) => core.message(value),
    spoiled: () => {},
    ready: () => {},
    handshakeTimedOut: () => {},
    lost: (end) => (isAgentwireError(end) ? end : new ConnectionLostError("the link broke")),
    busy: () => told.busy,
    unavailable: () => {},
    ping: () => true,
    excused: () => false,
    carriesCredentials: () => false,
    address: String,
    closing: () => void told.closing++,
  };
  const core: ClientCore<string, TurnResult, Events> = new ClientCore<string, TurnResult, Events>({
    options: all,
    events: CLIENT_EVENTS,
    resolved: resolveSocketOptions(
      all,
      {
        keepalive: { interval: 0, timeout: 0 },
        reconnect: { maxAttempts: Infinity, minDelay: 500, maxDelay: 30_000 },
      },
      { ...SOCKET_CHECKS, ...APPROVAL_CHECKS },
    ),
    stableAfter: undefined,
    drainTimeout: 5_000,
    binary: "utf-8",
    proof: "frame",
  });
  const gate = new Gate(core, all);
  core.serve({ protocol, asked: { gate }, turns: { find: () => undefined, giveBack: () => {} } });
  const ready = async () => {
    const connected = core.connect();
    await settle();
    sockets.at(-1)?.accepts();
    core.connection.accept();
    await connected;
  };
  return { clock, core, gate, sockets, told, ready };
}

function logger() {
  const lines: string[] = [];
  const write = (level: string) => (line: string) => void lines.push(`${level} ${line}`);
  return { lines, debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a closed client", () => {
  const refused = { name: "sesame-9a8b7c", message: "no place for sesame-9a8b7c" };

  test("reports only that it is closed if the caller closed it", async () => {
    const { core } = rig();
    await core.close();
    expect(core.closedError).toMatchObject({
      code: "closed",
      message: "this client was closed; make a new one",
    });
  });

  test("rejects new work with the reason if it closed itself, without credentials", async () => {
    const { core, ready } = rig({ headers: { authorization: `Bearer ${refused.name}` } });
    await ready();
    core.connection.refuse(new HandshakeError("rejected", refused.message), "never");
    const message = "this client was closed (no place for [redacted]); make a new one";
    expect(core.closedError).toMatchObject({
      message,
      delivery: "not-sent",
      cause: { code: "handshake-refused" },
    });
    expect(() => core.assertOpen()).toThrow(message);
    await expect(core.connect()).rejects.toThrow(message);
  });
});

const abortListeners = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

describe("no listener stays", () => {
  test("on the signal of `connect`, whatever the end", async () => {
    const { core, sockets } = rig();
    const { signal } = new AbortController();
    const failing = core.connect({ signal });
    await settle();
    sockets[0]?.ends();
    expect(await wordOf(failing)).toBe("connect-failed");
    const working = core.connect({ signal });
    await settle();
    sockets[1]?.accepts();
    core.connection.accept();
    expect([await wordOf(working), abortListeners(signal)]).toEqual(["resolved", 0]);
  });

  test("on the client's own signal, by whatever way the client closes", async () => {
    const { signal } = new AbortController();
    const closed = rig({ signal });
    expect(abortListeners(signal)).toBe(1);
    await closed.core.close();
    expect(abortListeners(signal)).toBe(0);
    const failed = rig({ signal, reconnect: false });
    await failed.ready();
    failed.sockets[0]?.ends();
    await settle();
    expect([failed.core.connection.status, abortListeners(signal)]).toEqual(["closed", 0]);
  });
});

describe("events", () => {
  test("report the status, a lost link, the wait and the reconnect", async () => {
    const { core, clock, sockets, ready } = rig();
    const log: string[] = [];
    core.on("status", (status) => log.push(status));
    core.on("disconnected", ({ code }) => log.push(`disconnected ${code}`));
    core.on("reconnecting", ({ attempt, delay }) => log.push(`reconnecting ${attempt} after ${delay}`));
    core.on("reconnected", () => log.push("reconnected"));
    await ready();
    sockets[0]?.ends();
    await clock.advance(250);
    await ready();
    expect(log).toEqual([
      "connecting",
      "handshaking",
      "ready",
      "disconnected connection-lost",
      "reconnecting",
      "reconnecting 1 after 250",
      "connecting",
      "handshaking",
      "ready",
      "reconnected",
    ]);
  });

  test("`message` and `frame` report all traffic without credentials", async () => {
    const { core, sockets, ready } = rig({ headers: { authorization: "Bearer hunter2" } });
    const log: unknown[] = [];
    core.on("message", (message) => log.push(message));
    core.on("frame", ({ direction, text }) => log.push(`${direction} ${text}`));
    await ready();
    sockets[0]?.receives('{"echo":"Bearer hunter2"}');
    core.connection.send('{"authToken":"hunter3"}');
    expect(log).toEqual([
      'in {"echo":"[redacted]"}',
      { echo: "[redacted]" },
      'out {"authToken":"[redacted]"}',
    ]);
  });

  test.each([{ secret: "the secret hunter2" }])(
    "a header's credential is redacted without its scheme too",
    () => {
      const { core } = rig({ headers: { authorization: "Bearer hunter2" } });
      expect(core.redactor.redact("bad token: hunter2")).not.toContain("hunter2");
    },
  );

  test.each(["disconnected", "status"] as const)(
    "if a listener of `%s` throws as the client ends, a warning follows and no further events",
    async (name) => {
      const { core, sockets, ready } = rig({ reconnect: false });
      const error = new Error("mine");
      const log: unknown[] = [];
      await ready();
      core.on("status", (status) => log.push(status));
      core.on("protocolWarning", ({ kind, cause }) => log.push([kind, cause]));
      core.on(name, () => {
        throw error;
      });
      sockets[0]?.ends();
      core.warn("odd", "too late");
      expect(log).toEqual(["closed", ["listener-threw", error]]);
      expect(core.shared.has("protocolWarning")).toBe(false);
    },
  );

  test("only adding an `approval` listener iterates the pending requests", () => {
    const { core, gate } = rig({ onToolApproval: "manual" });
    const asked = (at: number) => ({ id: `call-${at}`, name: "read", input: null, raw: null });
    for (let at = 0; at < 500; at++)
      gate.ask(asked(at), { turn: undefined, isHandled: false, decided: () => {} });
    const work = (name: "status" | "message" | "approval") =>
      mapWorkDuring(() => void core.on(name, () => {}));
    expect([work("status"), work("message")].every((elements) => elements < 50)).toBe(true);
    expect(work("approval")).toBeGreaterThanOrEqual(500);
  });

  test("an error from a listener is logged without credentials", () => {
    const log = logger();
    const { core } = rig({ logger: log });
    core.redactor.add("hunter2");
    for (const name of ["status", "protocolWarning"]) core.listenerThrew(new Error("saw hunter2"), name);
    expect(log.lines).toHaveLength(2);
    expect(log.lines.join("\n")).not.toContain("hunter2");
  });
});

describe("the log", () => {
  test("is silent by default", async () => {
    const debug = vi.spyOn(console, "debug").mockImplementation(() => {});
    const { core, ready } = rig();
    await ready();
    core.warn("odd", "something");
    core.connection.send("x");
    expect(debug).not.toHaveBeenCalled();
  });

  test("has one line per frame with `debug`, in the logger or else on the console", async () => {
    const debug = vi.spyOn(console, "debug").mockImplementation(() => {});
    const log = logger();
    for (const options of [{ debug: true, logger: log }, { debug: true }]) {
      const { core, sockets, ready } = rig(options);
      await ready();
      core.connection.send('{"token":"hunter2"}');
      sockets[0]?.receives("{}");
    }
    const lines = ['-> {"token":"[redacted]"}', "<- {}"];
    expect(log.lines).toEqual(lines.map((line) => `debug ${line}`));
    expect(debug.mock.calls).toEqual(lines.map((line) => [line]));
  });

  test("gives the reasons of a lost link and of a failed reconnect, without credentials", async () => {
    const log = logger();
    let dials = 0;
    const createWebSocket = () => {
      if (++dials === 2) throw new Error("refused hunter2");
      return FakeSocket.opened();
    };
    const headers = { authorization: "Bearer hunter2" };
    const { core, clock } = rig({ logger: log, headers, createWebSocket });
    const connected = core.connect();
    await clock.advance(0);
    core.connection.accept();
    await connected;
    core.connection.drop(new ConnectionLostError("gone with hunter2"));
    await clock.advance(250);
    const lines = log.lines.filter((line) => line.startsWith("info "));
    expect(lines).toHaveLength(3);
    expect(lines[0]).toBe("info disconnected: gone with [redacted]");
    expect(lines[1]).toMatch(/^info reconnecting in 250 ms: .*gone with \[redacted\]$/);
    expect(lines[2]).toMatch(/^info reconnecting in 500 ms: .*refused \[redacted\]/);
  });

  test("may throw without stopping the client", async () => {
    vi.spyOn(console, "debug").mockImplementation(() => {});
    const broken = () => {
      throw new Error("disk full");
    };
    const { core, sockets, ready } = rig({
      logger: { debug: broken, info: broken, warn: broken, error: broken },
    });
    await ready();
    core.warn("odd", "something");
    sockets[0]?.ends();
    await settle();
    expect(core.connection.status).toBe("reconnecting");
  });
});
