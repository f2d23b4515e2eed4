import { find } from "./dom.ts";

export interface ComposerHost {
  say(text: string): void;
  cancel(): void;
}

/** Where messages are written. */
export class Composer {
  readonly #form = find(document, "#composer", HTMLFormElement);
  readonly #text = find(document, "#message", HTMLTextAreaElement);
  readonly #cancel = find(document, "#cancel", HTMLButtonElement);

  constructor(host: ComposerHost, signal: AbortSignal) {
    this.#form.addEventListener(
      "submit",
      (event) => {
        event.preventDefault();
        const text = this.#text.value.trim();
        if (text === "") return;
        this.#text.value = "";
        host.say(text);
      },
      { signal },
    );
    this.#text.addEventListener(
      "keydown",
      (event) => {
        // While an input method composes a character, Enter is its own.
        if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
        event.preventDefault();
        this.#form.requestSubmit();
      },
      { signal },
    );
    this.#cancel.addEventListener("click", () => host.cancel(), { signal });
    document.addEventListener("keydown", ({ key }) => key === "Escape" && host.cancel(), { signal });
  }

  /** Whether there is something to cancel. */
  set isBusy(isBusy: boolean) {
    this.#cancel.hidden = !isBusy;
  }

  focus(): void {
    this.#text.focus();
  }
}
