// Tells the client the messages of a chat again, for `session/load`.
import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { ChatMessage, ChatPart } from "../universal/transcript/message.ts";
import { callResultOf, mediaBlock, sourceBlocks } from "./blocks.ts";
import type { Updates } from "./updates.ts";

interface Replay {
  readonly updates: Updates;
  readonly maxToolOutput: number;
}

export function replayMessages(messages: Iterable<ChatMessage>, replay: Replay): void {
  const { statuses } = replay.updates;
  for (const message of messages) {
    for (const part of message.parts) replayPart(part, message, message.id, replay);
    const { error } = message;
    if (error) statuses.notice("error", error.title, error.detail);
  }
  statuses.tellState();
}

/** @param within the id of the message, and of the sub-agents around the part */
function replayPart(part: ChatPart, message: ChatMessage, within: string, replay: Replay): void {
  const { updates, maxToolOutput } = replay;
  const { calls, statuses } = updates;
  const key = `${within}.${part.id}`;
  const chunk = message.role === "user" ? "user_message_chunk" : "agent_message_chunk";
  const block = (content: ContentBlock): void =>
    updates.block(chunk, message.role === "user" ? within : key, content);
  switch (part.type) {
    case "text":
      if (message.role === "system") statuses.notice("info", message.role, part.text);
      else {
        updates.text(chunk, message.role === "user" ? within : key, part.text);
        for (const source of sourceBlocks(part.annotations)) block(source);
      }
      return;
    case "reasoning":
      if (part.visibility === "public") updates.text("agent_thought_chunk", key, part.text);
      return;
    case "file":
      block(mediaBlock(part.path, part.mediaType));
      return;
    case "tool": {
      calls.start(key, part);
      calls.shown(key, part.preview);
      const result = callResultOf(part.content, part.output, maxToolOutput);
      calls.end(key, part.state === "done" ? "completed" : "failed", result);
      return;
    }
    case "subagent": {
      calls.start(key, {
        name: part.agentType,
        title: part.name,
        input: part.prompt && { prompt: part.prompt },
      });
      const said: string[] = [];
      for (const inner of part.parts) {
        if (inner.type === "text") said.push(inner.text);
        else if (inner.type === "tool" || inner.type === "subagent") replayPart(inner, message, key, replay);
      }
      const result = callResultOf([], said.join("\n\n"), maxToolOutput);
      calls.end(key, part.state === "done" ? "completed" : "failed", { content: result.content });
      return;
    }
    case "status":
      statuses.say({ ...part, id: key, json: part.json, isFailed: part.failed === true });
      return;
    case "error":
      statuses.notice("error", part.message, part.code);
      return;
    case "question": // the call that asks shows it
    case "data":
      return;
    default:
      part satisfies never;
  }
}
