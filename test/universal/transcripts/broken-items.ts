import { numbered } from "../../helpers/every-type.ts";
import {
  assistant,
  at,
  changed,
  changedIn,
  completed,
  delta,
  from,
  started,
  withMore,
  without,
} from "../../helpers/transcripts.ts";
import type { BrokenBy } from "./broken-by.ts";

const PARENT = ["data", "item", "parent_id"];

export const brokenItems = {
  I5: [
    {
      name: "starts an open item again",
      events: withMore(5, at(5)),
      index: 5,
      says: /`itm_2` has started before/,
    },
    {
      name: "starts a finished item again",
      events: withMore(4, at(3)),
      index: 4,
      says: /`itm_1` has started before/,
    },
    {
      name: "completes an item twice",
      events: withMore(7, at(7)),
      index: 7,
      says: /`itm_2` has been completed before/,
    },
    {
      name: "completes an item without a start",
      events: without(3),
      index: 2,
      says: /`itm_1` has not started/,
    },
    {
      name: "completes an item before its start",
      events: numbered([...from(1, 2), at(4), ...from(5, 23)]),
      index: 2,
      says: /`itm_1` has not started/,
    },
    {
      name: "ends its session with an item open that started between turns",
      events: withMore(22, started(7)),
      index: 23,
      says: /`itm_7` is still open at the end of the session/,
    },
    {
      name: "stops with an item open that started between turns",
      events: withMore(22, started(7)).slice(0, 23),
      index: 22,
      says: /end of the transcript/,
    },
  ],
  I6: [
    {
      name: "has a delta behind the end of its item",
      events: withMore(7, at(6)),
      index: 7,
      says: /`itm_2`, which is completed/,
    },
    {
      name: "has a delta of no item",
      events: withMore(4, delta(9, "a")),
      index: 4,
      says: /`itm_9`, which has not started/,
    },
    {
      name: "has a delta before its item",
      events: withMore(4, delta(2, "")),
      index: 4,
      says: /`itm_2`, which has not started/,
    },
  ],
  I7: [
    { name: "lacks a delta", events: without(6), index: 5, says: /`itm_2`/ },
    { name: "has a delta twice", events: withMore(6, at(6)), index: 7, says: /differ/ },
    {
      name: "has other deltas than text",
      events: changed(6, ["data", "delta"], "On it"),
      index: 6,
      says: /differ/,
    },
    {
      name: "has more text than deltas",
      events: changed(7, ["data", "item", "content", 0, "text"], "On it. Now."),
      index: 6,
      says: /differ/,
    },
    {
      name: "has deltas and no text",
      events: changed(7, ["data", "item", "content"], []),
      index: 6,
      says: /differ/,
    },
    {
      name: "loses the text of an item that failed",
      events: numbered([...from(1, 6), completed(2, { ...assistant, status: "failed" }), ...from(8, 23)]),
      index: 6,
      says: /differ/,
    },
    {
      name: "has other deltas than reasoning",
      events: withMore(
        7,
        started(7, assistant),
        delta(7, "hmm", "reasoning"),
        completed(7, { ...assistant, content: [{ type: "reasoning", text: "h", visibility: "public" }] }),
      ),
      index: 9,
      says: /`itm_7`/,
    },
  ],
  I8: [
    {
      name: "leaves an item open in its turn",
      events: without(7),
      index: 20,
      says: /`itm_2` is still open at the end of its turn/,
    },
    { name: "leaves the result of a call open", events: without(19), index: 20, says: /`itm_6`/ },
    {
      name: "completes an item behind its turn",
      events: numbered([...from(1, 18), ...from(20, 22), at(19), at(23)]),
      index: 20,
      says: /`itm_6`/,
    },
  ],
  I10: [
    {
      name: "has a parent that never started",
      events: changed(14, PARENT, "itm_99"),
      index: 13,
      says: /`itm_99`/,
    },
    {
      name: "starts and completes an item under a parent that never started",
      events: changedIn(changed(14, PARENT, "itm_99"), 15, PARENT, "itm_99"),
      index: 13,
      says: /`itm_99`/,
    },
    {
      name: "has a parent that starts later",
      events: changed(8, PARENT, "itm_4"),
      index: 7,
      says: /`itm_4`/,
    },
    {
      name: "has an item that is its own parent",
      events: changed(14, PARENT, "itm_5"),
      index: 13,
      says: /`itm_5`/,
    },
    {
      name: "completes an item under a parent that never started",
      events: changed(15, PARENT, "itm_99"),
      index: 14,
      says: /`itm_99`/,
    },
    {
      name: "completes an item as its own parent",
      events: changed(15, PARENT, "itm_5"),
      index: 14,
      says: /`itm_5`/,
    },
  ],
} satisfies BrokenBy;
