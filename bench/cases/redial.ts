import { measure } from "../support/measure.ts";
import { figureOf } from "../support/numbers.ts";
import type { Case } from "./figure.ts";

const LINKS = { full: 100, quick: 30 } as const;

export const redial: Case = {
  name: "redial",
  about: "the first redial after a healthy link broke",
  async measure(effort, progress) {
    progress(`${LINKS[effort]} links, each cut once`);
    const found = await measure("redial", { links: LINKS[effort] });
    return [
      {
        name: "redial-wait",
        about: "wait before it, by the client's clock: off from 500 ms * random() by",
        unit: "ms",
        bar: 0,
        measured: figureOf(found, "offBy"),
      },
      {
        name: "redial-rest",
        about: "from the cut to ready without that wait, over a first dial and handshake",
        unit: "x",
        bar: 1.5,
        aim: 1,
        measured: figureOf(found, "ratio"),
      },
    ];
  },
};
