import { aiSdkModel, CodebuffRun, type CodebuffRunTool } from "agentwire/codebuff-run";
import { describe, expect, test } from "vitest";
import { failureOf } from "../helpers/turns.ts";
import { agent, fakeModel, finish } from "./fake-model.ts";

// Pictures, in the form of each version of the AI SDK.

describe.each([
  { version: "v2", data: (base64: string) => base64 as unknown, url: (url: URL) => url as unknown },
  { version: "v3", data: (base64: string) => base64, url: (url: URL) => url },
  {
    version: "v4",
    data: (base64: string) => ({ type: "data", data: base64 }),
    url: (url: URL) => ({ type: "url", url }),
  },
])("an AI SDK model of specification $version", ({ version, data, url }) => {
  test.each([
    ["bytes", new Uint8Array([0, 0, 0]), { data: data("AAAA"), mediaType: "image/png" }],
    ["base64", "AAAA", { data: data("AAAA"), mediaType: "image/png" }],
    ["a `data:` URL", "data:image/gif;base64,AAAA", { data: data("AAAA"), mediaType: "image/gif" }],
    ["a `data:` URL without a type", "data:;base64,AA%3D%3D", { data: data("AA=="), mediaType: "image/png" }],
    [
      "a `data:` URL without base64",
      "data:image/svg+xml;a=b,%3Cö%3E",
      { data: data("PMO2Pg=="), mediaType: "image/svg+xml" },
    ],
    [
      "an address",
      "https://example.com/a.png",
      { data: url(new URL("https://example.com/a.png")), mediaType: "image/*" },
    ],
  ])("gets a prompt's picture in that version's format: %s", async (_, image, part) => {
    const { asked, model } = fakeModel([{ type: "text-delta", id: "t", delta: "A dot." }, finish]);
    const own = aiSdkModel({ ...model, specificationVersion: version });
    const client = new CodebuffRun({ providers: [own], agent });
    await client.prompt({ prompt: "look", content: [{ type: "image", image }] }).result;
    await client.close();
    expect(asked[0]?.prompt[1]?.content).toEqual([
      { type: "text", text: "<user_message>look</user_message>" },
      { type: "file", ...part },
    ]);
  });

  test("gets a tool's picture in that version's format", async () => {
    const draw: CodebuffRunTool = {
      description: "Draws.",
      parameters: { type: "object", properties: {} },
      execute: () => [{ type: "media", data: "AAAA", mediaType: "image/webp" }],
    };
    const call = { type: "tool-call", toolCallId: "c", toolName: "draw", input: "{}" };
    const { asked, model } = fakeModel(
      [call, finish],
      [{ type: "text-delta", id: "t", delta: "Nice." }, finish],
    );
    const own = aiSdkModel({ ...model, specificationVersion: version });
    const client = new CodebuffRun({ providers: [own], agent, tools: { draw } });
    await client.prompt("draw").result;
    await client.close();
    expect(asked[1]?.prompt.at(-1)).toEqual({
      role: "user",
      content: [{ type: "file", data: data("AAAA"), mediaType: "image/webp" }],
    });
  });

  test.each(["https://", "data:image/png,%ff", "http://[::"])(
    "is not called if the prompt's picture is invalid: %s",
    async (image) => {
      const { asked, model } = fakeModel();
      const own = aiSdkModel({ ...model, specificationVersion: version });
      const client = new CodebuffRun({ providers: [own], agent });
      const failure = failureOf(client.prompt({ prompt: "look", content: [{ type: "image", image }] }));
      expect(await failure).toMatchObject({ kind: "bad_request", retryable: false });
      await client.close();
      expect(asked).toEqual([]);
    },
  );
});
