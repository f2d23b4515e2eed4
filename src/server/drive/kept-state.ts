// The entry `state` of a log: what the next driver continues from, and what viewers of other processes see.

import type { SavedChat } from "../../chat/saving/saved.ts";
import type { ChatSnapshot } from "../../chat/snapshot.ts";
import { isObject } from "../../core/checks.ts";
import type { ConversationState } from "../../core/turn/conversation.ts";
import type { Json } from "../../universal/events.ts";
import type { ShownState } from "../view/shown.ts";
import { type ChatHistory, savedFrom } from "./history.ts";

interface KeptState {
  readonly conversation: ConversationState | null;
  /** The last turn that completed before. */
  readonly turn: string | null;
  /** The states at the ends of hidden branches, by the id of the first message. */
  readonly branches: Readonly<Record<string, ConversationState>>;
  readonly shown: ShownState;
}

export function keptStateOf(
  snapshot: ChatSnapshot,
  completed: string | undefined,
  shown: ShownState,
): KeptState {
  const hidden = snapshot.saved.branches ?? [];
  const branches = hidden.flatMap(({ messages, state }): [string, ConversationState][] => {
    const [first] = messages;
    return first && state ? [[first.id, state]] : [];
  });
  return {
    conversation: snapshot.state ?? null,
    turn: completed ?? null,
    branches: Object.fromEntries(branches),
    shown,
  };
}

/**
 * The state to continue from. Undefined if there is none, or if a turn has completed since: the agent would not know of
 * that turn, and nobody would be told.
 */
export function readKeptState(
  value: Json | undefined,
  completed: string | undefined,
): Pick<KeptState, "conversation" | "branches"> | undefined {
  if (!isObject(value) || value["turn"] !== (completed ?? null)) return undefined;
  const { conversation, branches } = value;
  const isState = (state: unknown): state is ConversationState => isObject(state);
  return {
    conversation: isState(conversation) ? conversation : null,
    branches: isObject(branches)
      ? Object.fromEntries(
          Object.entries(branches).flatMap(([id, state]): [string, ConversationState][] =>
            isState(state) ? [[id, state]] : [],
          ),
        )
      : {},
  };
}

/** The chat to continue: its messages from the log, and its state. */
export function savedWith(
  history: ChatHistory,
  source: string,
  state: Pick<KeptState, "conversation" | "branches"> | undefined,
): SavedChat {
  const saved = savedFrom(history, source);
  const branches = saved.branches?.map((branch) => {
    const behind = state?.branches[branch.messages[0]?.id ?? ""];
    return behind ? { ...branch, state: behind } : branch;
  });
  return {
    ...saved,
    ...(state?.conversation ? { state: state.conversation } : {}),
    ...(branches ? { branches } : {}),
  };
}
