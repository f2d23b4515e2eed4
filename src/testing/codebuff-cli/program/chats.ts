// The stored conversations that `--continue` goes on from.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import type { FakeCodebuffMessage } from "../record.ts";
import type { FakeCodebuffScenario } from "../scenario.ts";

interface Chat {
  /** Counts up: the newest has the highest. */
  readonly at: number;
  readonly messages: readonly FakeCodebuffMessage[];
}

/** The conversation of one run. */
export interface StoredChat {
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
export function openSession(scenario: FakeCodebuffScenario, asked: string | true | undefined): StoredChat {
  const { continueStore: path, unknownSession = "newest", sessionId } = scenario;
  const given = typeof asked === "string" ? asked : undefined;
  if (path === undefined) return { id: sessionId ?? given ?? newId(), history: undefined, save() {} };
  const chats = readChats(path);
  const [newest] = Object.keys(chats).sort((one, other) => (chats[other]?.at ?? 0) - (chats[one]?.at ?? 0));
  const fallback = asked === true || (given && unknownSession === "newest") ? newest : undefined;
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

/** The store, which the first run makes. */
function readChats(path: string): Record<string, Chat> {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
}
