// What the user writes: the text, its menu, the search of earlier prompts, and where the text goes.
import { basename } from "node:path";
import type { PromptImage, PromptInput } from "../../core/turn/prompt-input.ts";
import type { TerminalWords } from "../../screens/words-terminal.ts";
import { imageInUrl, imagePathsIn, readImageFile } from "../composer/dropped-images.ts";
import {
  type EditorAction,
  type EditorState,
  editorImages,
  editorText,
  emptyEditor,
  stepEditor,
} from "../composer/editor.ts";
import { editorAction } from "../composer/editor-keys.ts";
import type { Press } from "../press.ts";
import { displayed, inLine, type Row, rowsOf, type Surface } from "../rows/row.ts";
import { Completion, type MenuLookup } from "./completion.ts";
import { type Composed, type Purpose, reasonOf } from "./desk.ts";
import { type HistorySearch, newSearch, stepSearch } from "./history-search.ts";

export interface ComposerDraftHost {
  readonly words: TerminalWords;
  lookup(editor: EditorState): MenuLookup | undefined;
  /** Whether the agent takes images. */
  takesImages(): boolean;
  note(text: string): void;
  /** The rows may have changed without a key. */
  changed(): void;
}

/** Rows that say where an edited text goes. */
const MAX_PURPOSE_ROWS = 3;

const PROMPT: Purpose = { type: "prompt" };

export class ComposerDraft {
  readonly #host: ComposerDraftHost;
  readonly #menu: Completion;
  #editor: EditorState = emptyEditor;
  #search: HistorySearch | undefined;
  #purpose: Purpose = PROMPT;
  /** Paths that were taken from the menu. */
  #files = new Set<string>();

