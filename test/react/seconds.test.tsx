import { useSeconds } from "agentwire/react";
import { ManualClock } from "agentwire/testing";
import { Text } from "ink";
import { expect, test } from "vitest";
import { mount, settled, until } from "./support/mount.ts";

test("seconds count up from a start time, render once each, and stop when the time is removed", async () => {
  const clock = new ManualClock();
  const start = clock.wallTime() - 2_500;
  const seen: number[] = [];
  const Elapsed = ({ from }: { readonly from: number | undefined }) => {
    const seconds = useSeconds(from, clock);
    seen.push(seconds);
    return <Text>{seconds}</Text>;
  };
  using screen = mount(<Elapsed from={start} />);
  await until(() => screen.shown === "2");
  await settled();
  await clock.advance(499);
  await settled();
  expect(screen.shown).toBe("2");
  await clock.advance(1);
  await until(() => screen.shown === "3");
  await clock.advance(1_000);
  await until(() => screen.shown === "4");
  expect(seen).toEqual([2, 3, 4]);
  screen.rerender(<Elapsed from={undefined} />);
  await until(() => screen.shown === "0");
  await settled();
  expect(clock.pending).toBe(0);
});

test("seconds until a future time are negative, and reach 0 at that time", async () => {
  const clock = new ManualClock();
  const Countdown = () => <Text>{useSeconds(at, clock)}</Text>;
  const at = clock.wallTime() + 1_500;
  using screen = mount(<Countdown />);
  await until(() => screen.shown === "-2");
  await settled();
  await clock.advance(500);
  await until(() => screen.shown === "-1");
  await clock.advance(1_000);
  await until(() => screen.shown === "0");
});
