// Switches: the defaults of each profile, and how a test changes them.
import { guessAt, InvalidMockInput } from "../names.ts";

/** The default of each switch: one value for all profiles, or a list with one value for each. */
export type Defaults<Settings> = {
  readonly [Name in keyof Settings]-?: Settings[Name] | readonly Settings[Name][];
};

/** The same settings with some switches set anew; what is no switch is left alone. */
export function changed<Settings extends object>(settings: Settings, switches: object): Settings {
  const given = Object.entries(switches).filter(
    ([name, value]) => value !== undefined && Object.hasOwn(settings, name),
  );
  return { ...settings, ...Object.fromEntries(given) };
}

/**
 * The settings of one profile, with the given switches set.
 * @param names the profiles, in the order of the lists of `defaults`
 * @throws InvalidMockInput for a profile that does not exist
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

/** The settings of the profile that is asked for. @throws InvalidMockInput for one that does not exist */
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
