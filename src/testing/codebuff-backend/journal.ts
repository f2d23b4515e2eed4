// What happened on the server, for tests.
import { Notes } from "../notes.ts";
import type { BackendRequest, BackendRequestFilter, BackendResponse, BackendViolation } from "./record.ts";

type Open<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** An answer that is being written. */
type OpenResponse = Open<Omit<BackendResponse, "frames">> & { readonly frames: string[] };

export type OpenCall = Open<Omit<BackendRequest, "response">> & { response: OpenResponse | undefined };

export class BackendJournal extends Notes {
  readonly requests: OpenCall[] = [];
  readonly violations: BackendViolation[] = [];

  clear(): void {
    this.requests.length = 0;
    this.violations.length = 0;
    this.changed();
  }
}

export function fits(request: BackendRequest, filter: BackendRequestFilter): boolean {
  const { status, ...rest } = filter;
  if (status !== undefined && request.response?.status !== status) return false;
  return Object.entries(rest).every(
    ([name, value]) => value === undefined || Reflect.get(request, name) === value,
  );
}
