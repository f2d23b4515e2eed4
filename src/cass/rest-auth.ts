import type { CassTokens } from "./credentials.ts";
import type { Http } from "./http.ts";

/** New tokens for a refresh token: the `refresh` of `Credentials`. */
export async function renew(http: Http, refreshToken: string): Promise<CassTokens> {
  return {
    accessToken: String(await http.call({ method: "POST", path: "auth/refresh", repeatable: true })),
    refreshToken,
  };
}
