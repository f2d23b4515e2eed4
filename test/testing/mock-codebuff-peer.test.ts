import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { CodebuffBackend } from "../../src/testing/codebuff/backend.ts";

const WITH_A_PORT = new Set(["port.ts", "listen.ts", "server-socket.ts", "cable.ts", "http.ts"]);

describe("the mock server's peer", () => {
  test("works over any link: frames in, frames out, no socket", async () => {
    const backend = new CodebuffBackend({ answer: () => ["hello"] });
    const sent: string[] = [];
    const ends: string[] = [];
    const peer = backend.accept({
      send: (text) => sent.push(text),
      close: (code, reason) => ends.push(`${code} ${reason}`),
      drop: () => ends.push("drop"),
      dropMidFrame: (text) => ends.push(`half of ${text}`),
    });
    peer.receive('{"type":"identify","txid":0,"clientSessionId":"a"}');
    peer.receive(
      '{"type":"action","txid":1,"data":{"type":"prompt","promptId":"p","prompt":"hi","fingerprintId":"f","sessionState":{}}}',
    );
    await backend.journal.until(() => sent.length === 4);
    peer.dropMidFrame("a frame");
    peer.ended(false);
    expect(sent.map((frame) => /"txid": \d|response-chunk|prompt-response/.exec(frame)?.[0])).toEqual([
      '"txid": 0',
      '"txid": 1',
      "response-chunk",
      "prompt-response",
    ]);
    expect(ends).toEqual(["half of a frame"]);
    expect(peer.closed).toEqual({ by: "server", code: 1006, reason: "", wasClean: false });
  });

  test("holds frames back during a pause, even if its link cannot", async () => {
    const backend = new CodebuffBackend({});
    const sent: string[] = [];
    const nothing = () => {};
    const link = {
      send: (text: string) => sent.push(text),
      close: nothing,
      drop: nothing,
      dropMidFrame: nothing,
    };
    const peer = backend.accept(link);
    peer.pause();
    peer.receive('{"type":"identify","txid":0,"clientSessionId":"a"}');
    const other = backend.accept({ ...link, send: nothing });
    other.receive('{"type":"identify","txid":0,"clientSessionId":"b"}');
    await backend.journal.until(() => other.sessionId);
    expect(sent).toEqual([]);
    peer.resume();
    expect(await backend.journal.until(() => peer.sessionId)).toBe("a");
    expect(sent).toHaveLength(1);
  });

  test("needs no Node, no ws and no client: only the files of a port import Node and ws", () => {
    for (const folder of ["codebuff", "codey", "cass", "server"]) {
      const files = new URL(`../../src/testing/${folder}/`, import.meta.url);
      for (const file of readdirSync(files)) {
        const imports = [
          ...readFileSync(new URL(file, files), "utf8").matchAll(/^(?! \*).* from "([^"]+)"/gm),
        ];
        for (const [, from = ""] of imports) {
          const platform = folder === "server" && WITH_A_PORT.has(file) && /^(node:|ws$)/.test(from);
          const ours = /^(\.|\.\.\/server|\.\.)\/[a-z0-9-]+\.ts$|^\.\.\/\.\.\/core\/clock\.ts$/.test(from);
          expect([file, from, platform || ours]).toEqual([file, from, true]);
        }
      }
    }
  });
});
