// Cuts a scripted text into the pieces that stream.
import type { MockDeltas } from "./script.ts";

/** A word with the space behind it; or space at the start. */
const WORDS = /\S+\s*|\s+/g;

/** The pieces of a text. A piece ends at no half of a character. */
export function piecesOf(text: string, deltas: MockDeltas): readonly string[] {
  if (text === "") return [];
  if (deltas === "whole") return [text];
  if (deltas === "words") return text.match(WORDS) ?? [];
  const characters = [...text];
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; at += deltas) {
    pieces.push(characters.slice(at, at + deltas).join(""));
  }
  return pieces;
}
