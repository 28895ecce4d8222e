/** The guide's pages, which are written from the code (streaming/guide), as one module for the browser. */

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Marked } from "marked";
import type { Plugin } from "vite";

const FOLDER = fileURLToPath(new URL("../streaming/guide/pages/", import.meta.url));
const MODULE = "virtual:guide";
const EXAMPLES_MODULE = "virtual:guide-examples";
const INDEX = "README.md";
const EXAMPLES = readFileSync(`${FOLDER}examples.json`, "utf8");
const OPENED = Object.keys(JSON.parse(EXAMPLES) as Record<string, unknown>);

interface Written {
  name: string;
  title: string;
  html: string;
  text: string;
}

/** `join.md` is read at `/guide/join`, and the index at `/guide`. */
function address(href: string): string {
  if (!href.endsWith(".md")) return href;
  return href === INDEX ? "/guide" : `/guide/${href.slice(0, -".md".length)}`;
}

const marked = new Marked({
  gfm: true,
  renderer: {
    link({ href, tokens }) {
      return `<a href="${address(href)}">${this.parser.parseInline(tokens)}</a>`;
    },
    image({ href, text }) {
      const name = href.replace(/\.svg$/, "");
      const open = `<a class="guide-open" href="/example/${name}">Open in the simulator</a>`;
      const image = `<img src="%%${href}%%" alt="${text}" width="720" loading="lazy">`;
      return OPENED.includes(name) ? `${image}${open}` : image;
    },
  },
});

/** Wide tables and long lines scroll by themselves, by keyboard too. */
function scrolling(html: string): string {
  return html
    .replaceAll("<table>", '<div class="scroll" role="group" tabindex="0" aria-label="Table"><table>')
    .replaceAll("</table>", "</table></div>")
    .replaceAll("<pre>", '<pre tabindex="0">');
}

function written(file: string): Written {
  const markdown = readFileSync(`${FOLDER}${file}`, "utf8").replace(/^<!--.*?-->\s*/s, "");
  const title = /^# (.+)$/m.exec(markdown)?.[1]?.replaceAll("`", "") ?? file;
  const body = markdown.replace(/^# .+\n/m, "").replace(/\n\[All pages\]\(README\.md\)\s*$/, "\n");
  const text = body.replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/<[^>]+>|[`*|>#]/g, " ");
  return {
    name: file === INDEX ? "" : file.slice(0, -".md".length),
    title,
    html: scrolling(marked.parse(body, { async: false })),
    text: text.replace(/-{3,}/g, " ").replace(/\s+/g, " ").trim(),
  };
}

/** The code of the module: pictures are files of the build, which the pages name by their address there. */
function code(): string {
  const files = readdirSync(FOLDER).sort();
  const pictures = files.filter((file) => file.endsWith(".svg"));
  const imports = pictures.map((file, number) => `import p${number} from ${JSON.stringify(`${FOLDER}${file}?url`)};`);
  const pages = JSON.stringify(files.filter((file) => file.endsWith(".md")).map(written));
  const placed = pages.replace(/%%([\w.]+)%%/g, (whole, file: string) => {
    const number = pictures.indexOf(file);
    return number < 0 ? whole : `" + p${number} + "`;
  });
  return `${imports.join("\n")}\nexport const PAGES = ${placed};\n`;
}

export function guide(): Plugin {
  const codes: Record<string, () => string> = {
    [MODULE]: code,
    [EXAMPLES_MODULE]: () => `export const EXAMPLES = ${EXAMPLES};`,
  };
  return {
    name: "guide",
    resolveId: (id) => (id in codes ? `\0${id}` : null),
    load: (id) => codes[id.replace("\0", "")]?.() ?? null,
  };
}
