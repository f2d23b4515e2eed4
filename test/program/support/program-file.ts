import { join } from "node:path";
import { BUILD, PROGRAM } from "../../helpers/sources.ts";

/** The file of the program in the build of this run. */
export const programFile = (): string => join(process.env[BUILD] ?? "", `${PROGRAM}.mjs`);
