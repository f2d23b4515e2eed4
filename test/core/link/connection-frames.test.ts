import { describe, expect, test } from "vitest";
import { connectionIn, PING_INTERVAL, PING_TIMEOUT, type StateName } from "../support/connections.ts";

describe("frames", () => {
  test("are parsed leniently for the protocol, and all go to the frame listener", async () => {
    const rig = await connectionIn("ready");
    rig.socket.receives('{"a":1}');
    rig.socket.receives("[NaN]");
    rig.connection.send("b");
    expect(rig.news()).toEqual(['message {"a":1}', "message [null]"]);
    expect(rig.frames).toEqual(['in {"a":1}', "in [NaN]", "out b"]);
  });

  test.each<{ what: string; data: unknown; said: string }>([
    { what: "not JSON", data: "hello", said: "unreadable-frame: a frame that is not JSON: hello" },
    { what: "empty", data: "", said: "unreadable-frame: a frame that is not JSON: " },
    {
      what: "binary and not UTF-8",
      data: Uint8Array.of(0xff).buffer,
      said: "unreadable-frame: a binary frame that is not UTF-8",
    },
  ])("that cannot be parsed cause a warning, and the connection continues: $what", async ({ data, said }) => {
    const rig = await connectionIn("ready");
    rig.socket.receives(data);
    rig.socket.receives("{}");
    expect([rig.news(), rig.connection.status]).toEqual([[said, "message {}"], "ready"]);
  });

  test("whose handling throws are reported as spoiled, and the connection continues", async () => {
    const rig = await connectionIn("ready");
    rig.hooks.message = () => {
      throw new RangeError("Maximum call stack size exceeded");
    };
    rig.socket.receives('{"a":1}');
    rig.hooks.message = () => {};
    rig.socket.receives("{}");
    expect(rig.news()).toEqual([
      'message {"a":1}',
      "frame-failed: a frame cannot be handled: Maximum call stack size exceeded: RangeError: Maximum call stack size exceeded",
      "spoiled: Maximum call stack size exceeded",
      "message {}",
    ]);
    expect(rig.connection.status).toBe("ready");
  });

  test("whose `spoiled` handler throws too cause two warnings, and the connection continues", async () => {
    const rig = await connectionIn("ready");
    const fail = (): never => {
      throw new Error("again");
    };
    rig.hooks.message = fail;
    rig.hooks.spoiled = fail;
    rig.socket.receives("{}");
    expect(rig.news().filter((line) => line.startsWith("frame-failed"))).toHaveLength(2);
    expect(rig.connection.status).toBe("ready");
  });

  test.each([6_000, 100_000])("nested %i levels deep are refused before they are parsed", async (levels) => {
    const rig = await connectionIn("ready", { maxReceiveBytes: 1_000_000 });
    rig.socket.receives(`{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`);
    const why = "it is nested deeper than 500 levels";
    expect(rig.news()).toEqual([
      `frame-failed: a frame cannot be handled: ${why}: RangeError: ${why}`,
      `spoiled: ${why}`,
    ]);
    expect(rig.connection.status).toBe("ready");
  });

  test.each<{ from: StateName; reaches: boolean }>([
    { from: "idle", reaches: false },
    { from: "connecting", reaches: false },
    { from: "handshaking", reaches: true },
    { from: "ready", reaches: true },
    { from: "reconnecting", reaches: false },
    { from: "draining", reaches: true },
    { from: "closing", reaches: false },
    { from: "closed", reaches: false },
  ])("sent when $from reach the socket: $reaches, as `writable` says", async ({ from, reaches }) => {
    const rig = await connectionIn(from);
    expect(rig.connection.writable).toBe(reaches);
    rig.connection.send("x");
    expect(rig.sockets.flatMap(({ sent }) => sent)).toEqual(reaches ? ["x"] : []);
    expect(rig.frames).toEqual(reaches ? ["out x"] : []);
  });

  test("are not sent on a socket that is closing but has not ended", async () => {
    const rig = await connectionIn("ready");
    rig.socket.readyState = 2;
    expect(rig.connection.writable).toBe(false);
    rig.connection.send("x");
    expect([rig.socket.sent, rig.frames]).toEqual([[], []]);
  });
});

