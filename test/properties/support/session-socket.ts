import { FakeSocket } from "../../helpers/fake-socket.ts";

const OPEN = 1;
const CLOSED = 3;

/** A socket that can be cut unless it is a browser's, and that can refuse a frame. */
export class SessionSocket extends FakeSocket {
  refusesFrame = false;
  declare readonly terminate?: () => void;
  readonly #browser: boolean;

  constructor(browser: boolean) {
    super({ terminates: false });
    this.#browser = browser;
    if (browser) return;
    this.terminate = () => {
      this.terminated = true;
      this.readyState = CLOSED;
    };
  }

  get isOpen(): boolean {
    return this.readyState === OPEN;
  }

  /** Whether the socket was given up, or is as good as gone. */
  get gone(): boolean {
    return this.readyState > OPEN || (this.#browser && this.closes.length > 0);
  }

  get heard(): boolean {
    return this.isOpen && this.listenerCount("message") > 0;
  }

  /** Throws for the one frame that the socket refuses. */
  protected refuse(): void {
    if (!this.refusesFrame) return;
    this.refusesFrame = false;
    throw new Error("the socket takes no frame");
  }
}
