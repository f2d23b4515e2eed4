/** The server that the page promises, the real one at two times, and what comes through a relay. */
export type Profile = "documented" | "v1" | "v2" | "relay";

export const PROFILES: readonly Profile[] = ["documented", "v1", "v2", "relay"];

/** What is so on this profile; `rest` is for those without a value of their own. */
export function byProfile<Value>(
  profile: Profile,
  values: { readonly [name in Profile]?: Value } & { readonly rest?: Value },
): Value {
  const value = profile in values ? values[profile] : values.rest;
  return value as Value; // which may be undefined: that is what this profile has then
}
