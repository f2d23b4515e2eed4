import { Credentials, type CredentialsSetup } from "../auth/credentials.ts";
import { Http, type HttpAddress, type HttpSetup } from "./http.ts";
import { renewal } from "./shapes.ts";

/**
 * The way to a server's routes, and the tokens of one user. A client shares its own with its `rest`: in place of the options, a
 * host makes a `CassRest` that works with it.
 */
export class RestHost {
  readonly url: HttpAddress;
  readonly http: Http;
  readonly credentials: Credentials;

  /** @throws InvalidInputError for an address or a token that cannot be used. */
  constructor(http: HttpSetup, credentials: Omit<CredentialsSetup, "refresh">) {
    this.url = http.url;
    this.http = new Http(http);
    this.credentials = new Credentials({
      ...credentials,
      refresh: async (refreshToken) => {
        const { access_token: accessToken, refresh_token: next } = await this.http.call({
          method: "POST",
          path: "auth/refresh",
          body: { refresh_token: refreshToken },
          secrets: [refreshToken],
          repeatable: true, // the old one stays valid
          shape: renewal,
        });
        return { accessToken, refreshToken: next ?? refreshToken };
      },
    });
    if (this.credentials.exists) this.http.assertPrivate();
  }

  /** Calls, and waits for a token, end with a `ClosedError`. */
  close(): void {
    this.http.close();
    this.credentials.close();
  }
}
