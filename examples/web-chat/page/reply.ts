import type {
  AgentwireError,
  CassAnimation,
  CassAudio,
  CassEvent,
  CassResult,
  TurnStatus,
} from "agentwire/cass";
import { Avatar } from "./avatar.ts";
import { button, element, find, fromTemplate } from "./dom.ts";
import { countOf, progressOf } from "./progress.ts";
import { richText } from "./rich-text.ts";
import { speechButton } from "./speech.ts";
import { troubleOf } from "./trouble.ts";

/** What there is to show of a reply, whether it came a moment ago or was kept by the server. */
export interface Said {
  readonly text: string;
  readonly reasoning: readonly string[];
  readonly animations: readonly CassAnimation[];
  readonly audio?: CassAudio | undefined;
  /** Small print: the model, tokens. */
  readonly facts: readonly string[];
}

/** One reply of Cass, from the first sign of life to whatever end it takes. */
export class Reply {
  readonly element = fromTemplate("reply-template", HTMLElement);
  readonly #avatar = new Avatar();
  readonly #progress = find(this.element, ".progress", HTMLElement);
  readonly #trouble = find(this.element, ".trouble", HTMLElement);
  readonly #signal: AbortSignal;
  readonly #tools: string[] = [];
  #memories: number | undefined;
  #wasSent = false;

  /** @param signal aborted when it leaves the page */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
    find(this.element, ".portrait", HTMLElement).append(this.#avatar.element);
    signal.addEventListener("abort", () => this.#avatar.rest());
  }

  /** Where the turn is; what happens in between is told by its events. */
  status(status: TurnStatus): void {
    if (status === "queued") this.#doing("Waits to be sent");
    if (status === "sent") {
      this.#wasSent = true;
      this.#avatar.busy("think");
      this.#doing("Sent");
    }
  }

  heard(event: CassEvent): void {
    if (event.type !== "thinking") return;
    this.#memories ??= countOf(event.memories);
    if (event.progress.kind === "tools") this.#tools.push(...event.progress.tools);
    const found = this.#memories === undefined ? "" : ` (${this.#memories} memories)`;
    this.#doing(progressOf(event) + found);
  }

  /** The link broke while the server was at it; the client looks for the reply. */
  lost(): void {
    this.#doing("The link broke. Looking for the reply");
  }

  completed({ text, reasoning, animations, audio, recovered, usage, provider, model }: CassResult): void {
    const memories = this.#memories === undefined ? [] : [`${this.#memories} memories`];
    const facts = [...memories, ...new Set(this.#tools), ...factsOf({ provider, model, ...usage })];
    this.#done();
    this.show({ text, reasoning, animations, audio, facts });
    find(this.element, ".recovered", HTMLElement).hidden = recovered !== true;
    this.#play(animations);
  }

  cancelled(): void {
    this.#done();
    // Nothing on the wire stops the server: it finishes, and keeps what it has said.
    const rest = this.#wasSent ? "Cass may finish all the same, and keep what she says." : "It was not sent.";
    this.#end(`Cancelled. ${rest}`);
  }

  /** @param again sends the same message once more, if the user wants that */
  failed(error: AgentwireError, again: () => void): void {
    this.#done();
    const trouble = troubleOf(error);
    this.#end(trouble.text);
    const choice = find(this.#trouble, ".again", HTMLButtonElement);
    choice.hidden = trouble.again === undefined;
    choice.textContent = trouble.again ?? "";
    choice.addEventListener("click", () => {
      choice.hidden = true;
      again();
    });
    this.element.dataset["end"] = "failed";
    this.#avatar.play([{ index: 0, type: "emote", name: "concern", intensity: 1 }]);
  }

  /** Shows what was said, at rest. */
  show({ text, reasoning, animations, audio, facts }: Said): void {
    this.#done();
    const chips = animations.map((animation) => this.#chip(animation));
    const insets = animations.flatMap(({ offset }, index) => {
      const node = chips[index];
      return offset === undefined || node === undefined ? [] : [{ offset, node }];
    });
    find(this.element, ".text", HTMLElement).replaceChildren(richText(text, insets));
    this.#showActs(chips.filter(({ parentNode }) => parentNode === null));
    const thoughts = find(this.element, ".thoughts", HTMLElement);
    thoughts.replaceChildren(...reasoning.map((thought) => element("p", "", thought)));
    find(this.element, ".reasoning", HTMLDetailsElement).hidden = reasoning.length === 0;
    this.#showFacts(facts);
    if (audio) this.speaks(audio);
  }

  /** Some servers send what is spoken behind what is written. */
  speaks(audio: CassAudio): void {
    const onPlaying = (plays: boolean): void => (plays ? this.#avatar.busy("talk") : this.#avatar.rest());
    const footer = find(this.element, ".facts", HTMLElement);
    footer.prepend(speechButton(audio, onPlaying, this.#signal));
    footer.hidden = false;
  }

  /** Those of which only the time is known, and not the place in the text. */
  #showActs(chips: readonly HTMLElement[]): void {
    const acts = find(this.element, ".acts", HTMLElement);
    acts.hidden = chips.length === 0;
    acts.replaceChildren(...chips.map((chip) => element("li", "", chip)));
  }

  #showFacts(facts: readonly string[]): void {
    const footer = find(this.element, ".facts", HTMLElement);
    footer.replaceChildren(...facts.map((fact) => element("span", "fact", fact)));
    footer.hidden = facts.length === 0;
  }

  #chip(animation: CassAnimation): HTMLButtonElement {
    const { type, name, intensity, delay } = animation;
    const chip = button(`chip ${type}`, name, () => this.#play([{ ...animation, delay: 0 }]));
    const when = delay === undefined ? "" : `, ${delay} s in`;
    chip.title = `${type}, intensity ${intensity}${when}`;
    chip.dataset["index"] = String(animation.index);
    return chip;
  }

  #play(animations: readonly CassAnimation[]): void {
    this.#avatar.play(animations, (index) => {
      const chip = this.element.querySelector(`.chip[data-index="${index}"]`);
      chip?.animate({ scale: ["1", "1.25", "1"] }, { duration: 600, easing: "ease-out" });
      chip?.classList.add("played");
    });
  }

  #doing(text: string): void {
    this.element.ariaBusy = "true";
    this.#progress.textContent = text;
    this.#progress.hidden = false;
  }

  #done(): void {
    this.element.ariaBusy = "false";
    this.#progress.hidden = true;
    this.#avatar.rest();
  }

  #end(text: string): void {
    this.#trouble.hidden = false;
    find(this.#trouble, "p", HTMLElement).textContent = text;
    find(this.#trouble, ".again", HTMLButtonElement).hidden = true;
    this.element.dataset["end"] = "cancelled";
  }
}

/** The small print of a reply. */
export function factsOf(reply: {
  readonly provider?: string | null | undefined;
  readonly model?: string | null | undefined;
  readonly inputTokens?: number | null | undefined;
  readonly outputTokens?: number | null | undefined;
}): readonly string[] {
  const { provider, model, inputTokens, outputTokens } = reply;
  const facts = [model ?? provider ?? ""];
  if (inputTokens != null && outputTokens != null)
    facts.push(`${inputTokens.toLocaleString()} tokens read, ${outputTokens.toLocaleString()} written`);
  return facts.filter((fact) => fact !== "");
}
