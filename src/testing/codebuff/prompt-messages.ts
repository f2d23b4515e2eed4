import { type Dict, isDict } from "./pydantic.ts";
import type { PromptData, PromptMessage } from "./record.ts";

/** What the language model sees of a prompt, in the proxy's order: the history comes last. */
export function promptMessages(data: PromptData): readonly PromptMessage[] {
  const { messages: history } = data.sessionState;
  return [
    ...(data.content ?? []).flatMap(readMessage),
    ...(data.prompt ? [{ role: "user", content: data.prompt }] : []),
    ...(Array.isArray(history) ? history : []).filter(isDict).flatMap(readMessage),
  ];
}

/**
 * One message, leniently: wrapped in `message`, with its role as `type`, with its text as `text`, or
 * without a role at all. Nothing if there is no content in it.
 */
function readMessage(item: Dict): readonly PromptMessage[] {
  const { message, content, text } = item;
  if (isDict(message)) return readMessage(message);
  const said = content ?? text;
  return said === undefined || said === null ? [] : [{ role: readRole(item), content: said }];
}

function readRole({ role, type }: Dict): string {
  if (typeof role === "string") return role;
  return type === "assistant" || type === "system" ? type : "user";
}

/** The state that the document promises: the one received, with the turn at the end of its messages. */
export function appendTurn(data: PromptData, answer: string): Dict {
  const { messages: history } = data.sessionState;
  return {
    ...data.sessionState,
    messages: [
      ...(Array.isArray(history) ? history : []),
      ...promptMessages({ ...data, sessionState: {} }),
      { role: "assistant", content: answer },
    ],
  };
}
