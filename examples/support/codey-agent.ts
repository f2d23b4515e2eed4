import { type CodeyAnswer, codeyStep, codeyTool, MockCodeyServer } from "agentwire/testing";

const COMMAND = "find . -name '*.md' -not -path './node_modules/*' | xargs wc -l";
const OUTPUT = "  120 ./README.md\n   40 ./docs/notes.md\n  160 total\n";

/** Thinks, says back what it heard, and wants to run a command; asked to count, it takes its time. */
const answer: CodeyAnswer = async function* ({ content }) {
  yield codeyStep.thinking("The user wants something. I should look around first.");
  yield `You said: ${content}. `;
  if (/\bcount\b/i.test(content)) {
    for (let number = 1; number <= 100; number++) {
      yield `${number} `;
      yield codeyStep.delay(200);
    }
  }
  yield "Let me look. ";
  const [looked] = yield* codeyStep.calls(codeyTool.shell(COMMAND, OUTPUT));
  for (const word of looked?.state === "denied"
    ? "As you like: I looked at nothing."
    : "Two pages, 160 lines.") {
    yield word;
    yield codeyStep.delay(5);
  }
};

/** The codey-server at `url`, or an agent inside this process, which has to be stopped. */
export async function openCodeyServer(
  url: string | undefined,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  return url === undefined
    ? MockCodeyServer.start({ answer, closeReply: true }) // the real server answers no Close, which takes a second
    : { url, stop: async () => {} };
}
