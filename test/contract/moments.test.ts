import { isAgentwireError } from "agentwire";
import { expect } from "vitest";
import { type AnyClient, type AnyTurn, TEXT } from "./fixture.ts";
import { promise, type Scene } from "./promise.ts";
import { drain, within, works } from "./support.ts";

/** What a caller may do at any moment, and how the turn ends if it is not complete by then. */
const ACTS: Readonly<
  Record<
    string,
    {
      readonly act: (turn: AnyTurn, client: AnyClient, controller: AbortController) => void;
      readonly end: string;
      /** What its reader is thrown. */
      readonly thrown: string | undefined;
    }
  >
> = {
  cancelled: { act: (turn) => void turn.cancel(), end: "cancelled", thrown: undefined },
  aborted: {
    act: (_turn, _client, controller) => controller.abort(),
    end: "cancelled",
    thrown: "turn-cancelled",
  },
  "ended by a forced close": {
    act: (_turn, client) => void client.close({ force: true }),
    end: "closed",
    thrown: undefined,
  },
};

/** Connects and prompts, and does something when the frame of that number, of either side, has just been told. */
async function actAt(moment: number, { another, backend }: Scene, { act }: (typeof ACTS)[string]) {
  const client = another();
  const controller = new AbortController();
  const turn = client.prompt(`at ${moment}`, { signal: controller.signal });
  let frames = 0;
  client.on("frame", () => {
    if (++frames === moment) act(turn, client, controller);
  });
  const { values, thrown } = await drain(turn.textStream);
  const outcome = await turn.outcome;
  return {
    client,
    end: outcome.status === "failed" ? outcome.error.code : outcome.status,
    text: turn.text,
    read: values.join(""),
    thrown: isAgentwireError(thrown) ? thrown.code : thrown,
    frames: () => frames,
    arrived: () => backend.prompts.filter(({ text }) => text === `at ${moment}`).length,
  };
}

for (const [name, way] of Object.entries(ACTS)) {
  promise(
    `moments: a turn that is ${name} at any frame ends that way or completes, and is sent once at most`,
    { connected: false },
    async (scene) => {
      const { clock, facts } = scene;
      const undisturbed = await actAt(0, scene, way);
      const total = undisturbed.frames();
      expect(total).toBeGreaterThan(2);
      let early = 0;
      for (let moment = 1; moment <= total; moment++) {
        const { client, end, text, read, thrown, arrived } = await actAt(moment, scene, way);
        const where = `frame ${moment} of ${total}`;
        expect([way.end, "completed"], where).toContain(end);
        expect(thrown, where).toBe(end === "completed" ? undefined : way.thrown);
        expect(text.startsWith(read), where).toBe(true);
        expect(TEXT.startsWith(text), where).toBe(true);
        if (end === "completed") expect(text, where).toBe(TEXT);
        else early++;
        if (way.end !== "closed") expect(await works(client), where).toBe(TEXT);
        await within(clock, facts.within.close, client.close());
        expect(arrived(), where).toBeLessThanOrEqual(1);
      }
      expect(early).toBeGreaterThan(total / 2);
    },
  );
}
