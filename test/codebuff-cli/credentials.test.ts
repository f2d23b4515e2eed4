import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { inspect } from "node:util";
import {
  CodebuffCredentials,
  type CredentialOptions,
  findCodebuffCredentials,
  resolveCodebuffCredentials,
} from "agentwire/codebuff-cli";
import { expect } from "vitest";
import { type TempFolder, tempFolder } from "../../scripts/support/temp-folder.ts";
import { describe, test } from "./rows.ts";

const FILES = {
  config: ".codebuff/config.json",
  auth: ".codebuff/auth.json",
  own: ".config/manicode/credentials.json",
} as const;

/** A home with files, each given as its text or the value of its JSON. */
async function home(files: Readonly<Record<string, unknown>> = {}): Promise<TempFolder> {
  const folder = await tempFolder();
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder.path, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, typeof content === "string" ? content : JSON.stringify(content), { mode: 0o600 });
  }
  return folder;
}

const profile = (authToken: unknown) => ({ default: { id: "1", email: "e@example.com", authToken } });

/** Each place with a key of its own, in the documented order. */
const ALL = {
  [FILES.config]: { apiKey: "key-of-config" },
  [FILES.auth]: { token: "key-of-auth" },
  [FILES.own]: profile("key-of-own"),
};

describe("the order of places", () => {
  const PLACES = [
    ["option apiKey", "key-of-option"],
    ["CODEBUFF_API_KEY", "key-of-env"],
    ["~/.codebuff/config.json", "key-of-config"],
    ["~/.codebuff/auth.json", "key-of-auth"],
    ["the program's own file", "key-of-own"],
  ] as const;
  const OWN_FIRST = [PLACES[0], PLACES[4], PLACES[1], PLACES[2], PLACES[3]] as const;

  test.each([
    { credentialOrder: "documented", places: PLACES },
    { credentialOrder: "cli", places: OWN_FIRST },
  ] as const)(
    "2.5 $credentialOrder order & 7 keys in $credentialOrder order: the first place with a key is used",
    async ({ credentialOrder, places }) => {
      for (const [at, [source, key]] of places.entries()) {
        const empty = places.slice(0, at).map(([place]) => place);
        const has = (place: (typeof PLACES)[number][0]) => !empty.includes(place);
        await using folder = await home({
          ...(has("~/.codebuff/config.json") ? { [FILES.config]: ALL[FILES.config] } : {}),
          ...(has("~/.codebuff/auth.json") ? { [FILES.auth]: ALL[FILES.auth] } : {}),
          ...(has("the program's own file") ? { [FILES.own]: ALL[FILES.own] } : {}),
        });
        const options: CredentialOptions = {
          homeDir: folder.path,
          credentialOrder,
          ...(has("option apiKey") ? { apiKey: "key-of-option" } : {}),
        };
        const env = has("CODEBUFF_API_KEY") ? { CODEBUFF_API_KEY: "key-of-env" } : {};
        const { credentials, findings } = findCodebuffCredentials(options, env);

        expect({ source: credentials?.source, key: credentials?.apiKey }).toEqual({ source, key });
        expect(findings.map(({ place }) => place)).toEqual(places.map(([place]) => place));
        expect(findings.filter(({ status }) => status === "used").map(({ place }) => place)).toEqual([
          source,
        ]);
      }
    },
  );

  test("2.5 nothing: without any key the result is null, without an error", async () => {
    await using folder = await home();
    const report = findCodebuffCredentials({ homeDir: folder.path }, {});
    expect(report.credentials).toBeNull();
    expect(report.findings.map(({ status }) => status)).toEqual([
      "none",
      "none",
      "missing",
      "missing",
      "missing",
    ]);
    expect(report.warnings).toEqual([]);
    expect(resolveCodebuffCredentials({ homeDir: folder.path }, {})).toBeNull();
  });
});

