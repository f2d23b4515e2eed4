/** A LiteLLM proxy in front of aimock, for the suite `run`. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { run } from "../support/run.ts";
import { cacheFile, installedPython } from "./run-install.ts";

interface LiteLlm {
  readonly url: string;
  /** Made for this run: the proxy does not start without one. */
  readonly key: string;
  readonly version: string;
  readonly models: readonly { readonly model: string; readonly about: string }[];
  /** Why there is none. */
  readonly problem?: string;
  stop(): Promise<void>;
}

/** ms for its start: it loads hundreds of modules. */
const START = 120_000;

const MODELS = [
  { model: "tried-openai", about: "OpenAI's API" },
  { model: "tried-claude", about: "Anthropic's API" },
];

export async function startLiteLlm(aimock: string): Promise<LiteLlm> {
  try {
    return await started(aimock);
  } catch (error) {
    return { url: "", key: "", version: "", models: [], problem: String(error), stop: async () => {} };
  }
}

async function started(aimock: string): Promise<LiteLlm> {
  const programs = await installedPython("litellm", "litellm[proxy]");
  const config = {
    model_list: [
      {
        model_name: "tried-openai",
        litellm_params: { model: "openai/gpt-5-mini", api_base: `${aimock}/v1`, api_key: "mock" },
      },
      {
        model_name: "tried-claude",
        litellm_params: { model: "anthropic/claude-sonnet-4-5", api_base: aimock, api_key: "mock" },
      },
    ],
    litellm_settings: { num_retries: 0 },
  };
  const file = await cacheFile("litellm.yaml", JSON.stringify(config)); // JSON is YAML
  const key = `sk-${randomBytes(32).toString("hex")}`;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = ["--config", file, "--host", "127.0.0.1", "--port", String(port)];
  const env = { ...process.env, LITELLM_LOCAL_MODEL_COST_MAP: "True", LITELLM_MASTER_KEY: key };
  const child = spawn(path.join(programs, "litellm"), args, { stdio: "ignore", env });
  const ended = once(child, "exit");
  const stop = async (): Promise<void> => {
    child.kill();
    await ended;
  };
  for (const end = Date.now() + START; ; await pause(500)) {
    if (child.exitCode !== null) throw new Error(`litellm ended with ${child.exitCode}`);
    if (await isUp(url)) break;
    if (Date.now() < end) continue;
    await stop();
    throw new Error(`litellm did not start within ${START} ms`);
  }
  const ask = "import importlib.metadata as found; print(found.version('litellm'))";
  const { stdout } = await run(path.join(programs, "python3"), ["-c", ask], { cwd: programs });
  return { url, key, version: stdout.trim(), models: MODELS, stop };
}

async function isUp(url: string): Promise<boolean> {
  return fetch(`${url}/health/liveliness`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address !== "object" || address === null) throw new Error("no port is free");
  return address.port;
}
