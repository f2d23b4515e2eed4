import { measure } from "../support/measure.ts";
import { figureOf } from "../support/numbers.ts";
import type { Case } from "./figure.ts";

/** A long answer, 6 kB: what a chat writes once for each answer counts as in a real one. */
const TOKENS = 1_250;

export const chatStore: Case = {
  name: "chat-store",
  about: "bytes that a chat has its store keep",
  async measure(_effort, progress) {
    progress(`an answer of ${TOKENS} tokens`);
    return [
      {
        name: "chat-store",
        about: "bytes in the file of `directoryStore` for a byte of an answer, 5 characters at a time",
        unit: "x",
        bar: 10,
        aim: 5,
        measured: figureOf(await measure("chat-store", { tokens: TOKENS }), "ratio"),
      },
    ];
  },
};
