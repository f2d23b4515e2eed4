import { checkTranscript, closeTranscript } from "agentwire/universal";
import { expect, test } from "vitest";
import { capturedStreams } from "../helpers/captured-streams.ts";

const options = {
  time: "2026-02-10T10:00:00.000Z",
  error: { message: "The process that ran the turn has ended.", code: "relay.driver-lost" },
};

test("a crash behind each event of each captured stream leaves a transcript that `closeTranscript` completes", async () => {
  const faults: string[] = [];
  for (const { name, events } of await capturedStreams()) {
    for (let cut = 0; cut <= events.length; cut++) {
      const kept = events.slice(0, cut);
      const closed = [...kept, ...closeTranscript(kept, options)];
      for (const { invariant, message } of checkTranscript(closed))
        faults.push(`${name}, behind event ${cut}: ${invariant}: ${message}`);
      const again = closeTranscript(closed, options);
      if (again.length > 0) faults.push(`${name}, behind event ${cut}: something is open`);
    }
  }
  expect(faults).toEqual([]);
});
