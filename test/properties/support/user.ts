import type { CodebuffConversation, CodebuffHandlers } from "agentwire/codebuff";
import type { countingController } from "../../helpers/codebuff.ts";
import { Armed } from "./armed.ts";
import { pick } from "./life.ts";
import { type Deed, MOMENTS, type Moment, type Step } from "./scenario.ts";
import { WatchedPrompt } from "./watched-prompt.ts";
import type { Reader } from "./watched-turn.ts";
import type { World } from "./world.ts";

const DOES = [
  "prompt",
  "say",
  "init",
  "giveUpWaiting",
  "subscribe",
  "unsubscribe",
  "cancel",
  "read",
  "leave",
  "abort",
  "connect",
  "close",
  "when",
  "handlersAnswer",
] as const;

type UserStep = Step & { readonly do: (typeof DOES)[number] };

/** What an application does with a client, also from inside of the client's own events. */
export class User {
  readonly #world: World;
  readonly #conversations: CodebuffConversation[];
  readonly #waits: ReturnType<typeof countingController>[] = [];
  /** Handlers that have not come to an end. */
  #slow: (() => void)[] = [];
  readonly #armed = new Armed<Moment, Deed>();
  readonly #topics = new Set<string>();
  #initAnswered = false;
  #closing: "no" | "politely" | "by force" = "no";
  /** How often the user acted from inside of an event: whatever was expected then may not come to pass. */
  deeds = 0;

