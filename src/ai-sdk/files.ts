// Images, files and sources, as parts of a UI message.
import type { Annotation, ContentPart } from "../universal/events.ts";
import type { Chunk, Sink } from "./message.ts";

const DATA_TYPE = /^data:([\w.+-]+\/[\w.+-]+)[;,]/i;
const WEB = /^https?:/i;

/** Shows an image or a file; other parts are not files. Only `data:` and web addresses become parts with a URL. */
export function putFile(sink: Sink, part: ContentPart, itemId: string, isReasoning: boolean): void {
  if (part.type !== "image" && part.type !== "file_ref") return;
  const { path: url } = part;
  const mime = part.type === "image" ? part.mime : null;
  const mediaType = mime ?? DATA_TYPE.exec(url)?.[1] ?? (part.type === "image" ? "image/*" : undefined);
  if (mediaType !== undefined && (DATA_TYPE.test(url) || WEB.test(url)))
    sink.put({ type: isReasoning ? "reasoning-file" : "file", url, mediaType });
  else {
    const data = part.type === "image" ? ({ path: url, action: "read", diff: null } as const) : part;
    const { path, action, diff } = data;
    sink.put({ type: "data-file", id: sink.key(`${itemId}/${path}`), data: { path, action, diff } });
  }
}

type Citations = NonNullable<Extract<Chunk, { readonly type: "text-end" }>["citations"]>;

/** The sources of a text. */
export function citationsOf(annotations: readonly Annotation[], id: string): Citations {
  return annotations.map(({ url, path, title, start, end }, at) => {
    const of = { type: "source", id: `${id}/${at + 1}` } as const;
    const range = {
      ...(start === undefined ? {} : { startIndex: start }),
      ...(end === undefined ? {} : { endIndex: end }),
    };
    if (url !== undefined && WEB.test(url))
      return {
        source: { ...of, sourceType: "url", url, ...(title === undefined ? {} : { title }) },
        ...range,
      };
    const filename = path ?? url;
    const named = { title: title ?? filename ?? "source", ...(filename === undefined ? {} : { filename }) };
    return { source: { ...of, sourceType: "document", mediaType: "text/plain", ...named }, ...range };
  });
}

/** Shows each source once, as parts of their own. */
export function putSources(sink: Sink, citations: Citations): void {
  const told = new Set<string>();
  for (const { source } of citations) {
    const { id: sourceId, title } = source;
    const address = source.sourceType === "url" ? source.url : (source.filename ?? source.title);
    if (told.has(address)) continue;
    told.add(address);
    if (source.sourceType === "url")
      sink.put({ type: "source-url", sourceId, url: source.url, ...(title === undefined ? {} : { title }) });
    else {
      const { mediaType, filename } = source;
      const named = { title: source.title, ...(filename === undefined ? {} : { filename }) };
      sink.put({ type: "source-document", sourceId, mediaType, ...named });
    }
  }
}
