import fc from "fast-check";
import { expect, test } from "vitest";
import { checkTranscript } from "../../src/universal/check/check.ts";
import { closeTranscript } from "../../src/universal/close-transcript.ts";
import { fold } from "../../src/universal/transcript/reduce.ts";
import { runs } from "../helpers/runs.ts";
import { Script } from "./build.ts";
import { transcripts } from "./support/arbitrary.ts";

const options = {
  time: "2026-02-10T10:00:00.000Z",
  error: { message: "The process that ran the turn has ended.", code: "relay.driver-lost" },
};

test("`closeTranscript` completes any transcript that a crash has cut", () => {
  fc.assert(
    fc.property(transcripts, fc.nat(), (events, cut) => {
      const kept = events.slice(0, cut % (events.length + 1));
      const closed = [...kept, ...closeTranscript(kept, options)];
      for (const id of new Set(closed.map(({ session_id }) => session_id)))
        expect(checkTranscript(closed.filter(({ session_id }) => session_id === id))).toEqual([]);
      expect(closeTranscript(closed, options)).toEqual([]);
    }),
    runs(500),
  );
});

test("a turn that a crash has cut fails with the given error, keeps its text, and has no open request", () => {
  const script = new Script().session().turn("go");
  script.delta(script.start(), "so far");
  const { item, call } = script.call("run", {});
  script.start({ kind: "tool_result", role: "tool", parent_id: item });
  script.permission("requested", { call_id: script.call("rm", {}).call });
  const transcript = fold([...script.events, ...closeTranscript(script.events, options)]);
  expect(transcript).toMatchObject({ turn: null, pending: { size: 0 }, session: { state: "ended" } });
  expect(JSON.parse(JSON.stringify(transcript.messages.at(-1)))).toMatchObject({
    status: "failed",
    parts: [
      { type: "text", text: "so far", open: false },
      { type: "tool", callId: call, state: "abandoned" },
      { type: "tool", name: "rm", state: "denied" },
    ],
  });
});
