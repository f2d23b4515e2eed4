// Changes switches, and finds the settings of a profile.
import { guessAt, InvalidMockInput } from "../names.ts";

/** The same settings with some switches set anew; what is no switch is left alone. */
export function changed<Settings extends object>(settings: Settings, switches: object): Settings {
  const given = Object.entries(switches).filter(
    ([name, value]) => value !== undefined && Object.hasOwn(settings, name),
  );
  return { ...settings, ...Object.fromEntries(given) };
}

/** The settings of the profile that is asked for. @throws InvalidMockInput for one that there is not */
export function profileOf<Name extends string, Settings>(
  profiles: { readonly [name in Name]: Settings },
  profile: Name,
): Settings {
  if (!Object.hasOwn(profiles, profile))
    throw new InvalidMockInput(
      `profile \`${profile}\` does not exist.`,
      guessAt(String(profile), Object.keys(profiles)),
    );
  return profiles[profile];
}
