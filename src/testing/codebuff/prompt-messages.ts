// What the model sees of a prompt, and the session state after its answer.
import { type Dict, isDict } from "../server/dict.ts";
import type { PromptData } from "./messages.ts";
import type { CodebuffMockSettings } from "./options.ts";
import type { PromptMessage } from "./record.ts";

/** What the language model sees of a prompt. */
export function promptMessages(
  data: PromptData,
  order: CodebuffMockSettings["messageOrder"],
): readonly PromptMessage[] {
  return order === "history-last" ? proxyMessages(data) : agentMessages(data);
}

/** The proxy's order: the history comes last. */
function proxyMessages(data: PromptData): readonly PromptMessage[] {
  const { messages: history } = data.sessionState;
  return [
    ...(data.content ?? []).map(readMessage),
    ...(data.prompt ? [{ role: "user", content: data.prompt }] : []),
    ...(Array.isArray(history) ? history : []).filter(isDict).map(readMessage),
  ];
}

/**
 * One message, in each spelling that the proxy takes: it may be wrapped in `message`, have its role as `type`, its text as `text`,
 * or no role and no content at all.
 */
function readMessage(item: Dict): PromptMessage {
  const { message, type, text = null, content = text } = item;
  if (isDict(message)) return readMessage(message);
  const { role = ["user", "assistant", "system"].includes(String(type)) ? type : "user" } = item;
  return { role: typeof role === "string" ? role : "user", content };
}

/** The state that the document promises: the one received, with the turn at the end of its messages. */
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

/** The original server's: what its main agent has heard so far, then one message. */
function agentMessages(data: PromptData): readonly PromptMessage[] {
  const said = userMessage(data);
  return [...agentHistory(data).filter(isDict).map(readMessage), ...(said ? [said] : [])];
}

/** The messages of the main agent before this prompt. */
export function agentHistory({ sessionState }: PromptData): readonly unknown[] {
  const { mainAgentState: agent } = sessionState;
  const history = isDict(agent) ? agent["messageHistory"] : undefined;
  return Array.isArray(history) ? history : [];
}

/**
 * The state that the original server makes: the main agent has heard the prompt and has answered, and its
 * credits are those of this answer alone.
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

/** The prompt and the parts that came with it are one message. */
function userMessage({ prompt, content }: PromptData): PromptMessage | undefined {
  if (!content || content.length === 0) return prompt ? { role: "user", content: prompt } : undefined;
  return { role: "user", content: [...(prompt ? [{ type: "text", text: prompt }] : []), ...content] };
}
