// What lowlight's types need of highlight.js. The package's own types bring the DOM to programs of Node.
export type LanguageFn = (highlighter: unknown) => object;
