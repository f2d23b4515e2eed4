import { describe, expect, test } from "vitest";
import {
  buildChat,
  buildDemo,
  buildIntro,
  type CassDemoInput,
  type CassIntroInput,
  type CassPromptInput,
} from "../../src/cass/input.ts";
import { thrown } from "../helpers/turns.ts";
import { PICTURES, PNG } from "./acceptance/made.ts";

const LIMITS = { maxSendBytes: 16_777_216, maxImageBytes: 5_000_000, allowEmpty: false };

const chat = (input: unknown, limits: Partial<typeof LIMITS> = {}) =>
  buildChat(input as string | CassPromptInput, { ...LIMITS, ...limits });
const intro = (input: unknown, maxSendBytes = LIMITS.maxSendBytes) =>
  buildIntro(input as CassIntroInput, maxSendBytes);
const demo = (input: unknown, maxSendBytes = LIMITS.maxSendBytes) =>
  buildDemo(input as CassDemoInput, maxSendBytes);

const refusal = (call: () => unknown): unknown => thrown(call);
const INVALID = {
  name: "InvalidInputError [invalid-input]",
  code: "invalid-input",
  hint: expect.any(String),
};

describe("a chat frame", () => {
  test.each<readonly [input: unknown, frame: object]>([
    ["hi", { type: "chat", message: "hi" }],
    [{ message: "hi" }, { type: "chat", message: "hi" }],
    [" hi ", { type: "chat", message: " hi " }],
    ["a\ud800b 😀", { type: "chat", message: "a\ufffdb 😀" }],
    [
      { message: "hi", conversationId: undefined },
      { type: "chat", message: "hi" },
    ],
  ])("is made from %j", (input, frame) => {
    const request = chat(input);
    expect(JSON.parse(request.frame(undefined, undefined))).toEqual(frame);
    expect(request.kind).toBe("chat");
  });

  test("holds its picture, and the conversation id that is known when it is sent", () => {
    const request = chat({ message: "hi", conversationId: "c1", image: { data: PICTURES["image/png"] } });
    expect(request).toMatchObject({
      message: "hi",
      conversationId: "c1",
      image: { image: PNG, image_media_type: "image/png" },
    });
    if (typeof request.image !== "object") throw new Error("It has been read already");
    expect(JSON.parse(request.frame("c2", request.image))).toEqual({
      type: "chat",
      message: "hi",
      conversation_id: "c2",
      image: PNG,
      image_media_type: "image/png",
    });
  });

  test.each([
    undefined,
    null,
    7,
    true,
    [],
    ["hi"],
    () => "hi",
    {},
    { message: undefined },
    { message: null },
    { message: 7 },
    { message: ["hi"] },
    "",
    " ",
    "\n\t\u3000\u00a0",
    { message: "" },
    { message: "hi", conversationId: "" },
    { message: "hi", conversationId: " " },
    { message: "hi", conversationId: null },
    { message: "hi", conversationId: 7 },
    { message: "hi", image: null },
    { message: "hi", image: PNG },
    { message: "hi", image: {} },
  ])("is not made from %j", (input) => expect(refusal(() => chat(input))).toMatchObject(INVALID));

  test("may be blank with `allowEmpty`", () => {
    for (const message of ["", " "])
      expect(JSON.parse(chat(message, { allowEmpty: true }).frame(undefined, undefined))).toEqual({
        type: "chat",
        message,
      });
    expect(refusal(() => chat({}, { allowEmpty: true }))).toMatchObject(INVALID);
  });

  test.each([
    { what: "plain", text: "x", bytes: 1 },
    { what: "of two bytes", text: "é", bytes: 2 },
    { what: "of four bytes", text: "😀", bytes: 4 },
    { what: "escaped", text: '"', bytes: 2 },
    { what: "a control character", text: "\u0001", bytes: 6 },
  ])("is measured in UTF-8 bytes of its JSON: characters $what", ({ text, bytes }) => {
    // With room for an id that only comes with the answer before.
    const overhead = chat("xx").bytes - 2;
    const maxSendBytes = overhead + 10 * bytes;
    expect(chat(text.repeat(10), { maxSendBytes }).bytes).toBe(maxSendBytes);
    expect(refusal(() => chat(text.repeat(11), { maxSendBytes }))).toMatchObject({
      code: "payload-too-large",
      bytes: overhead + 11 * bytes,
      limit: maxSendBytes,
    });
  });

  test("counts its picture, even before the picture is read", () => {
    const data = new Uint8Array(3_000);
    data.set(PICTURES["image/png"]);
    for (const image of [{ data }, { data: new Blob([data]) }]) {
      const { bytes } = chat({ message: "hi", image });
      expect(bytes).toBeGreaterThan(4_000);
      expect(refusal(() => chat({ message: "hi", image }, { maxSendBytes: 4_000 }))).toMatchObject({
        code: "payload-too-large",
      });
    }
  });

  test("has a separate limit for pictures", () => {
    const image = { data: PICTURES["image/png"] };
    expect(refusal(() => chat({ message: "hi", image }, { maxImageBytes: 7 }))).toMatchObject({
      code: "payload-too-large",
      bytes: 8,
      limit: 7,
    });
  });
});

