import { find } from "./dom.ts";

/** The list of conversations where the window is narrow: it comes when asked for. Where it is wide, it is always there. */
export class Drawer {
  readonly #app = find(document, "#app", HTMLElement);

  constructor(signal: AbortSignal) {
    const open = find(document, "#open-drawer", HTMLButtonElement);
    const close = find(document, "#close-drawer", HTMLButtonElement);
    open.addEventListener(
      "click",
      () => {
        this.#app.dataset["drawer"] = "open";
        close.focus();
      },
      { signal },
    );
    close.addEventListener("click", () => this.close(), { signal });
    document.addEventListener("keydown", ({ key }) => key === "Escape" && this.close(), { signal });
  }

  close(): void {
    delete this.#app.dataset["drawer"];
  }
}
