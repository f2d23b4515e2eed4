// Names with a special meaning: `.git`, ignore files, files of secrets.

/** Characters that some file systems leave out of a comparison, so that `.g\u200cit` opens `.git`. */
const UNSEEN = /[\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;
/** `.env`, `.env.local`, `.envrc` of direnv, and the copies that editors leave: `.env~`, `#.env#`, `.#.env`. */
const SECRET = /^(?:\.?#)?\.env(?:rc)?(?:$|[.~#])/;
const TEMPLATE = /\.(?:example|sample|template)$/;

/** The inside of `.git`, and a file `.git` that leads to it. Its configuration may hold credentials, and its hooks are programs. */
export function isGit(path: string): boolean {
  return /(?:^|\/)(?:\.git|git~1)(?:\/|$)/.test(plain(path));
}

/** A file that says what tools may not use. Windows has a second, short name for each. */
export function isIgnoreFile(path: string): boolean {
  return /(?:^|\/)(?:\.gitignore|\.codebuffignore|(?:gitign|codebu)~\d)$/.test(plain(path));
}

/** Whether a file holds secrets by its name, or is a template of such a file. */
export function secrecy(path: string): "secret" | "template" | "none" {
  const name = plain(path.slice(path.lastIndexOf("/") + 1));
  if (!SECRET.test(name)) return "none";
  return TEMPLATE.test(name) ? "template" : "secret";
}

/** A path as the most lenient file system compares it. */
function plain(path: string): string {
  return path.replace(UNSEEN, "").toLowerCase();
}
