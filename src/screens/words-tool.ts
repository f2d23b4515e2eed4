// The words of both screens about tool calls.

export type ToolWords = typeof toolWords;

export const toolWords = {
  /** How a command failed: its exit code, or a signal. */
  toolExit: (exit: number | string) => (typeof exit === "number" ? `exit code ${exit}` : `ended by ${exit}`),
};
