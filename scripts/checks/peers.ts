/**
 * Optional peers: the package installs into an app whatever versions of them the app has, and an entry that needs more says so at its first
 * use.
 */
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { transform } from "esbuild";
import * as z from "zod/mini";
import { install, type Manager, pack } from "../support/pack.ts";
import { run, tail } from "../support/run.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { BROWSER_APP, compileConsumer } from "./declarations.ts";
import type { Check } from "./finding.ts";

const CONSUMER = join(import.meta.dirname, "../consumer");

/** What each entry says at its first use: that it works, or what its error must hold. */
export type Said = Readonly<Record<string, "works" | RegExp>>;

/** An app that has some of the peers already. */
export interface App {
  readonly name: string;
  /** What it has installed, as `npm install` takes it. */
  readonly packages: readonly string[];
  readonly says: Said;
  /** Whether the types of the hooks are compiled against the types of its React. */
  readonly compiles?: boolean;
}

const MCP =
  /`@modelcontextprotocol\/client`, .* is not installed.*`npm install @modelcontextprotocol\/client@2`/;
const sdk = (found: string): RegExp =>
  new RegExp(
    `\`@agentclientprotocol/sdk\`, version 2\\.0 or later, and ${found}.*\`npm install @agentclientprotocol/sdk@2\``,
  );
const zod = (found: string): RegExp =>
  new RegExp(`\`zod\`, version 4\\.3 or later, and ${found}.*\`npm install zod@4\``);
const ink = (peer: string, found: string): RegExp =>
  new RegExp(`\`${peer}\`, version .* or later, and ${found}.*\`npm install ink@8 react@19\``);
const NO_REACT = /Cannot find (?:package|module) 'react'/;
const OLD_OTEL =
  /`@opentelemetry\/api`, version 1\.3 or later, and this is an older one.*`npm install @opentelemetry\/api@1`/;
const NO_OTEL = /Cannot find (?:package|module) '@opentelemetry\/api'/;

const saying = (
  react: "works" | RegExp,
  ink: "works" | RegExp,
  schemas: "works" | RegExp,
  acp: "works" | RegExp,
  otel: "works" | RegExp,
): Said => ({
  "agentwire/acp": acp,
  "agentwire/acp in CommonJS": acp,
  "agentwire/acp/agent": acp,
  "agentwire/acp/agent in CommonJS": acp,
  "agentwire/ai-sdk": "works",
  "agentwire/ai-sdk in CommonJS": "works",
  "agentwire/ag-ui": "works",
  "agentwire/ag-ui in CommonJS": "works",
  "agentwire/otel": otel,
  "agentwire/otel in CommonJS": otel,
  "agentwire/react": react,
  "agentwire/react in CommonJS": react,
  "agentwire/ink": ink,
  "agentwire/schemas": schemas,
  "agentwire/schemas in CommonJS": schemas,
  "MCP servers": MCP,
});

const react = (version: string, types: string): readonly string[] => [
  `react@${version}`,
  `react-test-renderer@${version}`,
  `@types/react@${types}`,
];

const APPS: readonly App[] = [
  {
    name: "React 18.3, Ink 5, zod 3, an old ACP SDK, an old OpenTelemetry",
    packages: [
      ...react("~18.3.1", "18"),
      "ink@5",
      "zod@3",
      "@agentclientprotocol/sdk@0.29",
      "@opentelemetry/api@~1.2.0",
    ],
    says: saying(
      "works",
      ink("react", "this is 18\\.3"),
      zod("this is 3\\."),
      sdk("this is an older one"),
      OLD_OTEL,
    ),
    compiles: true,
  },
  {
    name: "React 19.1, zod 4.2",
    packages: [...react("~19.1.0", "~19.1.0"), "zod@~4.2.0"],
    says: saying(
      "works",
      ink("react", "this is 19\\.1"),
      zod("this is 4\\.2"),
      sdk("it is not installed"),
      NO_OTEL,
    ),
  },
  {
    name: "React 19.3, Ink 8, zod 4, ACP SDK 2, OpenTelemetry 1",
    packages: [
      ...react("~19.3.0", "~19.3.0"),
      "ink@8",
      "zod@4",
      "@agentclientprotocol/sdk@2",
      "@opentelemetry/api@1",
    ],
    says: saying("works", "works", "works", "works", "works"),
  },
  {
    name: "no peer",
    packages: [],
    says: saying(
      NO_REACT,
      ink("react", "it is not installed"),
      zod("it is not installed"),
      sdk("it is not installed"),
      NO_OTEL,
    ),
  },
];

/** Every app installs the package, and reads what an entry needs. */
export const peers: Check = async (root, note) => {
  await using folder = await tempFolder();
  const tarball = await pack(root, join(folder.path, "pack"));
  const found: string[] = [];
  for (const [at, app] of APPS.entries()) {
    const complaints = await Promise.all(
      (["npm", "pnpm"] as const).map((manager) =>
        judgeApp(join(folder.path, `${manager}-${at}`), tarball, app, manager),
      ),
    );
    found.push(...complaints.flat());
    note(`${app.name}: with npm and with pnpm`);
  }
  return found.map((message) => ({ file: "package.json", message }));
};

/** What is wrong with the package in an app, which is made in `folder`. */
export async function judgeApp(
  folder: string,
  tarball: string,
  app: App,
  manager: Manager,
): Promise<readonly string[]> {
  const at = `an app with ${app.name}, by ${manager}`;
  try {
    await install(folder, [...app.packages, tarball], { manager });
  } catch (error) {
    return [`does not install into ${at}: ${error instanceof Error ? error.message : String(error)}`];
  }
  const source = await readFile(join(CONSUMER, "peers-app.ts"), "utf8");
  const { code } = await transform(source, { loader: "ts", format: "esm", target: "node22" });
  await writeFile(join(folder, "peers-app.mjs"), code);
  const result = await run(process.execPath, ["peers-app.mjs"], { cwd: folder, timeout: 60_000 });
  if (!result.ok) return [`cannot be used in ${at} (${result.ending}):\n${tail(result)}`];
  const said = z.record(z.string(), z.string()).parse(JSON.parse(result.stdout));
  const wrong = judgeSaid(app.says, said).map((complaint) => `in ${at}: ${complaint}`);
  if (!app.compiles) return wrong;
  await copyFile(join(CONSUMER, "types-of-hooks.ts"), join(folder, "types-of-hooks.ts"));
  const typescript = dirname(createRequire(import.meta.url).resolve("typescript/package.json"));
  const errors = await compileConsumer(folder, ["types-of-hooks.ts"], typescript, BROWSER_APP);
  return errors === "" ? wrong : [...wrong, `its types do not compile in ${at}:\n${errors}`];
}

/** What entries said that they should not have said. */
export function judgeSaid(
  expected: Said,
  said: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return Object.entries(expected).flatMap(([entry, says]) => {
    const told = said[entry] ?? "nothing";
    const isRight = says === "works" ? told === says : says.test(told);
    return isRight ? [] : [`${entry} should say ${says}, and said: ${told}`];
  });
}
