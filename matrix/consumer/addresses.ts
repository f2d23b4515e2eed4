/** Where the servers of `server.ts` listen. */
export interface Addresses {
  readonly codebuff: string;
  readonly codey: string;
  readonly cass: { readonly url: string; readonly token: string };
  /** The base URL of a server with OpenAI's API. */
  readonly model: string;
  readonly relay: string;
  /** A port where nobody listens. */
  readonly nobody: string;
}
