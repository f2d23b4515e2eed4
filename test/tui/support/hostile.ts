const ESC = "\u001b";
const BEL = "\u0007";

/** What a terminal would obey, each as an agent may send it. */
export const SEQUENCES = {
  title: `${ESC}]0;owned${BEL}`,
  clipboard: `${ESC}]52;c;b3duZWQ=${BEL}`,
  hyperlink: `${ESC}]8;;https://evil.example${ESC}\\link${ESC}]8;;${ESC}\\`,
  clear: `${ESC}[2J${ESC}[3J${ESC}[H`,
  cursor: `${ESC}[1;1Hplaced${ESC}[5A`,
  colour: `${ESC}[31;47m`,
  alternateScreen: `${ESC}[?1049h`,
  mouse: `${ESC}[?1003h`,
  hiddenCursor: `${ESC}[?25lhidden`,
  reportStatus: `${ESC}[6n${ESC}[c`,
  device: `${ESC}P$q"p${ESC}\\`,
  eightBit: "\u009b31m\u009d0;owned\u009c",
  carriageReturn: "shown\rover",
  backspaces: "rm\b\bls",
  bell: BEL,
  reset: `${ESC}c`,
} as const;

/** Controls that change the order of what is shown. */
export const BIDI = "\u202Egnp.exe\u202C \u2066isolated\u2069 \u200Fmark";

/** All of it, with words in front and behind. */
export const HOSTILE = `before ${Object.values(SEQUENCES).join(" ")} ${BIDI} after`;
