// The program in a browser. The address of the page holds the addresses; the report is a global.
import { program } from "./program.ts";

declare const location: { readonly hash: string };

program(JSON.parse(decodeURIComponent(location.hash.slice(1)))).then((report) => {
  Object.assign(globalThis, { report });
});