describe("a frame over `maxReceiveBytes`", () => {
  test.each<{ what: string; text: string; limit: number; fits: boolean }>([
    { what: "ASCII at the limit", text: '"aaaa"', limit: 6, fits: true },
    { what: "ASCII one over", text: '"aaaaa"', limit: 6, fits: false },
    { what: "two-byte characters at the limit", text: '"éé"', limit: 6, fits: true },
    { what: "two-byte characters one over", text: '"ééa"', limit: 6, fits: false },
  ])("ends the connection, which then reconnects: $what", async ({ text, limit, fits }) => {
    const rig = await connectionIn("ready", { maxReceiveBytes: limit });
    rig.socket.receives(text);
    await rig.settle();
    expect(rig.connection.status === "ready").toBe(fits);
    expect(rig.log.filter((line) => line.startsWith("message"))).toHaveLength(fits ? 1 : 0);
    if (!fits) expect(rig.sockets[0]?.terminated).toBe(true);
  });

  test.each([{ text: '"aaaaaaaa"' }, { text: '"éééé"' }])(
    "is reported with its size in bytes: $text",
    async ({ text }) => {
      const rig = await connectionIn("ready", { maxReceiveBytes: 8 });
      const errors: unknown[] = [];
      rig.hooks.disconnected = (error) => void errors.push(error);
      rig.socket.receives(text);
      expect(errors[0]).toMatchObject({
        code: "connection-lost",
        message: expect.stringContaining("`maxReceiveBytes`"),
        cause: { code: "payload-too-large", bytes: 10, limit: 8 },
      });
    },
  );
});

describe("keepalive", () => {
  test("pings only while the connection is ready", async () => {
    const rig = await connectionIn("handshaking", { connectTimeout: 0 });
    await rig.clock.advance(PING_INTERVAL * 2);
    expect(rig.socket.sent).toEqual([]);
    rig.connection.accept();
    await rig.clock.advance(PING_INTERVAL);
    expect(rig.socket.sent).toEqual(["ping"]);
    void rig.close({ force: true });
    await rig.clock.advance(PING_INTERVAL * 2);
    expect(rig.socket.sent).toEqual(["ping"]);
  });

  test("drops a link without a frame after a ping, terminates its socket and reconnects", async () => {
    const rig = await connectionIn("ready");
    await rig.clock.advance(PING_INTERVAL + PING_TIMEOUT - 1);
    expect(rig.connection.status).toBe("ready");
    await rig.clock.advance(1);
    expect([rig.connection.status, rig.socket.terminated]).toEqual(["reconnecting", true]);
    expect(rig.backoffs[0]?.error.message).toContain(`no sign of life for ${PING_TIMEOUT} ms`);
  });

  test("keeps a silent link while the protocol excuses the silence", async () => {
    const rig = await connectionIn("ready");
    rig.state.excused = true;
    await rig.clock.advance(PING_INTERVAL * 10);
    expect(rig.connection.status).toBe("ready");
    rig.state.excused = false;
    await rig.clock.advance(PING_TIMEOUT);
    expect(rig.connection.status).toBe("reconnecting");
  });

  test.each<{ what: string; data: unknown }>([
    { what: "a message", data: "{}" },
    { what: "a text that cannot be read", data: "hello" },
    { what: "binary UTF-8", data: new TextEncoder().encode("{}").buffer },
    { what: "binary that cannot be read", data: Uint8Array.of(0xff).buffer },
  ])("accepts any frame as a sign of life: $what", async ({ data }) => {
    const rig = await connectionIn("ready");
    await rig.clock.advance(PING_INTERVAL + PING_TIMEOUT - 1);
    rig.socket.receives(data);
    await rig.clock.advance(1);
    expect(rig.connection.status).toBe("ready");
  });

  test("accepts only `alive()` if `proof` is `protocol`", async () => {
    const proof = { proof: "protocol" } as const;
    const fooled = await connectionIn("ready", proof);
    await fooled.clock.advance(PING_INTERVAL);
    fooled.socket.receives("{}");
    await fooled.clock.advance(PING_TIMEOUT);
    expect(fooled.connection.status).toBe("reconnecting");
    const convinced = await connectionIn("ready", proof);
    await convinced.clock.advance(PING_INTERVAL);
    convinced.connection.alive();
    await convinced.clock.advance(PING_TIMEOUT);
    expect(convinced.connection.status).toBe("ready");
  });
});
