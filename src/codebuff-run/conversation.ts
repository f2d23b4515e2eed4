// Conversations: runs that continue from each other, new or from a stored state.
import { checkCallOptions, checks, describe, isObject } from "../core/checks.ts";
import { InvalidInputError } from "../core/errors.ts";
import {
  type Conversation,
  type ConversationMessage,
  type ConversationState,
  LiveConversation,
} from "../core/turn/conversation.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import type { CodebuffRunPromptInput } from "./input.ts";
import type { CodebuffRunEvent, RunMessage, RunState, RunToolMessage } from "./messages.ts";
import type { CodebuffRunPromptOptions } from "./options.ts";
import type { RunCore } from "./run-core.ts";
import { plainText } from "./state/history.ts";
import { type CodebuffRunConversationState, earlierState, readPrevious, stateOf } from "./state/run-state.ts";
import type { CodebuffRunResult } from "./turn.ts";
import type { RunTurns } from "./turns.ts";

/** Runs that continue from each other. */
export type CodebuffRunConversation = Conversation<
  CodebuffRunEvent,
  CodebuffRunResult,
  CodebuffRunPromptOptions,
  CodebuffRunPromptInput,
  CodebuffRunConversationState
>;

/** @throws InvalidInputError if `from` is not a run state */
export function openConversation(
  core: RunCore,
  turns: RunTurns,
  options: { readonly from?: ConversationState | RunState },
): CodebuffRunConversation {
  checkCallOptions(options, { from: checks.object });
  let run = options.from === undefined ? undefined : runOf(options.from);
  let messages = messagesOf(run); // replaced, never changed: callers may hold the old list
  return new LiveConversation(
    {
      get messages() {
        return messages;
      },
      get state() {
        return stateOf(run);
      },
      earlier: (turns) => earlierState(run, turns),
      create: (input, turnOptions: (CodebuffRunPromptOptions & TurnOptions) | undefined) => {
        const job = turns.create(input, turnOptions, () => run);
        const said = { role: "user", content: job.order.prompt.text } as const;
        return {
          turn: job.turn,
          start: () => turns.start(job),
          completed: ({ state, text }) => {
            run = state;
            messages = [...messages, said, { role: "assistant", content: text }];
          },
        };
      },
    },
    core,
  );
}

function runOf(from: ConversationState | RunState): RunState | undefined {
  const given: Readonly<Record<string, unknown>> = { ...from };
  const { protocol, version, run = undefined } = given;
  const isRun = protocol === undefined && ("sessionState" in given || "output" in given);
  const state = isRun ? given : run;
  const isOurs = protocol === "codebuff-run" && version === 1 && (run === undefined || isObject(run));
  if (!isRun && !isOurs)
    throw new InvalidInputError(
      `\`from\` is ${describe(from)}, not a run state.`,
      "Pass the `state` of a conversation, or a run state.",
    );
  if (state === undefined) return undefined;
  readPrevious(state); // throws for an invalid state
  return JSON.parse(JSON.stringify(state)) as RunState; // a copy: the caller may change theirs
}

/** The history as the user sees it. The agent's texts between two prompts become one message. */
function messagesOf(run: RunState | undefined): readonly ConversationMessage[] {
  const messages: ConversationMessage[] = [];
  for (const message of readPrevious(run).history) {
    if (message.role === "tool" || message.role === "system" || isOfAgent(message)) continue;
    const { role } = message;
    const text = plainText(message.content);
    if (text === "") continue;
    const last = messages.at(-1);
    if (role === "assistant" && last?.role === role)
      messages.splice(-1, 1, { role, content: last.content + text });
    else messages.push({ role, content: role === "user" ? text.replace(WRAPPING, "") : text });
  }
  return messages;
}

const WRAPPING = /^<user_message>|<\/user_message>$/g;

/** Whether a user message was written by the agent's definition or by this library. */
function isOfAgent({ role, content, tags = [] }: Exclude<RunMessage, RunToolMessage>): boolean {
  return (
    role === "user" && (tags.includes("INSTRUCTIONS_PROMPT") || plainText(content).startsWith("<system>"))
  );
}
