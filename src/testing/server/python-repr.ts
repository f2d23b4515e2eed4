// Python's `repr()` of a JSON value.

/** `repr()` of what `json.loads` gave. */
export function pythonRepr(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value === "string") return reprText(value);
  if (typeof value === "number") return reprNumber(value);
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(", ")}]`;
  const members = Object.entries(value).map(([key, member]) => `${reprText(key)}: ${pythonRepr(member)}`);
  return `{${members.join(", ")}}`;
}

/** `type(value).__name__` of what `json.loads` gave. */
export function pythonTypeName(value: unknown): string {
  if (value === null || value === undefined) return "NoneType";
  if (typeof value === "string") return "str";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint") return "int";
  if (typeof value === "number") return Number.isInteger(value) ? "int" : "float";
  return Array.isArray(value) ? "list" : "dict";
}

function reprNumber(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  // Python turns to exponents sooner for small numbers, and writes them with two digits.
  const small = value !== 0 && Math.abs(value) < 1e-4;
  return (small ? value.toExponential() : String(value)).replace(/e([+-])(\d)$/, "e$10$2");
}

/** Single quotes, unless only the other kind saves an escape. */
function reprText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  let inside = "";
  for (const character of text) {
    if (character === quote || character === "\\") inside += `\\${character}`;
    else if (character === "\n") inside += "\\n";
    else if (character === "\r") inside += "\\r";
    else if (character === "\t") inside += "\\t";
    else if (character === " " || !/[\p{C}\p{Z}]/u.test(character)) inside += character;
    else inside += escapeCodePoint(character.codePointAt(0) ?? 0);
  }
  return quote + inside + quote;
}

function escapeCodePoint(point: number): string {
  const hex = point.toString(16);
  if (point < 0x100) return `\\x${hex.padStart(2, "0")}`;
  return point < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}
