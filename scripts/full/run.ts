/**
 * Runs of `CodebuffRun` against servers and models that nobody here wrote: aimock, a LiteLLM proxy in front of it,
 * `@ai-sdk/openai-compatible`, and the mock models of AI SDK 5 and 7. They are installed into `.tmp/full-run`.
 */
import { writeFile } from "node:fs/promises";
import { aiSdkModel, type ModelProvider, openAiCompatible } from "../../src/codebuff-run/index.ts";
import { startAimock } from "./run-aimock.ts";
import { CASES, tried } from "./run-cases.ts";
import { installed, versionOf } from "./run-install.ts";
import { startLiteLlm } from "./run-litellm.ts";
import { mockModel } from "./run-mock-models.ts";

const HELP = `Usage: npm run full -- run [--write]

Runs CodebuffRun against aimock, LiteLLM, @ai-sdk/openai-compatible and the mock models of AI SDK 5 and 7, which it
installs into .tmp/full-run. LiteLLM needs python3, and is left out if it cannot be installed.

  --write   writes the table to scripts/full/run-results.md
`;

const RESULTS = "scripts/full/run-results.md";

const INTRO = `# The servers and models that CodebuffRun was tried with

Written by \`npm run full -- run --write\`. \`errors\` is a refusal with status 400, \`abort\` a cancel in the middle of an answer. aimock does not keep the
pictures of Anthropic's API: there, \`images\` says that the request was accepted, not that the picture was seen.
`;

interface Route {
  readonly name: string;
  readonly provider: ModelProvider;
}

export async function run(args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    process.stdout.write(HELP);
    return 0;
  }
  const now = await installed("now", [
    "@copilotkit/aimock@1",
    "@ai-sdk/openai-compatible@3",
    "ai@7",
    "zod@4",
  ]);
  const five = await installed("ai-5", ["ai@5", "zod@4"]);
  const aimock = await startAimock(now);
  const liteLlm = await startLiteLlm(aimock.url);
  try {
    const { createOpenAICompatible } = await now.load<{
      createOpenAICompatible(options: object): (model: string) => Parameters<typeof aiSdkModel>[0];
    }>("@ai-sdk/openai-compatible");
    const aimockName = `aimock ${versionOf(now, "@copilotkit/aimock")}`;
    const sdk = createOpenAICompatible({ name: "aimock", baseURL: `${aimock.url}/v1`, apiKey: "mock" });
    const routes: readonly Route[] = [
      {
        name: `\`openAiCompatible\`, ${aimockName}`,
        provider: openAiCompatible({ baseUrl: `${aimock.url}/v1`, apiKey: "mock" }),
      },
      ...liteLlm.models.map(({ model, about }) => ({
        name: `\`openAiCompatible\`, LiteLLM ${liteLlm.version}, ${about} of ${aimockName}`,
        provider: openAiCompatible({ baseUrl: `${liteLlm.url}/v1`, apiKey: liteLlm.key, model }),
      })),
      {
        name: `\`aiSdkModel\`, @ai-sdk/openai-compatible ${versionOf(now, "@ai-sdk/openai-compatible")}, ${aimockName}`,
        provider: aiSdkModel(sdk("gpt-5-mini")),
      },
      {
        name: `\`aiSdkModel\`, mock model of ai ${versionOf(five, "ai")}`,
        provider: await mockModel(five, "V2"),
      },
      {
        name: `\`aiSdkModel\`, mock model of ai ${versionOf(now, "ai")}`,
        provider: await mockModel(now, "V4"),
      },
    ];
    const rows: string[] = [];
    let failures = 0;
    for (const { name, provider } of routes) {
      const cells: string[] = [];
      for (const each of CASES) {
        const problem = await tried(each, provider);
        if (problem !== undefined) failures++;
        cells.push(problem ?? "ok");
        process.stdout.write(
          `${problem === undefined ? "ok    " : "FAILED"} ${each.name}: ${name}${problem ? `: ${problem}` : ""}\n`,
        );
      }
      rows.push(`| ${[name, ...cells.map((cell) => cell.replaceAll("|", "\\|"))].join(" | ")} |`);
    }
    const names = CASES.map((each) => each.name);
    const table = [
      `| way | ${names.join(" | ")} |`,
      `| --- | ${names.map(() => "---").join(" | ")} |`,
      ...rows,
    ].join("\n");
    process.stdout.write(`\n${table}\n`);
    if (liteLlm.problem) process.stdout.write(`\nLiteLLM was left out: ${liteLlm.problem}\n`);
    if (args.includes("--write")) await writeFile(RESULTS, `${INTRO}\n${table}\n`);
    return failures === 0 ? 0 : 1;
  } finally {
    await liteLlm.stop();
    await aimock.stop();
  }
}
