import type { CodebuffEvent, CodebuffResult } from "agentwire/codebuff";
import type { Fact } from "agentwire/universal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { CodebuffMapping } from "../../../src/codebuff/universal.ts";
import { PATIENCE, runs } from "../../properties/support/runs.ts";
import { arbitraryFacts, arbitraryTurn, interruptions, text } from "../../universal/arbitrary-facts.ts";
import { expectSound } from "../../universal/invariants.ts";
import { codebuffFacts } from "./facts.ts";

const newMapping = (): CodebuffMapping => new CodebuffMapping();

type CodebuffFact = Fact<CodebuffEvent, CodebuffResult>;

test(
  "whatever comes in whatever order, the transcript keeps every rule, and is the same again",
  () => {
    fc.assert(
      fc.property(arbitraryFacts(codebuffFacts), fc.boolean(), (facts, includeRaw) => {
        expectSound(newMapping, facts, { includeRaw });
      }),
      runs(400),
    );
  },
  PATIENCE,
);

test(
  "a cancel, a loss, a limit or a close at any moment of a turn leaves nothing open",
  () => {
    fc.assert(
      fc.property(arbitraryTurn(codebuffFacts, "t1"), (facts) => {
        for (const cut of interruptions<CodebuffEvent, CodebuffResult>("t1"))
          for (let at = 0; at < facts.length; at++)
            expectSound(newMapping, [...facts.slice(0, at), ...cut, ...facts.slice(at)]);
      }),
      runs(20),
    );
  },
  PATIENCE,
);

test("a text says the same however its chunks are cut, and a whole text behind its chunks adds nothing", () => {
  const pieces = fc.array(text, { maxLength: 8 });
  const said = (chunks: readonly string[], repeats: boolean): string => {
    const whole = chunks.join("");
    const chunkOf = (chunk: string | { readonly type: string; readonly text: string }): CodebuffFact => ({
      type: "event",
      turnId: "t1",
      event: {
        type: "response-chunk",
        userInputId: "t1",
        chunk,
        text: typeof chunk === "string" ? chunk : "",
      },
    });
    const facts: readonly CodebuffFact[] = [
      { type: "sent", turnId: "t1", input: { text: "go" } },
      ...chunks.map(chunkOf),
      ...(repeats ? [chunkOf({ type: "text", text: whole })] : []),
    ];
    return expectSound(newMapping, facts)
      .flatMap((event) => (event.type === "item.delta" ? [event.data.delta] : []))
      .join("");
  };
  fc.assert(
    fc.property(pieces, fc.boolean(), (chunks, repeats) => {
      const whole = chunks.join("");
      const once = said([whole], false);
      expect(once).toBe(whole.trim() === "" ? "" : whole);
      expect(said(chunks, repeats && whole.trim() !== "")).toBe(once);
    }),
    runs(200),
  );
});
