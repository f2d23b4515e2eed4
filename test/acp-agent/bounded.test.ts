import { ndJsonStream } from "@agentclientprotocol/sdk";
import { acpAgent } from "agentwire/acp/agent";
import { agentStep, MockAgent } from "agentwire/testing";
import { expect, test } from "vitest";
import { bounded, MAX_MESSAGE_BYTES } from "../../src/acp-agent/bounded.ts";
import { choose, EditorWorld, play } from "./support.ts";

const { tool } = agentStep;

const MEBIBYTE = 1024 * 1024;
/** More than the SDK's client reads in one line. */
const HUGE = "x".repeat(33 * MEBIBYTE);

const size = (message: unknown): number => Buffer.byteLength(JSON.stringify(message));

/** A client and an agent over bytes. The SDK's client ends the connection at a line of more than 32 MiB. */
async function overBytes(mock: MockAgent, body: (world: EditorWorld, id: string) => Promise<void>) {
  const [there, back] = [new TransformStream<Uint8Array>(), new TransformStream<Uint8Array>()];
  const server = acpAgent(() => mock, { maxToolOutput: 64 * MEBIBYTE });
  const connection = await server.connect(ndJsonStream(back.writable, there.readable));
  const world = new EditorWorld(ndJsonStream(there.writable, back.readable), { permission: choose("once") });
  try {
    await world.initialize();
    await body(world, await world.open());
  } finally {
    await connection.close();
  }
}

test("an input, an output and an image of more than a message are shortened, live and in `session/load`", () => {
  const mock = new MockAgent({
    script: [
      [
        tool({
          name: "write",
          input: { path: "a", content: "x".repeat(17 * MEBIBYTE) },
          approval: true,
          output: "x".repeat(9 * MEBIBYTE),
        }),
        agentStep.image(`data:image/png;base64,${"A".repeat(17 * MEBIBYTE)}`),
        "Done.",
      ],
    ],
  });
  return overBytes(mock, async (world, id) => {
    expect(await world.prompt(id, "hi")).toEqual({ stopReason: "end_turn" });
    const look = (): void => {
      const [call] = world.of("tool_call");
      expect(call?.rawInput).toEqual({ path: "a", content: expect.stringMatching(/^x+\n\[\d+ more char/) });
      const done = world.of("tool_call_update").find(({ status }) => status === "completed");
      expect(done?.rawOutput).toMatch(/^x+\n\[\d+ more characters are left out\]$/);
      expect(world.of("agent_message_chunk").map(({ content }) => content)).toContainEqual({
        type: "text",
        text: `[An image of ${17 * MEBIBYTE} characters is left out]`,
      });
      for (const message of world.wire) expect(size(message)).toBeLessThan(MAX_MESSAGE_BYTES + 1_024);
    };
    look();
    const [{ toolCall } = { toolCall: undefined }] = world.permissions;
    expect(toolCall?.rawInput).toEqual({ path: "a", content: expect.stringMatching(/left out\]$/) });
    world.wire.splice(0);
    world.updates.splice(0);
    await world.agent.request("session/load", { sessionId: id, cwd: "/project", mcpServers: [] });
    look();
  });
}, 60_000);

test("a failed turn whose words are longer than a line fails with the start of them", () =>
  overBytes(new MockAgent({ script: [[agentStep.fail(HUGE)]] }), async (world, id) => {
    await expect(world.prompt(id, "hi")).rejects.toMatchObject({
      code: -32_603,
      message: expect.stringMatching(/more characters are left out\]$/),
    });
  }));

test("half of a character is replaced in every text of an update, and a request", () =>
  play(
    {
      mock: {
        script: [
          [
            tool({
              name: "a\ud800",
              title: "b\udc00",
              input: { "c\ud800": ["d\udc00"] },
              output: "e\ud800",
              locations: [{ path: "/g\ud800" }],
              approval: true,
            }),
          ],
        ],
      },
      permission: choose("once"),
    },
    async ({ world, id }) => {
      await world.prompt(id, "hi");
      const said = JSON.stringify(world.wire);
      expect(said).not.toMatch(/(?<!\\)(?:\\\\)*\\ud[89a-f]/);
      for (const letter of "abcdeg") expect(said).toContain(`${letter}\ufffd`);
    },
  ));

const call = (fields: object) => ({ sessionUpdate: "tool_call", toolCallId: "c", title: "t", ...fields });
const content = (words: string) => ({ type: "content", content: { type: "text", text: words } });

test("what fits stays the same object, also at the limit", () => {
  const message = call({ rawInput: { a: ["\u0000".repeat(100), 1, null, true] } });
  expect(bounded(message)).toBe(message);
  expect(bounded(message, size(message))).toBe(message);
  expect(bounded(message, size(message) - 1)).not.toEqual(message);
});

const LARGE: readonly (readonly [string, object, object])[] = [
  [
    "the longest texts of an input are cut, and its form stays",
    { rawInput: { path: "a", text: "é".repeat(40_000), at: 3 } },
    {
      rawInput: {
        path: "a",
        text: expect.stringMatching(/^é+\n\[\d+ more characters are left out\]$/),
        at: 3,
      },
    },
  ],
  [
    "an input of many small values becomes the start of its JSON",
    { rawInput: Array.from({ length: 9_000 }, (_, at) => ({ at })) },
    { rawInput: expect.stringMatching(/^\[\{"at":0\},[\s\S]*\n\[\d+ more characters are left out\]$/) },
  ],
  [
    "a diff becomes its path and its lengths, because a cut diff is another change",
    { content: [{ type: "diff", path: "a.ts", oldText: "a".repeat(60_000), newText: "b" }] },
    { content: [content("[A change of a.ts, from 60000 to 1 characters, is left out]")] },
  ],
  [
    "a new file becomes its path and its length",
    { content: [{ type: "diff", path: "a.ts", oldText: null, newText: "b".repeat(60_000) }] },
    { content: [content("[A change of a.ts, from 0 to 60000 characters, is left out]")] },
  ],
  [
    "images, sounds and links are named",
    {
      content: [
        { type: "content", content: { type: "image", mimeType: "image/png", data: "A".repeat(50_000) } },
        { type: "content", content: { type: "audio", mimeType: "audio/wav", data: "A".repeat(60_000) } },
        {
          type: "content",
          content: { type: "resource_link", name: "d", uri: `data:,${"A".repeat(60_000)}` },
        },
      ],
    },
    {
      content: [
        content("[An image of 50000 characters is left out]"),
        content("[A sound of 60000 characters is left out]"),
        content("[A link of 60006 characters is left out]"),
      ],
    },
  ],
  [
    "of many parts, the first ones stay and the others are counted",
    { content: Array.from({ length: 20_000 }, () => content("y")) },
    {
      content: expect.arrayContaining([
        content("y"),
        content(expect.stringMatching(/^\[\d+ more parts are left/)),
      ]),
    },
  ],
];

test.each(LARGE)("in a message that is too large, %s", (_, fields, expected) => {
  const short = bounded(call(fields), 30_000);
  expect(size(short)).toBeLessThanOrEqual(30_000);
  expect(short).toEqual(call(expected));
});

test("no cut is inside of a character", () => {
  for (const more of ["", "x"]) {
    const [short] = [bounded(call({ rawOutput: more + "😀".repeat(20_000) }), 20_000)];
    expect(JSON.stringify(short)).not.toMatch(/\\ud|\ufffd/);
  }
});
