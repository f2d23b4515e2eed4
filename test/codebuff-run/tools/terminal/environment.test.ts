import { afterEach, describe, expect, test, vi } from "vitest";
import {
  type EnvironmentSetup,
  isCredentialVariable,
  programEnvironment,
} from "../../../../src/process/environment.ts";
import { terminalWorld } from "./world.ts";

const QUIET = { PAGER: "cat", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0", NO_COLOR: "1" };

function made(setup: Partial<EnvironmentSetup>): NodeJS.ProcessEnv {
  return programEnvironment({ own: {}, platform: "linux", ...setup });
}

describe("the environment of a program", () => {
  test("is that of this process, without pagers, prompts and colours", () => {
    const own = { PATH: "/bin", PAGER: "less", EDITOR: "vi", FORCE_COLOR: "1", CLICOLOR_FORCE: "1" };
    expect(made({ own })).toEqual({ PATH: "/bin", EDITOR: "vi", ...QUIET });
  });

  test("has no variable of Codebuff, and none with a name for credentials", () => {
    const own = { CODEBUFF_API_KEY: "a", CODEBUFF_BYOK_OPENROUTER: "b", OPENAI_API_KEY: "c", HOME: "/home" };
    expect(made({ own })).toEqual({ HOME: "/home", ...QUIET });
  });

  test.each([
    "postgres://user:hunter2@db.example/app",
    "redis://:hunter2@127.0.0.1:6379",
    "HTTPS://user:p%40ss@proxy:3128",
    "amqp://a/,amqp://user:hunter2@b/",
    "postgres://user:hun/ter2@db.example/app",
    "postgres://user:hun?ter#2@db.example/app",
    `postgres://user:hun"ter'2@db.example/app`,
    "https://ghp_xxx@github.com/acme/app.git",
    "https://ghp_xxx:x-oauth-basic@github.com",
    "git+https://glpat-abc@gitlab.example/app.git",
    "https://0a1b2c3d4e5f60718293a4b5c6d7e8f9@tracker.example/1",
    "https://hooks.slack.com/services/T0000/B0000/hunter2hunter2",
    "https://discord.com/api/webhooks/1234567890/hunter2hunter2",
    "https://acme.webhook.office.com/webhookb2/hunter2hunter2",
  ])("has no variable whose value is a URL with a credential: %s", (value) => {
    expect(made({ own: { SERVICE: value } })).toEqual(QUIET);
    expect(made({ own: { SERVICE: value }, keepEnv: ["SERVICE"] })).toEqual({ SERVICE: value, ...QUIET });
  });

  test.each([
    "http://proxy:3128",
    "http://127.0.0.1:80/x@y",
    "ssh://git@host:22/repo",
    "a:b@c",
    "x://y:z w@v",
    "http://[::1]:8080/x@y",
    "http://host:/x@y",
    "https://ada@bitbucket.example/acme/app.git",
    "https://registry.example/@acme/app",
    "https://example.com/hooks/incoming-of-a-long-name",
    "https://hooks.example.com/docs",
    "git@github.com:acme/app.git",
  ])("keeps a variable whose value has no credential in a URL: %s", (value) => {
    expect(made({ own: { SERVICE: value } })).toEqual({ SERVICE: value, ...QUIET });
  });

  test("has the variables in `keepEnv` and `env`", () => {
    const own = { OPENAI_API_KEY: "c", GITHUB_TOKEN: "t" };
    expect(made({ own, keepEnv: ["GITHUB_TOKEN"] })).toEqual({ GITHUB_TOKEN: "t", ...QUIET });
    expect(made({ own, env: { MY_TOKEN: "mine", PAGER: "more" } })).toEqual({
      ...QUIET,
      MY_TOKEN: "mine",
      PAGER: "more",
    });
  });

  test("has only basic variables with `inheritEnv: false`", () => {
    const own = { PATH: "/bin", HOME: "/h", USER: "u", LANG: "C", LC_ALL: "C", TERM: "xterm", TMPDIR: "/t" };
    const others = { EDITOR: "vi", SSH_AUTH_SOCK: "s", SystemRoot: "r", KEPT: "k" };
    const given = { own: { ...own, ...others }, inheritEnv: false, keepEnv: ["KEPT"], env: { ADDED: "a" } };
    expect(made(given)).toEqual({ ...own, KEPT: "k", ADDED: "a", ...QUIET });
  });

  test("is case-insensitive on Windows, and has each name once", () => {
    const own = {
      Path: "C:\\bin",
      SYSTEMROOT: "r",
      comspec: "c",
      PathExt: ".EXE",
      Temp: "t",
      Codebuff_Key: "k",
    };
    const { Codebuff_Key: _, ...kept } = own;
    expect(made({ own, platform: "win32" })).toEqual({ ...kept, ...QUIET });
    expect(made({ own, platform: "win32", inheritEnv: false })).toEqual({ ...kept, ...QUIET });
    const { Path: __, ...others } = kept;
    expect(made({ own, platform: "win32", env: { PATH: "D:\\bin" } })).toEqual({
      ...others,
      PATH: "D:\\bin",
      ...QUIET,
    });
  });
});

describe("the name of a variable", () => {
  test.each([
    [
      "OPENAI_API_KEY",
      "ANTHROPIC_API_KEY",
      "GEMINI_API_KEY_2",
      "GITHUB_TOKEN",
      "GH_PAT",
      "AWS_ACCESS_KEY_ID",
    ],
    ["AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "SECRET_KEY_BASE", "NPM_CONFIG__AUTH", "MYSQL_PWD"],
    ["PGPASSWORD", "DB_PASS", "COOKIE", "OPENAI_API_KEYS", "GOOGLE_APPLICATION_CREDENTIALS", "my_api_key"],
    ["DOCKER_AUTH_CONFIG", "AUTH_HEADER", "OAUTH_STATE", "SSHPASS", "PGPASS", "MYSQLPWD", "SENTRY_DSN"],
    ["AZURE_STORAGE_CONNECTION_STRING", "CONNECTION_STRINGS_MAIN", "ConnectionStrings__Main"],
    ["STRIPE_SK", "stripe_sk", "DB_PW", "MAIL-PW", "AWS_CREDS", "CREDS", "CREDS_JSON", "NPM_OTP", "OTP"],
    [
      "SEED",
      "WALLET_SEED",
      "SEED_PHRASE",
      "MNEMONIC",
      "WALLET_MNEMONIC_2",
      "npm_config_otp",
      "npm_config__auth",
    ],
    ["WEBHOOK", "SLACK_WEBHOOK_URL", "DISCORD_WEBHOOKS", "npm_config_//registry.example/:_authToken"],
  ])("marks a credential: %s", (...names) => {
    expect(names.filter((name) => !isCredentialVariable(name, "word word"))).toEqual([]);
  });

  test.each([
    [
      "PATH",
      "PWD",
      "OLDPWD",
      "HOME",
      "SSH_AUTH_SOCK",
      "GIT_AUTHOR_NAME",
      "KEYBOARD",
      "TOKENIZERS_PARALLELISM",
    ],
    [
      "XAUTHORITY",
      "DISPLAY",
      "NODE_OPTIONS",
      "EDITOR",
      "PASSENGER_PORT",
      "DSN_TIMEOUT_MS",
      "npm_config_user_agent",
      "DBUS_SESSION_BUS_ADDRESS",
    ],
    ["ASK", "TASK", "DISK", "MASK", "ROOT_DISK", "GIT_ASK", "PROMPT_MASK", "ELASTICSK", "OPW", "SCOTP"],
    [
      "SEEDS_DIR",
      "SEED_FILE",
      "SEEDS",
      "PYTHONHASHSEED",
      "OTP_VERSION",
      "ERLANG_OTP_ROOT",
      "PW_TEST_SCREENSHOTS",
    ],
    ["WEBHOOK_PORT", "WEBHOOKS_ENABLED", "CREDSTORE", "SK_LOCALE"],
    [
      "npm_config_cache",
      "npm_config_registry",
      "npm_config_global_prefix",
      "npm_config_node_gyp",
      "npm_package_name",
    ],
  ])("marks no credential: %s", (...names) => {
    expect(names.filter((name) => isCredentialVariable(name, "word word"))).toEqual([]);
  });

  test.each(["42", "true", "False", ""])("marks no credential if the value of a seed is %j", (value) => {
    expect(made({ own: { SEED: value, RANDOM_SEED: value } })).toMatchObject({
      SEED: value,
      RANDOM_SEED: value,
    });
    expect(made({ own: { NPM_OTP: "123456" } })).toEqual(QUIET);
  });
});

describe.skipIf(process.platform === "win32")("the keys of this process", () => {
  afterEach(() => void vi.unstubAllEnvs());

  test("are in no environment, no output and no error of a command", async () => {
    const secrets = ["codebuff-secret", "vendor-secret"];
    vi.stubEnv("CODEBUFF_API_KEY", secrets[0]);
    vi.stubEnv("OPENROUTER_API_KEY", secrets[1]);
    await using at = await terminalWorld();
    const going = at.start("env; env >&2");
    const late = at.start("env; sleep 1000", { timeout_seconds: 0 });
    const results = JSON.stringify([await going.result, going.reports, await late.result]);
    expect(results).toContain("GIT_TERMINAL_PROMPT=0");
    for (const secret of secrets) expect(results).not.toContain(secret);
  });

  test("are kept if `keepEnv` names them", async () => {
    vi.stubEnv("GITHUB_TOKEN", "for the command");
    await using at = await terminalWorld({ keepEnv: ["GITHUB_TOKEN"] });
    expect(await at.run('echo "$GITHUB_TOKEN"')).toMatchObject({ stdout: "for the command\n" });
  });
});
