import { codeyStep, codeyTool, type MockCodeyServer } from "agentwire/testing";
import { expect } from "vitest";
import { asked, collect, failureOf } from "../../helpers/codey.ts";
import { tapped } from "../../helpers/codey-sockets.ts";
import { SESSION, TRANSCRIPT } from "../../helpers/codey-transcript.ts";
import { onBoth } from "./both.ts";

/** Behind its last line: what the client says after every Error, so that the server is surely done with the turn. */
const RESYNC = ['>> {"type":"Cancel"}', '>> {"type":"Ping"}', '<< {"type":"Pong"}'];

/** One side's lines of a transcript. What crosses on the wire has no order of its own. */
const side = (lines: readonly string[], mark: "<<" | ">>"): readonly string[] =>
  lines.filter((line) => line.startsWith(mark));

const linesOf = (server: MockCodeyServer): readonly string[] =>
  server.frames.map(({ direction, raw }) => `${direction === "s2c" ? "<<" : ">>"} ${raw}`);

const tap = tapped();

onBoth(
  "11: the client says every line of the transcript byte for byte, and understands every line of the server",
  {
    mock: { sessionId: () => SESSION },
    client: { onToolApproval: "manual", createWebSocket: tap.createWebSocket },
    warns: ["stray-message"], // the State, which somebody else has asked for
  },
  async ({ client, server }) => {
    server.answer = ({ content }) => {
      if (content === "thanks") return [codeyStep.apiError(529, '{"type":"error"}')];
      if (content === "delete it") return [codeyStep.calls(codeyTool.shell("rm a.txt"))];
      return [
        codeyStep.thinking("plan"),
        "Let me look.",
        codeyStep.usage({ output_tokens: 5 }),
        codeyStep.calls(codeyTool.shell("ls", "a.txt\n")),
        "One file.",
        codeyStep.usage({
          output_tokens: 7,
          context_tokens: 110,
          cache_creation_tokens: 3,
          cache_read_tokens: 7,
        }),
      ];
    };
    const list = client.prompt("list");
    client.decide(await asked(list), true);
    expect(await list.result).toMatchObject({
      text: "Let me look.One file.",
      thinking: "plan",
      toolCalls: [{ state: "done", output: "a.txt\n" }],
      usage: { outputTokens: 12, contextTokens: 110, cacheCreationTokens: 3, cacheReadTokens: 7 },
    });

    const remove = client.prompt("delete it");
    await asked(remove);
    // Behind the Cancel and before the denial no call of the client has room: it is said on its socket.
    tap.sayBehind('{"type":"Cancel"}', '{"type":"GetState"}');
    const messages = collect(client, "message");
    expect(await remove.cancel()).toMatchObject({ status: "cancelled" });
    expect(messages).toContainEqual(expect.objectContaining({ type: "State" }));

    expect((await client.getHistory()).messages).toEqual([]);
    const thanks = client.prompt("thanks");
    expect(await failureOf(thanks)).toMatchObject({ kind: "http", status: 529 });
    await client.ping();

    const expected = [...TRANSCRIPT, ...RESYNC, '>> {"type":"Ping"}', '<< {"type":"Pong"}'];
    const lines = linesOf(server);
    for (const mark of [">>", "<<"] as const) expect(side(lines, mark)).toEqual(side(expected, mark));
  },
);
