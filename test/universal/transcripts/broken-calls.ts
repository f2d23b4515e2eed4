import { everyType, numbered, withValue } from "../../helpers/every-type.ts";
import { at, changed, result, whole, withMore, without } from "../../helpers/transcripts.ts";
import type { BrokenBy } from "./broken-by.ts";

export const brokenCalls = {
  I9: [
    {
      name: "resolves no permission",
      events: without(11),
      index: 20,
      says: /permission `c1` is still open at the end of its turn/,
    },
    { name: "resolves no question", events: without(17), index: 20, says: /question `c2` is still open/ },
    {
      name: "resolves a permission twice",
      events: withMore(11, at(11)),
      index: 11,
      says: /permission `c1` has been resolved before/,
    },
    {
      name: "resolves a question twice",
      events: withMore(17, at(17)),
      index: 17,
      says: /question `c2` has been resolved before/,
    },
    {
      name: "resolves a permission without a request",
      events: without(10),
      index: 9,
      says: /permission `c1` has not been requested/,
    },
    {
      name: "resolves a question without a request",
      events: without(16),
      index: 15,
      says: /question `c2` has not been requested/,
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
      events: numbered([...everyType.slice(0, 16), ...everyType.slice(17, 22), at(17), at(23)]),
      index: 20,
      says: /question `c2`/,
    },
  ],
  I11: [
    {
      name: "has a result of no call",
      events: changed(13, ["data", "item", "content", 0, "call_id"], "c9"),
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
      name: "has a call of the native id alone",
      events: changed(9, ["data", "item", "native_item_id"], "c7").map((each, index) =>
        index === 12 ? withValue(each, ["data", "item", "content", 0, "call_id"], "c7") : each,
      ),
      index: 12,
      says: /no tool call/,
    },
  ],
} satisfies BrokenBy;
