import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { acp } from "agentwire/acp";
import { install } from "../../support/pack.ts";
import { run, tail } from "../../support/run.ts";

/** A real agent: where it comes from, and how it is led to the scripted model. */
export interface Agent {
  readonly name: keyof typeof acp.presets;
  readonly source: "npm" | "PyPI";
  readonly package: string;
  /** Which versions, if not the newest. */
  readonly range?: string;
  /** After those of the preset. */
  readonly args?: readonly string[];
  env(model: string): Readonly<Record<string, string>>;
  /** Files that must be in its home folder. */
  home?(model: string): Readonly<Record<string, string>>;
  /** What must pass before another process can continue a session. */
  keepsSession?(): Promise<unknown>;
}

const KEY = "made-up-key";

export const AGENTS: readonly Agent[] = [
  {
    name: "gemini",
    source: "npm",
    package: "@google/gemini-cli",
    args: ["-m", "gemini-2.5-flash"],
    env: (model) => ({
      GEMINI_API_KEY: KEY,
      GOOGLE_GEMINI_BASE_URL: model,
    }),
    // It continues no sessions in a folder that it does not trust.
    home: () => ({
      ".gemini/settings.json": JSON.stringify({ security: { folderTrust: { enabled: false } } }),
    }),
    // It names the file of a session by the minute, and a load in the same minute begins that file again.
    keepsSession: () => wait(60_500 - (Date.now() % 60_000)),
  },
  {
    name: "claude",
    source: "npm",
    package: "@agentclientprotocol/claude-agent-acp",
    env: (model) => ({
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_BASE_URL: model,
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    }),
  },
  {
    name: "copilot",
    source: "npm",
    package: "@github/copilot",
    env: (model) => ({
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_PROVIDER_TYPE: "openai",
      COPILOT_PROVIDER_API_KEY: KEY,
      COPILOT_MODEL: "scripted",
      COPILOT_OFFLINE: "true",
      COPILOT_AUTO_UPDATE: "false",
    }),
  },
  {
    name: "codex",
    source: "npm",
    package: "@agentclientprotocol/codex-acp",
    env: (model) => ({
      OPENAI_API_KEY: KEY,
      MODEL_PROVIDER: "scripted",
      CODEX_CONFIG: JSON.stringify({
        model: "gpt-5-codex",
        model_provider: "scripted",
        model_providers: {
          scripted: {
            name: "scripted",
            base_url: `${model}/v1`,
            wire_api: "responses",
            env_key: "OPENAI_API_KEY",
          },
        },
      }),
    }),
  },
  {
    name: "opencode",
    source: "npm",
    package: "opencode-ai",
    env: (model) => ({
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        autoupdate: false,
        share: "disabled",
        model: "scripted/scripted",
        small_model: "scripted/scripted",
        permission: { edit: "ask", bash: "ask" },
        provider: {
          scripted: {
            npm: "@ai-sdk/openai-compatible",
            name: "Scripted",
            options: { baseURL: `${model}/v1`, apiKey: KEY },
            models: {
              scripted: { name: "Scripted", tool_call: true, limit: { context: 200_000, output: 8_000 } },
            },
          },
        },
      }),
    }),
  },
  {
    name: "kimi",
    source: "PyPI",
    package: "kimi-cli",
    range: "<1.45", // later ones end at once
    env: () => ({}),
    home: (model) => ({
      ".kimi/config.toml": [
        'default_model = "scripted"',
        "[models.scripted]",
        'provider = "scripted"',
        'model = "scripted"',
        "max_context_size = 200000",
        "[providers.scripted]",
        'type = "openai_legacy"',
        `base_url = "${model}/v1"`,
        `api_key = "${KEY}"`,
        "",
      ].join("\n"),
      // It opens no session without a token, whatever the provider.
      ".kimi/credentials/kimi-code.json": JSON.stringify({
        access_token: KEY,
        refresh_token: KEY,
        expires_at: 4_000_000_000,
        scope: "",
        token_type: "Bearer",
      }),
    }),
  },
];

/** An agent that can be started: its program is on `path`. */
export interface InstalledAgent {
  readonly version: string;
  /** The value of PATH that finds its program, and the Node that it needs. */
  readonly path: string;
}

/** Installs an agent into `folder`, if it is not there. @throws Error with the words of the package manager */
export async function installAgent(agent: Agent, folder: string): Promise<InstalledAgent> {
  const home = join(folder, agent.name);
  const before = process.env["PATH"] ?? "";
  if (agent.source === "PyPI") {
    await once(home, () => installFromPyPI(home, `${agent.package}${agent.range ?? ""}`));
    const shown = await run(join(home, "bin/pip"), ["show", agent.package], { cwd: home });
    const version = /^Version: (.+)$/m.exec(shown.stdout)?.[1] ?? "of an unknown version";
    return { version, path: [join(home, "bin"), before].join(delimiter) };
  }
  const node = join(folder, "node22");
  await once(node, () => install(node, ["node@22"], { mayRunScripts: ["node"] }));
  await once(home, () => install(home, [`${agent.package}${agent.range ? `@${agent.range}` : ""}`]));
  const manifest = join(home, "node_modules", agent.package, "package.json");
  const { version } = JSON.parse(await readFile(manifest, "utf8")) as { version: string };
  const bins = [home, node].map((each) => join(each, "node_modules/.bin"));
  return { version, path: [...bins, before].join(delimiter) };
}

/** Makes a folder that counts only when it is complete. */
async function once(folder: string, make: () => Promise<void>): Promise<void> {
  const done = join(folder, "complete");
  if (existsSync(done)) return;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await make();
  await writeFile(done, "");
}

const PYTHONS = ["python3.14", "python3.13", "python3.12", "python3"];

async function installFromPyPI(folder: string, requirement: string): Promise<void> {
  const problems: string[] = [];
  for (const python of PYTHONS) {
    const made = await run(python, ["-m", "venv", folder], { cwd: folder });
    const added = made.ok
      ? await run(join(folder, "bin/pip"), ["install", "--quiet", requirement], {
          cwd: folder,
          timeout: 300_000,
        })
      : made;
    if (added.ok) return;
    problems.push(`${python}: ${added.ending} ${tail(added, 1).slice(0, 200)}`);
  }
  throw new Error(problems.join("\n"));
}
