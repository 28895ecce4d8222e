/** A browser's user agent in familiar words. */

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(Chrome|HeadlessChrome|Chromium|CriOS)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
  [/^(curl|python|httpx)/i, "A program"],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone/, "an iPhone"],
  [/iPad/, "an iPad"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X|Macintosh/, "a Mac"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"],
];

function first(of: readonly (readonly [RegExp, string])[], text: string): string | undefined {
  return of.find(([pattern]) => pattern.test(text))?.[1];
}

/** Return "Firefox on Windows"; for an unknown browser "Unknown browser". */
export function deviceWords(userAgent: string): string {
  const browser = first(BROWSERS, userAgent) ?? "Unknown browser";
  const system = first(SYSTEMS, userAgent);
  return system === undefined ? browser : `${browser} on ${system}`;
}
