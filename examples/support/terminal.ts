// What a terminal is written and read with, as the program `agentwire` does it.
export {
  createQuoted,
  Lines,
  quoted,
  Screen,
  type Style,
  wantsColour,
} from "../../src/program/lines/terminal.ts";
