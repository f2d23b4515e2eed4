import type { Credentials } from "./credentials.ts";
import type { Http, HttpAddress } from "./http.ts";

/**
 * What a `CassRest` works with. It fits among the options, and one that is handed over in their place makes a `CassRest`
 * that shares it: that is how a client's own comes to be.
 */
export class RestHost {
  readonly url: HttpAddress;
  readonly http: Http;
  readonly credentials: Credentials;

  constructor(http: Http, credentials: Credentials) {
    this.url = http.url;
    this.http = http;
    this.credentials = credentials;
  }
}
