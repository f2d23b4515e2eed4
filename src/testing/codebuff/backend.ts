// The state that the connections of a mock share.
import { type Clock, systemClock } from "../../core/clock.ts";
import { checkMockNames } from "../names.ts";
import type { PeerLink } from "../server/link.ts";
import { checkAnswer } from "../server/script-runner.ts";
import { Account } from "./account.ts";
import { FrameWriter } from "./frames.ts";
import { Heartbeat } from "./heartbeat.ts";
import { type ClientHistory, newHistory } from "./mistakes.ts";
import {
  CODEBUFF_OPTIONS,
  type CodebuffMockSettings,
  codebuffSettings,
  type MockCodebuffSwitches,
} from "./options.ts";
import { CodebuffPeer } from "./peer.ts";
import { CodebuffJournal } from "./record.ts";
import { echoAnswer, type ScriptedAnswer } from "./script.ts";
import { Sessions } from "./sessions.ts";

/** The options of `MockCodebuffServer.start()`. The profile sets every switch that is left out. */
export interface MockCodebuffOptions extends MockCodebuffSwitches {
  /** The clock of delays and the heartbeat. @default systemClock */
  readonly clock?: Clock;
  /** How prompts are answered. @default a few chunks that echo the prompt */
  readonly answer?: ScriptedAnswer;
}

/** The server without its sockets: the state that its connections share. */
export class CodebuffBackend {
  readonly withPort = "MockCodebuffServer";
  readonly settings: CodebuffMockSettings;
  readonly clock: Clock;
  readonly journal = new CodebuffJournal();
  readonly peers: CodebuffPeer[] = [];
  readonly frames: FrameWriter;
  readonly sessions: Sessions;
  readonly heartbeat: Heartbeat | undefined;
  readonly account: Account;
  answer: ScriptedAnswer;
  #requests = 0;
  readonly #histories = new Map<string, ClientHistory>();

  constructor(options: MockCodebuffOptions) {
    checkMockNames(options, CODEBUFF_OPTIONS, "option");
    this.settings = codebuffSettings(options);
    this.clock = options.clock ?? systemClock;
    this.answer = options.answer ?? echoAnswer;
    checkAnswer(this.answer);
    this.account = new Account(this.settings.balance);
    this.frames = new FrameWriter(this.settings);
    this.sessions = new Sessions(this.settings, this.clock);
    this.heartbeat = this.settings.heartbeat ? new Heartbeat(this.settings.heartbeat, this.clock) : undefined;
  }

  accept(link: PeerLink): CodebuffPeer {
    const peer = new CodebuffPeer(this.journal.connections.length + 1, link, this);
    this.peers.push(peer);
    this.journal.add(this.journal.connections, peer);
    return peer;
  }

  /** The server shuts down: notifies the clients, and forgets the sessions. */
  shutDown(): void {
    for (const peer of this.peers) peer.shutDown();
    this.sessions.clear();
  }

  nextRequestId(): string {
    this.#requests++;
    return `request-${this.#requests}`;
  }

  historyOf(sessionId: string): ClientHistory {
    const history = this.#histories.get(sessionId) ?? newHistory();
    this.#histories.set(sessionId, history);
    return history;
  }
}
