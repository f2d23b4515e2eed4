// The announced calls of one turn that no request of this machine has named yet.
import { isObject } from "../../core/checks.ts";

export interface AnnouncedCall {
  readonly name: string;
  /** What the call is about, such as `Write a.txt`. Only for known tools. */
  readonly title: string | undefined;
  /** The input as JSON. */
  readonly args: string;
  /** Whether a request has named the call, or the call is over. */
  isTaken: boolean;
}

/** Calls, oldest first. Linear: the head only moves on. */
class Line<Call extends AnnouncedCall> {
  readonly #calls: Call[] = [];
  #head = 0;

  add(call: Call): void {
    this.#calls.push(call);
  }

  get first(): Call | undefined {
    while (this.#calls[this.#head]?.isTaken) this.#head++;
    return this.#calls[this.#head];
  }
}

type Lines<Call extends AnnouncedCall> = Map<string, Line<Call>>;

/** The calls of one tool. */
interface ToolCalls<Call extends AnnouncedCall> {
  readonly all: Line<Call>;
  readonly byInput: Lines<Call>;
  readonly byTitle: Lines<Call>;
  /** How many are not taken. */
  waiting: number;
  /** Calls that are in no map. Most backends send no requests, so inputs are compared only if one does. */
  unread: Call[];
}

export class Announced<Call extends AnnouncedCall> {
  readonly #tools = new Map<string, ToolCalls<Call>>();

  add(call: Call): void {
    let tool = this.#tools.get(call.name);
    if (!tool) {
      tool = { all: new Line(), byInput: new Map(), byTitle: new Map(), waiting: 0, unread: [] };
      this.#tools.set(call.name, tool);
    }
    tool.all.add(call);
    tool.unread.push(call);
    tool.waiting++;
  }

  take(call: Call): void {
    const tool = this.#tools.get(call.name);
    if (tool && !call.isTaken) tool.waiting--;
    call.isTaken = true;
  }

  /**
   * The oldest call of this tool with the same input. Servers rewrite some inputs (Codebuff's edits of files, its
   * commands): otherwise the oldest call about the same file or command, or the only call if nothing tells both apart.
   */
  find({ name, title, args }: Omit<AnnouncedCall, "isTaken">): Call | undefined {
    const tool = this.#tools.get(name);
    if (!tool || tool.waiting === 0) return undefined;
    for (const call of tool.unread) {
      if (call.isTaken) continue;
      addTo(tool.byInput, canonical(call.args), call);
      if (call.title !== undefined) addTo(tool.byTitle, call.title, call);
    }
    tool.unread = [];
    const same = tool.byInput.get(canonical(args))?.first;
    if (same) return same;
    const alike = title === undefined ? undefined : tool.byTitle.get(title)?.first;
    if (alike || tool.waiting > 1) return alike;
    const only = tool.all.first;
    return title === undefined || only?.title === undefined ? only : undefined;
  }
}

function addTo<Call extends AnnouncedCall>(lines: Lines<Call>, key: string, call: Call): void {
  const line = lines.get(key);
  if (line) line.add(call);
  else {
    const made = new Line<Call>();
    made.add(call);
    lines.set(key, made);
  }
}

/** The same text for any order of the fields. A field that is null is absent, as on the wire. */
function canonical(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), (_, value: unknown) => {
      if (!isObject(value)) return value;
      const fields = Object.entries(value).filter(([, field]) => field !== null);
      return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
    });
  } catch {
    return json; // nested too deeply to be sorted
  }
}
