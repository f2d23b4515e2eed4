import { numbered } from "../../helpers/every-type.ts";
import { at, changed, changedIn, from, result, whole, withMore, without } from "../../helpers/transcripts.ts";
import type { BrokenBy } from "./broken-by.ts";

const CALL_ID = ["data", "item", "content", 0, "call_id"];

export const brokenCalls = {
  I9: [
    {
      name: "resolves no permission",
      events: without(11),
      index: 20,
      says: /permission `ses_1.1` is still open at the end of its turn/,
    },
    {
      name: "resolves no question",
      events: without(17),
      index: 20,
      says: /question `ses_1.2` is still open/,
    },
    {
      name: "resolves a permission twice",
      events: withMore(11, at(11)),
      index: 11,
      says: /permission `ses_1.1` has been resolved before/,
    },
    {
      name: "resolves a question twice",
      events: withMore(17, at(17)),
      index: 17,
      says: /question `ses_1.2` has been resolved before/,
    },
    {
      name: "resolves a permission without a request",
      events: without(10),
      index: 9,
      says: /permission `ses_1.1` has not been requested/,
    },
    {
      name: "resolves a question without a request",
      events: without(16),
      index: 15,
      says: /question `ses_1.2` has not been requested/,
    },
    {
      name: "requests an open permission again",
      events: withMore(10, at(10)),
      index: 10,
      says: /has been requested before/,
    },
    {
      name: "uses the id of a permission twice",
      events: withMore(11, at(10)),
      index: 11,
      says: /has been requested before/,
    },
    {
      name: "resolves a question behind its turn",
      events: numbered([...from(1, 16), ...from(18, 22), at(17), at(23)]),
      index: 20,
      says: /question `ses_1.2`/,
    },
  ],
  I11: [
    {
      name: "has a result of no call",
      events: changed(13, CALL_ID, "c9"),
      index: 12,
      says: /no tool call/,
    },
    {
      name: "has a result before its call",
      events: withMore(4, ...whole(7, result("c1"))),
      index: 4,
      says: /no tool call/,
    },
    {
      name: "has a result of a native id",
      events: changedIn(changed(9, ["data", "item", "native_item_id"], "c7"), 13, CALL_ID, "c7"),
      index: 12,
      says: /no tool call/,
    },
  ],
} satisfies BrokenBy;
