import type { Credentials } from "./credentials.ts";
import type { Http, HttpAddress, HttpCall } from "./http.ts";

/** A call as the methods of {@link CassRest} make it: who the user is goes with it where it counts. */
export interface RestCall extends Omit<HttpCall, "bearer"> {
  /** Whether the server looks at who asks. */
  readonly authorized: boolean;
}

/**
 * What a `CassRest` works with. One that is handed over instead of options, which it fits among, makes a `CassRest`
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
