// The images that go along with a message: chosen, pasted or dropped, each within the limits.
import { type ReactElement, type RefObject, useEffect, useRef, useState } from "react";
import { inert } from "../../chat/print/inert.ts";
import type { PromptImage } from "../../core/turn/prompt-input.ts";
import { useAgentChat } from "../index.ts";
import { Icon } from "./icon.tsx";
import { useWords } from "./root.tsx";

/** Images of one message: most models take no more than a few. */
export const MAX_IMAGES = 10;
/** MiB of one image: models take no more than 20 MB, and most take less. */
export const MAX_IMAGE_MIB = 20;

const TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

interface Picture {
  readonly name: string;
  /** A `data:` URL. */
  readonly url: string;
}

export interface Pictures {
  readonly button: ReactElement | null;
  /** The images so far, and what was wrong with the last ones. */
  readonly list: ReactElement;
  add(files: Iterable<File>): void;
  /** The images to send. Says why there are none yet, and then returns undefined. */
  taken(text: string): readonly PromptImage[] | undefined;
  clear(): void;
}

export function usePictures(form: RefObject<HTMLFormElement | null>): Pictures {
  const words = useWords();
  const canTake = useAgentChat(undefined, ({ capabilities }) => capabilities?.images === true);
  const [pictures, setPictures] = useState<readonly Picture[]>([]);
  const [problem, setProblem] = useState("");
  const reading = useRef(0);
  const input = useRef<HTMLInputElement>(null);

  const refusal = (file: File, count: number): string => {
    const name = inert(file.name, { keepNewlines: false });
    if (!canTake) return words.noImages;
    if (!TYPES.includes(file.type)) return words.noImageType(name);
    if (file.size > MAX_IMAGE_MIB << 20) return words.imageTooLarge(name, MAX_IMAGE_MIB);
    return count < MAX_IMAGES ? "" : words.tooManyImages(MAX_IMAGES);
  };
  const add = (files: Iterable<File>): void => {
    setProblem("");
    for (const file of files) {
      const says = refusal(file, pictures.length + reading.current);
      if (says !== "") setProblem(says);
      else read(file);
    }
  };
  const read = (file: File): void => {
    const name = inert(file.name, { keepNewlines: false });
    const reader = new FileReader();
    reading.current++;
    reader.onload = () => setPictures((all) => [...all, { name, url: String(reader.result) }]);
    reader.onerror = () => setProblem(words.imageUnread(name));
    reader.onloadend = () => {
      reading.current--;
    };
    reader.readAsDataURL(file);
  };
  const latest = useRef(add);
  latest.current = add;
  useEffect(() => {
    // A file that is dropped beside the field must not take the place of the page.
    const place = form.current?.closest(".aw-root");
    const onDrag = (event: Event): void => {
      const data = event instanceof DragEvent ? event.dataTransfer : null;
      if (!data?.types.includes("Files")) return;
      event.preventDefault();
      if (event.type === "drop") latest.current(data.files);
    };
    for (const type of ["dragover", "drop"]) place?.addEventListener(type, onDrag);
    return () => {
      for (const type of ["dragover", "drop"]) place?.removeEventListener(type, onDrag);
    };
  }, [form]);

  return {
    add,
    taken(text) {
      const lacks = text === "" && pictures.length > 0 ? words.needsText : "";
      const says = reading.current > 0 ? words.imageComes : lacks;
      setProblem(says);
      return says === "" ? pictures.map(({ url }) => ({ data: url })) : undefined;
    },
    clear: () => setPictures([]),
    button: canTake ? (
      <>
        <input
          ref={input}
          type="file"
          hidden
          multiple
          accept={TYPES.join()}
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
                <img src={picture.url} alt={picture.name} />
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
