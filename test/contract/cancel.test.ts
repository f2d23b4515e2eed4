import { expect } from "vitest";
import { type AnyTurn, TEXT } from "./fixture.ts";
import { promise } from "./promise.ts";
import { drain, hold, rejection, STAGES, shows, soFar, staged, statesOf, within, works } from "./support.ts";

const ONE = { oneAtATime: true } as const;

for (const stage of STAGES) {
  promise(`cancel: a turn that ${stage} ends its loop at once, without a throw`, ONE, async (scene) => {
    const { turn, text, delivery, goOn } = await staged(stage, scene);
    const reason = new Error("changed my mind");
    const reading = drain(turn.textStream);
    const cancelled = turn.cancel(reason);
    const { values, thrown } = await reading;
    expect(thrown).toBeUndefined();
    expect(text.startsWith(values.join(""))).toBe(true);
    goOn();
    const outcome = await cancelled;
    expect(outcome).toMatchObject({ status: "cancelled", by: "user", partial: { text } });
    expect(await turn.outcome).toBe(outcome);
    expect(await rejection(turn.result)).toMatchObject({
      code: "turn-cancelled",
      by: "user",
      cause: reason,
      delivery,
      partial: { text },
    });
    expect(turn).toMatchObject({ status: "cancelled", text });
  });

  promise(
    `cancel: after a cancelled turn that ${stage}, the next turn gets its own answer`,
    ONE,
    async (scene) => {
      const { client, backend } = scene;
      const { turn, goOn } = await staged(stage, scene);
      const cancelled = turn.cancel();
      const following = client.prompt("next");
      goOn();
      await cancelled;
      expect((await following.result).text).toBe(TEXT);
      const arrived = backend.prompts.map(({ text }) => text);
      expect(arrived.filter((text) => text === "hello")).toHaveLength(stage === "waits to be sent" ? 0 : 1);
      expect(arrived.at(-1)).toBe("next");
    },
  );

  promise(`cancel: a turn that ${stage} is cancelled once, even by several calls`, ONE, async (scene) => {
    const { turn, goOn } = await staged(stage, scene);
    const states = statesOf(turn);
    const reason = new Error("the first");
    const asked = [turn.cancel(reason), turn.cancel(new Error("the second")), turn.cancel()];
    goOn();
    const [first, second, third] = await Promise.all(asked);
    expect(second).toBe(first);
    expect(third).toBe(first);
    expect(await rejection(turn.result)).toMatchObject({ cause: reason });
    expect(states.filter((state) => state === "cancelled")).toHaveLength(1);
    expect(states.at(-1)).toBe("cancelled");
  });

  promise(
    `cancel: a turn that ${stage} settles in time even if the backend falls silent`,
    ONE,
    async (scene) => {
      const { backend, clock, facts } = scene;
      const { turn, text } = await staged(stage, scene);
      backend.fallSilent();
      const outcome = await within(clock, facts.within.cancel, turn.cancel());
      expect(outcome).toMatchObject({ status: "cancelled", by: "user", partial: { text } });
    },
  );
}

promise("cancel: a queued turn is never sent", ONE, async (scene) => {
  const { client, backend } = scene;
  const { turn, goOn } = await staged("waits to be sent", scene);
  await turn.cancel();
  goOn();
  await works(client);
  expect(backend.prompts.map(({ text }) => text)).toEqual(["first", "are you there?"]);
});

promise(
  "cancel: a turn without a connection settles at once",
  { connected: false },
  async ({ client, backend }) => {
    const turn = client.prompt("hello");
    expect(await turn.cancel()).toMatchObject({ status: "cancelled", by: "user", partial: { text: "" } });
    expect(await works(client)).toBe(TEXT);
    expect(backend.prompts.map(({ text }) => text)).toEqual(["are you there?"]);
  },
);

promise("cancel: a settled turn does not change", async ({ client, backend }) => {
  const completed = client.prompt("hello");
  const outcome = await completed.outcome;
  expect(await completed.cancel()).toBe(outcome);
  expect(completed.status).toBe("completed");
  backend.answer = () => [{ fails: "broke" }];
  const failed = client.prompt("hello");
  const failure = await failed.outcome;
  expect(await failed.cancel()).toBe(failure);
  expect(await rejection(failed.result)).toMatchObject({ code: "turn-failed" });
});

promise("cancel: unread events are dropped", async ({ client, backend }) => {
  const goOn = hold(backend);
  const turn = client.prompt("hello");
  await shows(client, turn, "part");
  const cancelled = turn.cancel();
  expect(await drain(turn)).toEqual({ values: [], thrown: undefined });
  goOn();
  await cancelled;
});

promise("cancel: unread events of a completed turn are dropped too", async ({ client }) => {
  const turn = client.prompt("hello");
  await turn.outcome;
  await turn.cancel();
  expect(await drain(turn)).toEqual({ values: [], thrown: undefined });
});

/** What ends a loop from within, and the error that comes out of it. */
const LEAVING: Readonly<Record<string, (turn: AnyTurn) => AsyncIterable<unknown>>> = {
  "the loop": (turn) => turn,
  "the loop over `textStream`": (turn) => turn.textStream,
};

for (const [name, read] of Object.entries(LEAVING)) {
  promise(`break: leaving ${name} cancels the turn`, async ({ client, backend }) => {
    const goOn = hold(backend, ["part"], ["", " and rest"]);
    const turn = client.prompt("hello");
    for await (const _ of read(turn)) {
      if (turn.text !== soFar(client, "part")) continue;
      goOn();
      break;
    }
    expect(await turn.outcome).toMatchObject({ status: "cancelled", by: "user" });
    expect(await works(client)).toBe(TEXT);
  });

  promise(
    `break: an error thrown in ${name} reaches the caller, and cancels the turn`,
    async ({ client, backend }) => {
      const goOn = hold(backend);
      const turn = client.prompt("hello");
      const oops = new Error("oops");
      const loop = async (): Promise<void> => {
        for await (const _ of read(turn)) {
          goOn();
          throw oops;
        }
      };
      expect(await rejection(loop())).toBe(oops);
      expect((await turn.outcome).status).toBe("cancelled");
      expect(await works(client)).toBe(TEXT);
    },
  );
}

promise("break: after its loop was left, the iterator gives nothing more", async ({ client, backend }) => {
  const goOn = hold(backend);
  const turn = client.prompt("hello");
  await shows(client, turn, "part");
  const events = turn[Symbol.asyncIterator]();
  await events.return?.();
  goOn();
  expect(await events.next()).toEqual({ done: true, value: undefined });
  await turn.outcome;
  expect(await events.next()).toEqual({ done: true, value: undefined });
});

promise("break: leaving the loop of a completed turn changes nothing", async ({ client }) => {
  const turn = client.prompt("hello");
  const { status } = await turn.outcome;
  for await (const _ of turn) break;
  expect(status).toBe("completed");
  expect(await turn.result).toMatchObject({ text: TEXT });
});
