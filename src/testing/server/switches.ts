/** The same settings with some switches set anew; what is no switch is left alone. */
export function changed<Settings extends object>(settings: Settings, switches: object): Settings {
  const given = Object.entries(switches).filter(
    ([name, value]) => value !== undefined && Object.hasOwn(settings, name),
  );
  return { ...settings, ...Object.fromEntries(given) };
}

/** The settings of the profile that is asked for. @throws TypeError for one that there is not */
export function profileOf<Name extends string, Settings>(
  profiles: { readonly [name in Name]: Settings },
  profile: Name,
): Settings {
  if (!Object.hasOwn(profiles, profile))
    throw new TypeError(`\`profile\` must be one of ${Object.keys(profiles).join(", ")}, not ${profile}`);
  return profiles[profile];
}
