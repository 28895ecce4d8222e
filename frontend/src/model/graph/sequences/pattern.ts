/** The text of a sequence's pattern as a tree; the server's checks report what is wrong with it. */

export type Pattern =
  | { kind: "take"; variable: string; excluded: boolean }
  | { kind: "absent"; variable: string; duration: string }
  | { kind: "repeat"; part: Pattern; least: number; most: number | null; reluctant: boolean }
  | { kind: "sequence" | "branches" | "permute"; parts: readonly Pattern[] };

const TOKEN =
  /(\s+|--[^\n\r]*|\/\*[\s\S]*?\*\/)|\{-|-\}|\{[^{}]*\}|[A-Za-z_][A-Za-z0-9_]*|[+-]?\d[A-Za-z0-9.]*|[\s\S]/gu;
const BOUNDS = /^\{\s*(\d{0,9})\s*(,?)\s*(\d{0,9})\s*\}$/;
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;
const DURATION = /[+-]?(?:P[0-9A-Z.]+|\d+\s*[A-Za-z]+)/y;
const WORDS = new Set(["PERMUTE", "ABSENT", "FOR"]);
const ENDS = new Set(["", "|", ")", ",", "-}"]);
/** The deepest nesting that the server reads. */
const DEEPEST = 50;
const QUANTIFIERS: Readonly<Record<string, readonly [number, number | null]>> = {
  "*": [0, null],
  "+": [1, null],
  "?": [0, 1],
};

class Unreadable extends Error {}

class Reader {
  private readonly text: string;
  private readonly tokens: readonly RegExpExecArray[];
  private next = 0;
  private excluded = 0;
  private depth = 0;

  constructor(text: string) {
    this.text = text;
    this.tokens = [...text.matchAll(TOKEN)].filter(([, space]) => space === undefined);
  }

  whole(): Pattern {
    const pattern = this.branches();
    if (this.peek() !== "") throw new Unreadable();
    return pattern;
  }

  private peek(): string {
    return this.tokens[this.next]?.[0] ?? "";
  }

  private take(): string {
    const token = this.peek();
    this.next += 1;
    return token;
  }

  private accept(token: string): boolean {
    if (this.peek() !== token) return false;
    this.next += 1;
    return true;
  }

  private expect(token: string) {
    if (!this.accept(token)) throw new Unreadable();
  }

  private branches(): Pattern {
    this.depth += 1;
    if (this.depth > DEEPEST) throw new Unreadable();
    const parts = [this.sequence()];
    while (this.accept("|")) parts.push(this.sequence());
    this.depth -= 1;
    return only(parts) ?? { kind: "branches", parts };
  }

  private sequence(): Pattern {
    const parts = [this.quantified()];
    while (!ENDS.has(this.peek())) parts.push(this.quantified());
    return only(parts) ?? { kind: "sequence", parts };
  }

  private quantified(): Pattern {
    const part = this.primary();
    const token = this.peek();
    const bounds = QUANTIFIERS[token] ?? (token.startsWith("{") && token !== "{-" ? boundsOf(token) : null);
    if (bounds === null) return part;
    this.take();
    const [least, most] = bounds;
    return { kind: "repeat", part, least, most, reluctant: this.accept("?") };
  }

  private primary(): Pattern {
    const word = this.peek().toUpperCase();
    if (word === "PERMUTE") return this.permute();
    if (word === "ABSENT") return this.absent();
    if (this.accept("(")) {
      if (this.accept(")")) return { kind: "sequence", parts: [] };
      const pattern = this.branches();
      this.expect(")");
      return pattern;
    }
    if (this.accept("{-")) {
      this.excluded += 1;
      const pattern = this.branches();
      this.excluded -= 1;
      this.expect("-}");
      return pattern;
    }
    return { kind: "take", variable: this.variable(), excluded: this.excluded > 0 };
  }

  private variable(): string {
    const name = this.take();
    if (!isVariable(name)) throw new Unreadable();
    return name;
  }

  private permute(): Pattern {
    this.take();
    this.expect("(");
    const parts = [this.branches()];
    while (this.accept(",")) parts.push(this.branches());
    this.expect(")");
    return only(parts) ?? { kind: "permute", parts };
  }

  private absent(): Pattern {
    this.take();
    const variable = this.variable();
    if (this.take().toUpperCase() !== "FOR") throw new Unreadable();
    const duration = this.duration();
    return { kind: "absent", variable, duration };
  }

  private duration(): string {
    DURATION.lastIndex = this.tokens[this.next]?.index ?? this.text.length;
    const [duration = ""] = DURATION.exec(this.text) ?? [];
    if (duration === "") throw new Unreadable();
    const end = DURATION.lastIndex;
    while ((this.tokens[this.next]?.index ?? end) < end) this.take();
    return duration;
  }
}

function only(parts: readonly Pattern[]): Pattern | null {
  const [part = null, ...others] = parts;
  return others.length === 0 ? part : null;
}

function boundsOf(token: string): readonly [number, number | null] {
  const [, low = "", comma = "", high = ""] = BOUNDS.exec(token) ?? [];
  if (low === "" && high === "") throw new Unreadable();
  if (comma === "") return [Number(low), Number(low)];
  return [Number(low || 0), high === "" ? null : Number(high)];
}

/** Return whether a variable of a pattern may have this name. */
export function isVariable(name: string): boolean {
  return NAME.test(name) && !WORDS.has(name.toUpperCase());
}

/** Return the tree of a pattern; null if the text can't be read. */
export function patternOf(text: string): Pattern | null {
  try {
    return new Reader(text).whole();
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

function boundsWords(least: number, most: number | null): string {
  if (most === null) return least === 0 ? "any number" : `${least} or more`;
  if (most === 1) return least === 0 ? "optional" : "once";
  return least === most ? `${most} times` : `${least} to ${most} times`;
}

/** Return how often a part is repeated, in words. */
export function timesWords(least: number, most: number | null, reluctant: boolean): string {
  return `${boundsWords(least, most)}${reluctant && least !== most ? ", as few as possible" : ""}`;
}
