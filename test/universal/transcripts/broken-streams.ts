import { numbered } from "../../helpers/every-type.ts";
import {
  assistant,
  at,
  call,
  changed,
  completed,
  delta,
  from,
  permission,
  question,
  result,
  started,
  turnEnd,
  turnStart,
  user,
  whole,
  withMore,
  without,
} from "../../helpers/transcripts.ts";
import type { BrokenBy } from "./broken-by.ts";

export const brokenStreams = {
  I1: [
    {
      name: "begins with 2",
      events: withMore(0, {}).slice(1),
      index: 0,
      says: /is 2: it must be 1/,
    },
    {
      name: "has a gap",
      events: [...from(1, 19), ...from(21, 23)],
      index: 19,
      says: /is 21: it must be 20/,
    },
    {
      name: "has an event twice",
      events: [...from(1, 20), ...from(20, 23)],
      index: 20,
      says: /is 20: it must be 21/,
    },
  ],
  I2: [
    { name: "begins with another event", events: without(1), index: 0, says: /first event is not/ },
    { name: "has a second start", events: withMore(4, at(1)), index: 4, says: /has started before/ },
    {
      name: "has a second start between turns",
      events: withMore(22, at(1)),
      index: 22,
      says: /has started before/,
    },
  ],
  I3: [
    { name: "goes on behind its end", events: withMore(23, at(20)), index: 23, says: /has ended before/ },
    { name: "ends twice", events: withMore(23, at(23)), index: 23, says: /has ended before/ },
    { name: "starts again behind its end", events: withMore(23, at(1)), index: 23, says: /has ended before/ },
  ],
  I4: [
    {
      name: "has a turn in a turn",
      events: withMore(7, turnStart("trn_2"), turnEnd("trn_2")),
      index: 7,
      says: /`trn_2` starts before the end of the turn `trn_1`/,
    },
    {
      name: "has two turns that overlap",
      events: numbered([...from(1, 21), turnStart("trn_2"), at(22), turnEnd("trn_2"), at(23)]),
      index: 21,
      says: /before the end of/,
    },
    {
      name: "starts a turn in place of the end of another",
      events: numbered([...from(1, 21), turnStart("trn_2"), turnEnd("trn_2"), at(23)]),
      index: 21,
      says: /`trn_2` starts before the end of the turn `trn_1`/,
    },
    { name: "starts a turn twice", events: withMore(2, at(2)), index: 2, says: /`trn_1` has started before/ },
    { name: "ends a turn twice", events: withMore(22, at(22)), index: 22, says: /`trn_1` is not open/ },
    {
      name: "ends a turn that has not started",
      events: withMore(1, turnEnd("trn_9")),
      index: 1,
      says: /`trn_9` is not open/,
    },
    {
      name: "ends a turn by another id",
      events: changed(22, ["data", "turn_id"], "trn_9"),
      index: 21,
      says: /`trn_9` is not open/,
    },
    {
      name: "uses an id for two turns",
      events: withMore(22, turnStart("trn_1"), turnEnd("trn_1")),
      index: 22,
      says: /has started before/,
    },
    {
      name: "ends its session in a turn",
      events: without(22),
      index: 21,
      says: /`trn_1` is still open at the end of the session/,
    },
    {
      name: "stops in a turn",
      events: without(22, 23),
      index: 1,
      says: /`trn_1` is still open at the end of the transcript/,
    },
  ],
  I12: [
    {
      name: "has a synthetic event of the agent",
      events: changed(6, ["synthetic"], true),
      index: 5,
      says: /`daemon`/,
    },
    {
      name: "ends by a synthetic event of the agent",
      events: changed(23, ["synthetic"], true),
      index: 22,
      says: /`daemon`/,
    },
  ],
  grammar: [
    {
      name: "has a prompt between turns",
      events: withMore(22, ...whole(7, user)),
      index: 22,
      says: /outside of a turn/,
    },
    {
      name: "has a tool call between turns",
      events: withMore(22, ...whole(7, call("c7"))),
      index: 22,
      says: /outside of a turn/,
    },
    {
      name: "has a tool result before the first turn",
      events: withMore(22, ...whole(7, result("c1"))),
      index: 22,
      says: /outside of a turn/,
    },
    {
      name: "has an answer between turns",
      events: withMore(22, started(7, assistant), completed(7, assistant)),
      index: 23,
      says: /message outside of a turn/,
    },
    {
      name: "has a delta between turns",
      events: withMore(22, started(7), delta(7, "a"), completed(7)),
      index: 23,
      says: /the next event must complete it/,
    },
    {
      name: "starts a turn in an item",
      events: withMore(1, started(7)),
      index: 2,
      says: /the next event must complete it/,
    },
    {
      name: "has another item in an item between turns",
      events: withMore(22, started(7), ...whole(8), completed(7)),
      index: 23,
      says: /`itm_7`/,
    },
    {
      name: "asks for permission between turns",
      events: withMore(22, permission("p", "requested"), permission("p", "reject")),
      index: 22,
      says: /permission `p` is requested outside of a turn/,
    },
    {
      name: "asks a question before the first turn",
      events: withMore(1, question("q", "requested"), question("q", "rejected")),
      index: 1,
      says: /question `q` is requested outside of a turn/,
    },
  ],
} satisfies BrokenBy;
