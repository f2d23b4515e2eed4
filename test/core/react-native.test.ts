import { MockCassServer, MockCodebuffServer, MockCodeyServer } from "agentwire/testing";
import { beforeAll, describe, expect, test } from "vitest";
import { bundleClients, POLYFILLS, ReactNative } from "./support/react-native.ts";

let clients = "";
beforeAll(async () => {
  clients = await bundleClients();
});

const { crypto, URL } = POLYFILLS;
const MADE = `
  const options = { url: input.url, allowAnonymous: true };
  try { new agentwire[input.name](options); return "made"; }
  catch ({ name, code, message, hint }) { return { name, code, message, hint }; }`;

describe("without `crypto` and with an incomplete `URL`", () => {
  test.each(["CodebuffClient", "CodeyClient", "CassClient", "CassRest"])(
    "%s cannot be created, and the error names what is missing and its polyfill",
    async (name) => {
      const engine = new ReactNative(clients);
      const refused = await engine.run(MADE, { name, url: "ws://127.0.0.1:1/ws" });
      expect(refused).toMatchObject({
        code: "unsupported",
        message: expect.stringMatching(/`URL\.href`, `URL\.protocol`.*`URL\.hostname`.*`URL\.password`/),
        hint: expect.stringContaining('import "react-native-url-polyfill/auto"'),
      });
      expect(JSON.stringify(refused)).toMatch(
        name === "CassRest" ? /text-decoder/ : /crypto\.getRandomValues.*react-native-get-random-values/s,
      );
    },
  );

  test.each([
    { has: { URL }, lacks: "`crypto.getRandomValues`" },
    { has: { URL, crypto: {} as typeof crypto }, lacks: "`crypto.getRandomValues`" },
    { has: { crypto, URL: undefined as unknown as typeof URL }, lacks: "`URL`" },
  ])("the error names only what is missing: $lacks", async ({ has, lacks }) => {
    const refused = await new ReactNative(clients, has).run(MADE, {
      name: "CodeyClient",
      url: "ws://127.0.0.1:1",
    });
    expect(refused).toMatchObject({ message: expect.stringContaining(`gets wrong, ${lacks}. Install`) });
  });

  test("a `URL` that parses only HTTP URLs is refused, since it would miss credentials in ws:// URLs", async () => {
    class HttpAlone {
      readonly href: string;
      readonly #full: URL;
      constructor(text: string) {
        this.href = text;
        this.#full = new globalThis.URL(text.replace(/^ws/, "http"));
      }
      get protocol() {
        return this.href.startsWith("ws") ? "wss:" : this.#full.protocol;
      }
      get hostname() {
        return this.href.startsWith("ws") ? "" : this.#full.hostname;
      }
    }
    const has = { crypto, URL: HttpAlone as unknown as typeof URL };
    const refused = await new ReactNative(clients, has).run(MADE, {
      name: "CodeyClient",
      url: "ws://127.0.0.1:1",
    });
    expect(refused).toMatchObject({ message: expect.stringMatching(/`URL\.hostname`, `URL\.username`/) });
    expect(refused).toMatchObject({ message: expect.not.stringContaining("`URL.protocol`") });
  });

  test("Cass also needs a `TextDecoder` for tokens and responses", async () => {
    const engine = new ReactNative(clients, { crypto, URL });
    for (const name of ["CassClient", "CassRest"]) {
      expect(await engine.run(MADE, { name, url: "ws://127.0.0.1:1/ws" })).toMatchObject({
        message: expect.stringContaining("`TextDecoder`"),
        hint: expect.stringContaining('import "@bacons/text-decoder/install"'),
      });
    }
  });
});

describe("with the usual polyfills, without `atob`, `btoa`, `toWellFormed` and byte streams", () => {
  const SURROGATE = "half \ud83d";

  test("a turn on Codebuff streams, also with image bytes and a lone surrogate", async () => {
    await using server = await MockCodebuffServer.start({ answer: () => ["one ", "two"] });
    const engine = new ReactNative(clients, { crypto, URL });
    const program = `
      const client = new agentwire.CodebuffClient({ url: input.url });
      const content = [{ type: "image", image: Uint8Array.of(1, 2, 3, 4), mediaType: "image/png" }];
      const turn = client.prompt({ prompt: input.prompt, content });
      const pieces = [];
      for await (const piece of turn.textStream) pieces.push(piece);
      await client.close();
      return pieces;`;
    expect(await engine.run(program, { url: server.url, prompt: SURROGATE })).toEqual(["one ", "two"]);
    expect(JSON.stringify(server.prompts)).toContain("AQIDBA==");
    expect(server.violations).toEqual([]);
  });

  test("a turn on Codey completes", async () => {
    await using server = await MockCodeyServer.start();
    const engine = new ReactNative(clients, { crypto, URL });
    const program = `
      const client = new agentwire.CodeyClient({ url: input.url });
      const { text } = await client.prompt(input.prompt).result;
      await client.close();
      return text;`;
    expect(await engine.run(program, { url: server.url, prompt: SURROGATE })).not.toBe("");
    expect(server.violations).toEqual([]);
  });

  test("Cass works: login by token, an image, the spoken answer and REST", async () => {
    await using server = await MockCassServer.start({ audio: "inline" });
    const { userId, accessToken } = server.addUser();
    const engine = new ReactNative(clients, POLYFILLS);
    const program = `
      const client = new agentwire.CassClient({ url: input.url, token: input.token });
      const data = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
      const { text, audio } = await client.prompt({ message: input.prompt, image: { data } }).result;
      const { conversations } = await client.rest.listConversations();
      const { userId, verified } = client.identity;
      const sound = await audio.bytes();
      await client.close();
      return { text, userId, verified, sound: sound.length, conversations: conversations.length };`;
    expect(await engine.run(program, { url: server.url, token: accessToken, prompt: SURROGATE })).toEqual({
      text: "Hello!",
      userId,
      verified: true,
      sound: 720,
      conversations: 1,
    });
    expect(server.turns[0]?.data).toMatchObject({ image: "iVBORw0KGgo=", message: "half \ufffd" });
  });
});
