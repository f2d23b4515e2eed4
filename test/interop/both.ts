import { MockCodebuffBackend, type MockCodebuffBackendOptions } from "agentwire/testing";
import { type Account, accountOf } from "./account.ts";
import { type OwnStory, ownRuns } from "./own-runs.ts";
import type { Heard } from "./said.ts";
import type { Scenario } from "./scenario.ts";
import { KEY_OF_ENVIRONMENT, type SdkUser, sdkRuns } from "./sdk-child.ts";

/** A job for both clients: what a user does, and what the server answers. */
export interface Job {
  readonly name: string;
  readonly scenario: Scenario;
  /** Made anew for each client. */
  readonly server?: () => MockCodebuffBackendOptions;
  /** What the server does besides. */
  readonly prepare?: (backend: MockCodebuffBackend) => void;
  /** Runs the original client's user with another key than the server knows. */
  readonly isStranger?: boolean;
}

/** What became of a job with one of the clients. */
export interface Played {
  readonly heard: readonly Heard[];
  readonly account: Account;
  /** What the server has noted against the client. */
  readonly violations: readonly string[];
  /** How the chat calls ended. */
  readonly chats: readonly { readonly state: string; readonly status: number | undefined }[];
  /** The project's files behind the run; none with this library, unless its own tools work in a project. */
  readonly files: Readonly<Record<string, string>>;
  /** The project's folder; none, where there are no files. */
  readonly cwd: string | undefined;
  readonly url: string;
}

export interface Both {
  readonly sdk: Played;
  readonly own: Played;
}

/** ms for the start of the original client, on a machine with much to do. */
export const START_LIMIT = 60_000;

let keys = 0;

/** A server for one client. The original client counts tokens with the key of the environment, whoever its user is. */
export async function serverOf({ server, prepare, isStranger }: Job): Promise<MockCodebuffBackend> {
  const users = isStranger
    ? [{ key: KEY_OF_ENVIRONMENT }]
    : [{ key: `key-of-user-${++keys}` }, { key: KEY_OF_ENVIRONMENT }];
  const backend = await MockCodebuffBackend.start({ ...server?.(), users });
  prepare?.(backend);
  return backend;
}

export function userOf({ scenario, isStranger }: Job, { url, apiKey }: MockCodebuffBackend): SdkUser {
  return { scenario, url, apiKey: isStranger ? `key-of-nobody-${++keys}` : apiKey };
}

/** Plays jobs with the original client, all at once in one process: a process takes longer to start than all of its runs. */
export async function playWithSdk(jobs: readonly Job[]): Promise<readonly Played[]> {
  const backends = await Promise.all(jobs.map(serverOf));
  const stories = await sdkRuns(jobs.map((job, place) => userOf(job, at(backends, place))));
  return Promise.all(stories.map(async (story, place) => ended(at(backends, place), story)));
}

/** Plays jobs with this library. */
export async function playWithOwn(jobs: readonly Job[]): Promise<readonly Played[]> {
  const backends = await Promise.all(jobs.map(serverOf));
  const stories = await ownRuns(jobs.map((job, place) => userOf(job, at(backends, place))));
  return Promise.all(stories.map(async (story, place) => ended(at(backends, place), story)));
}

/** Plays jobs with both. */
export async function playWithBoth(jobs: readonly Job[]): Promise<ReadonlyMap<string, Both>> {
  const sdk = await playWithSdk(jobs);
  const own = await playWithOwn(jobs);
  return new Map(jobs.map(({ name }, place) => [name, { sdk: at(sdk, place), own: at(own, place) }]));
}

async function ended(backend: MockCodebuffBackend, { heard, files, cwd }: OwnStory): Promise<Played> {
  const requests = backend.requests();
  const played: Played = {
    heard,
    account: accountOf({ requests, heard }),
    violations: backend.violations.map(({ kind }) => kind),
    chats: backend
      .requests({ endpoint: "chat" })
      .map(({ state, response }) => ({ state, status: response?.status })),
    files,
    cwd,
    url: backend.url,
  };
  await backend.stop();
  return played;
}

/** @throws where there is nothing */
export function at<T>(list: readonly T[], place: number): T {
  const value = list[place];
  if (value === undefined) throw new Error(`Nothing is at ${place}`);
  return value;
}
