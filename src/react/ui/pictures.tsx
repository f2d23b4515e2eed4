// The images that go along with a message: chosen, pasted or dropped, each within the limits.
import { type ReactElement, type RefObject, useEffect, useRef, useState } from "react";
import { inert } from "../../chat/print/inert.ts";
import type { PromptImage } from "../../core/turn/prompt-input.ts";
import { useAgentChat } from "../index.ts";
import { Icon } from "./icon.tsx";
import { useWords } from "./root.tsx";

/** Images of one message: most models take no more than a few. */
const MAX_IMAGES = 10;
/** MiB of one image: models take no more than 20 MB, and most take less. */
const MAX_MEBIBYTES = 20;

const TYPES = "image/png,image/jpeg,image/gif,image/webp";

interface Picture {
  readonly name: string;
  /** A `data:` URL. */
  readonly data: string;
}

export interface Pictures {
  readonly count: number;
  readonly button: ReactElement | null;
  /** The images so far, and what was wrong with the last ones. */
  readonly list: ReactElement;
  add(files: Iterable<File>): void;
  /** The images to send. While one is being read there are none, and the form is submitted again once it is read. */
  take(): readonly PromptImage[] | undefined;
  clear(): void;
}

export function usePictures(form: RefObject<HTMLFormElement | null>): Pictures {
  const words = useWords();
  const canTake = useAgentChat(undefined, ({ capabilities }) => capabilities?.images === true);
  const [pictures, setPictures] = useState<readonly Picture[]>([]);
  const [problem, setProblem] = useState("");
  const reading = useRef(0);
  const isAwaited = useRef(false);
  const input = useRef<HTMLInputElement>(null);

  const add = (files: Iterable<File>): void => {
    setProblem(canTake ? "" : words.noImages);
    if (canTake) for (const file of files) read(file);
  };
  const read = (file: File): void => {
    const name = inert(file.name, { keepNewlines: false });
    const refuse = (): void => {
      isAwaited.current = false;
      setProblem(words.noImage(name, MAX_IMAGES, MAX_MEBIBYTES));
    };
    const isFull = pictures.length + reading.current >= MAX_IMAGES;
    if (isFull || !TYPES.split(",").includes(file.type) || file.size > MAX_MEBIBYTES << 20) {
      refuse();
      return;
    }
    const reader = new FileReader();
    reader.onload = () => setPictures((all) => [...all, { name, data: String(reader.result) }]);
    reader.onerror = refuse;
    reader.onloadend = () => {
      reading.current--;
    };
    reading.current++;
    reader.readAsDataURL(file);
  };
  const latest = useRef(add);
  latest.current = add;
  useEffect(() => {
    // A file that is dropped beside the field must not take the place of the page.
    const place = form.current?.closest<HTMLElement>(".aw-root");
    if (!place) return;
    const ends = new AbortController();
    const onDrag = (event: DragEvent): void => {
      const data = event.dataTransfer;
      if (!data?.types.includes("Files")) return;
      event.preventDefault();
      if (event.type === "drop") latest.current(data.files);
    };
    for (const type of ["dragover", "drop"] as const) place.addEventListener(type, onDrag, ends);
    return () => ends.abort();
  }, [form]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: one was read
  useEffect(() => {
    if (isAwaited.current) form.current?.requestSubmit();
  }, [form, pictures]);

  return {
    count: pictures.length,
    add,
    take() {
      isAwaited.current = reading.current > 0;
      return isAwaited.current ? undefined : pictures.map(({ data }) => ({ data }));
    },
    clear: () => setPictures([]),
    button: canTake ? (
      <>
        <input
          ref={input}
          type="file"
          hidden
          multiple
          accept={TYPES}
          onChange={({ target }) => {
            add([...(target.files ?? [])]);
            target.value = ""; // the same file may be chosen again
          }}
        />
        <button
          className="aw-icon aw-attach"
          type="button"
          aria-label={words.addImage}
          onClick={() => input.current?.click()}
        >
          <Icon name="add" />
        </button>
      </>
    ) : null,
    list: (
      <>
        {pictures.length > 0 && (
          <ul className="aw-pictures">
            {pictures.map((picture, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: one image may come twice
              <li key={index}>
                <img src={picture.data} alt={picture.name} />
                <button
                  className="aw-icon"
                  type="button"
                  aria-label={words.takeOut(picture.name)}
                  onClick={() => setPictures(pictures.filter((each) => each !== picture))}
                >
                  <Icon name="close" />
                </button>
              </li>
            ))}
          </ul>
        )}
        <p className="aw-problem" role="alert">
          {problem}
        </p>
      </>
    ),
  };
}
