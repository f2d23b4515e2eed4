import { cassStep } from "agentwire/testing";
import { expect } from "vitest";
import { once, says, works } from "../../helpers/cass.ts";
import { REPLY_ROWS } from "../reply-rows.ts";
import { onEach } from "./each.ts";

/** Servers that tell the tagged text. */
const TELLS_RAW: readonly string[] = ["v1", "v2"];

onEach("D1: every case of the tags is read as it is meant", async ({ client, server, profile }) => {
  for (const { row, raw, text, reasoning = [], animations = [] } of REPLY_ROWS) {
    says(server, raw);
    const result = await client.prompt(`row ${row}`).result;
    // Through the relay nothing tells how the text was indented.
    const shown = profile === "relay" ? text.replace(/ +/g, " ") : text;
    expect(result, `row ${row}`).toMatchObject({ text: shown, reasoning });
    if (!TELLS_RAW.includes(profile)) continue;
    // v1 has some more among its animations, or fewer; their places are those of the text.
    const places = result.animations.flatMap(({ name, intensity, offset }) =>
      offset === undefined ? [] : [`${name}:${intensity}@${offset}`],
    );
    expect(places, `row ${row}`).toEqual(expect.arrayContaining([...animations]));
  }
});

onEach("D1: indentation is kept where `raw` has it", async ({ client, server, profile }) => {
  says(server, "if x:\n    return 1  <gesture:nod>");
  const { text } = await client.prompt("code").result;
  expect(text).toBe(profile === "relay" ? "if x:\n return 1" : "if x:\n    return 1");
});

onEach("D1: where `raw` says something else the text counts", async ({ client, server }) => {
  says(server, "unused", cassStep.fields({ raw: "Let me  see.\nI  found it.", text: "I found it." }));
  expect((await client.prompt("go").result).text).toBe("I found it.");
});

onEach("D1: long runs of tags are read to their end", async ({ client, server }) => {
  for (const text of [
    "<gesture:think>".repeat(70_000),
    "<".repeat(1_000_000),
    "<gesture:wave>    ".repeat(50_000),
  ]) {
    says(server, "unused", cassStep.fields({ raw: undefined, animations: undefined, text }));
    const result = await client.prompt("go").result;
    expect(result.text.length).toBe(text.startsWith("<<") ? 1_000_000 : 0);
  }
});

onEach(
  "D2: animations have their place in the text, whatever their name, and whatever their index",
  async ({ client, server }) => {
    const given = [
      { index: 0, type: "gesture", name: "moonwalk", intensity: 5, delay: 0 },
      { index: 0, type: "gesture", name: "über", intensity: 0, delay: 0 },
      { index: 0, type: "emote", name: "happy", delay: 0.5 },
      { index: 1, type: "emote", name: "nowhere", intensity: 1, delay: 0.5, position: 99 },
    ];
    const raw = "<emote:happy>a <gesture:moonwalk:5>b <gesture:über:0>c";
    says(server, raw, cassStep.fields({ raw, text: "a b c", animations: given }));
    const { animations, text } = await client.prompt("go").result;
    expect(text).toBe("a b c");
    expect(animations).toEqual([
      { index: 0, type: "emote", name: "happy", intensity: 1, delay: 0.5, offset: 0 },
      { index: 1, type: "gesture", name: "moonwalk", intensity: 5, delay: 0, offset: 2 },
      { index: 2, type: "gesture", name: "über", intensity: 0, delay: 0, offset: 4 },
      { index: 3, type: "emote", name: "nowhere", intensity: 1, delay: 0.5, offset: 5 },
    ]);
  },
);

for (const basePath of ["", "/cass"]) {
  onEach(
    `D2: a relative address of speech is below that of the server, ${basePath === "" ? "at its root" : "with a path before it"}`,
    { mock: { audio: "none", basePath } },
    async ({ client, server }) => {
      await works(client);
      const wholes: unknown[] = [];
      for (const url of ["/audio/a.wav", "audio/a.wav", "../a.mp3"]) {
        const told = once(client, "audio");
        server.connections[0]?.push({ type: "audio", url });
        wholes.push((await told).url);
      }
      const { origin } = new URL(server.httpUrl);
      const up = new URL("../a.mp3", server.httpUrl).href;
      expect(wholes).toEqual([`${origin}/audio/a.wav`, `${server.httpUrl}audio/a.wav`, up]);
    },
  );
}

onEach(
  "D2: addresses that are none of the web are not given on",
  { warns: ["unreadable-audio"], mock: { audio: "none" } },
  async ({ client, server }) => {
    await works(client);
    for (const url of ["file:///etc/passwd", "javascript:alert(1)", "data:audio/wav;base64,AAAA", 7, null]) {
      const warned = once(client, "protocolWarning");
      server.connections[0]?.push({ type: "audio", url });
      expect((await warned).kind).toBe("unreadable-audio");
    }
  },
);

onEach(
  "D2: speech that is not base64 does not lose the turn",
  { warns: ["unreadable-audio"] },
  async ({ client, server }) => {
    says(server, "Hi", cassStep.fields({ audio: "*not* base64", audio_format: "mp3" }));
    const { text, audio } = await client.prompt("hi").result;
    expect([text, audio]).toEqual(["Hi", undefined]);
  },
);
