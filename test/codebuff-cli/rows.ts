// What the tests of this folder are told with. A title may begin with the rows of the protocol's description that it is
// about, joined by ` & `, before its first colon; `complete.test.ts` counts them.
export { describe, test } from "vitest";
