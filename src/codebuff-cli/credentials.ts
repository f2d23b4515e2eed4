import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Checks, checkCallOptions, checks, isObject } from "../core/checks.ts";
import { isCredentialParameter } from "../core/client/credential-names.ts";
import { isArgument } from "./command.ts";
import { homeFolder } from "./folder.ts";

/** Where an API key is looked for. */
export interface CredentialOptions {
  /** The key itself. */
  readonly apiKey?: string;
  /** The user's folder. @default that of the system */
  readonly homeDir?: string;
  /** The program's own folder in `~/.config`; other environments of the product have `manicode-dev` and `manicode-test`. @default "manicode" */
  readonly configDirName?: string;
  /** `documented`: the environment, then `~/.codebuff`, then the program's own file. `cli`: the program's own file first, as the program itself does. @default "documented" */
  readonly credentialOrder?: "documented" | "cli";
}

/** A place, by its name. */
export type CredentialPlace =
  | "option apiKey"
  | "CODEBUFF_API_KEY"
  | "~/.codebuff/config.json"
  | "~/.codebuff/auth.json"
  | "the program's own file";

/** What was found at one place; never the key itself. */
export interface CredentialFinding {
  readonly place: CredentialPlace;
  /** The file. */
  readonly path?: string;
  /**
   * `used`: the key comes from here. `other`: there is one too, and it was not the first. `same`: there is the same one.
   * `none`: nothing that is a key. The others say why a file could not be read.
   */
  readonly status:
    | "used"
    | "other"
    | "same"
    | "none"
    | "missing"
    | "unreadable"
    | "too-large"
    | "not-json"
    | "no-object";
  /** The field of the file that holds it. */
  readonly field?: string;
  /** Others on this machine can read the file. */
  readonly exposed?: true;
}

/** Where was looked, in order, and what was there. */
export interface CredentialReport {
  readonly credentials: CodebuffCredentials | null;
  readonly findings: readonly CredentialFinding[];
  /** What the user should know; without the key. */
  readonly warnings: readonly CredentialWarning[];
}

/** `credential-conflict`: the program will use another key than the one found here. `credentials-exposed`: others can read a file. */
export interface CredentialWarning {
  readonly kind: "credential-conflict" | "credentials-exposed";
  readonly message: string;
}

/** A key, and where it comes from. Printed, it hides the key. */
export class CodebuffCredentials {
  readonly source: CredentialPlace;
  readonly #apiKey: string;

  constructor(apiKey: string, source: CredentialPlace) {
    this.source = source;
    this.#apiKey = apiKey;
    // For `console.log` on Node. As a member of the class it would be any symbol's in the declarations.
    Object.defineProperty(this, Symbol.for("nodejs.util.inspect.custom"), { value: () => this.toString() });
  }

  get apiKey(): string {
    return this.#apiKey;
  }

  toString(): string {
    return `[API key from ${this.source}]`;
  }

  toJSON(): object {
    return { source: this.source, apiKey: "[redacted]" };
  }
}

/** Names of the field that holds the key, the first that is there counts. */
const FIELDS = ["apiKey", "api_key", "token", "accessToken", "access_token"] as const;

/** Bytes of a file that is read: one with a key in it has a hundred. */
const MAX_FILE_BYTES = 1_048_576;

/** What one place holds. */
type Held =
  | { readonly key: string; readonly field?: string; readonly exposed: boolean }
  | {
      readonly status: Exclude<CredentialFinding["status"], "used" | "other" | "same">;
      readonly exposed?: boolean;
    };

/** A value that can be no key, or no folder, is a finding. */
const ANY_VALUES: Checks<CredentialOptions> = {
  apiKey: checks.any,
  homeDir: checks.any,
  configDirName: checks.any,
  credentialOrder: checks.any,
};

/** Looks for the key, and says where. Reads only, never writes; a file that cannot be read is a finding and no error. @throws InvalidInputError for an option that does not exist */
export function findCodebuffCredentials(
  options: CredentialOptions = {},
  env: Readonly<Record<string, string | undefined>> = process.env,
): CredentialReport {
  checkCallOptions(options, ANY_VALUES);
  return searchCredentials(options, env).report;
}

