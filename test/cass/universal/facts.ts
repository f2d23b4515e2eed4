import type { CassEvent, CassResult } from "agentwire/cass";
import fc from "fast-check";
import { audioFromBase64, audioFromUrl } from "../../../src/cass/audio.ts";
import { CassAuthError, cassTurnError, unreadableResponse } from "../../../src/cass/errors.ts";
import { progressEvent, replyIn } from "../../../src/cass/turn.ts";
import { type FactSource, json, text } from "../../universal/arbitrary-facts.ts";

const conversation = fc.constantFrom("conv-1", "conv-2", null, undefined);
const STATUSES = ["Retrieving memories...", "Executing: recall, search...", "Using tool: [recall]...", "hm"];

const event: fc.Arbitrary<CassEvent> = fc.oneof(
  fc
    .record({
      status: fc.constantFrom(...STATUSES),
      memories: fc.constantFrom(undefined, { has_context: true }),
    })
    .map((fields) => progressEvent({ type: "thinking", ...fields })),
  text.map((message) => progressEvent({ type: "debug", message })),
  fc
    .record({
      text: fc.oneof(text, fc.constant("<gesture:think>hm</gesture:think>Hi <emote:happy>")),
      conversation_id: conversation,
      audio: fc.constantFrom(undefined, "AAAA", "!"),
      marks: fc.constantFrom(undefined, [], [{ category: "insight" }]),
    })
    .map((fields) => replyIn({ type: "response", ...fields }).event),
);

const count = fc.nat(1_000);

const result: fc.Arbitrary<CassResult> = fc.record(
  {
    text,
    reasoning: fc.constant([]),
    animations: fc.constant([]),
    toolUses: fc.constant([]),
    conversationId: fc.constantFrom("conv-1", null),
    usage: fc.record(
      { inputTokens: count, outputTokens: count, cacheReadTokens: count },
      { requiredKeys: [] },
    ),
    provider: fc.constant("anthropic"),
    model: fc.constant("m"),
    recovered: fc.constant(true),
  },
  { requiredKeys: ["text", "reasoning", "animations", "toolUses"] },
);

const notice = <Name extends string, Value>(name: Name, value: fc.Arbitrary<Value>) =>
  value.map((given) => ({ name, value: given }));

const bytes = async (): Promise<Uint8Array> => new Uint8Array();

/** The facts of Cass. */
export const cassFacts: FactSource<CassEvent, CassResult> = {
  event,
  result,
  error: fc.oneof(
    fc.constantFrom("broke", "Agent client not available", "Empty message").map(cassTurnError),
    fc.constant(unreadableResponse("no text")),
    fc
      .constantFrom("rejected", "identity-mismatch", "refresh-failed")
      .map((reason) => new CassAuthError(reason, "no")),
  ),
  notice: fc.oneof(
    notice("authenticated", fc.record({ userId: fc.constantFrom("u1", null), verified: fc.boolean() })),
    notice("title", fc.record({ conversationId: fc.constantFrom("conv-1", "conv-2"), title: text })),
    notice("system", fc.record({ message: text })),
    notice(
      "audio",
      fc.constantFrom(audioFromBase64("AAAA", "mp3"), audioFromUrl("http://localhost/a.mp3", bytes)),
    ),
    notice("serverError", fc.record({ message: text })),
    notice("unknownMessage", json),
  ),
};
