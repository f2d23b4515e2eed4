import type { ChatSnapshot } from "agentwire/chat";

/** What a chat shows of its events. */
export function shown({ messages, usage, cost, plan, context, commands, pending }: ChatSnapshot): unknown {
  return JSON.parse(JSON.stringify({ messages, usage, cost, plan, context, commands, pending }));
}

/** The same without what differs between two runs: ids and times. */
export function comparable(snapshot: ChatSnapshot): unknown {
  return JSON.parse(JSON.stringify(shown(snapshot)), (name, value: unknown) =>
    ["id", "callId", "turnId", "startedAt", "endedAt"].includes(name) ? name : value,
  );
}

/** Whether the last prompt was answered. */
export function isOver({ busy, messages }: ChatSnapshot): boolean {
  return !busy && messages.at(-1)?.endedAt !== undefined;
}
