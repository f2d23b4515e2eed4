import { type Clock, systemClock } from "../../core/clock.ts";
import { FrameWriter } from "./frames.ts";
import { Heartbeat } from "./heartbeat.ts";
import { Journal } from "./journal.ts";
import type { PeerLink } from "./link.ts";
import { ClientHistory } from "./mistakes.ts";
import { type MockCodebuffOptions, resolveSettings, type Settings } from "./options.ts";
import { CodebuffPeer } from "./peer.ts";
import { type Answer, echoAnswer } from "./script.ts";
import { Sessions } from "./sessions.ts";

/** The server without its sockets: what its connections share. */
export class CodebuffBackend {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly journal = new Journal();
  readonly frames: FrameWriter;
  readonly sessions: Sessions;
  readonly heartbeat: Heartbeat | undefined;
  answer: Answer;
  readonly #histories = new Map<string, ClientHistory>();

  constructor(options: MockCodebuffOptions) {
    this.settings = resolveSettings(options);
    this.clock = options.clock ?? systemClock;
    this.answer = options.answer ?? echoAnswer;
    if (typeof this.answer !== "function") {
      throw new TypeError('`answer` must be a function that returns steps, such as () => ["Hello"]');
    }
    this.frames = new FrameWriter(this.settings);
    this.sessions = new Sessions(this.settings, this.clock);
    this.heartbeat = this.settings.heartbeat ? new Heartbeat(this.settings.heartbeat, this.clock) : undefined;
  }

  /** A client has connected, over whatever the link is. */
  accept(link: PeerLink): CodebuffPeer {
    const peer = new CodebuffPeer(this.journal.connections.length + 1, link, this);
    this.journal.addConnection(peer);
    return peer;
  }

  historyOf(sessionId: string): ClientHistory {
    let history = this.#histories.get(sessionId);
    if (!history) {
      history = new ClientHistory();
      this.#histories.set(sessionId, history);
    }
    return history;
  }
}
