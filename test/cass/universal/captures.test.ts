import type { CassClientOptions, CassPromptInput } from "agentwire/cass";
import { expect, test } from "vitest";
import { toUniversal } from "../../../src/cass/universal.ts";
import { eventsSoFar, expectInvariants } from "../../universal/invariants.ts";
import { type Line, linesOf, replaying, unsignedToken } from "../support/replay.ts";

interface Capture {
  readonly name: string;
  readonly lines: readonly Line[];
  readonly options: Partial<CassClientOptions>;
  readonly prompt: string | CassPromptInput;
  readonly status?: "failed";
}

const nobody = { allowAnonymous: true } as const;
const [GREETING] = linesOf("12-chat-anon-no-conv");
const CHAT: Line = { dir: "c2s", raw: '{"type": "chat", "message": "hi"}' };

const CAPTURES: readonly Capture[] = [
  {
    name: "12-chat-anon-no-conv",
    lines: linesOf("12-chat-anon-no-conv"),
    options: nobody,
    prompt: "hi",
  },
  {
    name: "13-chat-auth-no-conv-continuous",
    lines: linesOf("13-chat-auth-no-conv-continuous"),
    options: { token: unsignedToken("b24df856-2728-4205-a8ec-f5f0055a5c07") },
    prompt: "hi",
  },
  {
    name: "17-tool-loop",
    lines: linesOf("17-tool-loop"),
    options: nobody,
    prompt: { message: "tool please", conversationId: "x" },
  },
  {
    name: "64-tools-three-rounds",
    lines: linesOf("64-tools-three-rounds", "v1"),
    options: { token: unsignedToken("3dd2248f-bc24-4e70-825a-692bf516a5d9") },
    prompt: {
      message: 'S:{"id":"x","tools":3}',
      conversationId: "8677e151-4dc4-41da-82d7-4d9ef9c9d8c4",
    },
  },
  {
    name: "40-sigterm-while-idle-and-while-chat-in-flight",
    lines: [
      ...(GREETING ? [GREETING] : []),
      CHAT,
      ...linesOf("40-sigterm-while-idle-and-while-chat-in-flight"),
    ],
    options: { ...nobody, reconnect: false },
    prompt: "hi",
    status: "failed",
  },
];

test.each(CAPTURES)("the capture $name of the real server becomes a valid transcript", async (capture) => {
  const { lines, options, prompt, status = "completed" } = capture;
  const { client } = replaying(lines, options);
  const stream = toUniversal(client, { inferTools: true, includeDebug: true, includeRaw: true });
  const outcome = await client.prompt(prompt).outcome;
  await client.close();
  const events = await eventsSoFar(stream);
  expectInvariants(events);
  expect(events.filter(({ type }) => type === "agent.unparsed")).toEqual([]);
  const ended = events.find(({ type }) => type === "turn.ended");
  expect(ended).toMatchObject({ data: { metadata: { status } } });
  expect(outcome.status).toBe(status);
  const text = events
    .flatMap((event) =>
      event.type === "item.delta" && event.data.part?.type === "text" ? [event.data.delta] : [],
    )
    .join("");
  expect(text).toBe(outcome.status === "completed" ? outcome.result.text : "");
});
