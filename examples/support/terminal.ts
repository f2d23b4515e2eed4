// What a terminal is written and read with, as the program `agentwire` does it.
export {
  behindBar as quoted,
  createQuoted,
  Screen,
  type TextStyle as Style,
  TypedLines as Lines,
  wantsColour,
} from "../../src/program/lines/terminal.ts";
