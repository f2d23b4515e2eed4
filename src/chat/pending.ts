import type { PendingRequest, Question } from "../core/values.ts";
import type { UniversalQuestion } from "../universal/events.ts";

/** A request that waits for the user. */
export type ChatPending =
  | {
      readonly type: "approval";
      /** Goes to `chat.decide`. */
      readonly id: string;
      /** The name of the tool. */
      readonly tool: string;
      /** As the backend sent it. */
      readonly input: unknown;
    }
  | {
      readonly type: "question";
      /** Goes to `chat.answer`. */
      readonly id: string;
      readonly questions: readonly UniversalQuestion[];
    };

/** The open requests of a client, oldest first. What has not changed is the same object as before. */
export function pendingOf(
  requests: readonly PendingRequest[],
  before: readonly ChatPending[],
): readonly ChatPending[] {
  const known = new Map(before.map((pending) => [pending.id, pending]));
  const now = requests.map((request) => known.get(request.id) ?? shown(request));
  const isSame = now.length === before.length && now.every((pending, at) => pending === before[at]);
  return isSame ? before : now;
}

function shown(request: PendingRequest): ChatPending {
  if (request.type === "question")
    return { type: "question", id: request.id, questions: request.question.questions.map(asUniversal) };
  const { name, input } = request.call;
  return { type: "approval", id: request.id, tool: name, input };
}

/** The form that the parts of messages have too, so that a UI shows both with the same code. */
function asUniversal({ multiSelect, ...question }: Question["questions"][number]): UniversalQuestion {
  return { ...question, multi_select: multiSelect };
}
