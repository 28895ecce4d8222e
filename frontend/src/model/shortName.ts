/** The short name of an organisation, which stands in its addresses. */

const SHORTEST = 3;
const LONGEST = 40;

/** 3 to 40 lower-case letters, digits and hyphens out of a name, no hyphen at either end; empty when too few can be kept. */
export function shortNameOf(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").replaceAll("ß", "ss").toLowerCase();
  const joined = plain.replace(/[^a-z0-9]+/g, "-").replace(/^-+/, "");
  const short = joined.slice(0, LONGEST).replace(/-+$/, "");
  return short.length < SHORTEST ? "" : short;
}