  constructor(host: ComposerDraftHost) {
    this.#host = host;
    this.#menu = new Completion({
      find: (editor) => host.lookup(editor),
      changed: () => host.changed(),
      failed: (error) => host.note(host.words.noteFailed(reasonOf(error))),
    });
  }

  /** The text to show. */
  get editor(): EditorState {
    const at = this.#search?.at;
    return at === undefined ? this.#editor : stepEditor(this.#editor, { type: "recall", at });
  }

  get isEmpty(): boolean {
    return this.#editor.text === "" && !this.#search;
  }

  get purpose(): Purpose {
    return this.#purpose;
  }

  get text(): string {
    return editorText(this.#editor);
  }

  /** The prompt. Undefined while a file of an image is being read. */
  get input(): string | PromptInput | undefined {
    const { text } = this;
    const images: PromptImage[] = [];
    for (const { data } of editorImages(this.#editor)) {
      if (data === undefined) return undefined;
      images.push({ data });
    }
    const files = [...this.#files].filter((path) => text.includes(`@${path}`));
    if (images.length === 0 && files.length === 0) return text;
    return { text, ...(images.length > 0 ? { images } : {}), ...(files.length > 0 ? { files } : {}) };
  }

  /** A key of the search or of the menu. Returns undefined for another key; `submit`: send the text. */
  special(press: Press): "done" | "submit" | undefined {
    if (this.#search) return this.#searched(press, this.#search);
    const step = this.#menu.press(press, this.#editor);
    if (!step) return undefined;
    if (step.action) this.#change(step.action);
    const taken = step.action?.type === "replace" ? /^@(.*[^/ ]) $/s.exec(step.action.text)?.[1] : undefined;
    if (taken !== undefined) this.#files.add(taken);
    return step.submits ? "submit" : "done";
  }

  /** A key of the editor. Returns false for a key that does nothing here; `submit`: send the text. */
  press(press: Press): "submit" | boolean {
    const action = editorAction(press, this.#editor);
    if (action === "submit") return "submit";
    if (action) this.#change(action);
    return action !== undefined;
  }

  /** Long texts are folded. Paths of images, and images as `data:` URLs, become images, if the agent takes any. */
  paste(text: string): void {
    this.#take();
    const takesImages = this.#host.takesImages();
    const image = takesImages ? imageInUrl(text) : undefined;
    const paths = takesImages && !image ? imagePathsIn(text) : [];
    if (image) this.#change({ type: "image", image });
    else if (paths.length === 0) this.#change({ type: "paste", text });
    for (const path of paths) this.#drop(path);
  }

  search(): void {
    this.#menu.close();
    this.#search = newSearch(this.#editor);
  }

  /** Puts another text in place of the empty one. */
  compose({ text, images = [], files = [], purpose }: Composed): void {
    const missing = files.filter((path) => !text.includes(`@${path}`)).map((path) => ` @${path}`);
    this.#change({ type: "type", text: text + missing.join("") });
    for (const { data, mediaType = "" } of images) {
      const name = (typeof data === "string" ? imageInUrl(data)?.name : undefined) ?? mediaType;
      this.#change({ type: "image", image: { name, data } });
    }
    this.#files = new Set(files);
    this.#purpose = purpose;
  }

  clear(): void {
    this.#search = undefined;
    this.#change({ type: "clear" });
    this.#purpose = PROMPT;
  }

  sent(): void {
    this.#change({ type: "sent" });
    this.#purpose = PROMPT;
    this.#files = new Set();
  }

  /** Brings back what `sent` took. */
  restore(editor: EditorState): void {
    this.#editor = editor;
  }

  /** The prompt is not what it was to replace any more. */
  becomesPrompt(): void {
    this.#purpose = PROMPT;
  }

  /** A dialog takes the keys. */
  interrupted(): void {
    this.#search = undefined;
    this.#menu.close();
  }

  /** Adds prompts of an earlier chat to the history. */
  remember(prompts: readonly string[]): void {
    const history = [
      ...prompts.map((text) => ({ text: displayed(text), pastes: new Map() })),
      ...this.#editor.history,
    ];
    const drafts = new Map([...this.#editor.drafts].map(([at, draft]) => [at + prompts.length, draft]));
    this.#editor = { ...this.#editor, history, drafts, at: this.#editor.at + prompts.length };
  }

  /** The rows above the text: where it goes, the search, the menu. */
  above(surface: Surface, maxRows: number): readonly Row[] {
    const { words } = this.#host;
    const { columns } = surface;
    if (this.#search) {
      const text = words.searchLine(this.#search.query, this.#search.at !== undefined);
      return rowsOf(inLine(text), "accent", { columns }).slice(0, maxRows);
    }
    const says = this.#purpose.type === "prompt" ? "" : words[PURPOSES[this.#purpose.type]];
    const limit = Math.min(MAX_PURPOSE_ROWS, maxRows);
    const purpose = says === "" ? [] : rowsOf(says, "accent", { columns }).slice(0, limit);
    return [...purpose, ...this.#menu.rows(surface, maxRows - purpose.length, words)];
  }

  #searched(press: Press, search: HistorySearch): "done" | undefined {
    const step = stepSearch(search, press, this.#editor);
    if (step?.type === "open") this.#search = step.search;
    else if (step?.type === "left") this.#search = undefined;
    else this.#take();
    return step ? "done" : undefined;
  }

  /** Ends the search with the shown entry. */
  #take(): void {
    if (!this.#search) return;
    this.#editor = this.editor;
    this.#search = undefined;
  }

  #change(action: EditorAction): void {
    this.#editor = stepEditor(this.#editor, action);
    const opens = action.type !== "move" && action.type !== "recall" && action.type !== "sent";
    if (opens) this.#menu.edited(this.#editor);
    else this.#menu.close();
  }

  /** Reads an image file. If that fails, its path is text. */
  #drop(path: string): void {
    const image: { name: string; data?: Uint8Array } = { name: basename(path) };
    this.#change({ type: "image", image });
    readImageFile(path).then(
      (data) => {
        image.data = data;
        this.#host.changed();
      },
      (error: unknown) => {
        const { text, pastes } = this.#editor;
        const standIn = [...pastes].find(([, paste]) => paste === image)?.[0];
        const from = standIn === undefined ? -1 : text.indexOf(standIn);
        if (standIn !== undefined && from >= 0)
          this.#change({ type: "replace", from, to: from + standIn.length, text: inLine(path) });
        this.#host.note(this.#host.words.noteFailed(reasonOf(error)));
      },
    );
  }
}

const PURPOSES = { edit: "purposeEdit", queued: "purposeQueued" } as const;
