import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { runInNewContext } from "node:vm";
import { describe, expect, test, vi } from "vitest";
import WebSocket from "ws";
import { type BinaryFrames, Socket } from "../../../src/core/link/socket.ts";
import { Outbox } from "../../../src/core/tell/outbox.ts";
import { FakeSocket } from "../../helpers/fake-socket.ts";
import { settle } from "../support/promises.ts";

function rig(fake = new FakeSocket(), binary: BinaryFrames = "utf-8") {
  const log: unknown[] = [];
  const outbox = new Outbox();
  const socket = new Socket(fake, outbox, binary, recorder(log));
  return { fake, socket, outbox, log };
}

const recorder = (log: unknown[]) => ({
  onOpen: () => log.push("open"),
  onRefused: (cause: unknown) => log.push(`refused: ${String(cause)}`),
  frames: {
    onText: (text: string) => log.push(`text ${text}`),
    onUnreadable: (problem: string) => log.push(`unreadable: ${problem}`),
  },
  onEnd: (end: object) => log.push(end),
});

const utf8 = (...bytes: readonly number[]): ArrayBuffer => Uint8Array.from(bytes).buffer;

describe("Socket", () => {
  test("reports its opening, its frames and its end in order", () => {
    const { fake, log } = rig();
    fake.accepts();
    fake.receives("a");
    fake.receives("");
    fake.ends(1001, "bye");
    expect(log).toEqual(["open", "text a", "text ", { code: 1001, reason: "bye" }]);
  });

  test("reports the runtime's error with the end", () => {
    const { fake, log } = rig();
    const cause = new Error("ECONNREFUSED");
    fake.fails(cause);
    expect(log).toEqual([]);
    fake.ends();
    expect(log).toEqual([{ code: 1006, reason: "", cause }]);
  });

  test("reports its end if the platform's socket was already closed", async () => {
    const fake = new FakeSocket();
    fake.ends();
    const { log } = rig(fake);
    await settle();
    expect(log).toEqual([{ code: 1006, reason: "" }]);
  });

  test("is terminated if `close()` throws", () => {
    const { fake, socket } = rig();
    fake.accepts();
    fake.close = () => {
      throw new Error("not now");
    };
    socket.close(1000, "");
    expect(fake.terminated).toBe(true);
  });

  test.each([true, false])(
    "ignores errors of `close()` and `terminate()`, and reports nothing more; terminates: %s",
    (terminates) => {
      const { fake, socket, log } = rig(new FakeSocket({ terminates }));
      const broken = (): never => {
        throw new Error("broken");
      };
      Object.assign(fake, terminates ? { close: broken, terminate: broken } : { close: broken });
      fake.accepts();
      socket.close(1000, "");
      socket.terminate();
      fake.ends();
      expect([log, socket.isOpen]).toEqual([["open"], false]);
    },
  );

  describe("with farewell frames", () => {
    const leaving = (fake: FakeSocket) => {
      const user = { ...recorder([]), farewell: () => ["a", "b"] };
      return new Socket(fake, new Outbox(), "utf-8", user);
    };

    test("sends them once, before its Close", () => {
      const fake = FakeSocket.opened();
      const socket = leaving(fake);
      socket.close(1000, "");
      socket.terminate();
      expect([fake.sent, fake.closes, fake.terminated]).toEqual([["a", "b"], [[1000, ""]], true]);
    });

    test("sends them with a Close on `terminate()`, and is terminated at once", () => {
      const fake = FakeSocket.opened();
      leaving(fake).terminate();
      expect([fake.sent, fake.closes, fake.terminated]).toEqual([["a", "b"], [[1000, ""]], true]);
    });

    test("sends none before it is open or after it ended", () => {
      const fake = new FakeSocket();
      const socket = leaving(fake);
      socket.terminate();
      socket.close(1000, "");
      expect(fake.sent).toEqual([]);
    });

    test.each(["close", "terminate"] as const)("is terminated by %s() even if sending them throws", (how) => {
      const fake = FakeSocket.opened();
      fake.send = () => {
        throw new Error("full");
      };
      leaving(fake)[how](1000, "");
      expect(fake.terminated).toBe(true);
    });
  });

  test("reports a frame that `send()` refuses, and sends no frame after it", () => {
    const { fake, socket, outbox, log } = rig();
    fake.accepts();
    fake.send = (data) => {
      if (data === "b") throw new Error("full");
      fake.sent.push(data);
    };
    outbox.run(() => {
      for (const text of ["a", "b", "c"]) socket.send(text);
    });
    socket.send("d");
    expect([fake.sent, log]).toEqual([["a"], ["open", "refused: Error: full"]]);
  });

  test("sends frames in order after the input is committed, and terminates after them", () => {
    const { fake, socket, outbox } = rig();
    fake.accepts();
    outbox.run(() => {
      socket.send("a");
      socket.send("b");
      expect(fake.sent).toEqual([]);
      socket.terminate();
      expect(fake.terminated).toBe(false);
    });
    expect([fake.sent, fake.terminated]).toEqual([["a", "b"], true]);
  });

  test("handles a frame that arrives during `send()` after the sender's commit, before its callbacks", () => {
    const { fake, socket, outbox, log } = rig();
    fake.accepts();
    fake.send = (data) => {
      fake.receives(`answer to ${data}`);
      log.push("the platform returns");
    };
    outbox.run(() => {
      socket.send("a");
      outbox.tell(() => log.push("sent is told"));
      log.push("committed");
    });
    expect(log).toEqual(["open", "committed", "text answer to a", "the platform returns", "sent is told"]);
  });

  test("sends and closes through the platform's socket", () => {
    const { fake, socket } = rig();
    fake.accepts();
    socket.send("a");
    socket.close(1000, "done");
    expect([fake.sent, fake.closes]).toEqual([["a"], [[1000, "done"]]]);
  });

  test("`isOpen` is true from the open event until it is closed or terminated", () => {
    const { fake, socket } = rig();
    expect(socket.isOpen).toBe(false);
    fake.accepts();
    expect(socket.isOpen).toBe(true);
    socket.close(1000, "");
    expect(socket.isOpen).toBe(false);
    const released = rig(FakeSocket.opened());
    released.socket.terminate();
    expect(released.socket.isOpen).toBe(false);
  });

  test("reports the opening of an already open socket asynchronously", async () => {
    const { log } = rig(FakeSocket.opened());
    expect(log).toEqual([]);
    await settle();
    expect(log).toEqual(["open"]);
  });

  test("reports nothing if an open socket is terminated at once", async () => {
    const { socket, log } = rig(FakeSocket.opened());
    socket.terminate();
    await settle();
    expect(log).toEqual([]);
  });
});

