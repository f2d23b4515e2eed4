import { readdirSync } from "node:fs";
import type { UniversalStream } from "agentwire/universal";
import { expect, test } from "vitest";
import { toUniversal } from "../../../src/codey/universal.ts";
import { allOf } from "../../universal/all-of.ts";
import { expectInvariants } from "../../universal/invariants.ts";
import { playCapture } from "../support/capture-player.ts";

const FOLDER = new URL("../../fixtures/codey-real/", import.meta.url);

test.each(readdirSync(FOLDER))(
  "the capture %s of the real server becomes a valid transcript",
  async (name) => {
    let stream: UniversalStream | undefined;
    const { outcomes } = await playCapture(new URL(name, FOLDER), (client) => {
      stream = toUniversal(client, { includeRaw: true });
    });
    const events = stream ? await allOf(stream) : [];
    expectInvariants(events);
    expect(events.filter(({ type }) => type === "agent.unparsed")).toEqual([]);
    const ends = events.flatMap((event) => (event.type === "turn.ended" ? [event.data.metadata.status] : []));
    expect(ends).toEqual(outcomes.map(({ status }) => status));
    // The text of each turn, from the items of its root agent, is the text of its result.
    const texts = outcomes.map((outcome) =>
      outcome.status === "completed" ? outcome.result.text : outcome.partial.text,
    );
    expect(textsOf(events)).toEqual(texts);
  },
);

/** The text of each turn. */
function textsOf(events: Awaited<ReturnType<typeof allOf>>): readonly string[] {
  const texts: string[] = [];
  for (const event of events) {
    if (event.type === "turn.started") texts.push("");
    if (event.type === "item.delta" && event.data.part?.type === "text")
      texts.push(`${texts.pop() ?? ""}${event.data.delta}`);
  }
  return texts;
}
