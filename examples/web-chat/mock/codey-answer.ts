import { type CodeyAnswer, codeyStep, codeyTool } from "agentwire/testing";

const COMMAND = "find . -name '*.md' -not -path './node_modules/*' | xargs wc -l";
const OUTPUT = "  120 ./README.md\n   40 ./docs/notes.md\n  160 total\n";

/** Thinks, says back what it heard, and wants to run a command; asked to count, it takes its time. */
export const codeyAnswer: CodeyAnswer = async function* ({ content }) {
  yield codeyStep.thinking("The user wants something. I should look around first.");
  const said = content.slice(content.lastIndexOf("\n") + 1); // in front of it there may be the transcript
  for (const word of `You said: ${said}. `.split(/(?<= )/)) {
    yield word;
    yield codeyStep.delay(30);
  }
  if (/\bcount\b/i.test(said)) {
    for (let number = 1; number <= 100; number++) {
      yield `${number} `;
      yield codeyStep.delay(200);
    }
  }
  yield "Let me look. ";
  const [looked] = yield* codeyStep.calls(codeyTool.shell(COMMAND, OUTPUT));
  const words = looked?.state === "denied" ? "As you like: I looked at nothing." : "Two pages, 160 lines.";
  for (const word of words.split(/(?<= )/)) {
    yield word;
    yield codeyStep.delay(30);
  }
};
