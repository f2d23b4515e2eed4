// Switches: the defaults of each profile, and changes by a test.
import { guessAt, InvalidMockInput } from "../names.ts";

/** The default of each switch: one value for all profiles, or a list with one value per profile. */
export type Defaults<Settings> = {
  readonly [Name in keyof Settings]-?: Settings[Name] | readonly Settings[Name][];
};

/** Returns the settings with changed switches. Other names are ignored. */
export function changed<Settings extends object>(settings: Settings, switches: object): Settings {
  const given = Object.entries(switches).filter(
    ([name, value]) => value !== undefined && Object.hasOwn(settings, name),
  );
  return { ...settings, ...Object.fromEntries(given) };
}

/**
 * Returns the settings of one profile, with the given switches.
 * @param names the profiles, in the order of the lists of `defaults`
 * @throws InvalidMockInput for an unknown profile
 */
export function settingsFrom<Settings extends object>(
  defaults: Defaults<Settings>,
  names: readonly string[],
  profile: string,
  given: object,
): Settings {
  const place = names.indexOf(profile);
  if (place < 0) throw noSuchProfile(profile, names);
  const chosen = Object.entries(defaults).map(([name, value]) => [
    name,
    Array.isArray(value) ? value[place] : value,
  ]);
  return changed(Object.fromEntries(chosen), given);
}

/** Returns the settings of a profile. @throws InvalidMockInput for an unknown profile */
export function profileOf<Name extends string, Settings>(
  profiles: { readonly [name in Name]: Settings },
  profile: Name,
): Settings {
  if (!Object.hasOwn(profiles, profile)) throw noSuchProfile(profile, Object.keys(profiles));
  return profiles[profile];
}

function noSuchProfile(profile: string, names: readonly string[]): InvalidMockInput {
  return new InvalidMockInput(`profile \`${profile}\` does not exist.`, guessAt(String(profile), names));
}
