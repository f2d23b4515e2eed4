import type { ErrorData, UniversalEvent } from "../../../src/universal/events.ts";
import type { ChatMessage, ChatPart } from "../../../src/universal/transcript/message.ts";
import { fold } from "../../../src/universal/transcript/reduce.ts";
import { Script } from "../build.ts";

/** The words of an app of the test. */
const describeError = ({ message, code }: ErrorData) =>
  ({ title: "Oh", detail: message, retry: "ask", code: code ?? "none" }) as const;

export function messagesOf(events: Iterable<UniversalEvent>): readonly ChatMessage[] {
  return fold(events, undefined, describeError).messages.toArray();
}

/** The last message. */
export function last({ events }: Script): ChatMessage {
  const message = messagesOf(events).at(-1);
  if (!message) throw new Error("there is no message");
  return message;
}

/** The parts of the last message, with lists as arrays. */
export function partsOf(script: Script): readonly ChatPart[] {
  return JSON.parse(JSON.stringify(last(script).parts));
}

/** A turn with a prompt, under way. */
export const turn = () => new Script().session().turn("go");
