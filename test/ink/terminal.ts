import { PassThrough, Writable } from "node:stream";
import { Terminal } from "@xterm/headless";

/** A terminal in this process: what is written to it is on its screen, and a test types into it. */
export class TestTerminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /** All that was written, as it came. */
  written = "";
  isRaw = false;
  readonly #terminal: Terminal;
  readonly #input = new PassThrough();
  readonly #size: { columns: number; rows: number };
  #changed: () => void = () => {};

  constructor(columns = 80, rows = 24) {
    this.#size = { columns, rows };
    this.#terminal = new Terminal({ cols: columns, rows, scrollback: 20_000, allowProposedApi: true });
    const output = new Writable({
      decodeStrings: false,
      write: (text: string, _encoding, done) => {
        this.written += text;
        this.#terminal.write(text.replaceAll(/\r?\n/g, "\r\n"), () => {
          done();
          this.#changed();
        });
      },
    });
    this.stdout = Object.assign(output, {
      isTTY: true,
      ...this.#size,
    }) as unknown as NodeJS.WriteStream;
    const setRawMode = (isRaw: boolean): void => {
      this.isRaw = isRaw;
    };
    this.stdin = Object.assign(this.#input, {
      isTTY: true,
      setRawMode,
      ref: () => {},
      unref: () => {},
    }) as unknown as NodeJS.ReadStream;
  }

  type(text: string): void {
    this.#input.write(text);
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
    Object.assign(this.stdout, { columns, rows });
    this.stdout.emit("resize");
  }

  /** Resolves once the screen shows all that was written. */
  async drained(): Promise<void> {
    await new Promise<void>((resolve) => this.stdout.write("", () => resolve()));
  }

  /** The rows on the screen, the empty ones at the end left out. */
  get screen(): string {
    const { baseY } = this.#terminal.buffer.active;
    return this.#rows(baseY, baseY + this.#terminal.rows);
  }

  /** The screen and all that has scrolled away. */
  get everything(): string {
    return this.#rows(0, this.#terminal.buffer.active.length);
  }

  /** Resolves once the screen holds `wanted`. */
  async sees(wanted: RegExp): Promise<void> {
    await this.until(() => wanted.test(this.screen));
  }

  /** Resolves once `holds` is true: it is asked after each write. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }

  #rows(from: number, to: number): string {
    const buffer = this.#terminal.buffer.active;
    const rows: string[] = [];
    for (let at = from; at < to; at++) rows.push(buffer.getLine(at)?.translateToString(true) ?? "");
    return rows.join("\n").trimEnd();
  }
}

/** How often the whole screen was cleared. */
export function clears(written: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
  return (written.match(/\u001b\[(?:2J|3J|H\u001b\[J|1;1H)/g) ?? []).length;
}
