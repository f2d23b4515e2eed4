// Finds an API key in this user's files and environment; writes nothing.
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Checks, checkCallOptions, checks, isObject } from "../core/checks.ts";
import { isCredentialParameter } from "../core/tell/credential-names.ts";
import { isArgument } from "../process/program.ts";
import { homeFolder } from "./folder.ts";

/** The places to search for an API key. */
export interface CredentialOptions {
  /** The key itself, for apps that store it elsewhere. */
  readonly apiKey?: string;
  /**
   * The user's folder, where keys are searched; the program's home stays. For tests and for apps that act for several
   * users. @default the system's
   */
  readonly homeDir?: string;
  /** Folder in `~/.config`. Other builds: `manicode-dev`, `manicode-test`. @default "manicode" */
  readonly configDirName?: string;
  /**
   * The search order. `documented`: environment, `~/.codebuff`, the program's own file. `cli`: the program's own file
   * first, for apps that use the program's login. @default "documented"
   */
  readonly credentialOrder?: "documented" | "cli";
}

/** A place that is searched for an API key. */
export type CredentialPlace =
  | "option apiKey"
  | "CODEBUFF_API_KEY"
  | "~/.codebuff/config.json"
  | "~/.codebuff/auth.json"
  | "the program's own file";

/** The finding at one place, without the key. */
export interface CredentialFinding {
  readonly place: CredentialPlace;
  /** The path of the file. */
  readonly path?: string;
  /**
   * `used`: this key is used. `other`: a different key, ignored. `same`: the used key again. `none`: no key. The other
   * values say why the file could not be read; `too-large`: over 1 MiB.
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
  /** The field of the file that holds the key. */
  readonly field?: string;
  /** Other users of this machine can read the file. */
  readonly exposed?: true;
}

/** The searched places in order, with the findings. */
export interface CredentialReport {
  readonly credentials: CodebuffCredentials | null;
  readonly findings: readonly CredentialFinding[];
  /** Warnings for the user, without the key. */
  readonly warnings: readonly CredentialWarning[];
}

/** `credential-conflict`: the program's own file has another key, which it uses. `credentials-exposed`: others can read a file. */
export interface CredentialWarning {
  readonly kind: "credential-conflict" | "credentials-exposed";
  readonly message: string;
}

/** A key and its place. When printed, the object hides the key. */
export class CodebuffCredentials {
  readonly source: CredentialPlace;
  readonly #apiKey: string;

