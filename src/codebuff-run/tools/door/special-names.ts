// Special names: `.git`, ignore files, secret files.

/** Characters that some file systems ignore: there, `.g\u200cit` opens `.git`. */
const UNSEEN = /[\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;
/** `.env`, `.env.local`, direnv's `.envrc`, and editors' copies: `.env~`, `#.env#`, `.#.env`. */
const SECRET = /^(?:\.?#)?\.env(?:rc)?(?:$|[.~#])/;
const TEMPLATE = /\.(?:example|sample|template)$/;

/** Whether a path is `.git` or inside of it. Git's configuration may hold credentials; hooks are programs. */
export function isGit(path: string): boolean {
  return /(?:^|\/)(?:\.git|git~1)(?:\/|$)/.test(plain(path));
}

/** Whether a path is an ignore file. Includes the short names of Windows. */
export function isIgnoreFile(path: string): boolean {
  return /(?:^|\/)(?:\.gitignore|\.codebuffignore|(?:gitign|codebu)~\d)$/.test(plain(path));
}

/** Whether a file's name marks a secret file, or a template of one. */
export function secrecy(path: string): "secret" | "template" | "none" {
  const name = plain(path.slice(path.lastIndexOf("/") + 1));
  if (!SECRET.test(name)) return "none";
  return TEMPLATE.test(name) ? "template" : "secret";
}

/** Normalises a path like the most lenient file system. */
function plain(path: string): string {
  return path.replace(UNSEEN, "").toLowerCase();
}
