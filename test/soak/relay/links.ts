// How the links of a chapter go: mostly cut in the middle of a frame.
import type { Dice } from "../dice.ts";
import type { FaultPlan, HalfPlan, LinkPlan } from "../plan.ts";

const WHOLE: HalfPlan = { pieces: "whole", delay: 0, gather: 0 };

/** Between a viewer and a server. */
export function balancerLink(dice: Dice, isRough: boolean): LinkPlan {
  const kind = dice.pick({ rst: 4, fin: 3, "half-close": 1, "half-open": 1, dead: 1, stall: 2 });
  return isRough && dice.chance(0.7) ? link(dice, kind, 30_000) : calm(dice);
}

/** Between a server and Redis, whose client has no limit for a silent link. */
export function redisLink(dice: Dice, isRough: boolean): LinkPlan {
  const kind = dice.pick({ rst: 4, fin: 2, stall: 3 });
  return isRough && dice.chance(0.5) ? link(dice, kind, 300_000) : calm(dice);
}

function calm(dice: Dice): LinkPlan {
  return { up: half(dice), down: half(dice), fault: undefined };
}

function link(dice: Dice, kind: FaultPlan["kind"], most: number): LinkPlan {
  const side = dice.pick({ up: 1, down: 2 });
  const afterBytes = dice.chance(0.3) ? dice.int(0, 1_500) : dice.int(0, most);
  return { up: half(dice), down: half(dice), fault: { kind, side, afterBytes, ms: dice.int(20, 800) } };
}

function half(dice: Dice): HalfPlan {
  return dice.chance(0.3) ? { pieces: "random", delay: 0, gather: 0 } : WHOLE;
}
