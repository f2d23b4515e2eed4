/** What the address of the page says. A reload finds the same backend and the same chat. */
export interface Place {
  readonly backend: string | undefined;
  /** The chat that is looked at. Absent in front of the entrance, and for chats of an account: these need a login first. */
  readonly chat: string | undefined;
}

export function readPlace(): Place {
  const query = new URLSearchParams(location.search);
  return { backend: query.get("backend") ?? undefined, chat: query.get("chat") ?? undefined };
}

export function writePlace({ backend, chat }: Place): void {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries({ backend, chat })) {
    if (value === undefined) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  history.replaceState(null, "", url);
}

/** The address of a WebSocket on the page's own origin, under a path that a proxy passes on. */
export function socketUrl(path: string): string {
  const { protocol, host } = location;
  return `${protocol === "https:" ? "wss" : "ws"}://${host}${path}`;
}
