import { type Answer, step } from "agentwire/testing";

const QUESTIONS = [
  {
    question: "Which colours go with it?",
    header: "Colours",
    options: [
      { label: "warm", description: "red, orange" },
      { label: "cold", description: "blue, green" },
      { label: "grey" },
    ],
    multiSelect: true,
  },
  { question: "Shall I go on?", header: "Next", options: [{ label: "yes" }, { label: "no" }] },
];

/** The original Codebuff server: its agent asks for a tool of the page, and then asks the user. */
export const codebuffAnswer: Answer = function* ({ messages }) {
  yield `You said: ${messages.at(-1)?.content}. `;
  const [time] = yield* step.toolCall({ toolName: "get_time", input: { zone: "local" } });
  yield `The page says: ${JSON.stringify(time)}. `;
  yield* step.toolCall({ toolName: "ask_user", input: { questions: QUESTIONS } });
  yield "Noted.";
  yield step.cost(3);
};
