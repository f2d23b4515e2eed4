// The entry `agentwire/ink`: components, `renderChat` and themes. Says what to install if a peer is missing.
import { withPeers } from "./peers.ts";

export type * from "./components/exports.ts";

const components = await withPeers(() => import("./components/exports.ts"));

export const {
  Approval,
  Chat,
  COMMAND_OUTPUT_LIMIT,
  Composer,
  defaultTheme,
  highlightWith,
  MAX_COPY_BYTES,
  Message,
  plainTheme,
  Question,
  Reasoning,
  renderChat,
  Resume,
  StatusLine,
  themeFor,
  ToolCall,
  Transcript,
} = components;
