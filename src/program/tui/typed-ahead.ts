// What the user types while the screen loads.

const PASTES_ON = "\u001b[?2004h";
const PASTES_OFF = "\u001b[?2004l";
const CLEAR_LINE = "\r\u001b[K";
const CTRL_C = "\u0003";
/** A line that was sent before the terminal gave single keys. */
const COOKED_LINE = /^([^\r\n]*)\n$/;

/**
 * Keeps what the user types until the screen takes it: without echo, with Enter as a key, and with pastes marked. Ctrl-C
 * ends the program as a signal does.
 */
export class TypedAhead {
  readonly #stdin: NodeJS.ReadStream;
  readonly #stdout: NodeJS.WriteStream;
  #typed = "";
  #isHeld = false;

  constructor(stdin: NodeJS.ReadStream, stdout: NodeJS.WriteStream) {
    this.#stdin = stdin;
    this.#stdout = stdout;
  }

  /** Does nothing without a terminal. */
  begin(): void {
    const stdin = this.#stdin;
    if (!stdin.isTTY || !this.#stdout.isTTY) return;
    this.#isHeld = true;
    stdin.setRawMode(true);
    stdin.setEncoding("utf8");
    stdin.on("readable", this.#read);
    this.#stdout.write(CLEAR_LINE + PASTES_ON); // the terminal has echoed earlier keys
  }

  /** Gives the keys back to stdin, whose next reader is the screen. */
  handOver(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#stdin.off("readable", this.#read);
    const typed = this.#typed.replace(COOKED_LINE, "$1\r");
    if (typed !== "") this.#stdin.unshift(typed, "utf8");
  }

  /** Restores the terminal, unless the screen has it. What was typed stays for the next reader. */
  end(): void {
    if (!this.#isHeld) return;
    this.handOver();
    this.#stdin.setRawMode(false);
    this.#stdin.pause();
    this.#stdout.write(PASTES_OFF);
  }

  readonly #read = (): void => {
    for (let piece = this.#stdin.read(); piece !== null; piece = this.#stdin.read()) this.#typed += piece;
    if (!this.#typed.includes(CTRL_C)) return;
    this.#typed = "";
    this.end();
    process.kill(process.pid, "SIGINT");
  };
}