/** The report, and every key that was seen on the way, so that none is shown. */
export function searchCredentials(
  options: CredentialOptions,
  env: Readonly<Record<string, string | undefined>>,
): { readonly report: CredentialReport; readonly keys: readonly string[] } {
  const {
    apiKey,
    homeDir = homeFolder(),
    configDirName = "manicode",
    credentialOrder = "documented",
  } = options;
  const file = (place: CredentialPlace, path: string | undefined, read: (value: object) => Held) => ({
    place,
    path,
    held: path === undefined ? ({ status: "missing" } as const) : readFile(path, read),
  });
  const inHome = (...parts: string[]) => (homeDir === undefined ? undefined : join(homeDir, ...parts));
  const own = file(
    "the program's own file",
    inHome(".config", configDirName, "credentials.json"),
    keyOfProfile,
  );
  const asked = [
    { place: "option apiKey" as const, path: undefined, held: heldText(apiKey) },
    ...(credentialOrder === "cli" ? [own] : []),
    { place: "CODEBUFF_API_KEY" as const, path: undefined, held: heldText(env["CODEBUFF_API_KEY"]) },
    file("~/.codebuff/config.json", inHome(".codebuff", "config.json"), keyOfFields),
    file("~/.codebuff/auth.json", inHome(".codebuff", "auth.json"), keyOfFields),
    ...(credentialOrder === "cli" ? [] : [own]),
  ];
  const first = asked.find(({ held }) => "key" in held);
  const used = first && "key" in first.held ? first.held.key : undefined;
  const findings = asked.map((place): CredentialFinding => {
    const { held, path } = place;
    return {
      place: place.place,
      ...(path === undefined ? {} : { path }),
      status:
        "status" in held ? held.status : place === first ? "used" : held.key === used ? "same" : "other",
      ...("field" in held && held.field !== undefined ? { field: held.field } : {}),
      ...(held.exposed ? { exposed: true } : {}),
    };
  });
  const report: CredentialReport = {
    credentials: first && used !== undefined ? new CodebuffCredentials(used, first.place) : null,
    findings,
    warnings: warningsOf(findings),
  };
  return { report, keys: asked.flatMap(({ held }) => ("key" in held ? [held.key] : [])) };
}

/** The key, and where it comes from; null where there is none. See {@link findCodebuffCredentials} for where it looks. */
export function resolveCodebuffCredentials(
  options: CredentialOptions = {},
  env?: Readonly<Record<string, string | undefined>>,
): CodebuffCredentials | null {
  return findCodebuffCredentials(options, env).credentials;
}

function warningsOf(findings: readonly CredentialFinding[]): CredentialWarning[] {
  const exposed = findings.flatMap(({ exposed, path }): CredentialWarning[] =>
    exposed && path !== undefined
      ? [
          {
            kind: "credentials-exposed",
            message: `others on this machine can read ${path}: \`chmod 600\` it`,
          },
        ]
      : [],
  );
  const own = findings.find(({ place }) => place === "the program's own file");
  const conflict: CredentialWarning[] =
    own?.status === "other"
      ? [
          {
            kind: "credential-conflict",
            message:
              "the program's own file holds another key, and the program prefers that: `isolateHome` keeps it from it",
          },
        ]
      : [];
  return [...exposed, ...conflict];
}

function heldText(text: string | undefined): Held {
  return isKey(text) ? { key: text, exposed: false } : { status: "none" };
}

/** What can be handed to a program in its environment. */
function isKey(value: unknown): value is string {
  return isArgument(value) && value !== "";
}

function readFile(path: string, read: (value: object) => Held): Held {
  let text: string;
  let exposed = false;
  try {
    const stat = statSync(path);
    if (!stat.isFile()) return { status: "unreadable" };
    if (stat.size > MAX_FILE_BYTES) return { status: "too-large" };
    exposed = process.platform !== "win32" && (stat.mode & 0o077) !== 0;
    accessSync(path, constants.R_OK);
    text = readFileSync(path, "utf8");
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    return { status: isMissing ? "missing" : "unreadable" };
  }
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    return { status: "not-json", exposed };
  }
  return isObject(value) ? { ...read(value), exposed } : { status: "no-object", exposed };
}

function keyOfFields(value: object): Held {
  for (const field of FIELDS) {
    const key: unknown = Reflect.get(value, field);
    if (isKey(key)) return { key, field, exposed: false };
  }
  return { status: "none" };
}

function keyOfProfile(value: object): Held {
  const profile: unknown = Reflect.get(value, "default");
  const key: unknown = isObject(profile) ? profile["authToken"] : undefined;
  return isKey(key) ? { key, field: "default.authToken", exposed: false } : { status: "none" };
}

/** Variables of shells and desktops that are named like credentials: a folder, and words such as `ubuntu`. */
const NO_CREDENTIALS: ReadonlySet<string> = new Set(["PWD", "DESKTOP_SESSION", "KONSOLE_DBUS_SESSION"]);

/** The credentials that the caller gives the program, found by their names: variables such as `GITHUB_TOKEN`, arguments such as `--api-key k` or `--api-key=k`. */
export function secretsGiven(
  env: Readonly<Record<string, string>>,
  args: readonly string[],
): readonly string[] {
  const inEnv = Object.entries(env).filter(
    ([name]) => isCredentialParameter(name) && !NO_CREDENTIALS.has(name),
  );
  const inArgs = args.flatMap((arg, at) => {
    const [, name = "", value] = /^--?([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    return isCredentialParameter(name) ? [value ?? args[at + 1] ?? ""] : [];
  });
  return [...inEnv.map(([, value]) => value), ...inArgs];
}
