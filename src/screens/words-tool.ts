// The words of both screens about tool calls.

export type ToolWords = typeof toolWords;

export const toolWords = {
  /** How a command failed: its exit code, or a signal. */
  toolExit: (exit: number | string) => (typeof exit === "number" ? `exit code ${exit}` : `ended by ${exit}`),
  /** In place of a field of an input, whose lines are in the change below. */
  shownBelow: (field: string) => `${field} is the text that is added below`,
  wholeInput: "The whole input",
  /** What a lasting decision covers. */
  thisCommand: "this command",
  thisInput: "exactly this input",
};
