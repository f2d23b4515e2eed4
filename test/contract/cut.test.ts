import { isAgentwireError, type TurnOutcome, type TurnResult } from "agentwire";
import { expect } from "vitest";
import { type AnyClient, type AnyTurn, type LinkEnd, PIECES, TEXT } from "./fixture.ts";
import { promise, type Scene } from "./promise.ts";
import { collect, drain, failureOf, next, STAGES, staged, status, works } from "./support.ts";

/** What one turn has come to, on a link that ended somewhere in it. */
interface Cut {
  readonly turn: AnyTurn;
  readonly outcome: TurnOutcome<TurnResult>;
  /** What its reader got, and the error behind it. */
  readonly read: string;
  readonly thrown: unknown;
  /** How often the backend has got it. */
  readonly arrived: number;
}

const HOW: Readonly<Record<string, LinkEnd>> = {
  "is cut": "cut",
  "is cut in the middle of the next": "cut in mid-frame",
  "is closed with 1000": { code: 1000 },
  "is closed with 1001": { code: 1001, reason: "going away" },
  "is closed with 1011": { code: 1011, reason: "the server has tripped" },
};

/** How many frames the backend says from the opening of a connection to the end of a usual turn. */
async function framesOfATurn({ another, link, clock, facts }: Scene): Promise<number> {
  const client = another();
  await works(client);
  const { frames } = link;
  await Promise.all([client.close(), clock.advance(facts.within.close)]);
  return frames;
}

async function cutBehind(frames: number, how: LinkEnd, scene: Scene): Promise<Cut> {
  const { another, backend, link } = scene;
  const text = `behind ${frames}`;
  link.endNextBehind(frames, how);
  const client = another({ reconnect: {} });
  const turn = client.prompt(text);
  const { values, thrown } = await drain(turn.textStream);
  const outcome = await turn.outcome;
  await worksInTheEnd(client);
  const arrived = backend.prompts.filter((prompt) => prompt.text === text).length;
  return { turn, outcome, read: values.join(""), thrown, arrived };
}

/** A client whose link has just gone learns of it from the next prompt, and a server that has not noticed may refuse another. */
async function worksInTheEnd(client: AnyClient): Promise<void> {
  for (let tries = 1; ; tries++) {
    const outcome = await client.prompt("are you there?").outcome;
    if (outcome.status === "completed") return;
    const error = outcome.status === "failed" ? outcome.error : undefined;
    if (tries === 5 || !error?.retryable) throw error ?? new Error("nobody has cancelled it");
  }
}

for (const [name, how] of Object.entries(HOW)) {
  promise(
    `cut: if after any frame the link ${name}, no text is lost and no prompt is sent twice`,
    { connected: false },
    async (scene) => {
      const total = await framesOfATurn(scene);
      expect(total).toBeGreaterThan(PIECES.length);
      for (let frames = 0; frames <= total; frames++) {
        const { turn, outcome, read, thrown, arrived } = await cutBehind(frames, how, scene);
        const where = `behind frame ${frames} of ${total}`;
        // Nothing is lost of what had come, nothing is sent twice, and what an error says of it is so.
        expect(arrived, where).toBeLessThanOrEqual(1);
        expect(turn.text, where).toBe(read);
        expect(TEXT.startsWith(read), where).toBe(true);
        if (outcome.status === "completed") {
          expect([read, thrown, arrived], where).toEqual([TEXT, undefined, 1]);
          continue;
        }
        if (outcome.status === "cancelled") throw new Error(`${where}: nobody has cancelled it`);
        const { error } = outcome;
        expect(frames, where).toBeLessThan(total);
        expect(thrown, where).toBe(error);
        expect(isAgentwireError(error), where).toBe(true);
        expect(error.partial?.text, where).toBe(read);
        expect(error.retryable, where).toBe(true);
        if (error.delivery === "not-sent") expect(error.input, where).toBe(`behind ${frames}`);
        else expect(error.delivery, where).toBe("unknown");
        if (error.delivery === "not-sent") expect(arrived, where).toBe(0);
      }
    },
  );
}

for (const stage of STAGES) {
  promise(
    `cut: the error of a turn that ${stage} says whether the prompt was sent`,
    { oneAtATime: true, reconnect: false },
    async (scene) => {
      const { client, link, clock } = scene;
      const { turn, text, delivery } = await staged(stage, scene);
      link.end("cut");
      const outcome = await turn.outcome;
      expect(outcome).toMatchObject({ status: "failed", error: { delivery }, partial: { text } });
      expect(outcome).toMatchObject({
        error: delivery === "not-sent" ? { input: "hello" } : { code: "connection-lost" },
      });
      await status(client, "closed");
      expect(clock.pending).toBe(0);
    },
  );
}

promise("cut: an idle client emits `disconnected` with the close code", async ({ client, link }) => {
  await works(client);
  const gone = next(client, "disconnected");
  link.end({ code: 1001, reason: "going away" });
  expect(await gone).toMatchObject({ code: "connection-lost", closeCode: 1001, closeReason: "going away" });
});

promise(
  "cut: several turns each get an error of their own",
  { reconnect: {} },
  async ({ client, backend, link }) => {
    backend.answer = () =>
      (async function* () {
        yield "part";
        await new Promise<never>(() => {});
      })();
    const turns = ["a", "b", "c"].map((text) => client.prompt(text));
    await backend.received(1);
    const ended = Promise.all(turns.map((turn) => failureOf(turn)));
    backend.answer = () => PIECES;
    link.end("cut");
    const errors = (await ended).filter((error) => isAgentwireError(error));
    expect(new Set(errors).size).toBe(errors.length);
    for (const error of errors) {
      expect(["connection-lost", "context-lost"]).toContain(error.code);
      expect(error.partial).toBeDefined();
    }
    expect(errors.length).toBeGreaterThan(0);
  },
);

promise("cut: a turn that is being cancelled ends as cancelled", { reconnect: {} }, async (scene) => {
  const { client, link } = scene;
  const { turn } = await staged("streams", scene);
  const warnings = collect(client, "protocolWarning");
  const gone = next(client, "disconnected");
  const cancelled = turn.cancel();
  link.end("cut");
  await gone;
  expect(await cancelled).toMatchObject({ status: "cancelled", by: "user" });
  expect(await works(client)).toBe(TEXT);
  expect(warnings).toEqual([]);
});