describe("a credentials file", () => {
  test.each(["apiKey", "api_key", "token", "accessToken", "access_token"])(
    "2.5 field %s: may hold the key",
    async (field) => {
      for (const file of [FILES.config, FILES.auth]) {
        await using folder = await home({ [file]: { [field]: "the-key" } });
        const { credentials, findings } = findCodebuffCredentials({ homeDir: folder.path }, {});
        expect(credentials?.apiKey).toBe("the-key");
        expect(findings.find(({ status }) => status === "used")).toMatchObject({
          field,
          path: join(folder.path, file),
        });
      }
    },
  );

  test("2.5 fields in order & 7 all five names: gives its first non-empty field, in a fixed order of names", async () => {
    const fields = { access_token: "5", accessToken: "4", token: "3", api_key: "2", apiKey: "1" };
    for (const [at, name] of ["apiKey", "api_key", "token", "accessToken", "access_token"].entries()) {
      await using folder = await home({ [FILES.config]: fields });
      expect(resolveCodebuffCredentials({ homeDir: folder.path }, {})?.apiKey).toBe(String(at + 1));
      Object.assign(fields, { [name]: at % 2 === 0 ? "" : 7 });
    }
  });

  test("2.5 configDirName & 7 the real file: of the program itself holds the key in `default.authToken`", async () => {
    await using folder = await home({
      [FILES.own]: { authToken: "not-here", default: { authToken: "here" } },
      ".config/manicode-dev/credentials.json": profile("of-dev"),
    });
    const options = { homeDir: folder.path };
    expect(resolveCodebuffCredentials(options, {})?.apiKey).toBe("here");
    expect(resolveCodebuffCredentials({ ...options, configDirName: "manicode-dev" }, {})?.apiKey).toBe(
      "of-dev",
    );
  });

  test.each([
    ["is not JSON", "{ nope", "not-json"],
    ["is an array", "[]", "no-object"],
    ["is null", "null", "no-object"],
    ["has no key", "{}", "none"],
    ["has only invalid keys", '{"apiKey":"","token":7,"api_key":null}', "none"],
    ["is over 1 MiB", JSON.stringify({ apiKey: "k".repeat(1_048_576) }), "too-large"],
  ])(
    "2.5 file that %s & 7 broken files: is reported, and the next place is used",
    async (_, content, status) => {
      await using folder = await home({ [FILES.config]: content, [FILES.auth]: { apiKey: "next" } });
      const { credentials, findings } = findCodebuffCredentials({ homeDir: folder.path }, {});
      expect(credentials?.apiKey).toBe("next");
      expect(findings[2]).toMatchObject({ place: "~/.codebuff/config.json", status });
    },
  );

  test.each([
    ["no profile", {}],
    ["a profile that is not an object", { default: "x" }],
    ["an empty token", profile("")],
    ["a token that is not a string", profile(7)],
  ])("of the program itself with %s has no key", async (_, content) => {
    await using folder = await home({ [FILES.own]: content });
    expect(findCodebuffCredentials({ homeDir: folder.path }, {}).findings.at(-1)).toMatchObject({
      status: "none",
    });
  });

  test("5.10 mark, keys twice: may have a byte-order mark, or a key twice", async () => {
    await using folder = await home({ [FILES.config]: '\ufeff{"apiKey":"first","apiKey":"last"}' });
    expect(resolveCodebuffCredentials({ homeDir: folder.path }, {})?.apiKey).toBe("last");
  });

  test("5.10 folder, loop of links: is unreadable as a folder or link loop, and the next place is used", async () => {
    await using folder = await home({ [`${FILES.config}/x`]: "", [FILES.own]: profile("own") });
    await symlink("auth.json", join(folder.path, FILES.auth));
    const { credentials, findings } = findCodebuffCredentials({ homeDir: folder.path }, {});
    expect(credentials?.source).toBe("the program's own file");
    expect(findings.map(({ status }) => status)).toEqual([
      "none",
      "none",
      "unreadable",
      "unreadable",
      "used",
    ]);
  });

  test.skipIf(process.getuid?.() === 0)("without read permission is `unreadable`", async () => {
    await using folder = await home({ [FILES.config]: { apiKey: "k" } });
    await chmod(join(folder.path, FILES.config), 0);
    expect(findCodebuffCredentials({ homeDir: folder.path }, {}).findings[2]).toMatchObject({
      status: "unreadable",
    });
  });
});

