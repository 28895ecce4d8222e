import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const SRC = resolve(import.meta.dirname, "..");

/** What each room may import besides itself. Features are rooms of their own and never import each other. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  generated: [],
  model: ["generated"],
  lib: ["model", "generated"],
  components: ["lib", "model"],
  "features/account": ["components", "lib", "model"],
  "features/designer": ["components", "lib", "model"],
  "features/admin": ["components", "lib", "model"],
  "features/streams": ["components", "lib", "model"],
  "features/runs": ["components", "lib", "model"],
  "features/monitoring": ["components", "lib", "model"],
  "features/docs": ["components", "lib", "model"],
  "features/overview": ["components", "lib", "model"],
  "features/tour": ["components", "lib", "model"],
  app: [
    "components",
    "lib",
    "model",
    "styles",
    "features/account",
    "features/designer",
    "features/admin",
    "features/streams",
    "features/runs",
    "features/monitoring",
    "features/docs",
    "features/overview",
    "features/tour",
  ],
  styles: ["model"],
  architecture: [],
};
const REACT = /^(react|react-dom|react-router|react-aria-components|@tanstack|@xyflow|echarts|@codemirror)(\/|$)/;

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file));

function roomOf(file: string): string {
  const [first = "", second = ""] = file.split("/");
  return first === "features" ? `${first}/${second}` : first;
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(SRC, file), "utf8");
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].flatMap((match) => match[1] ?? []);
}

const sources = files.filter((file) => file.includes("/"));

test("there is something to check, and every file stands in a known room", () => {
  expect(sources.length).toBeGreaterThan(50);
  expect(sources.filter((file) => !(roomOf(file) in MAY_IMPORT))).toEqual([]);
});

test("rooms import only what they may; features never import each other", () => {
  const wrong = sources.flatMap((file) =>
    importsOf(file)
      .filter((path) => path.startsWith("."))
      .map((path) => roomOf(relative(SRC, resolve(SRC, dirname(file), path))))
      .filter((room) => room !== roomOf(file) && !MAY_IMPORT[roomOf(file)]?.includes(room))
      .map((room) => `${file} imports ${room}`),
  );
  expect(wrong).toEqual([]);
});

test("the model is pure: no React, no charts, no requests", () => {
  const model = sources.filter((file) => roomOf(file) === "model");
  const impure = model.flatMap((file) =>
    importsOf(file)
      .filter((path) => REACT.test(path))
      .map((path) => `${file}: ${path}`),
  );
  expect(impure).toEqual([]);
});

test("no page carries an inline script, which the content security policy would refuse", () => {
  const page = readFileSync(join(SRC, "..", "index.html"), "utf8");
  expect(page.match(/<script(?![^>]*\ssrc=)/g)).toBeNull();
});

test("the lock file names no host", () => {
  const lock = readFileSync(join(SRC, "..", "package-lock.json"), "utf8");
  expect(lock).not.toMatch(/"resolved"/);
});
