import { build } from "esbuild";
import { gzipSync } from "node:zlib";
const f = async (c) => { const r = await build({stdin:{contents:c,resolveDir:"/work/wt/ai/src",loader:"ts"},bundle:true,minify:true,format:"esm",target:"es2022",write:false,external:["ai"],metafile:true,alias:{}}); const o=Object.values(r.metafile.outputs)[0].inputs; return [gzipSync(r.outputFiles[0].contents,{level:9}).length,o]};
const [chat,i1] = await f('export * from "./chat/index.ts"; export { codey } from "./codey/index.ts"');
const [both,i2] = await f('export * from "./ai-sdk/index.ts"; export * from "./chat/index.ts"; export { codey } from "./codey/index.ts"');
console.log(chat, both, both-chat);
for (const [k,v] of Object.entries(i2)) { const b=i1[k]?.bytesInOutput??0; if (v.bytesInOutput-b>30) console.log(k, v.bytesInOutput, v.bytesInOutput-b)}
