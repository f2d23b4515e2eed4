import type { CassClient } from "agentwire/cass";
import { PICTURES, PNG } from "./made.ts";

/** A call that must be refused before anything is sent. */
export interface InvalidCall {
  readonly what: string;
  readonly line: "message" | "image" | "frame" | "onboarding";
  readonly code?: "payload-too-large";
  readonly call: (client: CassClient, userId: string) => unknown;
}

/** Input as it comes from callers without types. */
const untyped = (value: unknown): never => value as never;

const MIB = 1_048_576;
const png = PICTURES["image/png"];
const image = (what: string, data: unknown, mediaType?: unknown): InvalidCall => ({
  what: `an image that is ${what}`,
  line: "image",
  call: (client) => client.prompt(untyped({ message: "look", image: { data, mediaType } })),
});
const said = (what: string, input: unknown, options?: unknown): InvalidCall => ({
  what: `a prompt that is ${what}`,
  line: "message",
  call: (client) => client.prompt(untyped(input), untyped(options)),
});
const intro = (what: string, fields: object): InvalidCall => ({
  what: `an introduction with ${what}`,
  line: "onboarding",
  call: (client, userId) => client.onboardingIntro(untyped({ userId, conversationId: "c1", ...fields })),
});
const demo = (what: string, fields: object): InvalidCall => ({
  what: `a demonstration with ${what}`,
  line: "onboarding",
  call: (client, userId) => client.onboardingDemo(untyped({ userId, ...fields })),
});

/** What the server would die of, or drop without a word. */
export const INVALID_CALLS: readonly InvalidCall[] = [
  ...[undefined, null, 7, true, ["x"], {}, { message: 7 }, { message: null }].map((input) =>
    said(JSON.stringify(input) ?? "missing", input),
  ),
  ...["", " \n\t", "\u3000"].map((input) => said(`blank: ${JSON.stringify(input)}`, input)),
  said("blank, with `allowEmpty: false`", " ", { allowEmpty: false }),
  ...["", 7, null].map((conversationId) =>
    said(`in the conversation ${JSON.stringify(conversationId)}`, { message: "hi", conversationId }),
  ),
  said("with an option of the wrong type", "hi", { recover: "yes" }),

  image("none", undefined),
  image("null", null),
  image("a number", 7),
  image("empty", new Uint8Array()),
  image("no picture", Uint8Array.of(1, 2, 3, 4)),
  image("not base64", "*not* base64"),
  image("half of base64", PNG.slice(0, -1)),
  image("of a type that cannot be sent", png, "image/bmp"),
  image("of another type than it says", png, "image/jpeg"),
  image("a `data:` URL without base64", "data:image/png,hello"),
  image("a `data:` URL of another type", `data:image/gif;base64,${PNG}`),
  image("a `data:` URL without a comma", "data:image/png;base64"),
  { ...image("too large", "A".repeat(8 * MIB)), code: "payload-too-large" },
  {
    what: "an image that is a string",
    line: "image",
    call: (client) => client.prompt(untyped({ message: "look", image: PNG })),
  },

  ...[
    { what: "a message of more than 16 MiB", message: "x".repeat(16 * MIB) },
    { what: "the same in two bytes each", message: "é".repeat(8 * MIB) },
    { what: "the same when it is escaped", message: '"'.repeat(8 * MIB) },
  ].map(
    ({ what, message }): InvalidCall => ({
      what,
      line: "frame",
      code: "payload-too-large",
      call: (client) => client.prompt(message),
    }),
  ),

  intro("no conversation", { conversationId: undefined }),
  intro("a blank conversation", { conversationId: "" }),
  ...["", null, 7, undefined].flatMap((userId) => [
    intro(`the user ${JSON.stringify(userId)}`, { userId }),
    demo(`the user ${JSON.stringify(userId)}`, { userId }),
  ]),
  ...[null, "x", 7, ["x"]].flatMap((profile) => [
    intro(`the profile ${JSON.stringify(profile)}`, { profile }),
    demo(`the profile ${JSON.stringify(profile)}`, { profile }),
  ]),
  demo("values that are no strings", { profile: { values: [7] } }),
  demo("values that are no list", { profile: { values: "honesty" } }),
  demo("a background that is none", { profile: { background: "x" } }),
  demo("a style that is none", { profile: { communication: { style: 7 } } }),
  demo("a blank message", { message: "" }),
  demo("a message that is none", { message: null }),
  intro("somebody else as its user", { userId: "somebody-else" }),
  demo("somebody else as its user", { userId: "somebody-else" }),
];
