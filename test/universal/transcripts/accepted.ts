import { everyType, type Line, line, numbered, withValue } from "../../helpers/every-type.ts";
import {
  assistant,
  at,
  audio,
  call,
  completed,
  delta,
  from,
  permission,
  result,
  started,
  subagent,
  text,
  turnEnd,
  turnStart,
  user,
  whole,
  withMore,
  without,
} from "../../helpers/transcripts.ts";

const [opening = {}] = everyType;

/** Transcripts without a mistake. */
export const accepted: readonly { readonly name: string; readonly events: readonly Line[] }[] = [
  { name: "no event", events: [] },
  { name: "a session that only started", events: [opening] },
  { name: "a session that ends without a turn", events: numbered([opening, at(23)]) },
  { name: "a session that has not ended", events: without(23) },
  {
    name: "a session that ends by an error",
    events: numbered([
      opening,
      turnStart("trn_1"),
      ...whole(1, user),
      started(2, assistant),
      delta(2, "I w"),
      completed(2, { ...text("I w"), status: "failed" }),
      at(20),
      turnEnd("trn_1", "failed"),
      line("session.ended", {
        reason: "error",
        terminated_by: "daemon",
        message: "exit 1",
        exit_code: 1,
        stderr: { head: "boom", truncated: false },
      }),
    ]),
  },
  {
    name: "a turn without a prompt",
    events: withMore(
      22,
      turnStart("trn_2", { unsolicited: true }),
      started(7, assistant),
      delta(7, "By the way"),
      completed(7, text("By the way")),
      turnEnd("trn_2"),
    ),
  },
  {
    name: "a second turn",
    events: withMore(22, turnStart("trn_2"), ...whole(7, user), turnEnd("trn_2", "cancelled")),
  },
  {
    name: "agents of agents",
    events: withMore(
      7,
      started(7, subagent),
      started(8, { ...subagent, parent_id: "itm_7" }),
      started(9, { ...assistant, parent_id: "itm_8" }),
      delta(9, "found"),
      completed(9, { ...text("found"), parent_id: "itm_8" }),
      completed(8, { ...subagent, parent_id: "itm_7" }),
      completed(7, subagent),
    ),
  },
  {
    name: "items of two agents that interleave",
    events: numbered([
      ...from(1, 5),
      started(7, subagent),
      started(8, { ...assistant, parent_id: "itm_7" }),
      delta(8, "a"),
      at(6),
      delta(8, "b"),
      at(7),
      completed(8, { ...text("ab"), parent_id: "itm_7" }),
      completed(7, subagent),
      ...from(8, 23),
    ]),
  },
  {
    name: "reasoning before the answer",
    events: withMore(
      4,
      started(7, assistant),
      delta(7, "hm", "reasoning"),
      delta(7, "m", "reasoning"),
      completed(7, { ...assistant, content: [{ type: "reasoning", text: "hmm", visibility: "private" }] }),
    ),
  },
  {
    name: "an answer of several parts",
    events: withMore(
      7,
      started(7, assistant),
      delta(7, "ab"),
      completed(7, {
        ...assistant,
        content: [
          { type: "text", text: "a" },
          { type: "json", json: {} },
          { type: "text", text: "b" },
          ...audio.content,
        ],
      }),
    ),
  },
  { name: "a message without text", events: withMore(7, ...whole(7, assistant)) },
  {
    name: "the streamed output of a tool, which is not its result",
    events: withMore(12, delta(4, "running", "tool_output")),
  },
  {
    name: "two calls before the first result",
    events: withMore(
      7,
      ...whole(7, call("c7")),
      ...whole(8, call("c8")),
      ...whole(9, result("c8")),
      ...whole(10, result("c7")),
    ),
  },
  {
    name: "a call that is denied",
    events: withMore(9, permission("p1", "requested"), permission("p1", "reject")),
  },
  {
    name: "a permission and a question of the same id",
    events: withMore(15, permission("ses_1.2", "requested"), permission("ses_1.2", "accept")),
  },
  {
    name: "status, system, unknown items and errors between turns",
    events: withMore(
      22,
      ...whole(7),
      ...whole(8, { kind: "system", role: "system", content: [{ type: "text", text: "bye" }] }),
      ...whole(9, { kind: "unknown", content: [{ type: "json", json: {} }] }),
      at(20),
      at(21),
    ),
  },
  { name: "a status before the first turn", events: withMore(1, ...whole(7)) },
  {
    name: "audio that arrives after its turn",
    events: withMore(
      22,
      started(7, { ...assistant, parent_id: "itm_2" }),
      completed(7, { ...audio, parent_id: "itm_2" }),
    ),
  },
  { name: "ids of items that are not in order", events: withMore(22, ...whole(700), ...whole(9)) },
  {
    name: "a native id that becomes known later",
    events: everyType.map((each, index) => (index < 9 ? { ...each, native_session_id: null } : each)),
  },
  {
    name: "unknown fields",
    events: everyType.map((each) => ({ ...withValue(each, ["data", "later"], { since: 2 }), later: [] })),
  },
  {
    name: "two sessions, mixed",
    events: everyType.flatMap((each) => [each, { ...each, session_id: "ses_2" }]),
  },
];
