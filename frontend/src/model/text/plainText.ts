/** Untrusted text made safe to read: invisible and direction-changing characters are spelt out. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the wanted characters
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Return `text` with such characters as `⟨U+202E⟩`; line ends and tabs stay. */
export function spelt(text: string): string {
  return text.replace(UNSEEN, (one) => `⟨U+${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}
