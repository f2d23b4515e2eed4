import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { acp } from "agentwire/acp";
import { createChat } from "agentwire/chat";
import { acpStep, MockAcpAgent } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { folderWorld } from "../../codebuff-run/tools/tools-world.ts";
import { play, repliesTo, until } from "./support.ts";

const schema = (properties: object, required: readonly string[] = []) => ({
  requestedSchema: { type: "object", properties, required },
});

const COLOUR = schema({
  colour: {
    type: "string",
    title: "Colour",
    oneOf: [
      { const: "r", title: "Red" },
      { const: "b", title: "Blue" },
    ],
  },
  colour_custom: { type: "string" },
});
const MANY = schema(
  {
    name: { type: "string" },
    age: { type: "integer" },
    sure: { type: "boolean" },
    likes: { type: "array", items: { enum: ["a", "b"] } },
  },
  ["name"],
);
const LINK = { url: "https://login.test/x", elicitationId: "e1" };

describe("16 a question of the agent", () => {
  test.each([
    ["one", COLOUR, "Blue", { action: "accept", content: { colour: "b" } }],
    [
      "with a text of the user's own",
      COLOUR,
      "Green",
      { action: "accept", content: { colour_custom: "Green" } },
    ],
    [
      "many",
      MANY,
      [["Ann"], ["7"], ["Yes"], ["a", "b"]],
      { action: "accept", content: { name: "Ann", age: 7, sure: true, likes: ["a", "b"] } },
    ],
    ["declined", COLOUR, null, { action: "decline" }],
    ["with a link that the user has opened", LINK, "Done", { action: "accept" }],
    ["with a link that the user declines", LINK, null, { action: "decline" }],
  ] as const)("16 %s is answered as the agent wants it", async (_, question, answer, reply) => {
    const mock = { answer: () => [acpStep.ask("Which?", question), "after"] };
    await play({ mock, client: { onQuestion: () => answer as never } }, async ({ agent, client }) => {
      expect((await client.prompt("go").result).text).toBe("after");
      expect(repliesTo(agent, "elicitation/create")).toEqual([reply]);
    });
  });

  test("16 is cancelled when its turn is, and when the client closes", async () => {
    for (const how of ["cancel", "close"] as const)
      await play(
        { mock: { answer: () => [acpStep.ask("Which?", COLOUR)] }, client: { onQuestion: "manual" } },
        async ({ agent, client }) => {
          const turn = client.prompt("go");
          await new Promise((resolve) => turn.on("question", resolve));
          await (how === "cancel" ? turn.cancel() : client.close());
          expect(repliesTo(agent, "elicitation/create")).toEqual([{ action: "cancel" }]);
        },
      );
  });

  test("16 whose callback throws gets one answer, and the turn goes on", async () => {
    const onQuestion = () => {
      throw new Error("no");
    };
    await play(
      { mock: { answer: () => [acpStep.ask("Which?", COLOUR), "after"] }, client: { onQuestion } },
      async ({ agent, client }) => {
        expect((await client.prompt("go").result).text).toBe("after");
        expect(repliesTo(agent, "elicitation/create")).toHaveLength(1);
      },
    );
  });

  test("16 is not offered without `onQuestion`", async () => {
    await play(
      { mock: { answer: () => [acpStep.ask("Which?", COLOUR), "after"] } },
      async ({ agent, client }) => {
        expect((await client.prompt("go").result).text).toBe("after");
        expect(agent.requests).toEqual([]);
      },
    );
  });

  test("16 is a part of the chat, and is answered there", async () => {
    await using agent = new MockAcpAgent({ answer: () => [acpStep.ask("Which?", COLOUR), "after"] });
    await using chat = createChat(acp({ createStream: () => agent.connect(), onQuestion: "manual" }));
    chat.send("go");
    const [request] = (await until(chat, ({ pending }) => pending.length > 0)).pending;
    chat.answer(request?.id ?? "", [["Red"]]);
    await until(chat, ({ busy }) => !busy);
    expect(repliesTo(agent, "elicitation/create")).toEqual([{ action: "accept", content: { colour: "r" } }]);
  });
});

describe("17 pictures and files in prompts", () => {
  const PNG =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const image = { type: "image", data: PNG, mimeType: "image/png" } as const;
  const audio = { type: "audio", data: "AAAA", mimeType: "audio/wav" } as const;
  const resource = { type: "resource", resource: { uri: "file:///p/a.txt", text: "x" } } as const;
  const link = { type: "resource_link", uri: "file:///p/a.txt", name: "a.txt" } as const;
  const text = { type: "text", text: "look" } as const;

  test.each([
    ["a picture", image, { image: true }],
    ["a sound", audio, { audio: true }],
    ["a text of a file", resource, { embeddedContext: true }],
    ["a link", link, {}],
  ] as const)("17 %s goes to an agent that takes it", async (_, block, promptCapabilities) => {
    await play({ mock: { capabilities: { promptCapabilities } } }, async ({ agent, client }) => {
      await client.prompt({ blocks: [text, block] }).result;
      expect(agent.prompts[0]?.content).toEqual([text, block]);
    });
  });

  test.each([
    ["a picture", image],
    ["a sound", audio],
    ["a text of a file", resource],
  ] as const)("17 %s is refused before it is sent to an agent that does not", async (_, block) => {
    await play({ mock: { capabilities: { promptCapabilities: undefined } } }, async ({ agent, client }) => {
      const first = await client.prompt({ blocks: [text, block] }).outcome; // the client learns only now what the agent takes
      expect(first).toMatchObject({ status: "failed", error: { code: "unsupported", delivery: "not-sent" } });
      expect(() => client.prompt({ blocks: [text, block] })).toThrow(
        expect.objectContaining({ code: "unsupported" }),
      );
      expect(agent.prompts).toEqual([]);
      expect(client.capabilities.images).toBe(false);
    });
  });

  test("17 the images of a chat's prompt arrive as blocks", async () => {
    await play({}, async ({ agent, client }) => {
      const images = [{ data: PNG, mediaType: "image/png" }];
      await client.prompt({ text: "look", images }).result;
      const [, ...blocks] = agent.prompts[0]?.content ?? [];
      expect(blocks).toEqual([image]);
    });
  });

  test("17 the files of a prompt arrive as texts, and a file of secrets does not", async () => {
    await using folder = await folderWorld({ "a b.txt": "let a;", ".env": "KEY=1" });
    await play({ client: { cwd: folder.root, files: folder.tools } }, async ({ agent, client }) => {
      await client.prompt({ text: "look", files: ["a b.txt"] }).result;
      const uri = pathToFileURL(join(folder.root, "a b.txt")).href;
      expect(agent.prompts[0]?.content[1]).toEqual({ type: "resource", resource: { uri, text: "let a;" } });
      expect(await client.prompt({ text: "look", files: [".env"] }).outcome).toMatchObject({
        error: { code: "invalid-input", delivery: "not-sent" },
      });
      expect(agent.prompts).toHaveLength(1);
    });
  });

  test("17 a blank prompt, and files without a folder for them, are refused at once", async () => {
    await play({}, async ({ agent, client }) => {
      for (const input of ["", " \n", { blocks: [] }])
        expect(() => client.prompt(input as string)).toThrow(
          expect.objectContaining({ code: "invalid-input" }),
        );
      expect(() => client.prompt({ text: "go", files: ["a.txt"] })).toThrow(
        expect.objectContaining({ code: "unsupported" }),
      );
      expect(agent.links).toEqual([]);
    });
  });
});
