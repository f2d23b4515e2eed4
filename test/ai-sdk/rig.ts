// A page of the AI SDK over a chat with a mock agent.
import { Chat } from "@ai-sdk/react";
import { AgentwireChatTransport, type AgentwireUIMessage, lastMessageIsDecided } from "agentwire/ai-sdk";
import { type Chat as AgentChat, type ChatOptions, createChat } from "agentwire/chat";
import { MockAgent, type MockAgentOptions } from "agentwire/testing/agent";
import type { DynamicToolUIPart } from "ai";

/** A call that the user must decide. */
export const rm = { name: "rm", input: { path: "a" }, approval: true, output: "gone" } as const;

export class Page {
  readonly agent: MockAgent;
  readonly chat: AgentChat;
  readonly transport: AgentwireChatTransport;
  readonly ui: Chat<AgentwireUIMessage>;
  /** The transient parts, by type. */
  readonly data: { readonly type: string; readonly data: unknown }[] = [];
  /** How many requests the page has sent. */
  requests = 0;

  constructor(options: MockAgentOptions, chatOptions: ChatOptions = {}) {
    this.agent = new MockAgent(options);
    this.chat = createChat(this.agent, chatOptions);
    this.transport = new AgentwireChatTransport(this.chat);
    this.ui = this.open();
  }

  /** Another page of the same chat. */
  open(messages: AgentwireUIMessage[] = []): Chat<AgentwireUIMessage> {
    const { transport } = this;
    return new Chat<AgentwireUIMessage>({
      id: "page",
      messages,
      transport: {
        resumeStreamIsReplay: transport.resumeStreamIsReplay,
        reconnectToStream: (options) => transport.reconnectToStream(options),
        sendMessages: (options) => {
          this.requests++;
          return transport.sendMessages(options);
        },
      },
      sendAutomaticallyWhen: lastMessageIsDecided,
      onData: ({ type, data }) => this.data.push({ type, data }),
    });
  }

  get message(): AgentwireUIMessage {
    const last = this.ui.messages.at(-1);
    if (!last) throw new Error("the page has no message");
    return last;
  }

  get tools(): DynamicToolUIPart[] {
    return toolsIn(this.message);
  }

  get text(): string {
    return this.message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  }

  /** Resolves once the page shows this. */
  until(holds: (ui: Chat<AgentwireUIMessage>) => boolean, ui = this.ui): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!holds(ui)) return;
        for (const off of offs) off();
        resolve();
      };
      const offs = [ui["~registerMessagesCallback"](look), ui["~registerStatusCallback"](look)];
      look();
    });
  }

  /** Answers a question. The page sends the answer by itself, and streams on. */
  async answer(toolCallId: string, output: unknown): Promise<void> {
    const before = this.requests;
    await this.ui.addToolOutput({ tool: "ask_user" as never, toolCallId, output: output as never });
    await this.until(({ status }) => this.requests > before && (status === "ready" || status === "error"));
  }

  /** Decides all approvals of the last message. The page sends them by itself, and streams on. */
  async decide(approved: boolean, reason?: string): Promise<void> {
    const before = this.requests;
    for (const part of this.tools)
      if (part.state === "approval-requested")
        await this.ui.addToolApprovalResponse({
          id: part.approval.id,
          approved,
          ...(reason ? { reason } : {}),
        });
    await this.until(({ status }) => this.requests > before && (status === "ready" || status === "error"));
  }
}

export function toolsIn({ parts }: AgentwireUIMessage): DynamicToolUIPart[] {
  return parts.filter((part) => part.type === "dynamic-tool");
}