  constructor(apiKey: string, source: CredentialPlace) {
    this.source = source;
    this.#apiKey = apiKey;
    // Hides the key in `console.log` on Node. As a class member, its declared name would be any symbol.
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

/** Field names of a key. The first match counts. */
const FIELDS = ["apiKey", "api_key", "token", "accessToken", "access_token"] as const;

/** Largest file, in bytes. A typical key file has about a hundred. */
const MAX_FILE_BYTES = 1_048_576;

type Held = { readonly exposed?: true } & (
  | { readonly key: string; readonly field?: string }
  | { readonly status: Exclude<CredentialFinding["status"], "used" | "other" | "same"> }
);

type Asked = Pick<CredentialFinding, "place" | "path"> & { readonly held: Held };

/** Allows any value: a wrong value is a finding, not an error. */
const ANY_VALUES: Checks<CredentialOptions> = {
  apiKey: checks.any,
  homeDir: checks.any,
  configDirName: checks.any,
  credentialOrder: checks.any,
};

/** Finds a key. Only reads; an unreadable file is a finding. @throws InvalidInputError for unknown options */
export function findCodebuffCredentials(
  options: CredentialOptions = {},
  env: Readonly<Record<string, string | undefined>> = process.env,
): CredentialReport {
  checkCallOptions(options, ANY_VALUES);
  return searchCredentials(options, env).report;
}

/** Returns the report, and all found keys. The keys must stay hidden. */
export function searchCredentials(
  options: CredentialOptions,
  env: Readonly<Record<string, string | undefined>>,
): { readonly report: CredentialReport; readonly keys: readonly string[] } {
  const { homeDir = homeFolder(), configDirName = "manicode", credentialOrder } = options;
  const text = (place: CredentialPlace, value: unknown): Asked => ({
    place,
    held: isKey(value) ? { key: value } : { status: "none" },
  });
  const file = (place: CredentialPlace, parts: readonly string[], read: (value: object) => Held): Asked => {
    if (homeDir === undefined) return { place, held: { status: "missing" } };
    const path = join(homeDir, ...parts);
    return { place, path, held: readFile(path, read) };
  };
  const own = file("the program's own file", [".config", configDirName, "credentials.json"], keyOfProfile);
  const others = [
    text("CODEBUFF_API_KEY", env["CODEBUFF_API_KEY"]),
    file("~/.codebuff/config.json", [".codebuff", "config.json"], keyOfFields),
    file("~/.codebuff/auth.json", [".codebuff", "auth.json"], keyOfFields),
  ];
  const asked = [
    text("option apiKey", options.apiKey),
    ...(credentialOrder === "cli" ? [own, ...others] : [...others, own]),
  ];
  const first = asked.find(({ held }) => "key" in held);
  const used = first && "key" in first.held ? first.held.key : undefined;
  const findings = asked.map((each): CredentialFinding => {
    const { held, ...place } = each;
    const { exposed } = held;
    if ("status" in held) return { ...place, ...held };
    const { key, field } = held;
    return {
      ...place,
      status: each === first ? "used" : key === used ? "same" : "other",
      ...(field === undefined ? {} : { field }),
      ...(exposed ? { exposed } : {}),
    };
  });
  const report: CredentialReport = {
    credentials: first && used !== undefined ? new CodebuffCredentials(used, first.place) : null,
    findings,
    warnings: warningsOf(findings),
  };
  return { report, keys: asked.flatMap(({ held }) => ("key" in held ? [held.key] : [])) };
}

/** The key and its place; null without a key. Searches like {@link findCodebuffCredentials}. */
export function resolveCodebuffCredentials(
  options: CredentialOptions = {},
  env?: Readonly<Record<string, string | undefined>>,
): CodebuffCredentials | null {
  return findCodebuffCredentials(options, env).credentials;
}

function warningsOf(findings: readonly CredentialFinding[]): CredentialWarning[] {
  const warnings: CredentialWarning[] = [];
  for (const { exposed, path } of findings) {
    const message = `others on this machine can read ${path}: \`chmod 600\` it`;
    if (exposed) warnings.push({ kind: "credentials-exposed", message });
  }
  if (findings.some(({ place, status }) => place === "the program's own file" && status === "other")) {
    const message =
      "the program's own file holds another key, which the program prefers: `isolateHome` hides that file";
    warnings.push({ kind: "credential-conflict", message });
  }
  return warnings;
}

function isKey(value: unknown): value is string {
  return isArgument(value) && value !== "";
}

function readFile(path: string, read: (value: object) => Held): Held {
  let text: string;
  let exposed: Pick<Held, "exposed"> = {};
  try {
    const stat = statSync(path);
    if (!stat.isFile()) return { status: "unreadable" };
    if (stat.size > MAX_FILE_BYTES) return { status: "too-large" };
    if (process.platform !== "win32" && (stat.mode & 0o077) !== 0) exposed = { exposed: true };
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
    return { status: "not-json", ...exposed };
  }
  return isObject(value) ? { ...read(value), ...exposed } : { status: "no-object", ...exposed };
}

function keyOfFields(value: object): Held {
  for (const field of FIELDS) {
    const key: unknown = Reflect.get(value, field);
    if (isKey(key)) return { key, field };
  }
  return { status: "none" };
}

function keyOfProfile(value: object): Held {
  const profile: unknown = Reflect.get(value, "default");
  const key: unknown = isObject(profile) ? profile["authToken"] : undefined;
  return isKey(key) ? { key, field: "default.authToken" } : { status: "none" };
}

/** Variables that are named like credentials. They hold a folder, or a word such as `ubuntu`. */
const NO_CREDENTIALS: ReadonlySet<string> = new Set(["PWD", "DESKTOP_SESSION", "KONSOLE_DBUS_SESSION"]);

/** Credentials in the caller's variables (`GITHUB_TOKEN`) and arguments (`--api-key k`), found by name. */
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
