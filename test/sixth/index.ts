// What users of the echo client import, by name.
export * from "../../src/core/index.ts";
export { EchoClient } from "./client.ts";
export type { EchoConversation, EchoConversationState } from "./conversation.ts";
export type { EchoClientEvents } from "./events.ts";
export type { Ask, Delta, Done, Output, TurnMessage } from "./messages.ts";
export type { EchoClientOptions } from "./options.ts";
export type { EchoEvent, EchoResult } from "./turn.ts";
export { echo, toUniversal } from "./universal.ts";
