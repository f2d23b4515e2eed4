// Checks for names that open devices or other files on Windows.

/** Device names. They work in any folder and with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])$/i;
const FORBIDDEN = /[<>"|?*\p{Cc}]/u;
const DRIVE = /^[a-z]:/i;

/** Why Windows forbids a path, as the end of "The path ..."; `undefined` if it does not. */
export function windowsFault(path: string): string | undefined {
  if (/^[\\/]{2}|^[\\/]\?\?/.test(path)) return "must not begin with a server or a device";
  const drive = DRIVE.exec(path)?.[0] ?? "";
  const rest = path.slice(drive.length);
  if (drive !== "" && !/^[\\/]/.test(rest)) return "must not be relative to a drive";
  if (rest.includes(":")) return "must not have a colon after the drive";
  if (FORBIDDEN.test(rest)) return "has a character that Windows forbids";
  for (const name of rest.split(/[\\/]/)) {
    if (name === "." || name === "..") continue;
    if (/[. ]$/.test(name)) return "has a name that ends with a dot or a space";
    const [base = ""] = name.split(".");
    if (DEVICE.test(base.trimEnd())) return "has the name of a device";
  }
  return undefined;
}
