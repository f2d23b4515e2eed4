// Colours code blocks. A file of its own, because the grammars are larger than the rest of the program.
import { common, createLowlight } from "lowlight";
import { highlightWith } from "../../ink/index.ts";

export const highlight = highlightWith(createLowlight(common));
