import { ManualClock } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import type { Clock } from "../../../src/core/clock.ts";
import { Keepalive, type KeepaliveTimes, type KeepaliveUser } from "../../../src/core/link/keepalive.ts";

type Changes = Partial<KeepaliveTimes & Omit<KeepaliveUser, "onDead">> & {
  readonly clock?: Clock;
  readonly dead?: () => void;
};

function rig({ interval = 25, timeout = 15, dead, clock: watching, ...user }: Changes = {}) {
  const clock = new ManualClock();
  const log: string[] = [];
  const keepalive = new Keepalive(
    watching ?? clock,
    { interval, timeout },
    {
      ping: () => log.push(`ping@${clock.now()}`) > 0,
      excused: () => false,
      onDead: (after) => {
        expect(after).toBe(timeout);
        if (dead) dead();
        else log.push(`dead@${clock.now()}`);
      },
      ...user,
    },
  );
  return { clock, log, keepalive };
}

describe("Keepalive", () => {
  test("pings at every interval while each ping is answered", async () => {
    const { clock, log, keepalive } = rig();
    for (let round = 0; round < 3; round++) {
      await clock.advance(25);
      keepalive.alive();
    }
    await clock.advance(24);
    expect(log).toEqual(["ping@25", "ping@50", "ping@75"]);
  });

  test("declares a link dead `timeout` after an unanswered ping", async () => {
    const { clock, log } = rig();
    await clock.advance(39);
    expect(log).toEqual(["ping@25"]);
    await clock.advance(1);
    expect(log).toEqual(["ping@25", "dead@40"]);
  });

  test("does not count a frame from before the ping as its answer", async () => {
    const { clock, log, keepalive } = rig();
    await clock.advance(24);
    keepalive.alive();
    await clock.advance(16);
    expect(log).toEqual(["ping@25", "dead@40"]);
  });

  test("without an interval pings only on `pingNow()`", async () => {
    const { clock, log, keepalive } = rig({ interval: 0 });
    keepalive.pingNow();
    keepalive.alive();
    await clock.advance(1_000);
    keepalive.stop();
    expect(log).toEqual(["ping@0"]);
  });

  test("keeps an excused link, and checks again at the next ping", async () => {
    let excused = true;
    const { clock, log } = rig({ excused: () => excused });
    await clock.advance(49);
    expect(log).toEqual(["ping@25"]);
    excused = false;
    await clock.advance(16);
    expect(log).toEqual(["ping@25", "ping@50", "dead@65"]);
  });

  test("restarts the timeout at `due()`", async () => {
    const { clock, log, keepalive } = rig({ timeout: 10, interval: 100 });
    await clock.advance(105);
    keepalive.due();
    await clock.advance(9);
    expect(log).toEqual(["ping@100"]);
    await clock.advance(1);
    expect(log).toEqual(["ping@100", "dead@115"]);
  });

  test("judges a ping that was sent late, and sends the next one an interval later", async () => {
    let sends = false;
    const log: string[] = [];
    const { clock, keepalive } = rig({
      ping: () => {
        if (sends) log.push(`ping@${clock.now()}`);
        return sends;
      },
      dead: () => log.push(`dead@${clock.now()}`),
      timeout: 10,
    });
    await clock.advance(30);
    sends = true;
    keepalive.pingNow();
    await clock.advance(9);
    keepalive.alive();
    await clock.advance(16);
    expect(log).toEqual(["ping@30", "ping@55"]);
    await clock.advance(10);
    expect(log).toEqual(["ping@30", "ping@55", "dead@65"]);
  });

  test("counts a timeout longer than the interval from the first unanswered ping", async () => {
    const { clock, log } = rig({ timeout: 60 });
    await clock.advance(85);
    expect(log).toEqual(["ping@25", "ping@50", "ping@75", "dead@85"]);
  });

  test("counts an answer for all pings before it", async () => {
    const { clock, log, keepalive } = rig({ timeout: 60 });
    await clock.advance(55);
    keepalive.alive();
    await clock.advance(45);
    expect(log).toEqual(["ping@25", "ping@50", "ping@75", "ping@100"]);
  });

  test("counts an answer that arrives during the ping call", async () => {
    const answers = { alive: () => {} };
    const { clock, log, keepalive } = rig({
      ping: () => {
        answers.alive();
        return true;
      },
    });
    answers.alive = () => keepalive.alive();
    await clock.advance(1_000);
    expect(log).toEqual([]);
  });

  test("ignores a ping that could not be sent, and keeps an earlier ping's timeout", async () => {
    let sends = false;
    const log: string[] = [];
    const { clock } = rig({ ping: () => sends, dead: () => log.push(`dead@${clock.now()}`), timeout: 40 });
    await clock.advance(74);
    expect(log).toEqual([]);
    sends = true;
    await clock.advance(1);
    sends = false;
    await clock.advance(40);
    expect(log).toEqual(["dead@115"]);
  });

  test("never pings with an interval of 0, and never declares death with a timeout of 0", async () => {
    const silent = rig({ interval: 0 });
    expect(silent.clock.pending).toBe(0);
    const patient = rig({ timeout: 0 });
    await patient.clock.advance(60);
    expect(patient.log).toEqual(["ping@25", "ping@50"]);
  });

  test.each([0, 24, 25, 39])("leaves no timer and calls nothing after `stop()` at %i ms", async (ms) => {
    const { clock, log, keepalive } = rig();
    await clock.advance(ms);
    const said = log.length;
    keepalive.stop();
    keepalive.stop();
    expect(clock.pending).toBe(0);
    await clock.advance(1_000);
    expect(log).toHaveLength(said);
  });

  test("leaves no timer after `stop()` inside its own ping", async () => {
    const holder = { stop: () => {} };
    const { clock, keepalive } = rig({
      ping: () => {
        holder.stop();
        return true;
      },
    });
    holder.stop = () => keepalive.stop();
    await clock.advance(25);
    expect(clock.pending).toBe(0);
  });

  test("uses timers that do not keep the process alive", async () => {
    const held: (boolean | undefined)[] = [];
    const clock = new ManualClock();
    const watching = {
      now: () => clock.now(),
      wallTime: () => clock.wallTime(),
      random: () => 0,
      setTimeout: (callback: () => void, delay: number, options?: { readonly unref?: boolean }) => {
        held.push(options?.unref);
        return clock.setTimeout(callback, delay);
      },
    };
    rig({ clock: watching });
    await clock.advance(25);
    expect(held).toEqual([true, true, true]);
  });

  test("`wasAnsweredWithin()` counts only answers to a ping", async () => {
    const { clock, keepalive } = rig();
    keepalive.alive(); // before any ping
    keepalive.due();
    await clock.advance(1);
    expect(keepalive.wasAnsweredWithin(1_000)).toBe(false);
    keepalive.alive();
    await clock.advance(9);
    expect([keepalive.wasAnsweredWithin(10), keepalive.wasAnsweredWithin(9)]).toEqual([true, false]);
    keepalive.stop();
    expect(keepalive.wasAnsweredWithin(9)).toBe(false);
  });
});
