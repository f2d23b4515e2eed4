import { FakeSocket } from "./fake-socket.ts";

/** What a server says to a message. */
export type HastyAnswers = (message: Readonly<Record<string, unknown>>) => readonly object[];

/** A socket whose server has answered by the time that `send` and `close` return. */
export class HastySocket extends FakeSocket {
  readonly #answers: HastyAnswers;

  constructor(answers: HastyAnswers) {
    super();
    this.#answers = answers;
  }

  /** The server's messages, one after the other, without a pause between them. */
  says(...messages: readonly object[]): void {
    for (const message of messages) this.receives(JSON.stringify(message));
  }

  override send(data: string): void {
    super.send(data);
    this.says(...this.#answers(JSON.parse(data)));
  }

  override close(...how: [code?: number, reason?: string]): void {
    super.close(...how);
    this.ends(...how);
  }
}
