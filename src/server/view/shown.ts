// What viewers see of a chat beside its events: the frame `state`.

import type { ChatConnection } from "../../chat/connection.ts";
import type { ChatGrant } from "../../chat/pending.ts";
import { isObject } from "../../core/checks.ts";
import type { Capabilities } from "../../core/client/agent-client.ts";
import type { PromptInput } from "../../core/turn/prompt-input.ts";
import type { LogCommand } from "../event-log.ts";
import { readKept } from "../wire/command.ts";

/** `waiting`: commands wait, and no process drives the chat. `lost`: the process that drove the chat has stopped. */
export type DriverStatus = "idle" | "running" | "waiting" | "lost";

/** What the driver tells of its chat. The log keeps it for viewers of other processes. */
export interface ShownState {
  /** The name of the source. */
  readonly source: string | null;
  readonly capabilities: Capabilities | null;
  readonly driver: DriverStatus;
  readonly busy: boolean;
  readonly context_lost: boolean;
  readonly connection: Omit<ChatConnection, "contextLost">;
  readonly grants: readonly ChatGrant[];
}

export const NOTHING_SHOWN: ShownState = {
  source: null,
  capabilities: null,
  driver: "idle",
  busy: false,
  context_lost: false,
  connection: { status: "idle", attempt: 0 },
  grants: [],
};

/** A prompt that waits in the inbox. */
export interface WaitingPrompt {
  /** The key of its command, which is the id of its message. */
  readonly key: string;
  /** When it came: RFC 3339. */
  readonly at: string;
  /** The `user` of its request. */
  readonly by: string;
  readonly input: PromptInput;
}

/** The data of the frame `state` on the wire: what viewers see of a chat beside its events. */
export interface RelayChatState extends ShownState {
  /** The position of the last event. */
  readonly head: number;
  readonly caught_up: true;
  /** Empty while the chat does not exist. */
  readonly log: string;
  /** ms between two beats, at most. */
  readonly heartbeat: number;
  readonly queue: readonly WaitingPrompt[];
}

/** Commands that replace an earlier message are no prompts of their own, and are not listed. */
export function waitingPrompts(queue: readonly LogCommand[]): readonly WaitingPrompt[] {
  return queue.flatMap(({ key, value }): WaitingPrompt[] => {
    const kept = readKept(value);
    if (kept?.wish.type !== "prompt" || kept.withdrawn) return [];
    const { at, by } = kept;
    const { input } = kept.wish;
    return [{ key, at, by, input: typeof input === "string" ? { text: input } : input }];
  });
}

/** Reads what the driver of another process has written. Its form is that of this library's own version. */
export function readShown(value: unknown): ShownState {
  return isObject(value) ? { ...NOTHING_SHOWN, ...value } : NOTHING_SHOWN;
}
