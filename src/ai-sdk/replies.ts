// The user's decisions and answers in a UI message, which the next request brings.
import type { DynamicToolUIPart, UIMessage } from "ai";
import { fieldsOf } from "../core/checks.ts";
import type { Answer } from "../core/values.ts";
import type { Chunk } from "./message.ts";
import { ASK_USER } from "./tool-chunks.ts";

/** A decision or an answer of the user. `id`: for `chat.decide` or `chat.answer`. */
export type UserReply = { readonly id: string; readonly toolCallId: string } & (
  | { readonly type: "decision"; readonly approved: boolean; readonly reason: string | undefined }
  | { readonly type: "answer"; readonly output: unknown }
);

/** The replies in a message whose outcome the message does not show yet. */
export function repliesIn({ parts }: UIMessage): readonly UserReply[] {
  return parts.flatMap((part) => {
    const reply = part.type === "dynamic-tool" ? replyOf(part) : undefined;
    return reply ? [reply] : [];
  });
}

function replyOf(part: DynamicToolUIPart): UserReply | undefined {
  const { toolCallId } = part;
  if (part.state === "approval-responded") {
    const { id, approved, reason } = fieldsOf(part.approval); // a route passes on what a page has sent
    if (typeof id !== "string") return undefined;
    const words = typeof reason === "string" ? reason : undefined;
    return { type: "decision", id, toolCallId, approved: approved === true, reason: words };
  }
  // The answer of a question that is over has `providerExecuted`.
  if (part.toolName !== ASK_USER || part.providerExecuted) return undefined;
  const answer = { type: "answer", id: toolCallId, toolCallId } as const;
  if (part.state === "output-available") return { ...answer, output: part.output };
  return part.state === "output-error" ? { ...answer, output: null } : undefined;
}

/**
 * For `sendAutomaticallyWhen` of `useChat`: whether the user has decided every approval of the last message, or answered a
 * question, so that the message can be sent. The AI SDK's own
 * `lastAssistantMessageIsCompleteWithApprovalResponses` also waits for tools that run in the background.
 */
export function lastMessageIsDecided({ messages }: { readonly messages: readonly UIMessage[] }): boolean {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return false;
  if (last.parts.some((part) => part.type === "dynamic-tool" && part.state === "approval-requested"))
    return false;
  const step = last.parts.map(({ type }) => type).lastIndexOf("step-start");
  return repliesIn({ ...last, parts: last.parts.slice(step + 1) }).length > 0;
}

/** The output of a question's tool part as an answer. Undefined for a value of another form. */
export function answerInOutput(output: unknown): Answer | undefined {
  if (output === null || typeof output === "string" || isTexts(output)) return output;
  return Array.isArray(output) && output.every(isTexts) ? output : undefined;
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((text) => typeof text === "string");

/** Ends the parts of requests that no longer wait, and that this transport does not know. */
export function expiredChunks(messageId: string, replies: readonly UserReply[]): readonly Chunk[] {
  return [
    { type: "start", messageId },
    ...replies.map((reply): Chunk => {
      const { toolCallId, type } = reply;
      if (type === "answer")
        return {
          type: "tool-output-error",
          toolCallId,
          errorText: "question expired",
          providerExecuted: true,
        };
      if (!reply.approved) return { type: "tool-output-denied", toolCallId };
      return { type: "tool-output-error", toolCallId, errorText: "approval expired" };
    }),
    { type: "finish", finishReason: "error" },
  ];
}