const PROFILE = {
  relationship: "researcher",
  background: { context: "hats" },
  communication: { style: "dry" },
  values: ["honesty", "a\ud800"],
};

describe("onboarding", () => {
  test("sends the user, the conversation and the profile in an introduction", () => {
    const request = intro({
      userId: "u1",
      conversationId: "c1",
      profile: { ...PROFILE, display_name: "Name" },
    });
    expect(request).toMatchObject({ kind: "intro", userId: "u1", conversationId: "c1", message: undefined });
    expect(JSON.parse(request.frame("c1", undefined))).toEqual({
      type: "onboarding_intro",
      user_id: "u1",
      conversation_id: "c1",
      profile: { ...PROFILE, values: ["honesty", "a\ufffd"], display_name: "Name" },
    });
  });

  test("sends no conversation if it is null", () => {
    const request = intro({ userId: "u1", conversationId: null });
    expect(JSON.parse(request.frame(request.conversationId, undefined))).toEqual({
      type: "onboarding_intro",
      user_id: "u1",
    });
  });

  test.each([
    [{ userId: "u1" }, { type: "onboarding_demo", user_id: "u1" }],
    [
      { userId: "u1", message: "go" },
      { type: "onboarding_demo", user_id: "u1", message: "go" },
    ],
    [
      { userId: "u1", profile: {} },
      { type: "onboarding_demo", user_id: "u1", profile: {} },
    ],
  ])("sends a demonstration for %j", (input, frame) => {
    expect(JSON.parse(demo(input).frame(undefined, undefined))).toEqual(frame);
  });

  test("copies the profile, so later changes have no effect", () => {
    const profile = { values: ["honesty"] };
    const request = demo({ userId: "u1", profile });
    profile.values.push("later");
    expect(JSON.parse(request.frame(undefined, undefined)).profile).toEqual({ values: ["honesty"] });
  });

  const cycle: Record<string, unknown> = {};
  cycle["itself"] = cycle;
  test.each([{ big: 1n }, cycle])("refuses a profile that is no JSON (%#)", (profile) => {
    expect(refusal(() => demo({ userId: "u1", profile }))).toMatchObject(INVALID);
  });

  const bad: readonly object[] = [
    { userId: undefined },
    { userId: null },
    { userId: "" },
    { userId: 7 },
    ...[null, "x", 7, []].map((profile) => ({ profile })),
    { profile: { relationship: 7 } },
    { profile: { background: null } },
    { profile: { background: { context: 7 } } },
    { profile: { communication: "dry" } },
    { profile: { communication: { style: null } } },
    { profile: { values: "honesty" } },
    { profile: { values: [7] } },
    { profile: { display_name: 7 } },
    { allowForeignUser: "yes" },
  ];
  test.each(bad)("refuses the fields %j", (fields) => {
    expect(refusal(() => intro({ userId: "u1", conversationId: "c1", ...fields }))).toMatchObject(INVALID);
    expect(refusal(() => demo({ userId: "u1", ...fields }))).toMatchObject(INVALID);
  });

  test.each([undefined, "", " ", 7])("refuses an introduction into the conversation %j", (conversationId) => {
    expect(refusal(() => intro({ userId: "u1", conversationId }))).toMatchObject(INVALID);
  });

  test.each(["", null, 7])("refuses a demonstration with the message %j", (message) => {
    expect(refusal(() => demo({ userId: "u1", message }))).toMatchObject(INVALID);
  });

  test.each([undefined, null, "u1", 7, []])("refuses the input %j", (input) => {
    expect(refusal(() => intro(input))).toMatchObject(INVALID);
    expect(refusal(() => demo(input))).toMatchObject(INVALID);
  });

  test("has the size limit of every frame", () => {
    expect(refusal(() => demo({ userId: "u1", message: "x".repeat(100) }, 100))).toMatchObject({
      code: "payload-too-large",
      limit: 100,
    });
    expect(
      refusal(() =>
        intro({ userId: "u1", conversationId: "c1", profile: { relationship: "x".repeat(100) } }, 100),
      ),
    ).toMatchObject({ code: "payload-too-large" });
  });
});
