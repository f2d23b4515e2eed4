import { Avatar } from "./avatar.ts";
import { find } from "./dom.ts";
import { enterAnonymously, logIn, type Session } from "./session.ts";
import { plain } from "./trouble.ts";

/** The card in front of everything else. */
export class Entrance {
  readonly #root = find(document, "#entrance", HTMLElement);
  readonly #form = find(document, "#login", HTMLFormElement);
  readonly #email = find(document, "#email", HTMLInputElement);
  readonly #password = find(document, "#password", HTMLInputElement);
  readonly #problem = find(document, "#login-problem", HTMLElement);
  readonly #buttons = [
    find(document, "#enter", HTMLButtonElement),
    find(document, "#enter-anonymously", HTMLButtonElement),
  ];
  readonly #avatar = new Avatar();
  #entered: (session: Session) => void = () => {};

  constructor() {
    find(document, "#portrait", HTMLElement).append(this.#avatar.element);
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#try(() => logIn(this.#email.value, this.#password.value));
    });
    this.#buttons[1]?.addEventListener("click", () => void this.#try(enterAnonymously));
  }

  /** Shows the card until somebody is in. @param problem why they are out */
  async pass(problem = ""): Promise<Session> {
    this.#problem.textContent = problem;
    this.#root.hidden = false;
    this.#avatar.play([{ index: 0, type: "gesture", name: "wave", intensity: 1, delay: 0.4 }]);
    this.#email.focus();
    const session = await new Promise<Session>((resolve) => {
      this.#entered = resolve;
    });
    this.#avatar.rest();
    this.#root.hidden = true;
    this.#password.value = "";
    return session;
  }

  async #try(enter: () => Promise<Session>): Promise<void> {
    this.#problem.textContent = "";
    this.#waits(true);
    try {
      this.#entered(await enter());
    } catch (error) {
      this.#avatar.play([{ index: 0, type: "emote", name: "concern", intensity: 1 }]);
      this.#problem.textContent = plain(error);
    } finally {
      this.#waits(false);
    }
  }

  #waits(waits: boolean): void {
    this.#form.ariaBusy = String(waits);
    for (const button of this.#buttons) button.disabled = waits;
  }
}
