import { expect } from "vitest";
import { buildArgv, type Invocation, lacking } from "../../src/codebuff-cli/input.ts";
import { describe, test } from "./rows.ts";

const PLAIN: Invocation = {
  args: [],
  profile: "stream-json",
  mode: "default",
  freeFlag: "--free",
  agent: undefined,
  params: undefined,
  sessionId: undefined,
  timeoutSeconds: undefined,
  cwd: undefined,
  endOfOptions: true,
  prompt: "hi",
};

const argv = (fields: Partial<Invocation>): readonly string[] => buildArgv({ ...PLAIN, ...fields });

const PROFILES = { "stream-json": "--stream-json", json: "-n --json", print: "-p", text: "-n -q" } as const;
const MODES = { default: "", free: "FREE", max: "--max", plan: "--plan" } as const;

/** Every choice of each option that goes into the arguments, with the words for it. */
const COMBINATIONS = Object.entries(PROFILES).flatMap(([profile, profileWords]) =>
  Object.entries(MODES).flatMap(([mode, modeWord]) =>
    (["--free", "--lite"] as const).flatMap((freeFlag) =>
      [undefined, "s-1"].flatMap((sessionId) =>
        [undefined, 30].flatMap((timeoutSeconds) =>
          [undefined, "/a folder"].flatMap((cwd) =>
            [undefined, "hi"].map((prompt) => ({
              fields: {
                profile,
                mode,
                freeFlag,
                sessionId,
                timeoutSeconds,
                cwd,
                prompt,
              } as Partial<Invocation>,
              words: [
                ...profileWords.split(" "),
                ...(modeWord === "" ? [] : [modeWord === "FREE" ? freeFlag : modeWord]),
                ...(sessionId ? ["--continue", sessionId] : []),
                // The earlier programs have no such option: the limit is kept here alone.
                ...(timeoutSeconds && profile !== "print" ? ["--timeout", "30"] : []),
                ...(cwd ? ["--cwd", cwd] : []),
                ...(prompt ? ["--", prompt] : []),
              ],
            })),
          ),
        ),
      ),
    ),
  ),
);

describe("the arguments", () => {
  test("7 argv & 2.2 argv: match every combination of options, in order", () => {
    expect(COMBINATIONS).toHaveLength(4 * 4 * 2 * 2 * 2 * 2 * 2);
    for (const { fields, words } of COMBINATIONS) expect(argv(fields)).toEqual(words);
  });

  test("2.2 rule 3: begin with the caller's own `args`, unchanged", () => {
    expect(argv({ args: ["script.js", "--"] })).toEqual(["script.js", "--", "--stream-json", "--", "hi"]);
  });

  test("include the agent and its parameters", () => {
    expect(argv({ profile: "json", agent: "base2" })).toEqual([
      "-n",
      "--json",
      "--agent",
      "base2",
      "--",
      "hi",
    ]);
    expect(argv({ profile: "print", agent: "a", params: '{"x":1}' })).toEqual([
      ...["-p", "--agent", "a", "--params", '{"x":1}'],
      ...["--", "hi"],
    ]);
  });

  test.each(["-x hello", "--max", "--cwd=/x y", "-o/f", "--", "-", "", "publish", "login", "help"])(
    "end with `--` and the prompt %j",
    (prompt) => {
      expect(argv({ prompt }).slice(-2)).toEqual(["--", prompt]);
    },
  );

  test("2.2 rule 1: leave out `--` for a program that does not know it", () => {
    expect(argv({ endOfOptions: false })).toEqual(["--stream-json", "hi"]);
  });

  test("2.2 rule 3 & 2.1 never -o: include `--continue` only with an id, and never `-o`", () => {
    for (const { fields } of COMBINATIONS) {
      const words = argv(fields);
      expect(words.includes("--continue")).toBe(fields.sessionId !== undefined);
      expect(words).not.toContain("-o");
    }
  });
});

describe("options for which a program has no flag", () => {
  const ASKED = {
    agent: { agent: "a" },
    params: { params: "{}" },
    sessionId: { sessionId: "s" },
    plan: { mode: "plan" },
    max: { mode: "max" },
    free: { mode: "free" },
    timeoutSeconds: { timeoutSeconds: 3 },
    cwd: { cwd: "/w" },
  } as const satisfies Record<string, Partial<Invocation>>;
  const LACKS: Readonly<Record<string, readonly string[]>> = {
    "stream-json": ["agent", "params"],
    json: ["params"],
    print: ["sessionId", "plan"],
    text: ["params"],
  };

  test.each(Object.keys(LACKS) as (keyof typeof PROFILES)[])("in the profile %s", (profile) => {
    const missing = Object.entries(ASKED).flatMap(([name, fields]) => {
      const said = lacking({ ...PLAIN, profile, ...fields });
      if (said !== undefined) expect(said).toBe(name);
      return said === undefined ? [] : [name];
    });
    expect(missing).toEqual(LACKS[profile]);
  });
});
