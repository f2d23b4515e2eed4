import { step } from "agentwire/testing";
import { expect, test } from "vitest";
import { readyPair } from "../helpers/codebuff.ts";

const chunk = (promptId: string, piece: unknown, more: object = {}): string =>
  JSON.stringify({
    type: "action",
    data: { type: "response-chunk", userInputId: promptId, chunk: piece, ...more },
  });

test("listeners for messages and frames are told every frame of a stream, like the turn", async () => {
  await using pair = await readyPair({
    mock: {
      answer: ({ promptId: id }) => [
        ...["a", "b", "c", 'd"}}', "\\\\", "\\ud83d\\ude00", "é\\n"].map((text) => step.raw(chunk(id, text))),
        step.raw(chunk(id, { type: "text", text: "x" })),
        step.raw(chunk(id, { type: "text", text: "y" })),
        step.raw(chunk(`${id}-child`, "of a sub-agent")),
        step.raw(chunk("of-nobody", "late")),
        step.raw(chunk(id, "e").replace("}}", "}")), // cut
        step.raw(chunk(id, "f").replace('"f"', '"\\x"')), // no JSON
        step.raw(chunk(id, "g", { more: 1 })),
      ],
    },
  });
  const { client } = pair;
  const frames: string[] = [];
  const messages: unknown[] = [];
  const unreadable: unknown[] = [];
  client.on("frame", ({ direction, text }) => direction === "in" && frames.push(text));
  client.on("message", (message) => messages.push(message));
  client.on("protocolWarning", ({ raw }) => unreadable.push(raw));
  const texts: string[] = [];
  const turn = client.prompt("go");
  for await (const event of turn) if (event.type === "response-chunk") texts.push(event.text);
  expect(texts).toEqual(["a", "b", "c", 'd"}}', "\\\\", "\\ud83d\\ude00", "é\\n", "", "", "", "g"]);
  const readable = frames.filter((text) => !unreadable.includes(text));
  expect(unreadable).toHaveLength(2);
  expect(messages).toEqual(readable.map((text) => JSON.parse(text)));
  expect(messages.filter((message) => JSON.stringify(message).includes("response-chunk"))).toHaveLength(12);
});
