import { Avatar } from "./avatar.ts";
import { Composer } from "./composer.ts";
import { Conversations } from "./conversations.ts";
import { button, find } from "./dom.ts";
import { Drawer } from "./drawer.ts";
import { showConnection } from "./pill.ts";
import type { Session } from "./session.ts";
import { Thread } from "./thread.ts";
import { plain } from "./trouble.ts";

const NEW_TITLE = "New conversation";
const SUGGESTIONS = [
  "Hello!",
  "What did we talk about last week?",
  "Say something aloud",
  "Show me some code",
];
/** px from the end of the log within which it follows what is said. */
const NEAR = 120;

/** Everything behind the entrance, for one session. */
export class App {
  readonly #root = find(document, "#app", HTMLElement);
  readonly #log = find(document, "#log", HTMLElement);
  readonly #messages = find(document, "#messages", HTMLElement);
  readonly #welcome = find(document, "#welcome", HTMLElement);
  readonly #title = find(document, "#title", HTMLElement);
  readonly #session: Session;
  readonly #end = new AbortController();
  readonly #composer: Composer;
  readonly #conversations: Conversations;
  readonly #drawer: Drawer;
  /** All that were looked at: whoever goes back to one finds it as it was, or further on. */
  readonly #threads = new Set<Thread>();
  readonly #avatar = new Avatar();
  #thread: Thread;
  #follows = true;

  constructor(session: Session) {
    const { signal } = this.#end;
    const { client } = session;
    this.#session = session;
    this.#drawer = new Drawer(signal);
    this.#conversations = new Conversations(client.rest, ({ id }) => this.#look(this.#threadOf(id)), signal);
    this.#composer = new Composer(
      { say: (text) => this.#say(text), cancel: () => this.#thread.cancel() },
      signal,
    );
    this.#thread = this.#newThread();
    find(document, "#new-conversation", HTMLButtonElement).addEventListener(
      "click",
      () => this.#look(this.#newThread()),
      { signal },
    );
    this.#log.addEventListener("scroll", () => this.#onScroll(), { signal });
    // Whatever makes what is said longer, or the window smaller.
    const sizes = new ResizeObserver(() => this.#follow());
    sizes.observe(this.#log);
    sizes.observe(this.#messages);
    signal.addEventListener("abort", () => sizes.disconnect());
    client.on("title", ({ conversationId, title }) => this.#rename(conversationId, title), { signal });
    // It does not say which conversation it is about; mostly the one that has just been answered.
    client.on("system", ({ message }) => this.#thread.note(message), { signal });
  }

  /** Shows it all until the user logs out. @returns why they are out, when they did not mean to */
  async run(): Promise<string | undefined> {
    const { client, name } = this.#session;
    find(document, "#user", HTMLElement).textContent = name;
    find(document, "#host", HTMLElement).replaceChildren(this.#avatar.element);
    find(document, "#suggestions", HTMLElement).replaceChildren(
      ...SUGGESTIONS.map((text) => button("suggestion", text, () => this.#say(text))),
    );
    showConnection(find(document, "#pill", HTMLElement), client);
    this.#root.hidden = false;
    this.#look(this.#thread);
    this.#refresh();
    const reason = await this.#ended();
    this.#end.abort();
    this.#root.hidden = true;
    this.#forget();
    return reason;
  }

  #ended(): Promise<string | undefined> {
    const { client } = this.#session;
    const { signal } = this.#end;
    const leave = find(document, "#leave", HTMLButtonElement);
    return new Promise((resolve) => {
      leave.addEventListener(
        "click",
        () => {
          resolve(undefined);
          void client.close({ force: true });
        },
        { signal },
      );
      client.on("status", (status) => {
        if (status !== "closed") return;
        // For good, and not by the user: who still asks is told why.
        client.connect().catch((error: Error) => resolve(plain(error.cause)));
      });
    });
  }

  /** The next one to log in may be somebody else. */
  #forget(): void {
    this.#conversations.clear();
    this.#messages.replaceChildren();
    this.#title.textContent = NEW_TITLE;
    document.title = "Cass";
  }

  #newThread(id?: string): Thread {
    const thread: Thread = new Thread(
      this.#session,
      id,
      {
        grown: () => this.#grown(thread),
        changed: () => this.#changed(thread),
        stored: () => this.#refresh(),
      },
      this.#end.signal,
    );
    return thread;
  }

  #threadOf(id: string): Thread {
    const seen = [...this.#threads].find((thread) => thread.id === id);
    if (seen) return seen;
    const thread = this.#newThread(id);
    void thread.load();
    return thread;
  }

  #look(thread: Thread): void {
    this.#thread = thread;
    this.#threads.add(thread);
    this.#messages.replaceChildren(thread.element);
    this.#follows = true;
    this.#grown(thread);
    this.#changed(thread);
    this.#showTitle();
    this.#conversations.mark(thread.id);
    this.#drawer.close();
    this.#composer.focus();
  }

  #say(text: string): void {
    this.#follows = true;
    void this.#thread.say(text);
    this.#composer.focus();
  }

  #refresh(): void {
    if (this.#session.isSignedIn) {
      void this.#conversations.refresh().then(() => {
        this.#conversations.mark(this.#thread.id);
        this.#showTitle();
      });
    } else this.#conversations.say("Without an account nothing is kept.");
  }

  #rename(id: string, title: string): void {
    this.#conversations.rename(id, title);
    if (id !== this.#thread.id) return;
    this.#showTitle();
    this.#title.animate(
      { opacity: [0, 1], translate: ["0 -0.3em", "0"] },
      { duration: 500, easing: "ease-out" },
    );
  }

  #showTitle(): void {
    const { id } = this.#thread;
    const title = (id === undefined ? undefined : this.#conversations.titleOf(id)) ?? NEW_TITLE;
    this.#title.textContent = title;
    document.title = `${title} · Cass`;
  }

  #grown(thread: Thread): void {
    if (thread !== this.#thread) return;
    this.#welcome.hidden = !thread.isEmpty;
    this.#follow();
  }

  /** Stays at the end, unless somebody reads further up. */
  #follow(): void {
    if (this.#follows) this.#log.scrollTop = this.#log.scrollHeight;
  }

  #changed(thread: Thread): void {
    if (thread === this.#thread) this.#composer.isBusy = thread.isBusy;
  }

  #onScroll(): void {
    const { scrollHeight, scrollTop, clientHeight } = this.#log;
    this.#follows = scrollHeight - scrollTop - clientHeight < NEAR;
  }
}
