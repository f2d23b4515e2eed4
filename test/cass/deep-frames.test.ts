import { expect, test, vi } from "vitest";
import { LiveTurn } from "../../src/core/turn/live-turn.ts";
import { cassPair, gate, once } from "../helpers/cass.ts";
import { deepened, LEVELS } from "../helpers/deep.ts";
import { failureOf } from "../helpers/turns.ts";

const NOW = "2026-01-01T00:00:00";

/** Every message of a server. */
const MESSAGES: readonly { readonly type: string; readonly [field: string]: unknown }[] = [
  { type: "connected", message: "m", sdk_mode: true, user_id: "u", timestamp: NOW },
  { type: "auth_success", user_id: "u" },
  { type: "auth_error", message: "m" },
  { type: "thinking", status: "Thinking...", memories: { items: [1] }, timestamp: NOW },
  { type: "debug", message: "m", timestamp: NOW },
  {
    type: "response",
    text: "deep",
    animations: [{ type: "gesture", name: "wave", index: 0 }],
    raw: "deep",
    tool_uses: [{ id: "t", tool: "a", input: { b: 1 } }],
    conversation_id: "c",
    input_tokens: 1,
    marks: [{ content: "m" }],
    timestamp: NOW,
  },
  { type: "audio", url: "/a", audio: "YQ==", audio_format: "mp3" },
  { type: "title_updated", conversation_id: "c", title: "t", timestamp: NOW },
  { type: "system", message: "m", status: "s" },
  { type: "pong", timestamp: NOW },
  { type: "status", sdk_mode: true, memory_count: 1 },
  { type: "error", message: "m" },
  { type: "unheard", data: { a: 1 } },
];

for (const levels of LEVELS) {
  test.each(MESSAGES)(
    `$type, with any field nested ${levels} levels deep: the client survives, and the turn settles`,
    async (message) => {
      let opened = gate();
      await using pair = await cassPair({
        mock: {
          answer: async function* () {
            await opened.passed;
            yield "the answer";
          },
        },
      });
      const { client, server } = pair;
      for (const [field, frame] of deepened(message, levels)) {
        opened = gate();
        const turn = client.prompt("hello");
        const warned = once(client, "protocolWarning", ({ kind }) => kind === "frame-failed");
        await once(client, "event");
        server.connections.at(-1)?.send(frame);
        expect(await warned, field).toMatchObject({
          kind: "frame-failed",
          message: expect.stringContaining("nested deeper"),
        });
        const isEnd = ["response", "error"].includes(message.type) && field !== "type";
        if (isEnd)
          expect(await failureOf(turn), field).toMatchObject({
            code: "turn-failed",
            kind: "unreadable-response",
          });
        opened.open();
        if (!isEnd) expect((await turn.result).text, field).toBe("the answer");
      }
      expect((await client.prompt("again").result).text).toBe("the answer");
      expect(server.connections).toHaveLength(1);
    },
  );
}

test.each(["complete", "push"] as const)(
  "a turn that throws inside `%s` settles, and the next turn runs",
  async (method) => {
    await using pair = await cassPair({ mock: { answer: () => ["answer"] } });
    const { client } = pair;
    await client.connect();
    using spy = vi.spyOn(LiveTurn.prototype, method).mockImplementationOnce(() => {
      throw new RangeError("Maximum call stack size exceeded");
    });
    const warned = once(client, "protocolWarning");
    const { status } = await client.prompt("hello").outcome;
    expect(status).toBe(method === "complete" ? "failed" : "completed"); // what was lost of it is a sign of progress
    expect(await warned).toMatchObject({ kind: "frame-failed", cause: expect.any(RangeError) });
    expect(spy).toHaveBeenCalled();
    expect((await client.prompt("again").result).text).toBe("answer");
  },
);
