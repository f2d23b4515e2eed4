// The mocks of the program: how each is started, and what is told of it.

import type { TrafficJournal } from "../journal.ts";
import type { Testing } from "../recording.ts";
import {
  BACKEND_SWITCH_VALUES,
  CASS_SWITCH_VALUES,
  CODEBUFF_SWITCH_VALUES,
  CODEY_SWITCH_VALUES,
} from "./switch-values.ts";
import { watchBackend, watchReplay, watchSockets } from "./watch.ts";

export interface RunningMock {
  /** What the line that tells that it is ready has: its address, and what a client needs. */
  readonly ready: Readonly<Record<string, string>>;
  /** Rejects when the mock ends, and for a mistake in its script. */
  readonly watch: (journal: TrafficJournal) => Promise<void>;
  readonly stop: () => Promise<void>;
}

type Options = Readonly<Record<string, unknown>>;

export interface MockRow {
  /** The values of its switches. */
  readonly values: Readonly<Record<string, string>>;
  /** The functions that make the steps of its answers; undefined: answers are JSON. */
  readonly makers: (testing: Testing) => object | undefined;
  /** Starts it on a port of this machine. The options are checked by the mock. */
  readonly start: (testing: Testing, options: Options, port: number) => Promise<RunningMock>;
}

export const SOCKET_MOCKS: Readonly<Record<string, MockRow>> = {
  codebuff: {
    values: CODEBUFF_SWITCH_VALUES,
    makers: ({ step }) => step,
    start: async ({ MockCodebuffServer }, options, port) => {
      const server = await MockCodebuffServer.start({ ...options, port });
      return {
        ready: { url: server.url },
        watch: (journal) => watchSockets(server, journal),
        stop: () => server.stop(),
      };
    },
  },
  codey: {
    values: CODEY_SWITCH_VALUES,
    makers: ({ codeyStep }) => codeyStep,
    start: async ({ MockCodeyServer }, options, port) => {
      const server = await MockCodeyServer.start({ ...options, port });
      return {
        ready: { url: server.url },
        watch: (journal) => watchSockets(server, journal),
        stop: () => server.stop(),
      };
    },
  },
  cass: {
    values: CASS_SWITCH_VALUES,
    makers: ({ cassStep }) => cassStep,
    start: async ({ MockCassServer }, options, port) => {
      const server = await MockCassServer.start({ ...options, port });
      const { accessToken } = server.addUser();
      return {
        ready: { url: server.url, httpUrl: server.httpUrl, token: accessToken },
        watch: (journal) => watchSockets(server, journal),
        stop: () => server.stop(),
      };
    },
  },
  backend: {
    values: BACKEND_SWITCH_VALUES,
    makers: () => undefined,
    start: async ({ MockCodebuffBackend }, options, port) => {
      const backend = await MockCodebuffBackend.start({ ...options, port });
      return {
        ready: { url: backend.url, apiKey: backend.apiKey },
        watch: (journal) => watchBackend(backend, journal),
        stop: () => backend.stop(),
      };
    },
  },
};

/** Plays a recording on a port of this machine. */
export async function startReplay({ Replayer }: Testing, text: string, port: number): Promise<RunningMock> {
  const replayer = await Replayer.start({ text }, { port });
  return {
    ready: { url: replayer.url },
    watch: (journal) => watchReplay(replayer, journal),
    stop: () => replayer.stop(),
  };
}
