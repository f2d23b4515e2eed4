/** One text with tags, and what is to be shown of it. */
export interface ReplyRow {
  readonly row: number;
  readonly raw: string;
  /** What the newer server sends as the text, where that is not what is shown. */
  readonly v2?: string;
  /** What the older server sends, where that is not what the newer does. */
  readonly v1?: string;
  readonly text: string;
  readonly reasoning?: readonly string[];
  /** `name:intensity@offset`, in the order of the text. */
  readonly animations?: readonly string[];
}

/** The cases by which every client of Cass can be measured. */
export const REPLY_ROWS: readonly ReplyRow[] = [
  {
    row: 1,
    raw: "Hello! <gesture:wave> <emote:happy:0.8>",
    text: "Hello!",
    animations: ["wave:1@6", "happy:0.8@6"],
  },
  { row: 2, raw: "Hello! <gesture:wave> there", text: "Hello! there", animations: ["wave:1@7"] },
  {
    row: 3,
    raw: "<emote:happy>A <gesture:nod:.5>B",
    text: "A B",
    animations: ["happy:1@0", "nod:0.5@2"],
  },
  {
    row: 4,
    raw: "<gesture:think>secret plan</gesture:think> <gesture:wave> hi",
    v2: "<gesture:think>secret plan</gesture:think> hi",
    v1: "secret plan</gesture:think> hi",
    text: "hi",
    reasoning: ["secret plan"],
    animations: ["wave:1@0"],
  },
  {
    row: 5,
    raw: "hm <emote:thinking> ok",
    v2: "hm <emote:thinking> ok",
    v1: "hm ok",
    text: "hm ok",
    animations: ["thinking:1@3"],
  },
  { row: 6, raw: "<gesture:think:0.5> Hmm", v2: "<gesture:think:0.5> Hmm", v1: "Hmm", text: "Hmm" },
  { row: 7, raw: "<GESTURE:wave> hi </gesture:point>", v2: "<GESTURE:wave> hi </gesture:point>", text: "hi" },
  {
    row: 8,
    raw: "x <emote:love:1.> y <emote:happy:-1> z",
    v2: "x <emote:love:1.> y <emote:happy:-1> z",
    text: "x y z",
  },
  { row: 9, raw: "a <gesture:wave/> b", v2: "a <gesture:wave/> b", text: "a b" },
  {
    row: 10,
    raw: "<gesture:moonwalk:2> ok <memory:summarize>",
    v2: "ok <memory:summarize>",
    text: "ok",
    animations: ["moonwalk:2@0"],
  },
  { row: 11, raw: "héllo <gesture:über> wörld", text: "héllo wörld", animations: ["über:1@6"] },
  {
    row: 12,
    raw: "if x:\n    return 1  <gesture:nod>",
    v2: "if x:\n return 1",
    text: "if x:\n    return 1",
    animations: ["nod:1@18"],
  },
  {
    row: 13,
    raw: "a <b>bold</b> 1 < 2 <gesture:wave hi>",
    text: "a <b>bold</b> 1 < 2 <gesture:wave hi>",
  },
  { row: 14, raw: "<gesture:wave>", text: "", animations: ["wave:1@0"] },
  {
    row: 15,
    raw: "<think>plan</think> Yes",
    v2: "<think>plan</think> Yes",
    text: "Yes",
    reasoning: ["plan"],
  },
  {
    row: 16,
    raw: "<gesture:think>Try <emote:excited> this</gesture:think> Ok",
    v2: "<gesture:think>Try this</gesture:think> Ok",
    v1: "Try this</gesture:think> Ok",
    text: "Ok",
    reasoning: ["Try this"],
  },
  {
    row: 17,
    raw: "x <mark:insight>aha</mark> y",
    v1: "x <mark:insight>aha</mark> y",
    text: "x y",
  },
  {
    row: 18,
    raw: "Hi</gesture:think> there <gesture:think>end",
    v2: "Hi</gesture:think> there <gesture:think>end",
    v1: "Hi</gesture:think> there end",
    text: "Hi there end",
  },
  { row: 19, raw: "<gesture:wave", text: "<gesture:wave" },
];
