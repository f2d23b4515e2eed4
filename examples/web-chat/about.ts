/** What the page says of a backend. */
export interface About {
  readonly label: string;
  /** One line for the entrance. */
  readonly about: string;
  /** What one may say first. */
  readonly suggestions: readonly string[];
}

export const ABOUT = {
  mock: {
    label: "Mock",
    about: "It needs no server and no model, and shows all that a chat can show.",
    suggestions: ["Show me everything", "Ask me something", "Count to a hundred", "Lose the link"],
  },
  codebuff: {
    label: "Codebuff",
    about: "It asks before it uses a tool, and has questions of its own.",
    suggestions: ["Hello!", "What time is it?"],
  },
  codey: {
    label: "Codey",
    about: "It asks before it runs a command, and forgets the conversation with the link.",
    suggestions: ["Hello!", "Count to a hundred"],
  },
  cass: {
    label: "Cass",
    about: "She has gestures, moods and a voice, and remembers those who log in.",
    suggestions: ["Hello!", "What did we talk about last week?", "Say something aloud", "Show me some code"],
  },
  acp: {
    label: "ACP",
    about: "An agent that is a program, behind the relay. It plans, and asks before it runs a command.",
    suggestions: ["Hello!", "Count the pages"],
  },
} as const satisfies Readonly<Record<string, About>>;
