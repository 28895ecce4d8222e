import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const SRC = resolve(import.meta.dirname, "..");

/** The folders that each folder may import, besides itself. Features never import each other. */
const FEATURES = [
  "account",
  "admin",
  "alerts",
  "boards",
  "confirmations",
  "designer",
  "docs",
  "monitoring",
  "overview",
  "runs",
  "streams",
  "tour",
].map((name) => `features/${name}`);
const MAY_IMPORT: Record<string, readonly string[]> = {
  generated: [],
  model: ["generated"],
  messages: ["model", "generated"],
  lib: ["messages", "model", "generated"],
  components: ["lib", "messages", "model"],
  ...Object.fromEntries(FEATURES.map((feature) => [feature, ["components", "lib", "messages", "model"]])),
  app: ["components", "lib", "messages", "model", "styles", ...FEATURES],
  styles: ["model"],
  architecture: [],
};
const FILES_IN_A_FOLDER = 20;
/** The rooms in which a folder and those that it imports are never in a circle. */
const LAYERED = ["model", "messages", "lib", "components"];
const REACT = /^(react|react-dom|react-router|react-aria-components|@tanstack|@xyflow|echarts|@codemirror)(\/|$)/;

const entries = readdirSync(SRC, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
const files = entries
  .map((entry) => relative(SRC, join(entry.parentPath, entry.name)))
  .filter((file) => /\.tsx?$/.test(file));

function roomOf(file: string): string {
  const [first = "", second = ""] = file.split("/");
  return first === "features" ? `${first}/${second}` : first;
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(SRC, file), "utf8");
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].flatMap((match) => match[1] ?? []);
}

const sources = files.filter((file) => file.includes("/"));

test("every file is in a known folder", () => {
  expect(sources.length).toBeGreaterThan(50);
  expect(sources.filter((file) => !(roomOf(file) in MAY_IMPORT))).toEqual([]);
});

test("folders import only what they may; features never import each other", () => {
  const wrong = sources.flatMap((file) =>
    importsOf(file)
      .filter((path) => path.startsWith("."))
      .map((path) => roomOf(relative(SRC, resolve(SRC, dirname(file), path))))
      .filter((room) => room !== roomOf(file) && !MAY_IMPORT[roomOf(file)]?.includes(room))
      .map((room) => `${file} imports ${room}`),
  );
  expect(wrong).toEqual([]);
});

test("no folder has more files side by side than a reader can survey", () => {
  const counts = new Map<string, number>();
  for (const { parentPath } of entries) counts.set(parentPath, (counts.get(parentPath) ?? 0) + 1);
  const full = [...counts].flatMap(([folder, count]) =>
    count > FILES_IN_A_FOLDER ? [`${relative(SRC, folder)}: ${count}`] : [],
  );
  expect(full).toEqual([]);
});

/** Return the folders that each folder of a room imports, tests excepted. */
function foldersImported(room: string): Map<string, Set<string>> {
  const imported = new Map<string, Set<string>>();
  for (const file of sources.filter((each) => roomOf(each) === room && !/\.test\.tsx?$/.test(each))) {
    const folder = dirname(file);
    const others = importsOf(file)
      .filter((path) => path.startsWith("."))
      .map((path) => dirname(relative(SRC, resolve(SRC, folder, path))))
      .filter((other) => other !== folder);
    imported.set(folder, new Set([...(imported.get(folder) ?? []), ...others]));
  }
  return imported;
}

test.each(LAYERED)("the folders of %s never import each other in a circle", (room) => {
  const imported = foldersImported(room);
  const reached = (folder: string, found: Set<string>): Set<string> => {
    for (const next of imported.get(folder) ?? []) if (!found.has(next)) reached(next, found.add(next));
    return found;
  };
  expect([...imported.keys()].filter((folder) => reached(folder, new Set()).has(folder))).toEqual([]);
});

test("the model and the messages are pure: no React, no charts, no requests", () => {
  const model = sources.filter((file) => ["model", "messages"].includes(roomOf(file)));
  const impure = model.flatMap((file) =>
    importsOf(file)
      .filter((path) => REACT.test(path))
      .map((path) => `${file}: ${path}`),
  );
  expect(impure).toEqual([]);
});

test("no page has an inline script, because the content security policy would block it", () => {
  const page = readFileSync(join(SRC, "..", "index.html"), "utf8");
  expect(page.match(/<script(?![^>]*\ssrc=)/g)).toBeNull();
});

test("the lock file names no host", () => {
  const lock = readFileSync(join(SRC, "..", "package-lock.json"), "utf8");
  expect(lock).not.toMatch(/"resolved"/);
});
