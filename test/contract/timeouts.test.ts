import { expect } from "vitest";
import { SIGN, TEXT, usual } from "./fixture.ts";
import { promise } from "./promise.ts";
import { drain, failureOf, gate, hold, shows, staged, until, within, works } from "./support.ts";

const ONE = { oneAtATime: true } as const;

promise(
  "timeouts: a silent turn fails after `idleTimeout`, and a reader gets the text first",
  async ({ client, backend, clock }) => {
    const goOn = hold(backend);
    const turn = client.prompt("hello", { idleTimeout: 3_000 });
    await shows(client, turn, "part");
    const { text } = turn;
    await clock.advance(2_999);
    expect(turn.status).toBe("streaming");
    await clock.advance(1);
    const timeout = {
      code: "turn-timeout",
      kind: "idle",
      timeout: 3_000,
      partial: { text },
    };
    const { values, thrown } = await drain(turn.textStream);
    expect(values.join("")).toBe(text);
    expect(thrown).toMatchObject(timeout);
    goOn();
    expect(await failureOf(turn)).toMatchObject(timeout);
    expect(turn.status).toBe("failed");
    expect(await works(client)).toBe(TEXT);
  },
);

promise("timeouts: any event of a turn restarts `idleTimeout`", async ({ client, backend, clock }) => {
  const gates = [gate(), gate()] as const;
  backend.answer = () =>
    (async function* () {
      for (const { passed } of gates) {
        yield SIGN;
        await passed;
      }
      yield TEXT;
    })();
  let events = 0;
  const turn = client.prompt("hello", { idleTimeout: 3_000 });
  turn.on("event", () => events++);
  await until(turn, () => turn.status === "streaming");
  for (const { open } of gates) {
    const seen = events;
    await clock.advance(2_000);
    open();
    await until(turn, () => events > seen);
  }
  expect((await turn.result).text).toBe(TEXT);
  expect(clock.now()).toBe(4_000);
});

promise(
  "timeouts: the client's `idleTimeout` applies to turns without one of their own",
  { idleTimeout: 3_000 },
  async ({ client, backend, clock }) => {
    const goOn = [hold(backend)];
    const patient = client.prompt("patient", { idleTimeout: 9_000 });
    await shows(client, patient, "part");
    await clock.advance(3_000);
    expect(patient.status).toBe("streaming");
    goOn[0]?.();
    await patient.outcome;
    goOn.push(hold(backend));
    const turn = client.prompt("hello");
    await shows(client, turn, "part");
    await clock.advance(3_000);
    goOn[1]?.();
    expect(await failureOf(turn)).toMatchObject({ code: "turn-timeout", kind: "idle", timeout: 3_000 });
  },
);

promise(
  "timeouts: an `idleTimeout` of 0 allows any silence",
  { idleTimeout: 0 },
  async ({ client, backend, clock }) => {
    const goOn = hold(backend);
    const turn = client.prompt("hello");
    await shows(client, turn, "part");
    await clock.advance(150_000); // more than any protocol allows by itself
    goOn();
    expect((await turn.result).text).toBe("part and rest");
  },
);

promise("timeouts: `idleTimeout` does not run for a queued turn", ONE, async ({ client, backend, clock }) => {
  const goOn = hold(backend);
  const first = client.prompt("first");
  await shows(client, first, "part");
  const second = client.prompt("second", { idleTimeout: 1_000 });
  await clock.advance(10_000);
  expect(second.status).toBe("queued");
  goOn();
  expect((await second.result).text).toBe(TEXT);
});

promise(
  "timeouts: `timeout` runs from the call to the end of the turn",
  async ({ client, backend, clock }) => {
    const goOn = hold(backend);
    const turn = client.prompt("hello", { timeout: 5_000 });
    await clock.advance(1_000);
    await shows(client, turn, "part");
    await clock.advance(3_999);
    expect(turn.status).toBe("streaming");
    await clock.advance(1);
    expect(turn.status).not.toBe("streaming");
    goOn();
    expect(await failureOf(turn)).toMatchObject({ code: "turn-timeout", kind: "total", timeout: 5_000 });
    expect(await works(client)).toBe(TEXT);
  },
);

promise("timeouts: `timeout` runs for a queued turn too", ONE, async (scene) => {
  const { client, backend, clock } = scene;
  const { turn, goOn } = await staged("waits to be sent", scene, { timeout: 5_000 });
  await clock.advance(5_000);
  expect(await failureOf(turn)).toMatchObject({
    code: "turn-timeout",
    kind: "total",
    delivery: "not-sent",
    input: "hello",
  });
  goOn();
  await works(client);
  expect(backend.prompts.map(({ text }) => text)).not.toContain("hello");
});

promise(
  "timeouts: `timeout` runs for a turn without a connection too",
  { connected: false },
  async ({ client, clock, link }) => {
    link.refuse("never-answered");
    const turn = client.prompt("hello", { timeout: 5_000 });
    await link.tried(1);
    await clock.advance(5_000);
    expect(await failureOf(turn)).toMatchObject({
      code: "turn-timeout",
      delivery: "not-sent",
      input: "hello",
    });
  },
);

promise(
  "timeouts: a timed-out turn settles in time even if the backend falls silent",
  async ({ client, backend, clock, facts }) => {
    hold(backend);
    const turn = client.prompt("hello", { idleTimeout: 3_000 });
    await shows(client, turn, "part");
    backend.fallSilent();
    expect(await within(clock, 3_000 + facts.within.cancel, turn.outcome)).toMatchObject({
      status: "failed",
      error: { code: "turn-timeout" },
    });
  },
);

promise("timeouts: a completed turn leaves no timer", async ({ client, backend, clock }) => {
  await works(client);
  const idle = clock.pending;
  backend.answer = usual;
  const turn = client.prompt("hello", { timeout: 60_000, idleTimeout: 60_000 });
  await turn.result;
  expect(clock.pending).toBe(idle);
});
