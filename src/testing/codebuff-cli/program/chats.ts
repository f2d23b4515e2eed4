// The stored conversations for `--continue`.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import type { FakeCodebuffMessage } from "../record.ts";
import type { FakeCodebuffScenario } from "../scenario.ts";

interface Chat {
  /** A counter: the newest conversation has the highest value. */
  readonly at: number;
  readonly messages: readonly FakeCodebuffMessage[];
}

/** The conversation of one run. */
export interface StoredChat {
  readonly id: string;
  /** The earlier messages; undefined without a store. */
  readonly history: readonly FakeCodebuffMessage[] | undefined;
  /** Stores the new messages. */
  save(prompt: string, answer: string): void;
}

/** The real CLI's conversation id: its start time. */
const newId = (): string => new Date(performance.timeOrigin).toISOString().replaceAll(":", "-");

/**
 * The conversation for `--continue`, or a new one.
 *
 * @param asked the value of `--continue`; `true` without a value, undefined if the option is missing or ignored
 */
export function openSession(scenario: FakeCodebuffScenario, asked: string | true | undefined): StoredChat {
  const { continueStore: path, unknownSession = "newest", sessionId } = scenario;
  const given = typeof asked === "string" ? asked : undefined;
  if (path === undefined) return { id: sessionId ?? given ?? newId(), history: undefined, save() {} };
  const chats = readChats(path);
  const [newest] = Object.keys(chats).sort((one, other) => (chats[other]?.at ?? 0) - (chats[one]?.at ?? 0));
  const fallback =
    asked === true || (given !== undefined && unknownSession === "newest") ? newest : undefined;
  const continued = given !== undefined && Object.hasOwn(chats, given) ? given : fallback;
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
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
}
