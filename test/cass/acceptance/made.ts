import type { CassRoute } from "agentwire/testing";
import type { CassClientOf } from "../../helpers/cass.ts";
import type { Scene } from "./each.ts";

/** A token of the user that has expired already. */
export const stale: CassClientOf = ({ server, user }) => ({
  token: server.issueToken(user.userId, { lifetime: -10 }),
});

/** The same, with a way to a fresh one. */
export const renewable: CassClientOf = (made) => ({
  ...stale(made),
  refreshToken: made.user.refreshToken,
});

/** A client that is nobody, or whoever the server says. */
export const nobody = { token: undefined, allowAnonymous: true } as const;

/** A conversation of the user that the server keeps already. */
export function kept({ server, user }: Pick<Scene, "server" | "user">): string {
  return server.addConversation({ userId: user.userId }).id;
}

/** How often a route was called. */
export function calls({ server }: Pick<Scene, "server">, wanted: CassRoute): number {
  return server.requests.filter(({ route }) => route === wanted).length;
}

/** How often a token was renewed. */
export const refreshes = (scene: Pick<Scene, "server">): number => calls(scene, "POST /auth/refresh");

/** The beginning of a picture of each type that can be sent. */
export const PICTURES = {
  "image/jpeg": Uint8Array.of(0xff, 0xd8, 0xff, 0xe0),
  "image/png": Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
  "image/gif": Uint8Array.of(0x47, 0x49, 0x46, 0x38, 0x39, 0x61),
  "image/webp": Uint8Array.of(0x52, 0x49, 0x46, 0x46, 4, 0, 0, 0, 0x57, 0x45, 0x42, 0x50),
} as const;

/** The same as base64. */
export const PNG = "iVBORw0KGgo=";
