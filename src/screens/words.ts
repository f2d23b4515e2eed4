// The words of both screens in one table, so that one translation serves both.
import type { PageWords } from "./words-page.ts";
import type { TerminalWords } from "./words-terminal.ts";

/** The words of the terminal and of the page. An entry is a text, or a function of facts that returns one. */
export interface Words extends TerminalWords, PageWords {}
