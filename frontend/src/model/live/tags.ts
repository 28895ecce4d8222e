/** Tags as a person writes them: separated by commas. */

export function tagsText(tags: readonly string[]): string {
  return tags.join(", ");
}

/** Return the tags in `text`, sorted, each once. */
export function tagsOf(text: string): string[] {
  const tags = text.split(",").map((tag) => tag.trim().replace(/\s+/g, " "));
  return [...new Set(tags.filter((tag) => tag !== ""))].toSorted();
}
