import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { chapterPlan, type FaultPlan, type HalfPlan, type LinkPlan, linkPlan } from "./plan.ts";
import { ChaosProxy } from "./proxy.ts";

const PLAIN: HalfPlan = { pieces: "whole", delay: 0, gather: 0 };

const faulty = (kind: FaultPlan["kind"], side: FaultPlan["side"], afterBytes: number): LinkPlan => ({
  up: PLAIN,
  down: PLAIN,
  fault: { kind, side, afterBytes, ms: 5 },
});

/** What one end of a link has read, and how it ended. */
class End {
  readonly reads: string[] = [];
  #over: "end" | "error" | undefined;
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (bytes) => void this.reads.push(bytes.toString("latin1")));
    socket.on("end", () => {
      this.#over ??= "end";
    });
    socket.on("error", () => {
      this.#over = "error";
    });
  }

  get text(): string {
    return this.reads.join("");
  }

  write(text: string): void {
    this.#socket.write(text, "latin1");
  }

  /** Resolves once so much was read. */
  async read(length: number): Promise<string> {
    while (this.text.length < length) await once(this.#socket, "data");
    return this.text;
  }

  /** Resolves with how its reading ended. */
  async over(): Promise<"end" | "error"> {
    if (!this.#over)
      await Promise.race([once(this.#socket, "end"), once(this.#socket, "close")]).catch(() => {});
    return this.#over ?? "end";
  }
}

/** A client and a server with the proxy between them. */
async function linked(
  plan: LinkPlan,
): Promise<AsyncDisposable & { readonly client: End; readonly server: End; readonly proxy: ChaosProxy }> {
  const listener = createServer({ allowHalfOpen: true });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const proxy = await ChaosProxy.start(() => plan);
  proxy.target = (listener.address() as AddressInfo).port;
  const accepted = once(listener, "connection");
  const socket = connect({ port: proxy.port, host: "127.0.0.1", allowHalfOpen: true });
  const [peer] = (await accepted) as [Socket];
  return {
    client: new End(socket),
    server: new End(peer),
    proxy,
    async [Symbol.asyncDispose]() {
      await proxy.stop();
      socket.destroy();
      peer.destroy();
      listener.close();
    },
  };
}

describe("the soak proxy", () => {
  test("passes bytes on in both directions, in order", async () => {
    await using made = await linked({ up: PLAIN, down: PLAIN, fault: undefined });
    made.client.write("hello");
    made.server.write("and you");
    expect(await made.server.read(5)).toBe("hello");
    expect(await made.client.read(7)).toBe("and you");
  });

  test("splits one write into single bytes, and loses none", async () => {
    await using made = await linked({ up: { ...PLAIN, pieces: "bytes" }, down: PLAIN, fault: undefined });
    made.client.write("0123456789");
    expect(await made.server.read(10)).toBe("0123456789");
    expect(made.server.reads.length).toBeGreaterThan(1);
  });

  test("joins single writes into one", async () => {
    await using made = await linked({ up: { ...PLAIN, gather: 20 }, down: PLAIN, fault: undefined });
    for (const digit of "0123456789") made.client.write(digit);
    expect(await made.server.read(10)).toBe("0123456789");
    expect(made.server.reads).toEqual(["0123456789"]);
  });

  test("cuts with a reset after a given number of bytes", async () => {
    await using made = await linked(faulty("rst", "up", 4));
    made.client.write("0123456789");
    expect(await made.client.over()).toBe("error");
    await made.server.over();
    expect("0123".startsWith(made.server.text)).toBe(true); // a reset may overtake what was not read yet
    expect(made.proxy.cuts).toBe(1);
  });

  test("cuts with a FIN after a given number of bytes", async () => {
    await using made = await linked(faulty("fin", "up", 4));
    made.client.write("0123456789");
    expect(await made.server.over()).toBe("end");
    expect(await made.client.over()).toBe("end");
    expect(made.server.text).toBe("0123");
  });

  test("closes one direction while the other goes on", async () => {
    await using made = await linked(faulty("half-close", "up", 4));
    made.client.write("0123456789");
    expect(await made.server.over()).toBe("end");
    made.server.write("still here");
    expect(await made.client.read(10)).toBe("still here");
    expect(made.server.text).toBe("0123");
  });

  test("drops one direction silently while the other goes on", async () => {
    await using made = await linked(faulty("half-open", "up", 4));
    made.client.write("0123456789");
    expect(await made.server.read(4)).toBe("0123");
    made.server.write("still here");
    expect(await made.client.read(10)).toBe("still here");
    expect(made.server.text).toBe("0123");
  });

  test("stalls, and then continues without loss", async () => {
    await using made = await linked(faulty("stall", "up", 4));
    made.client.write("0123456789");
    expect(await made.server.read(10)).toBe("0123456789");
    expect(made.proxy.cuts).toBe(1);
  });

  test("refuses clients while there is no server", async () => {
    await using made = await linked({ up: PLAIN, down: PLAIN, fault: undefined });
    made.proxy.target = undefined;
    const end = new End(connect({ port: made.proxy.port, host: "127.0.0.1" }));
    expect(await end.over()).toBe("error");
  });
});

describe("a soak plan", () => {
  test("is the same for the same seed, and differs for another seed", () => {
    expect(chapterPlan(7, "codey", 3)).toEqual(chapterPlan(7, "codey", 3));
    expect(chapterPlan(7, "codey", 3)).not.toEqual(chapterPlan(8, "codey", 3));
    expect(chapterPlan(7, "codey", 3)).not.toEqual(chapterPlan(7, "cass", 3));
    const chapter = { number: 3, weather: "rough" } as const;
    expect(linkPlan(7, "codey", chapter, 2)).toEqual(linkPlan(7, "codey", chapter, 2));
    expect(linkPlan(7, "codey", chapter, 2)).not.toEqual(linkPlan(7, "codey", chapter, 3));
  });

  test("has every kind of fault, piece, reader, ending and stop in its first 100 chapters", () => {
    const chapters = Array.from({ length: 100 }, (_, number) => chapterPlan(1, "proxy", number));
    const turns = chapters.flatMap((chapter) => chapter.turns);
    const links = chapters.flatMap((chapter) =>
      Array.from({ length: 8 }, (_, link) => linkPlan(1, "proxy", chapter, link)),
    );
    const kinds = (values: readonly (string | undefined)[]): readonly string[] =>
      [...new Set(values.filter((value) => value !== undefined))].sort();
    expect(kinds(links.map(({ fault }) => fault?.kind))).toEqual([
      "dead",
      "fin",
      "half-close",
      "half-open",
      "rst",
      "stall",
    ]);
    expect(kinds(links.map(({ up }) => up.pieces))).toEqual(["bytes", "random", "whole"]);
    expect(kinds(turns.map(({ reader }) => reader))).toEqual([
      "abandon",
      "late",
      "loop",
      "none",
      "slow",
      "text",
    ]);
    expect(kinds(turns.map(({ ending }) => ending))).toEqual(["answer", "drop", "error", "hang", "silent"]);
    expect(kinds(turns.map(({ stop }) => stop?.by))).toEqual(["cancel", "signal", "timeout"]);
    expect(kinds(chapters.map(({ ending }) => ending))).toEqual(["early", "force", "settled", "signal"]);
  });
});