describe("empty keys", () => {
  test("and keys with a NUL character are ignored", async () => {
    await using at = await home({
      [FILES.config]: { apiKey: "se\0cret", token: "good" },
      [FILES.own]: profile("se\0cret"),
    });
    const { credentials, findings } = findCodebuffCredentials({ homeDir: at.path, apiKey: "a\0b" }, {});
    expect(credentials?.apiKey).toBe("good");
    expect(findings.map(({ status }) => status)).toEqual(["none", "none", "used", "missing", "none"]);
  });

  test("2.5 empty values & 7 empty keys: of the option and the environment are ignored", async () => {
    await using folder = await home({ [FILES.config]: { apiKey: "of-file" } });
    const options = { apiKey: "", homeDir: folder.path };
    expect(resolveCodebuffCredentials(options, { CODEBUFF_API_KEY: "" })?.apiKey).toBe("of-file");
  });
});

describe("warnings", () => {
  test("2.5 conflict: report that the program will use another key, without showing it", async () => {
    await using folder = await home({ [FILES.own]: profile("other-key") });
    const { findings, warnings } = findCodebuffCredentials({ apiKey: "the-key", homeDir: folder.path }, {});
    expect(warnings).toEqual([
      { kind: "credential-conflict", message: expect.stringContaining("isolateHome") },
    ]);
    expect(findings.at(-1)).toMatchObject({ status: "other" });
    expect(JSON.stringify({ findings, warnings })).not.toContain("-key");
  });

  test("are absent if the program has the same key, or the only key", async () => {
    await using folder = await home({ [FILES.own]: profile("the-key") });
    const same = findCodebuffCredentials({ apiKey: "the-key", homeDir: folder.path }, {});
    expect(same).toMatchObject({ warnings: [] });
    expect(same.findings.at(-1)).toMatchObject({ status: "same" });
    expect(findCodebuffCredentials({ homeDir: folder.path }, {}).warnings).toEqual([]);
  });

  test("name a file that other users can read", async () => {
    await using folder = await home(ALL);
    await chmod(join(folder.path, FILES.auth), 0o640);
    const { findings, warnings } = findCodebuffCredentials({ homeDir: folder.path }, {});
    expect(findings.map(({ exposed = false }) => exposed)).toEqual([false, false, false, true, false]);
    expect(warnings).toContainEqual({
      kind: "credentials-exposed",
      message: expect.stringContaining(join(folder.path, FILES.auth)),
    });
  });
});

describe("a key", () => {
  const credentials = new CodebuffCredentials("hush-4f9b", "CODEBUFF_API_KEY");

  test.each([
    ["String", () => String(credentials)],
    ["a template", () => `${credentials}`],
    ["JSON", () => JSON.stringify({ credentials })],
    ["inspect", () => inspect({ a: { credentials } }, { depth: 9, showHidden: true })],
    ["the fields of the object", () => JSON.stringify(Object.entries({ ...credentials }))],
    [
      "inspect of a report",
      () => inspect(findCodebuffCredentials({ apiKey: "hush-4f9b", homeDir: "/none" }, {}), { depth: 9 }),
    ],
    [
      "JSON of a report",
      () => JSON.stringify(findCodebuffCredentials({ apiKey: "hush-4f9b", homeDir: "/none" }, {})),
    ],
  ])("2.5 masked: is hidden in %s", (_, show) => {
    const shown = show();
    expect(shown).not.toContain("hush");
    if (!shown.startsWith("[[")) expect(shown).toMatch(/CODEBUFF_API_KEY|option apiKey/);
  });

  test("is readable as `apiKey`", () => {
    expect(credentials.apiKey).toBe("hush-4f9b");
  });
});
