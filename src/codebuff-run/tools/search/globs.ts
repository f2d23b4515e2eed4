// Checks a glob before its use.

/** Characters of a glob. */
const MAX_GLOB = 500;
/** Alternatives that the braces may expand to. */
const MAX_ALTERNATIVES = 1_000;
/** Nesting of braces. */
const MAX_DEPTH = 8;

/** The problem of a glob, as the end of a sentence; `undefined` if it is valid. Linear. */
export function globProblem(glob: string): string | undefined {
  if (glob === "") return "is empty";
  if (glob.length > MAX_GLOB) return `is longer than ${MAX_GLOB} characters`;
  if (glob.includes("\0")) return "has a NUL character";
  return bracesProblem(glob);
}

/** An open brace: the alternatives before the last comma, and those of the current item. */
interface OpenBrace {
  sum: number;
  product: number;
}

function bracesProblem(glob: string): string | undefined {
  const open: OpenBrace[] = [];
  let current: OpenBrace = { sum: 0, product: 1 };
  for (let at = 0; at < glob.length; at++) {
    switch (glob[at]) {
      case "\\":
        if (++at === glob.length) return "ends with a backslash";
        break;
      case "[": {
        const end = endOfClass(glob, at);
        if (end === undefined) return "has a [ without a ]";
        at = end;
        break;
      }
      case "{":
        if (open.length === MAX_DEPTH) return `has braces that are nested deeper than ${MAX_DEPTH} levels`;
        open.push(current);
        current = { sum: 0, product: 1 };
        break;
      case ",":
        if (open.length === 0) break;
        current.sum += current.product;
        current.product = 1;
        break;
      case "}": {
        const outer = open.pop();
        if (!outer) return "has a } without a {";
        const range = rangeBefore(glob, at);
        outer.product *= range ?? current.sum + current.product;
        current = outer;
        break;
      }
    }
    if (current.sum + current.product > MAX_ALTERNATIVES)
      return `stands for more than ${MAX_ALTERNATIVES} globs: use fewer braces`;
  }
  return open.length > 0 ? "has a { without a }" : undefined;
}

/** The end of `[...]`. A leading `]` belongs to the class. */
function endOfClass(glob: string, at: number): number | undefined {
  const first = glob[at + 1] === "!" || glob[at + 1] === "^" ? at + 2 : at + 1;
  const end = glob.indexOf("]", first + 1);
  return end < 0 ? undefined : end;
}

const RANGE = /\{(-?\d{1,9})\.\.(-?\d{1,9})$/;

function rangeBefore(glob: string, at: number): number | undefined {
  const match = RANGE.exec(glob.slice(Math.max(0, at - 30), at));
  if (!match) return undefined;
  return Math.abs(Number(match[1]) - Number(match[2])) + 1;
}

/** Whether a glob names a hidden file or folder. */
export function namesHidden(glob: string): boolean {
  return !glob.startsWith("!") && /(?:^|[/{,])\.(?![./]|$)/.test(glob);
}
