import { MockCassServer } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { RawCass } from "./mock-cass-raw-client.ts";

const NOTE = {
  user: null,
  significance: null,
  level: null,
  frequency: null,
  valence: null,
  from_state: null,
  to_state: null,
  catalyst: null,
};

/** What the model says, and what the later server reads in it. */
const READ: readonly { readonly says: string; readonly field: string; readonly reads: unknown }[] = [
  {
    says: '<observe target="self" category="limitation" confidence="0.4">I hedge <gesture:nod></observe>',
    field: "self_observations",
    reads: [{ observation: "I hedge", category: "limitation", confidence: 0.4 }],
  },
  {
    says: '<observe target="self" category="mood">a</observe><observe target="context" confidence="7">b</observe>',
    field: "self_observations",
    reads: [
      { observation: "a", category: "pattern", confidence: 0.7 },
      { observation: "b", category: "context", confidence: 1 },
    ],
  },
  {
    says: '<observe target="growth" area="precision">c</observe>',
    field: "self_observations",
    reads: [{ observation: "c", category: "growth", area: "precision", confidence: 0.7 }],
  },
  { says: "<observe>of nothing</observe>", field: "self_observations", reads: [] },
  {
    says: "<record_self_observation>d</record_self_observation>",
    field: "self_observations",
    reads: [{ observation: "d", category: "pattern", confidence: 0.8 }],
  },
  {
    says: '<record_user_observation category="value">e</record_user_observation>',
    field: "user_observations",
    reads: [{ observation: "e", category: "value", confidence: 0.7 }],
  },
  {
    says: '<observe target="user:Ada" category="growth" direction="shift">f</observe>',
    field: "user_observations",
    reads: [{ observation: "f", category: "growth", confidence: 0.7, direction: "shift" }],
  },
  {
    says: "a <mark:Emergence> b <mark:insight> aha </mark> <mark:whatever>c</mark>",
    field: "marks",
    reads: [
      { category: "emergence", description: null },
      { category: "insight", description: "aha" },
    ],
  },
  {
    says: '<hold differ="user:Ada" topic="two words" confidence="0.5">theirs | mine</hold><hold self="identity">g</hold>',
    field: "holds",
    reads: [
      {
        content: "theirs | mine",
        topic: "two",
        differ_user: "Ada",
        is_identity: false,
        confidence: 0.5,
      },
      { content: "g", topic: null, differ_user: null, is_identity: true, confidence: 0.7 },
    ],
  },
  {
    says: '<note type="shift" user="Ada" from="a" to="b" catalyst="a walk" valence="odd">h</note><note type="x">i</note>',
    field: "notes",
    reads: [
      {
        type: "shift",
        content: "h",
        ...NOTE,
        user: "Ada",
        from_state: "a",
        to_state: "b",
        catalyst: "a walk",
      },
    ],
  },
  {
    says: '<intend action="outcome" id="i1" success="TRUE" condition="when asked">j</intend>',
    field: "intentions",
    reads: [
      {
        action: "outcome",
        content: "j",
        condition: "when asked",
        intention_id: "i1",
        success: true,
        status: null,
      },
    ],
  },
  { says: '<intend action="form">k</intend>', field: "intentions", reads: null },
  {
    says: '<stake what="a b" why="c d" strength="core" category="truth"> e </stake><stake what="w">f</stake>',
    field: "stakes",
    reads: [{ what: "a b", why: "c d", content: "e", strength: "core", category: "truth" }],
  },
  {
    says: '<test stated="a" actual="b" consistent="false">c</test><test stated="a">d</test>',
    field: "tests",
    reads: [{ stated: "a", actual: "b", consistent: false, content: "c" }],
  },
  {
    says: '<narrate type="deflection" level="light" trigger="a question">m</narrate><narrate type="t">n</narrate>',
    field: "narrations",
    reads: [{ type: "deflection", level: "light", trigger: "a question", content: "m" }],
  },
  {
    says: '<mark:milestone id="m1">one</mark> <mark:milestone id="m2">two</mark:milestone> <mark:milestone>no</mark>',
    field: "milestones",
    reads: [
      { id: "m1", content: "one" },
      { id: "m2", content: "two" },
    ],
  },
];

describe("on v2, the model's tags fill response fields and are removed from the text", () => {
  test.each(READ)("$field gets the content of $says", async ({ says, field, reads }) => {
    await using server = await MockCassServer.start({ answer: () => [`Before ${says} after`] });
    using client = await RawCass.connected(server);
    const response = await client.answerTo("hi");
    expect(response[field]).toEqual(reads);
    expect(response["text"]).toMatch(/^(Before|Before\s.*b)\s+after$/s);
    expect(response["raw"]).toBe(`Before ${says} after`);
  });

  test("a response without tags has three empty lists and null in the other fields", async () => {
    await using server = await MockCassServer.start({ answer: () => ["Hello"] });
    using client = await RawCass.connected(server);
    expect(await client.answerTo("hi")).toMatchObject({
      self_observations: [],
      user_observations: [],
      marks: [],
      holds: null,
      notes: null,
      intentions: null,
      stakes: null,
      tests: null,
      narrations: null,
      milestones: null,
    });
  });
});

/** Walks through the frames of MPEG-2 Layer III at 48 kbit/s and 24 kHz. @returns how many there are */
function framesOf(mp3: Uint8Array): number {
  const view = new DataView(mp3.buffer, mp3.byteOffset, mp3.length);
  let frames = 0;
  while (frames * 144 < mp3.length && view.getUint32(frames * 144) === 0xfff364c0) frames++;
  return frames;
}

describe("speech is a decodable MP3 file", () => {
  test.each([
    { audio: "inline", bytes: 720 },
    { audio: "huge", bytes: 8_388_720 },
  ] as const)("$audio: the whole file is a sequence of valid frames", async ({ audio, bytes }) => {
    await using server = await MockCassServer.start({ audio });
    using client = await RawCass.connected(server);
    const response = await client.answerTo("hi");
    expect(response["audio_format"]).toBe("mp3");
    const mp3 = Buffer.from(String(response["audio"]), "base64");
    expect(mp3.length).toBe(bytes);
    expect(framesOf(mp3)).toBe(bytes / 144);
  });
});
