// The messages that the model sees, and the session state after an answer.
import { type Dict, isDict } from "../server/dict.ts";
import type { PromptData } from "./messages.ts";
import type { CodebuffMockSettings } from "./options.ts";
import type { PromptMessage } from "./record.ts";

export function promptMessages(
  data: PromptData,
  order: CodebuffMockSettings["messageOrder"],
): readonly PromptMessage[] {
  return order === "history-last" ? proxyMessages(data) : agentMessages(data);
}

/** The proxy's order: the history is last. */
function proxyMessages(data: PromptData): readonly PromptMessage[] {
  const { messages: history } = data.sessionState;
  return [
    ...(data.content ?? []).map(readMessage),
    ...(data.prompt ? [{ role: "user", content: data.prompt }] : []),
    ...(Array.isArray(history) ? history : []).filter(isDict).map(readMessage),
  ];
}

/**
 * Reads one message in any form that the proxy accepts. It may be wrapped in `message`, have its role as `type` or its
 * text as `text`, or lack a role and content.
 */
function readMessage(item: Dict): PromptMessage {
  const { message, type, text = null, content = text } = item;
  if (isDict(message)) return readMessage(message);
  const { role = ["user", "assistant", "system"].includes(String(type)) ? type : "user" } = item;
  return { role: typeof role === "string" ? role : "user", content };
}

/** The documented state: the received state, with the turn appended to its messages. */
export function appendTurn(data: PromptData, answer: string): Dict {
  const { messages: history } = data.sessionState;
  return {
    ...data.sessionState,
    messages: [
      ...(Array.isArray(history) ? history : []),
      ...proxyMessages({ ...data, sessionState: {} }),
      { role: "assistant", content: answer },
    ],
  };
}

/** The original server's order: the main agent's history, then one message. */
function agentMessages(data: PromptData): readonly PromptMessage[] {
  const said = userMessage(data);
  return [...agentHistory(data).filter(isDict).map(readMessage), ...(said ? [said] : [])];
}

/** The main agent's messages before this prompt. */
export function agentHistory({ sessionState }: PromptData): readonly unknown[] {
  const { mainAgentState: agent } = sessionState;
  const history = isDict(agent) ? agent["messageHistory"] : undefined;
  return Array.isArray(history) ? history : [];
}

/**
 * The original server's state: the prompt and the answer are in the main agent's history, and the credits count this
 * answer only.
 */
export function nextAgentState(data: PromptData, answer: string, cost: number): Dict {
  const { mainAgentState: agent } = data.sessionState;
  const said = userMessage(data);
  return {
    ...data.sessionState,
    mainAgentState: {
      ...(isDict(agent) ? agent : {}),
      messageHistory: [
        ...agentHistory(data),
        ...(said ? [said] : []),
        ...(answer === "" ? [] : [{ role: "assistant", content: answer }]),
      ],
      creditsUsed: cost,
    },
  };
}

/** The prompt and its content parts form one message. */
function userMessage({ prompt, content }: PromptData): PromptMessage | undefined {
  if (!content || content.length === 0) return prompt ? { role: "user", content: prompt } : undefined;
  return { role: "user", content: [...(prompt ? [{ type: "text", text: prompt }] : []), ...content] };
}
