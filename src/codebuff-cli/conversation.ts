// A session of the program, continued by one process per prompt.
import { checkCallOptions, checks, describe, isObject } from "../core/checks.ts";
import { InvalidInputError, UnsupportedError } from "../core/errors.ts";
import {
  type Conversation,
  type ConversationMessage,
  type ConversationState,
  LiveConversation,
} from "../core/turn/conversation.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import type { CliCore } from "./cli-core.ts";
import { type CodebuffCliPromptInput, canContinue } from "./input.ts";
import type { CodebuffCliEvent } from "./messages.ts";
import { type CodebuffCliPromptOptions, SESSION_ID } from "./options.ts";
import type { Questions } from "./questions.ts";
import type { CodebuffCliResult, SessionRef } from "./turn.ts";
import type { CliTurns } from "./turns.ts";

/** A session of the program. Each prompt continues the session. */
export type CodebuffCliConversation = Conversation<
  CodebuffCliEvent,
  CodebuffCliResult,
  CodebuffCliPromptOptions,
  CodebuffCliPromptInput,
  CodebuffCliConversationState
>;

/** The session to continue. */
export interface CodebuffCliConversationState extends ConversationState {
  readonly protocol: "codebuff-cli";
  readonly version: 1;
  /** Absent until the program reports a session. Without an id, the next prompt has no memory. */
  readonly sessionId?: string;
}

interface ConversationSetup {
  readonly core: CliCore;
  readonly turns: CliTurns;
  readonly questions: Questions;
}

/** @throws InvalidInputError if `from` is not the state of a CLI conversation */
export function openConversation(
  { core, turns, questions }: ConversationSetup,
  options: { readonly from?: CodebuffCliConversationState | ConversationState },
): CodebuffCliConversation {
  checkCallOptions(options, { from: checks.object });
  const { profile, requireContinuity } = core.settings;
  const session: SessionRef = { id: options.from === undefined ? undefined : sessionIdOf(options.from) };
  let messages: readonly ConversationMessage[] = []; // replaced, never changed: callers may hold the old list
  const conversation: CodebuffCliConversation = new LiveConversation(
    {
      get messages() {
        return messages;
      },
      get state(): CodebuffCliConversationState {
        const { id } = session;
        return { protocol: "codebuff-cli", version: 1, ...(id === undefined ? {} : { sessionId: id }) };
      },
      create: (input, turnOptions) => {
        const job = turns.create(input, turnOptions, session);
        const { turn, prompt } = job;
        questions.belongTo(turn, { conversation, prompt: goOnWith(conversation, turnOptions) });
        return {
          turn,
          start: () => {
            const isForgotten = (turnOptions?.sessionId ?? session.id) === undefined && messages.length > 0;
            if (isForgotten && requireContinuity) {
              turn.fail(noSession());
              return;
            }
            if (isForgotten)
              core.warn(
                "no-continuity",
                "the program has reported no session, so this prompt begins anew, without memory; `requireContinuity` refuses it instead",
              );
            questions.started(turn);
            turns.start(job);
          },
          completed: (result) => {
            if (canContinue(profile)) session.id = result.sessionId ?? session.id; // each turn may change the id
            messages = [
              ...messages,
              { role: "user", content: prompt.text },
              { role: "assistant", content: result.text },
            ];
          },
        };
      },
    },
    core,
  );
  return conversation;
}

/**
 * Returns the function that sends an answer as the next prompt. A question keeps this function after its turn. The
 * function is made outside of the turn's scope, so that it does not keep the turn in memory.
 */
function goOnWith(
  conversation: CodebuffCliConversation,
  options: (CodebuffCliPromptOptions & TurnOptions) | undefined,
): (answer: string) => void {
  const { sessionId: _, signal: __, ...kept } = options ?? {}; // these two options belong to that prompt only
  return (answer) => void conversation.prompt(answer, kept);
}

function noSession(): UnsupportedError {
  return new UnsupportedError(
    "the program has reported no session to continue.",
    "Leave out `requireContinuity` to continue without memory, or put the context into the prompt.",
  );
}

function sessionIdOf(from: unknown): string | undefined {
  if (isObject(from)) {
    const { protocol, version, sessionId } = from;
    const fits = sessionId === undefined || (typeof sessionId === "string" && SESSION_ID.test(sessionId));
    if (protocol === "codebuff-cli" && version === 1 && fits) {
      return typeof sessionId === "string" ? sessionId : undefined;
    }
  }
  throw new InvalidInputError(
    `\`from\` is ${describe(from)}, not the state of a conversation with the program.`,
    "Pass the `state` of a conversation.",
  );
}
