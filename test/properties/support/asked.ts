import type { WatchedPrompt } from "./watched-prompt.ts";
import type { SentFrame, WatchedSocket } from "./watched-socket.ts";

/** One request of the server, and what it was answered. */
export interface Asked {
  readonly id: string;
  readonly tool: boolean;
  readonly socket: WatchedSocket;
  /** Whether it is one that reads as such. */
  readonly valid: boolean;
  /** Whether somebody was there to answer. */
  readonly live: boolean;
  /** ms; when it has to be answered at the latest, if the session lives. */
  readonly answerBy: number;
  /** Whose tool it is. */
  readonly prompt: WatchedPrompt | undefined;
  deliveries: number;
  answers: number;
  /** Answers that the server may have refused: another is sent in their place. */
  refusals: number;
}

const ANSWERS: ReadonlySet<string> = new Set(["tool-call-response", "read-files-response", "mcp-tool-data"]);

export const isAnswer = ({ type }: SentFrame): boolean => ANSWERS.has(type);

/** What the server asked of the client: each is answered once, on its own session. */
export class Ledger {
  readonly asked: Asked[] = [];

  answered(socket: WatchedSocket, frame: SentFrame): string | undefined {
    const id = frame.data["requestId"];
    const asked = this.asked.find((each) => each.socket === socket && each.id === id);
    if (!asked) return `${frame.type} answers nothing that was asked on this socket`;
    asked.answers++;
    const most = (asked.tool && asked.valid ? 1 : asked.deliveries) + asked.refusals;
    return asked.answers > most ? `${asked.id} was answered ${asked.answers} times` : undefined;
  }

  refused(socket: WatchedSocket, fits: (asked: Asked) => boolean): void {
    for (const asked of this.asked) if (asked.socket === socket && fits(asked)) asked.refusals++;
  }

  /** What should have been answered by now. */
  *check(now: number): Iterable<string> {
    for (const { id, live, answers, socket, answerBy, prompt } of this.asked) {
      if (!live || answers > 0) continue;
      if ((socket.goneAt ?? now) > answerBy || (!socket.gone && now === answerBy))
        yield `${id} was not answered`;
      const useless = prompt?.over && prompt.status !== "completed";
      if (useless && !socket.gone) yield `${id} was not answered although its prompt is over`;
    }
  }
}
