import type { CodebuffCliMode, CodebuffCliProfile } from "./options.ts";

/** How the program is to be called; all of it has been checked. */
export interface Invocation {
  /** Before all flags: the user's own, which are trusted. */
  readonly args: readonly string[];
  readonly profile: CodebuffCliProfile;
  readonly mode: CodebuffCliMode;
  readonly freeFlag: "--free" | "--lite";
  readonly agent: string | undefined;
  /** JSON. */
  readonly params: string | undefined;
  readonly sessionId: string | undefined;
  /** Whole seconds. */
  readonly timeoutSeconds: number | undefined;
  readonly cwd: string | undefined;
  readonly endOfOptions: boolean;
  /** Undefined when it goes over stdin. */
  readonly prompt: string | undefined;
}

const PROFILE_FLAGS: Readonly<Record<CodebuffCliProfile, readonly string[]>> = {
  "stream-json": ["--stream-json"],
  json: ["-n", "--json"],
  print: ["-p"],
  text: ["-n", "-q"],
};

/** What the programs of a profile have no flag for. A limit of time is kept here all the same, so it is no mistake. */
const LACKS: Readonly<Record<CodebuffCliProfile, readonly string[]>> = {
  "stream-json": ["agent", "params"],
  json: ["params"],
  print: ["plan", "sessionId"],
  text: ["params"],
};

/** Whether there is a way to go on with a session. */
export function canContinue(profile: CodebuffCliProfile): boolean {
  return !LACKS[profile].includes("sessionId");
}

/** Of what is asked for, what the program has no flag for. */
export function lacking({ profile, mode, agent, params, sessionId }: Invocation): string | undefined {
  const asked: Readonly<Record<string, boolean>> = {
    plan: mode === "plan",
    agent: agent !== undefined,
    params: params !== undefined,
    sessionId: sessionId !== undefined,
  };
  return LACKS[profile].find((name) => asked[name]);
}

/**
 * The arguments of the program. The prompt is the last, behind `--`: without that, one that begins with a dash would be read
 * as options, and could change the folder or write files.
 */
export function buildArgv(invocation: Invocation): readonly string[] {
  const { args, profile, mode, freeFlag, agent, params, sessionId, cwd, endOfOptions, prompt } = invocation;
  const timeoutSeconds = profile === "print" ? undefined : invocation.timeoutSeconds;
  return [
    ...args,
    ...PROFILE_FLAGS[profile],
    ...(mode === "default" ? [] : [mode === "free" ? freeFlag : `--${mode}`]),
    ...flag("--agent", agent),
    ...flag("--params", params),
    ...flag("--continue", sessionId),
    ...flag("--timeout", timeoutSeconds),
    ...flag("--cwd", cwd),
    ...(prompt === undefined ? [] : [...(endOfOptions ? ["--"] : []), prompt]),
  ];
}

function flag(name: string, value: string | number | undefined): readonly string[] {
  return value === undefined ? [] : [name, String(value)];
}
