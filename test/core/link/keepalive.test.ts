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
  test("pings at every interval, and says nothing while each ping is answered", async () => {
    const { clock, log, keepalive } = rig();
    for (let round = 0; round < 3; round++) {
      await clock.advance(25);
      keepalive.alive();
    }
    await clock.advance(24);
    expect(log).toEqual(["ping@25", "ping@50", "ping@75"]);
  });

  test("declares a link dead when a ping goes unanswered, `timeout` after it", async () => {
    const { clock, log } = rig();
    await clock.advance(39);
    expect(log).toEqual(["ping@25"]);
    await clock.advance(1);
    expect(log).toEqual(["ping@25", "dead@40"]);
  });

  test("life before a ping does not count as its answer", async () => {
    const { clock, log, keepalive } = rig();
    await clock.advance(24);
    keepalive.alive();
    await clock.advance(16);
    expect(log).toEqual(["ping@25", "dead@40"]);
  });

  test("without an interval pings when it is told to, and then no more", async () => {
    const { clock, log, keepalive } = rig({ interval: 0 });
    keepalive.pingNow();
    keepalive.alive();
    await clock.advance(1_000);
    keepalive.stop();
    expect(log).toEqual(["ping@0"]);
  });

  test("a server with an excuse gets no verdict, and is asked again at the next ping", async () => {
    let excused = true;
    const { clock, log } = rig({ excused: () => excused });
    await clock.advance(49);
    expect(log).toEqual(["ping@25"]);
    excused = false;
    await clock.advance(16);
    expect(log).toEqual(["ping@25", "ping@50", "dead@65"]);
  });

  test("an answer that is due once an excuse is over has all its time from then", async () => {
    const { clock, log, keepalive } = rig({ timeout: 10, interval: 100 });
    await clock.advance(105);
    keepalive.due();
    await clock.advance(9);
    expect(log).toEqual(["ping@100"]);
    await clock.advance(1);
    expect(log).toEqual(["ping@100", "dead@115"]);
  });

  test("a ping that could not be sent when it was due is sent later, is judged, and the next one follows an interval later", async () => {
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

  test("a timeout longer than the interval counts from the first ping without an answer", async () => {
    const { clock, log } = rig({ timeout: 60 });
    await clock.advance(85);
    expect(log).toEqual(["ping@25", "ping@50", "ping@75", "dead@85"]);
  });

  test("an answer counts for all pings before it", async () => {
    const { clock, log, keepalive } = rig({ timeout: 60 });
    await clock.advance(55);
    keepalive.alive();
    await clock.advance(45);
    expect(log).toEqual(["ping@25", "ping@50", "ping@75", "ping@100"]);
  });

  test("an answer that comes from within the ping itself counts", async () => {
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

  test("a ping that could not be sent is no reason to judge, and takes back no verdict that was due", async () => {
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

  test("an interval of 0 never pings, and a timeout of 0 never judges", async () => {
    const silent = rig({ interval: 0 });
    expect(silent.clock.pending).toBe(0);
    const patient = rig({ timeout: 0 });
    await patient.clock.advance(60);
    expect(patient.log).toEqual(["ping@25", "ping@50"]);
  });

  test.each([0, 24, 25, 39])("stopped after %i ms it leaves no timer and says nothing more", async (ms) => {
    const { clock, log, keepalive } = rig();
    await clock.advance(ms);
    const said = log.length;
    keepalive.stop();
    keepalive.stop();
    expect(clock.pending).toBe(0);
    await clock.advance(1_000);
    expect(log).toHaveLength(said);
  });

  test("stopped from within its own ping it leaves no timer", async () => {
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

  test("sets timers that do not hold the process", async () => {
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

  test("knows how long ago a ping was answered, and takes nothing else for an answer", async () => {
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
