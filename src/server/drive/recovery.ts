// What a driver does first: it closes by events what an earlier driver left open.
import { isObject } from "../../core/checks.ts";
import { closeTranscript } from "../../universal/close-transcript.ts";
import type { UniversalEvent } from "../../universal/events.ts";
import type { RelaySettings } from "../options.ts";
import { readKept, type StoredCommand } from "../wire/command.ts";
import { type FailedPrompt, promptInputOf } from "./failed-prompt.ts";
import { type ChatHistory, readHistory } from "./history.ts";

export const DRIVER_LOST = {
  code: "relay.driver-lost",
  message: "The server stopped while the agent was working. The agent may have done a part of the work.",
} as const;

export interface RecoveryHost {
  readonly settings: Pick<RelaySettings, "log" | "clock">;
  readonly channel: { readonly id: string };
  write(events: readonly UniversalEvent[]): Promise<void>;
  writeFailed(prompt: FailedPrompt): Promise<void>;
}

/** A chat that can go on. `taken`: the key of the prompt that was taken last. */
export interface Recovered {
  readonly history: ChatHistory;
  readonly taken: string | undefined;
}

/** @throws what the log throws, and once this process may not write */
export async function recover(host: RecoveryHost): Promise<Recovered> {
  const { settings, channel } = host;
  const history = await closeOpen(host);
  const taken = readTaken(await settings.log.get(channel.id, "taken"));
  if (!taken || history.prompts.has(taken.key)) return { history, taken: taken?.key };
  await host.writeFailed({
    key: taken.key,
    input: promptInputOf(taken.kept.wish),
    status: "failed",
    error: {
      code: "relay.delivery-unknown",
      message: "The server stopped before it knew whether the agent got this message.",
      details: { delivery: "unknown" },
    },
  });
  return { history: await readHistory(settings.log, channel.id), taken: taken.key };
}

/** Closes what is open in the log. Returns what the log holds then. */
export async function closeOpen({ settings, channel, write }: RecoveryHost): Promise<ChatHistory> {
  const history = await readHistory(settings.log, channel.id);
  const time = new Date(settings.clock.wallTime()).toISOString();
  const closing = closeTranscript([...history.open.values()].flat(), { time, error: DRIVER_LOST });
  if (closing.length === 0) return history;
  await write(closing);
  return readHistory(settings.log, channel.id);
}

function readTaken(value: unknown): { readonly key: string; readonly kept: StoredCommand } | undefined {
  const { key, value: command } = isObject(value) ? value : {};
  const kept = readKept(command);
  return typeof key === "string" && kept ? { key, kept } : undefined;
}
