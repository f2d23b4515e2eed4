import { expect, test } from "vitest";
import { ChunkedLink, type Chunking } from "../../src/testing/server/chunked-link.ts";

/** A link that notes what is done with it, in order. */
function watched(): { readonly link: ChunkedLink; readonly done: string[]; chunking: Chunking } {
  const done: string[] = [];
  const note =
    (what: string) =>
    (...about: unknown[]): void =>
      void done.push([what, ...about].join(" "));
  const wire = {
    write: (bytes: Uint8Array) => done.push(`write ${bytes.length}`),
    drip: note("drip"),
    linger: note("linger"),
  };
  const inner = {
    url: "/ws",
    send: note("send"),
    sendBytes: (bytes: Uint8Array) => done.push(`bytes ${bytes.length}`),
    close: note("close"),
    drop: note("drop"),
    dropMidFrame: note("half"),
    pause: note("pause"),
    resume: note("resume"),
    wire: { ...wire, write: (bytes: Uint8Array): void => void wire.write(bytes) },
  };
  const made = { done, chunking: "coalesced" as Chunking };
  const link = new ChunkedLink(
    { ...inner, sendBytes: (bytes): void => void inner.sendBytes(bytes) },
    () => made.chunking,
    "Mock",
  );
  return Object.assign(made, { link });
}

test("coalesced frames sent together are one write, and later frames another", async () => {
  const { link, done } = watched();
  link.send("one");
  link.send("two");
  expect(done).toEqual([]);
  await undefined;
  expect(done).toEqual(["write 10"]);
  link.send("three");
  await undefined;
  expect(done).toEqual(["write 10", "write 7"]);
});

test("every other operation comes after the frames sent before it", () => {
  const { link, done } = watched();
  const acts: readonly (readonly [string, () => void])[] = [
    ["bytes 2", () => link.sendBytes?.(Uint8Array.of(1, 2))],
    ["close 1000 bye", () => link.close(1000, "bye")],
    ["drop", () => link.drop()],
    ["half text", () => link.dropMidFrame("text")],
    ["pause", () => link.pause()],
    ["linger", () => link.wire?.linger()],
  ];
  for (const [told, act] of acts) {
    link.send("one");
    act();
    expect(done.splice(0)).toEqual(["write 5", told]);
  }
  link.resume();
  expect(done).toEqual(["resume"]);
});

test("after a switch to `whole`, frames are whole and follow the waiting frames", () => {
  const made = watched();
  made.link.send("one");
  made.chunking = "whole";
  made.link.send("two");
  expect(made.done).toEqual(["write 5", "send two"]);
  expect(made.link.url).toBe("/ws");
});

test("a link without byte access sends only whole frames, and binary frames only if it can", () => {
  const sent: string[] = [];
  const bare = { send: (text: string) => void sent.push(text), close() {}, drop() {}, dropMidFrame() {} };
  for (const chunking of ["fragmented", "splitUtf8", "coalesced"] as const)
    expect(() => new ChunkedLink(bare, () => chunking, "MockServer").send("x")).toThrow("MockServer.start()");
  const link = new ChunkedLink(bare, () => "whole", "MockServer");
  link.send("x");
  link.pause();
  link.resume();
  expect([sent, link.sendBytes, link.wire, link.url]).toEqual([["x"], undefined, undefined, undefined]);
});
