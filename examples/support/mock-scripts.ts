import type { CassClientOptions } from "agentwire/cass";
import {
  type Answer,
  agentStep,
  type CassAnswer,
  cassStep,
  type MockAgentScript,
  MockCassServer,
  MockCodebuffServer,
  step,
} from "agentwire/testing";

const COMMAND = "find . -name '*.md' | xargs wc -l";

/** Does what it is told: asks, counts, fails, loses its link, forgets; otherwise it wants to run a command. */
export const mockScript: MockAgentScript = function* ({ text: sent, n }) {
  const text = sent.slice(sent.lastIndexOf("\n") + 1); // in front of it there may be the transcript
  if (text !== sent) yield agentStep.status("reading", "reads what was said before");
  yield agentStep.reasoning("The user wants something. I should look around first.");
  yield `You said: ${text}. `;
  if (/\bfail\b/i.test(text)) yield agentStep.fail("the model is overloaded", { retryable: true });
  if (/\blose\b/i.test(text)) yield agentStep.lose();
  if (/\bforget\b/i.test(text)) yield agentStep.forget();
  if (/\bcount\b/i.test(text)) {
    for (let number = 1; number <= 100; number++) {
      yield `${number} `;
      yield agentStep.delay(100);
    }
  }
  if (/\bask\b/i.test(text)) {
    const answers = yield* agentStep.question({
      questions: [{ question: "Which branch?", options: ["main", "next"] }],
    });
    yield answers ? `I take ${answers.flat().join()}. ` : "I take main, then. ";
  } else {
    yield "Let me look. ";
    const { state } = yield* agentStep.tool({
      name: "shell",
      input: { command: COMMAND },
      approval: true,
      output: "  120 ./README.md\n   40 ./docs/notes.md\n  160 total\n",
    });
    yield state === "denied" ? "As you like: I looked at nothing." : "Two pages, 160 lines.";
  }
  yield agentStep.usage({ inputTokens: 100 * n, outputTokens: 20 });
  yield agentStep.cost(3);
};

/** The original Codebuff server, whose agent asks for a tool of this machine, and asks the user. */
const codebuffAnswer: Answer = function* ({ messages }) {
  yield `You said: ${messages.at(-1)?.content}. `;
  const [weather] = yield* step.toolCall({ toolName: "get_weather", input: { city: "Oslo" } });
  yield `The tool says: ${JSON.stringify(weather)}. `;
  const questions = [{ question: "Go out?", options: [{ label: "yes" }, { label: "no" }] }];
  yield* step.toolCall({ toolName: "ask_user", input: { questions } });
  yield "Noted.";
  yield step.cost(3);
};

/** The Codebuff server at `url`, which may want `AGENTWIRE_TOKEN`, or a mock, which has to be stopped. */
export async function openCodebuffServer(url: string | undefined): Promise<{
  readonly url: string;
  readonly authToken: string;
  stop(): Promise<void>;
}> {
  const authToken = process.env["AGENTWIRE_TOKEN"] ?? "a-token";
  if (url !== undefined) return { url, authToken, stop: async () => {} };
  const server = await MockCodebuffServer.start({ profile: "codebuff", answer: codebuffAnswer });
  return { url: server.url, authToken, stop: () => server.stop() };
}

const cassAnswer: CassAnswer = function* ({ message }) {
  yield cassStep.tools("recall_journal");
  yield `<gesture:wave> You said: ${message}.`;
  yield cassStep.usage({ input_tokens: 900, output_tokens: 40 });
};

/** Cass at `url`, with the token `AGENTWIRE_TOKEN` if there is one, or a mock, which has to be stopped. */
export async function openCassServer(
  url: string | undefined,
): Promise<CassClientOptions & { stop(): Promise<void> }> {
  const { AGENTWIRE_TOKEN: token } = process.env;
  const stop = async (): Promise<void> => {};
  if (url !== undefined)
    return token === undefined ? { url, allowAnonymous: true, stop } : { url, token, stop };
  const server = await MockCassServer.start({ answer: cassAnswer });
  const { accessToken, refreshToken } = server.addUser();
  return { url: server.url, token: accessToken, refreshToken, stop: () => server.stop() };
}
