// A chat with Codebuff that asks its user, for docs/react.md.
// #region react-codebuff
// codebuff-chat.ts
import { type Chat, createChat } from "agentwire/chat";
import { codebuff } from "agentwire/codebuff";

export function codebuffChat(url: string): Chat {
  const source = codebuff({
    url,
    tools: { get_time: () => [{ type: "json", value: { time: new Date().toISOString() } }] }, // runs once it is allowed
    onToolApproval: "manual",
    onQuestion: "manual",
  });
  return createChat(source);
}
// #endregion
