// What docs/ui.md and README.md show of chats. Each function holds one region and gives it what it takes for granted.
import { writeFile } from "node:fs/promises";
import { cass } from "agentwire/cass";
import {
  type Chat,
  type ChatMessage,
  type ChatPart,
  type ChatPending,
  createChat,
  createInert,
  type InertStream,
  inert,
  memoryStore,
  reveal,
  type SavedChat,
} from "agentwire/chat";
import { directoryStore } from "agentwire/chat/node";
import { codebuff } from "agentwire/codebuff";
import { codebuffCli } from "agentwire/codebuff-cli";
import { codey } from "agentwire/codey";
import { agentStep, MockAgent } from "agentwire/testing";
import type { AgentSource } from "agentwire/universal";
