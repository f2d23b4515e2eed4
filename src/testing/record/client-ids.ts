// Maps the ids of a replay's client to those of the recording.
import { type OuterMember, outerMembers } from "./outer-members.ts";

type Id = string | number;

/** Members whose values the client chooses and the server repeats. */
const ID_NAMES: readonly string[] = ["txid", "promptId", "userInputId", "requestId", "clientSessionId"];

/** Two names for the same id. */
const SYNONYMS: Readonly<Record<string, string>> = { userInputId: "promptId" };

/** The session id in the text of a refusal, the only text that contains an id. */
const SESSION_IN_TEXT = /(?<=Session ID ).{1,1000}?(?= is already in use)/;

/** Maps ids of the recorded client to the ids of the replay's client. */
export class ClientIds {
  readonly #names: ReadonlySet<string>;
  /** By member name: recorded id to client's id. */
  readonly #ours = new Map<string, Map<Id, Id>>();

  constructor(names: readonly string[]) {
    this.#names = new Set([...ID_NAMES, ...names]);
  }

  /** Learns from a pair of messages: the recorded one, and the client's in its place. */
  learn(recorded: string, sent: string): void {
    const [theirs, ours] = [this.#idsIn(recorded), this.#idsIn(sent)];
    for (const [name, their] of theirs) {
      const our = ours.get(name);
      if (our === undefined) continue;
      const known = this.#ours.get(name) ?? new Map<Id, Id>();
      this.#ours.set(name, known.set(their, our));
    }
  }

  /** Puts the client's ids into a server message. All other characters stay the same. */
  translate(raw: string): string {
    let translated = "";
    let copied = 0;
    for (const member of outerMembers(raw)) {
      const json = this.#translated(raw, member);
      if (json === undefined) continue;
      translated += raw.slice(copied, member.start) + json;
      copied = member.end;
    }
    translated += raw.slice(copied);
    const sessions = this.#ours.get("clientSessionId");
    return sessions
      ? translated.replace(SESSION_IN_TEXT, (id) => String(sessions.get(id) ?? id))
      : translated;
  }

  #translated(raw: string, member: OuterMember): string | undefined {
    if (!this.#names.has(member.name)) return undefined;
    const ours = this.#ours.get(SYNONYMS[member.name] ?? member.name);
    const id = idAt(raw, member);
    if (!ours || id === undefined) return undefined;
    const our = typeof id === "string" ? exchanged(id, ours) : ours.get(id);
    return our === undefined ? undefined : JSON.stringify(our);
  }

  /** Returns the first id of each name. */
  #idsIn(raw: string): ReadonlyMap<string, Id> {
    const ids = new Map<string, Id>();
    for (const member of outerMembers(raw)) {
      if (!this.#names.has(member.name)) continue;
      const name = SYNONYMS[member.name] ?? member.name;
      const id = idAt(raw, member);
      if (id !== undefined && !ids.has(name)) ids.set(name, id);
    }
    return ids;
  }
}

function idAt(raw: string, { start, end }: OuterMember): Id | undefined {
  try {
    const value: unknown = JSON.parse(raw.slice(start, end));
    return typeof value === "string" || typeof value === "number" ? value : undefined;
  } catch {
    return undefined; // an invalid word, or a truncated string
  }
}

/** The id itself, or the longest known id that it starts with, as in `<promptId>-agent-1`. */
function exchanged(id: string, ours: ReadonlyMap<Id, Id>): Id | undefined {
  for (let end = id.length; end > 0; end = id.lastIndexOf("-", end - 1)) {
    const our = ours.get(id.slice(0, end));
    if (our !== undefined) return end === id.length ? our : `${our}${id.slice(end)}`;
  }
  return undefined;
}
