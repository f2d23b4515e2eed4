import type { CassRest } from "agentwire/cass";
import { button, element, find } from "./dom.ts";
import { plain } from "./trouble.ts";

/** More than anybody looks through. */
const SHOWN = 50;

/** What is in the list. */
export interface Entry {
  readonly id: string;
  readonly title: string;
}

/** The conversations that the server keeps for a user, newest first. */
export class Conversations {
  readonly #list = find(document, "#conversations", HTMLUListElement);
  readonly #note = find(document, "#conversations-note", HTMLElement);
  readonly #rest: CassRest;
  readonly #onChoice: (entry: Entry) => void;
  readonly #signal: AbortSignal;
  #entries: readonly Entry[] = [];
  #current: string | undefined;
  #requests = 0;
  /** Titles that were told while no list had them: each counts until the answer to a request that came after it. */
  readonly #news = new Map<string, { readonly title: string; readonly request: number }>();

  /** @param signal ends with the session */
  constructor(rest: CassRest, onChoice: (entry: Entry) => void, signal: AbortSignal) {
    this.#rest = rest;
    this.#signal = signal;
    this.#onChoice = onChoice;
  }

  /** Says something instead of a list, or below it. */
  say(text: string): void {
    this.#note.textContent = text;
    this.#note.hidden = text === "";
  }

  /** Asks the server what there is. */
  async refresh(): Promise<void> {
    const request = ++this.#requests;
    try {
      const { conversations } = await this.#rest.listConversations({ limit: SHOWN, signal: this.#signal });
      if (request !== this.#requests) return; // a later one tells more
      this.#entries = conversations.map(({ id, title }) => ({ id, title: title ?? "Without a title" }));
      for (const [id, news] of this.#news) if (news.request < request) this.#news.delete(id);
      this.say(conversations.length === 0 ? "Nothing was said yet." : "");
    } catch (error) {
      if (this.#signal.aborted) return; // by now the list may be somebody else's
      this.say(`The list cannot be read: ${plain(error)}`);
    }
    this.#show();
  }

  /** Shows nothing. */
  clear(): void {
    this.#entries = [];
    this.say("");
    this.#show();
  }

  titleOf(id: string): string | undefined {
    return this.#news.get(id)?.title ?? this.#entries.find((entry) => entry.id === id)?.title;
  }

  rename(id: string, title: string): void {
    this.#news.set(id, { title, request: this.#requests });
    this.#show();
  }

  /** Marks the one that is open. */
  mark(id: string | undefined): void {
    this.#current = id;
    this.#show();
  }

  #show(): void {
    const { activeElement } = document;
    const focused = activeElement instanceof HTMLElement ? activeElement.dataset["id"] : undefined;
    const items = this.#entries.map((entry) => {
      const title = this.titleOf(entry.id) ?? entry.title;
      const choice = button("conversation", title, () => this.#onChoice(entry));
      choice.dataset["id"] = entry.id;
      if (entry.id === this.#current) choice.setAttribute("aria-current", "true");
      return choice;
    });
    this.#list.replaceChildren(...items.map((item) => element("li", "", item)));
    // Whoever walks through the list by keyboard goes on where they were.
    if (focused !== undefined) items.find((item) => item.dataset["id"] === focused)?.focus();
  }
}
