/** What a {@link FetchLike} is given. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  /** Redirects are not followed: what is sent is meant for one server. */
  readonly redirect: "manual";
  readonly signal: AbortSignal;
}

/** What is read of a response. */
export interface FetchResponse {
  readonly status: number;
  /** `opaqueredirect` where a browser hides a redirect. */
  readonly type?: string;
  readonly headers: { get(name: string): string | null };
  /** The bytes as they come. Where it is missing, `arrayBuffer()` is asked, and the size is known only once all is there. */
  readonly body?: FetchBody | null;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** A stream of bytes. */
export interface FetchBody {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  };
}

/** As much of `fetch` as is needed: the one of every platform fits. */
export type FetchLike = (url: string, init: FetchInit) => Promise<FetchResponse>;
