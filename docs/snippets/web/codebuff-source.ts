// A chat with Codebuff that asks its user, for docs/react.md.
// #region react-codebuff
import { createChat } from "agentwire/chat";
import { codebuff } from "agentwire/codebuff";

const source = codebuff({
  url: "ws://127.0.0.1:4242/ws",
  tools: { get_time: () => [{ type: "json", value: { time: new Date().toISOString() } }] }, // runs once it is allowed
  onToolApproval: "manual",
  onQuestion: "manual",
});
export const chat = createChat(source);
// #endregion
