/** The warnings about a message that could not be read, and the location that `agent.unparsed` names. */
export const UNREADABLE: ReadonlyMap<string, string> = new Map([
  ["unreadable-frame", "unreadable-frame"],
  ["invalid-message", "invalid-message"],
  ["frame-failed", "frame-failed"],
  ["unparsed-line", "line"],
  ["line-too-long", "line"],
  ["line-failed", "line"],
]);
