import {
  assistant,
  call,
  changed,
  completed,
  delta,
  result,
  started,
  withMore,
} from "../../helpers/transcripts.ts";
import type { BrokenBy } from "./broken-by.ts";

export const brokenShapes = {
  shape: [
    {
      name: "has an event of an unknown type",
      events: changed(20, ["type"], "item.updated"),
      index: 19,
      says: /^type is "item\.updated": it must be one of: session\.started,/,
    },
    {
      name: "lacks a field of an event",
      events: changed(20, ["raw"], undefined),
      index: 19,
      says: /^raw is missing\.$/,
    },
    {
      name: "has a field of another type",
      events: changed(20, ["data", "fatal"], 1),
      index: 19,
      says: /^data\.fatal is 1: it must be true or false\.$/,
    },
    {
      name: "has an id that is not that of its sequence",
      events: changed(6, ["event_id"], "evt_7"),
      index: 5,
      says: /`event_id`/,
    },
    {
      name: "forgets the native id",
      events: changed(6, ["native_session_id"], null),
      index: 5,
      says: /`native_session_id`/,
    },
    {
      name: "starts an item as completed",
      events: changed(5, ["data", "item", "status"], "completed"),
      index: 4,
      says: /must be `in_progress`/,
    },
    {
      name: "completes an item in progress",
      events: changed(7, ["data", "item", "status"], "in_progress"),
      index: 6,
      says: /must not be `in_progress`/,
    },
    {
      name: "changes the role of an item",
      events: changed(4, ["data", "item", "role"], "assistant"),
      index: 3,
      says: /another kind or role/,
    },
    {
      name: "has a tool call without its part",
      events: changed(8, ["data", "item", "content"], []),
      index: 7,
      says: /one `tool_call` part/,
    },
    {
      name: "has a tool call of two parts",
      events: changed(9, ["data", "item", "content"], [...call("c1").content, ...call("c1").content]),
      index: 8,
      says: /one `tool_call` part/,
    },
    {
      name: "completes a tool result without its part",
      events: changed(13, ["data", "item", "content"], [{ type: "json", json: 1 }]),
      index: 12,
      says: /one `tool_result` part/,
    },
    {
      name: "has a tool result whose part is not first",
      events: changed(
        13,
        ["data", "item", "content"],
        [
          { type: "json", json: 1 },
          { type: "tool_result", call_id: "c1", output: "" },
        ],
      ),
      index: 12,
      says: /one `tool_result` part/,
    },
    {
      name: "has a call in a message",
      events: withMore(7, started(7, assistant), completed(7, { ...assistant, content: call("c8").content })),
      index: 8,
      says: /`tool_call` part/,
    },
    {
      name: "has a tool result in a message",
      events: withMore(
        7,
        started(7, assistant),
        completed(7, { ...assistant, content: result("c1").content }),
      ),
      index: 8,
      says: /`tool_result` part/,
    },
    {
      name: "has reasoning and text in one message",
      events: withMore(
        7,
        started(7, assistant),
        delta(7, "ab"),
        completed(7, {
          ...assistant,
          content: [
            { type: "reasoning", text: "a", visibility: "public" },
            { type: "text", text: "b" },
          ],
        }),
      ),
      index: 9,
      says: /Reasoning/,
    },
    {
      name: "has a file in a status",
      events: withMore(
        7,
        started(7),
        completed(7, { content: [{ type: "file_ref", path: "a", action: "read", diff: null }] }),
      ),
      index: 8,
      says: /`file_ref`/,
    },
    {
      name: "requests a permission that is decided",
      events: changed(10, ["data", "status"], "accept"),
      index: 9,
      says: /status `requested`/,
    },
    {
      name: "resolves a question that is still requested",
      events: changed(17, ["data", "status"], "requested"),
      index: 16,
      says: /status `requested`/,
    },
    {
      name: "gives a cause to a session that ended well",
      events: changed(23, ["data", "message"], "killed"),
      index: 22,
      says: /only for the reason `error`/,
    },
    {
      name: "has a message of the agent as unparsed",
      events: changed(21, ["synthetic"], false),
      index: 20,
      says: /synthetic/,
    },
  ],
} satisfies BrokenBy;
