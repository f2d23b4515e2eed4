// The HTTP access and the tokens of one user, shared by a client and its `rest`.
import { Credentials, type CredentialsSetup } from "../auth/credentials.ts";
import { CassHttp, type HttpAddress, type HttpSetup } from "./http.ts";
import { renewal } from "./shapes.ts";

/**
 * The HTTP access to a server, and the tokens of one user. A client passes its own host to the `CassRest` constructor, in place of
 * options: so the client and its `rest` share the tokens.
 */
export class RestHost {
  readonly url: HttpAddress;
  readonly http: CassHttp;
  readonly credentials: Credentials;

  /** @throws InvalidInputError for an invalid address or token. */
  constructor(http: HttpSetup, credentials: Omit<CredentialsSetup, "refresh">) {
    this.url = http.url;
    this.http = new CassHttp(http);
    this.credentials = new Credentials({
      ...credentials,
      refresh: async (refreshToken) => {
        const { access_token: accessToken, refresh_token: next } = await this.http.call({
          method: "POST",
          path: "auth/refresh",
          body: { refresh_token: refreshToken },
          secrets: [refreshToken],
          repeatable: true, // the old refresh token stays valid
          shape: renewal,
        });
        return { accessToken, refreshToken: next ?? refreshToken };
      },
    });
    if (this.credentials.exists) this.http.assertPrivate();
  }

  /** Ends all calls, and waits for a token, with a `ClosedError`. */
  close(): void {
    this.http.close();
    this.credentials.close();
  }
}
