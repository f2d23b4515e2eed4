// The stored conversations that `--continue` goes on from.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import type { FakeCodebuffMessage } from "../record.ts";
import type { FakeCodebuffScenario } from "../scenario.ts";

interface Chat {
  /** Counts up: the newest has the highest. */
  readonly at: number;
  readonly messages: readonly FakeCodebuffMessage[];
}

/** The conversation of one run. */
export interface Session {
  readonly id: string;
  /** What was said before; undefined without a store. */
  readonly history: readonly FakeCodebuffMessage[] | undefined;
  /** Keeps what was said now. */
  save(prompt: string, answer: string): void;
}

/** As the real CLI names a conversation: the time at which it began. */
const newId = (): string => new Date(performance.timeOrigin).toISOString().replaceAll(":", "-");

/**
 * The conversation that `--continue` asks for, or a new one.
 *
 * @param asked the value of `--continue`; `true` without one, undefined without the option or where it is ignored
 */
export function openSession(scenario: FakeCodebuffScenario, asked: string | true | undefined): Session {
  const { continueStore: path, unknownSession = "newest", sessionId } = scenario;
  const given = typeof asked === "string" ? asked : undefined;
  if (path === undefined) {
    return { id: sessionId ?? given ?? newId(), history: undefined, save() {} };
  }
  const chats = readChats(path);
  const newest = Object.keys(chats).reduce<string | undefined>(
    (best, id) => ((chats[id]?.at ?? 0) > (best === undefined ? 0 : (chats[best]?.at ?? 0)) ? id : best),
    undefined,
  );
  const known = given !== undefined && Object.hasOwn(chats, given);
  const fallback = asked === true || unknownSession === "newest" ? newest : undefined;
  const continued = known ? given : asked === undefined ? undefined : fallback;
  const id = continued ?? sessionId ?? unusedId(chats);
  const history = continued === undefined ? [] : (chats[continued]?.messages ?? []);
  return {
    id,
    history,
    save(prompt, answer) {
      const now = readChats(path);
      const at = Math.max(0, ...Object.values(now).map((chat) => chat.at)) + 1;
      const said: FakeCodebuffMessage[] = [
        { role: "user", content: prompt },
        { role: "assistant", content: answer },
      ];
      now[id] = { at, messages: [...history, ...said] };
      const half = `${path}.${process.pid}.half`;
      writeFileSync(half, `${JSON.stringify(now, null, 2)}\n`);
      renameSync(half, path);
    },
  };
}

function unusedId(chats: Readonly<Record<string, Chat>>): string {
  const first = newId();
  let id = first;
  for (let more = 2; Object.hasOwn(chats, id); more++) id = `${first}-${more}`;
  return id;
}

function readChats(path: string): Record<string, Chat> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return {}; // the first run makes it
  }
  const value: unknown = JSON.parse(text);
  if (!isChats(value)) throw new Error("the continueStore holds something else");
  return value;
}

function isChats(value: unknown): value is Record<string, Chat> {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.values(value).every(
      (chat: unknown) =>
        typeof chat === "object" &&
        chat !== null &&
        "at" in chat &&
        typeof chat.at === "number" &&
        "messages" in chat &&
        Array.isArray(chat.messages),
    )
  );
}
