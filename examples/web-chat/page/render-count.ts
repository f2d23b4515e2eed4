declare global {
  /** Renders by the id of what was rendered. A test puts it there before the page begins; otherwise nothing is counted. */
  var renderCounts: Map<string, number> | undefined;
}

export function countRender(id: string): void {
  const counts = globalThis.renderCounts;
  counts?.set(id, (counts.get(id) ?? 0) + 1);
}