  constructor(world: World) {
    this.#world = world;
    const { client } = world;
    this.#conversations = [client.conversation(), client.conversation()];
    for (const moment of MOMENTS) {
      if (moment !== "turn status" && moment !== "turn event") client.on(moment, () => this.#fire(moment));
    }
  }

  /** Handlers of the server's requests, by what becomes of them; `absent` has none. */
  static handlers(user: () => User): CodebuffHandlers {
    const output = [{ type: "json", value: { done: true } }] as const;
    return {
      tools: {
        quick: () => output,
        slow: () => user().slowly(output),
        throws: () => {
          throw new Error("the tool broke");
        },
        wrong: () => "nonsense" as never,
        cancels: () => {
          user().cancelAll();
          return output;
        },
      },
      onReadFiles: async ([path = ""]) => outcomeOf(path, { [path]: "text" }, user),
      onMcpTools: async ({ mcpConfig }) =>
        outcomeOf(mcpConfig.command ?? "", [{ name: "search", inputSchema: { type: "object" } }], user),
    };
  }

  takes(step: Step): step is UserStep {
    return DOES.some((name) => name === step.do);
  }

  take(step: UserStep): void {
    const { client, prompts } = this.#world;
    switch (step.do) {
      case "prompt":
        this.#prompt(step);
        return;
      case "say":
        this.#prompt({ ...step, timeout: 0, nested: false });
        return;
      case "init":
        this.#init();
        return;
      case "subscribe":
      case "unsubscribe":
        this.#setTopics(step.do, step.topics);
        return;
      case "cancel":
        this.#cancel(pick(underWayFirst(prompts), step.turn));
        return;
      case "read":
        pick(underWayFirst(prompts.filter(({ reader }) => reader === "slow")), step.turn)?.pull();
        return;
      case "leave":
        pick(underWayFirst(prompts.filter(({ reader }) => reader === "slow")), step.turn)?.leave();
        return;
      case "abort":
        this.#abort(pick(underWayFirst(prompts.filter(({ abort }) => abort)), step.turn));
        return;
      case "connect":
        this.#connect(step.signal);
        return;
      case "giveUpWaiting":
        for (const { controller } of this.#waits) controller.abort(new Error("enough"));
        return;
      case "close":
        this.closes(step.force);
        this.#world.watch("close", () =>
          client.close({ force: step.force, drainTimeout: step.drainTimeout }),
        );
        return;
      case "when":
        this.#armed.when(step.moment, step.deed);
        return;
      case "handlersAnswer":
        for (const answer of this.#slow.splice(0)) answer();
        return;
      default:
        step satisfies never;
    }
  }

  closes(force: boolean): void {
    if (this.#closing !== "by force") this.#closing = force ? "by force" : "politely";
  }

  /** Does nothing any more from inside of events. */
  rests(): void {
    this.#armed.clear();
  }

  /** What a new session has to be asked before it gets a prompt. */
  owed(): { readonly topics: readonly string[]; readonly init: boolean } {
    return { topics: [...this.#topics], init: this.#initAnswered && this.#world.setting.token !== "flaky" };
  }

  /** What is wrong with the client, for one who has closed it. */
  *check(): Iterable<string> {
    if (this.#closing === "no") return;
    const { client, prompts } = this.#world;
    if (client.status !== "closed" && client.status !== "draining")
      yield `is ${client.status} although it was closed`;
    for (const { id, over, frame } of prompts) {
      if (over) continue;
      if (!frame) yield `${id} waits in a client that was closed`;
      else if (this.#closing === "by force") yield `${id} runs in a client that was closed by force`;
    }
  }

  /** Gives `value` when the scenario says so, which may be never. */
  slowly<T>(value: T): Promise<T> {
    return new Promise((resolve) => this.#slow.push(() => resolve(value)));
  }

  /** Runs what was armed for this moment. */
  #fire(moment: Moment): void {
    const deed = this.#armed.take(moment);
    if (!deed) return;
    this.deeds++;
    this.#do(deed);
  }

  #do(deed: Deed): void {
    const { prompts, client } = this.#world;
    const open = prompts.filter(({ over }) => !over);
    switch (deed) {
      case "prompt":
        this.#prompt({ reader: "loop", signal: false, timeout: 0, nested: false });
        return;
      case "cancel first":
        this.#cancel(open[0]);
        return;
      case "cancel last":
        this.#cancel(open.at(-1));
        return;
      case "close":
      case "force close":
        this.closes(deed === "force close");
        this.#world.watch("close", () => client.close({ force: deed === "force close" }));
        return;
      case "connect":
        this.#connect(false);
        return;
      case "subscribe":
        this.#setTopics("subscribe", ["d"]);
        return;
      case "init":
        this.#init();
        return;
      case "throw":
        throw new Error("thrown by a listener");
      default:
        deed satisfies never;
    }
  }

  #prompt(how: {
    readonly conversation?: number;
    readonly reader: Reader;
    readonly signal: boolean;
    readonly timeout: number;
    readonly nested: boolean;
  }): void {
    const { client, prompts } = this.#world;
    const last = prompts.at(-1);
    const place = (last?.place ?? -1) + 1;
    // An id that begins with another's is not a sub-agent of it.
    const promptId = how.nested && last ? `${last.id}-${place}` : `p${place}`;
    const prompt = new WatchedPrompt(promptId, { ...how, place, held: how.conversation !== undefined });
    prompts.push(prompt);
    const signal = prompt.abort?.controller.signal;
    const input = { prompt: `say ${place}`, promptId };
    const options = { timeout: how.timeout, ...(signal ? { signal } : {}) };
    const conversation = this.#conversations[how.conversation ?? -1] ?? client;
    const turn = this.#world.allowed("prompt()", () => conversation.prompt(input, options));
    if (!turn) {
      if (prompt.frame) this.#world.complain(`${promptId} was refused, and sent`);
      prompts.splice(prompts.indexOf(prompt), 1);
      return;
    }
    prompt.begin(turn);
    turn.on("status", () => this.#fire("turn status"));
    turn.on("event", () => this.#fire("turn event"));
  }

  #cancel(prompt: WatchedPrompt | undefined): void {
    if (!prompt) return;
    const { over, status } = prompt;
    prompt.cancel();
    if (prompt.turn && prompt.open) this.#world.complain(`${prompt.id} goes on although it was cancelled`);
    if (over && prompt.status !== status) this.#world.complain(`${prompt.id} was cancelled after its end`);
  }

  cancelAll(): void {
    this.deeds++;
    for (const prompt of this.#world.prompts) if (!prompt.over) this.#cancel(prompt);
  }

  #abort(prompt: WatchedPrompt | undefined): void {
    prompt?.abort?.controller.abort(new Error("aborted"));
    if (prompt?.open) this.#world.complain(`${prompt.id} goes on although its signal was aborted`);
  }

  #connect(withSignal: boolean): void {
    const wait = withSignal ? this.#world.signal() : undefined;
    if (wait) this.#waits.push(wait);
    const options = wait ? { signal: wait.controller.signal } : {};
    this.#world.watch("connect", () => this.#world.client.connect(options));
  }

  #init(): void {
    this.#world.watch("init", async () => {
      const response = await this.#world.client.init({ fileContext: {} });
      this.#initAnswered = true;
      return response;
    });
  }

  #setTopics(type: "subscribe" | "unsubscribe", topics: readonly string[]): void {
    this.#world.watch(type, async () => {
      await this.#world.client[type](topics);
      for (const topic of topics) {
        if (type === "subscribe") this.#topics.add(topic);
        else this.#topics.delete(topic);
      }
    });
  }
}

/** Those under way, then those that wait, then those that are over. */
export function underWayFirst(prompts: readonly WatchedPrompt[]): readonly WatchedPrompt[] {
  const rank = ({ over, frame }: WatchedPrompt): number => (over ? 2 : frame ? 0 : 1);
  return [...prompts].sort((a, b) => rank(a) - rank(b));
}

async function outcomeOf<T>(name: string, value: T, user: () => User): Promise<T> {
  if (name === "slow") return user().slowly(value);
  if (name === "throws") throw new Error("the handler broke");
  if (name === "wrong") return "nonsense" as never;
  if (name === "cancels") user().cancelAll();
  return value;
}