describe("a binary frame", () => {
  test("is requested as an ArrayBuffer, so that frames stay in order", () => {
    expect(rig().fake.binaryType).toBe("arraybuffer");
  });

  test.each<{ what: string; data: unknown; text: string }>([
    { what: "an empty ArrayBuffer", data: utf8(), text: "" },
    { what: "an ArrayBuffer", data: utf8(0x7b, 0x7d), text: "{}" },
    {
      what: "an ArrayBuffer with multi-byte characters",
      data: utf8(0xc3, 0xa9, 0xf0, 0x9f, 0x99, 0x82),
      text: "é🙂",
    },
    {
      what: "an ArrayBuffer of another realm",
      data: runInNewContext("new Uint8Array([123, 125]).buffer"),
      text: "{}",
    },
    { what: "a view, as sockets without `binaryType` give", data: Uint8Array.of(0x7b, 0x7d), text: "{}" },
    { what: "a view of a part", data: Buffer.from("a{}b").subarray(1, 3), text: "{}" },
  ])("is decoded as UTF-8 text: $what", ({ data, text }) => {
    const { fake, log } = rig();
    fake.receives(data);
    expect(log).toEqual([`text ${text}`]);
  });

  test.each<{ what: string; data: unknown }>([
    { what: "a byte that UTF-8 does not have", data: utf8(0xff) },
    { what: "half a character", data: utf8(0x61, 0xc3) },
    { what: "an encoded surrogate", data: utf8(0xed, 0xa0, 0x80) },
    { what: "a Blob", data: new Blob(["{}"]) },
    { what: "nothing", data: undefined },
    { what: "a number", data: 5 },
  ])("that cannot be decoded is reported, and the next frame is read: $what", ({ data }) => {
    const { fake, log } = rig();
    fake.receives(data);
    fake.receives("next");
    expect(log).toEqual([expect.stringContaining("unreadable: a binary frame"), "text next"]);
  });

  test("is reported as unreadable on a platform without `TextDecoder`", () => {
    vi.stubGlobal("TextDecoder", undefined);
    try {
      const { fake, log } = rig();
      fake.receives(utf8(0x7b, 0x7d));
      fake.receives("next");
      expect(log).toEqual([expect.stringContaining("no `TextDecoder`"), "text next"]);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test("is reported as unreadable if the protocol has no binary frames", () => {
    const { fake, log } = rig(new FakeSocket(), "unreadable");
    fake.receives(utf8(0x7b, 0x7d));
    fake.receives("next");
    expect(log).toEqual([expect.stringContaining("unreadable: a binary frame"), "text next"]);
  });
});

describe("a released socket", () => {
  const ways: readonly { way: string; letGo: (socket: Socket, fake: FakeSocket) => void; said: number }[] = [
    { way: "terminate", letGo: (socket) => socket.terminate(), said: 0 },
    { way: "its end", letGo: (_, fake) => fake.ends(), said: 1 },
  ];

  test.each(ways)("reports nothing after $way", ({ letGo, said }) => {
    const { fake, socket, log } = rig();
    letGo(socket, fake);
    fake.accepts();
    fake.receives("late");
    fake.receives(utf8(0xff));
    fake.fails(new Error("late"));
    fake.ends(1011, "late");
    expect(log).toHaveLength(said);
  });

  test.each(ways)(
    "keeps only its error listener after $way, so that `ws` does not end the process",
    ({ letGo }) => {
      const { fake, socket } = rig();
      letGo(socket, fake);
      const counts = (["open", "message", "close", "error"] as const).map((type) => fake.listenerCount(type));
      expect(counts).toEqual([0, 0, 0, 1]);
    },
  );

  test("is terminated if the implementation can, else closed", () => {
    const cut = rig();
    cut.socket.terminate();
    expect([cut.fake.terminated, cut.fake.closes]).toEqual([true, []]);
    const polite = rig(new FakeSocket({ terminates: false }));
    polite.socket.terminate();
    expect(polite.fake.closes).toEqual([[]]);
  });
});

describe("the `ws` package", () => {
  test.each<{ server: string; answers: boolean }>([
    { server: "no server on the port", answers: false },
    { server: "a server that never answers", answers: true },
  ])("does not end the process if terminated while connecting: $server", async ({ answers }) => {
    await using peer = await listening();
    if (!answers) await peer.stop();
    const webSocket = new WebSocket(`ws://127.0.0.1:${peer.port}`);
    const closed = closeOf(webSocket);
    const log: unknown[] = [];
    new Socket(webSocket, new Outbox(), "utf-8", recorder(log)).terminate();
    await closed; // an error that nobody listens to would have been thrown before
    expect([log, webSocket.listenerCount("error")]).toEqual([[], 1]);
  });

  test("reports why it could not connect", async () => {
    await using peer = await listening();
    await peer.stop();
    const webSocket = new WebSocket(`ws://127.0.0.1:${peer.port}`);
    const closed = closeOf(webSocket);
    const log: unknown[] = [];
    const socket = new Socket(webSocket, new Outbox(), "utf-8", recorder(log));
    await closed;
    expect(log).toEqual([
      { code: 1006, reason: "", cause: expect.objectContaining({ code: "ECONNREFUSED" }) },
    ]);
    expect(socket.isOpen).toBe(false);
  });
});

/** Unlike `once` of Node, it adds no error listener of its own. */
function closeOf(webSocket: WebSocket): Promise<void> {
  return new Promise((resolve) => webSocket.on("close", () => resolve()));
}

/** A TCP server on a port of its own that accepts and never says a word. */
async function listening() {
  const server: Server = createServer((connection) => connection.on("error", () => {}));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const stop = async () => {
    if (!server.listening) return;
    server.close();
    await once(server, "close");
  };
  return { port, stop, [Symbol.asyncDispose]: stop };
}
