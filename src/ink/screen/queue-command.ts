// `/queue`: changes prompts that wait.
import type { QueuedPrompt } from "../../chat/queue.ts";
import type { PromptInput } from "../../core/turn/prompt-input.ts";
import { inLine } from "../rows/row.ts";
import type { Done } from "./command.ts";
import type { Choice } from "./completion.ts";
import type { Desk } from "./desk.ts";

/** What can be done with a prompt that waits. */
const ACTIONS = {
  edit: "queueEdit",
  back: "queueBack",
  now: "queueNow",
  up: "queueUp",
  down: "queueDown",
} as const;

const isAction = (text: string): text is keyof typeof ACTIONS => Object.hasOwn(ACTIONS, text);

/** Characters of a prompt that a row may show. */
const MAX_ROW_TEXT = 400;

export function promptInput(input: string | PromptInput): PromptInput {
  return typeof input === "string" ? { text: input } : input;
}

/** First the prompts by their numbers, then what can be done with one. */
export function queueChoices({ chat, numbers, words }: Desk, argument: string): readonly Choice[] {
  const [, number] = /^(\S+) /.exec(argument) ?? [];
  if (number === undefined)
    return chat.getSnapshot().queue.map(({ id, input }) => {
      const label = String(numbers.of(id));
      return { insert: `/queue ${label} `, label, detail: promptInput(input).text.slice(0, MAX_ROW_TEXT) };
    });
  return Object.entries(ACTIONS).map(([label, says]) => {
    return { insert: `/queue ${number} ${label}`, label, detail: words[says], isWhole: true };
  });
}

export function runQueue(desk: Desk, argument: string): Done {
  const { chat, numbers, words } = desk;
  const { queue } = chat.getSnapshot();
  if (queue.length === 0) return words.noteNothingWaits;
  const [number = "", action = "", ...rest] = argument.trim().split(/\s+/);
  const id = numbers.id(number);
  const at = queue.findIndex((prompt) => prompt.id === id);
  const prompt = queue[at];
  if (!prompt) return { fix: words.noteNoSuchPrompt(inLine(number)) };
  if (!isAction(action) || rest.length > 0) return { fix: words.noteQueueUsage(Object.keys(ACTIONS)) };
  switch (action) {
    case "edit":
      return edited(desk, prompt);
    case "back":
      chat.unqueue(prompt.id);
      return words.noteTakenBack;
    case "now":
      chat.sendNow(prompt.id);
      return undefined;
    case "up": {
      const before = queue[at - 1];
      if (before) chat.moveQueued(prompt.id, before.id);
      return words.noteMoved(Math.max(1, at), queue.length);
    }
    case "down":
      if (at < queue.length - 1) chat.moveQueued(prompt.id, queue[at + 2]?.id ?? null);
      return words.noteMoved(Math.min(queue.length, at + 2), queue.length);
  }
}

function edited(desk: Desk, { id, input }: QueuedPrompt): Done {
  desk.compose({ ...promptInput(input), purpose: { type: "queued", id } });
  return undefined;
}
