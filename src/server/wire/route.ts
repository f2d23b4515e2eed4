// The paths of the relay.
import { WireRefusal } from "./answers.ts";

export type RouteName = "chat" | "events" | "snapshot" | "commands";

export interface ChatRoute {
  readonly name: RouteName;
  /** The id of the chat. */
  readonly chat: string;
  readonly method: string;
}

const METHODS: Readonly<Record<RouteName, readonly string[]>> = {
  chat: ["HEAD", "DELETE"],
  events: ["GET"],
  snapshot: ["GET"],
  commands: ["POST"],
};

export const MAX_CHAT_ID = 128;

/**
 * Reads `<basePath>/<id>` and `<basePath>/<id>/<what>`. Accepts each method for OPTIONS.
 * @throws WireRefusal `no-route`, `invalid-chat`, `method`
 */
export function readRoute(method: string, pathname: string, basePath: string): ChatRoute {
  const [start, rest] = [pathname.slice(0, basePath.length + 1), pathname.slice(basePath.length + 1)];
  const [id, what = "chat", ...more] = rest.split("/");
  if (start !== `${basePath}/` || id === undefined || more.length > 0 || !isRoute(what, rest))
    throw new WireRefusal(404, "no-route", "This path does not exist.");
  const chat = readChat(id);
  const methods = METHODS[what];
  if (method !== "OPTIONS" && !methods.includes(method)) {
    const allowed = [...methods, "OPTIONS"].join(", ");
    throw new WireRefusal(405, "method", `This path takes ${allowed}.`, {}, { Allow: allowed });
  }
  return { name: what, chat, method };
}

/** `<id>/chat` is no path. */
function isRoute(name: string, rest: string): name is RouteName {
  return Object.hasOwn(METHODS, name) && (name !== "chat" || !rest.includes("/"));
}

function readChat(encoded: string): string {
  const chat = decoded(encoded);
  const isName =
    chat !== undefined && chat !== "" && chat.length <= MAX_CHAT_ID && !/^\.{1,2}$|\0/.test(chat);
  if (isName) return chat;
  throw new WireRefusal(
    400,
    "invalid-chat",
    `The id of the chat must have 1 to ${MAX_CHAT_ID} characters, in UTF-8 and percent-encoded.`,
  );
}

/** Undefined for percent signs without hexadecimal digits, and for bytes that are no UTF-8. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
